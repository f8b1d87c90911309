"""Annotations do not change what a kernel does, and other passes leave them alone."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.kernels.spmd_annotate_footprints import SpmdAnnotateFootprintsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Launch, Maker, check_passes

KERNEL = """
func.func private @left(%i: index) -> index {
  %c1 = arith.constant 1 : index
  %l = arith.subi %i, %c1 : index
  func.return %l : index
}

spmd.kernel @annotated(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %i = spmd.global_id x
  %inner = arith.cmpi ne, %i, %c0 : index
  cf.cond_br %inner, ^inside, ^done
^inside:
  %l = func.call @left(%i) : (index) -> index
  %a = memref.load %x[%l] : memref<?xf32>
  %b = memref.load %x[%i] : memref<?xf32>
  %c = arith.subf %b, %a : f32
  memref.store %c, %y[%i] : memref<?xf32>
  cf.br ^done
^done:
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.random("f32", make.n), make.zeros("f32", make.n)]


@pytest.mark.parametrize("launch", LINES[1:4], ids=str)
def test_annotated_kernels_do_the_same(launch: Launch):
    check_passes(
        KERNEL,
        arguments,
        (launch,),
        SpmdAnnotateFootprintsPass(),
        SpmdToLoopsPass(),
        VectorizePass(width=8),
    )
