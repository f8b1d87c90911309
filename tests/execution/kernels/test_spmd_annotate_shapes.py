"""Annotations do not change what a kernel does, at any level."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.kernels.spmd_annotate_shapes import SpmdAnnotateShapesPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, PLANES, Launch, Maker, check_passes

KERNEL = """
spmd.kernel @annotated(%n: index, %x: memref<?xindex>, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %width = spmd.global_size x
  %row = arith.muli %gy, %width : index
  %i = arith.addi %row, %gx : index
  %lid = spmd.local_id x
  %own = memref.alloca() : memref<4xindex>
  memref.store %lid, %own[%c1] : memref<4xindex>
  %v = memref.load %x[%i] : memref<?xindex>
  %odd = arith.remui %v, %c2 : index
  %p = arith.cmpi eq, %odd, %c0 : index
  %r = scf.if %p -> (index) {
    %limit = arith.remui %v, %c5 : index
    %s = scf.for %j = %c0 to %limit step %c1 iter_args(%a = %c0) -> (index) {
      %b = arith.addi %a, %j : index
      scf.yield %b : index
    }
    scf.yield %s : index
  } else {
    %w = memref.load %own[%c1] : memref<4xindex>
    scf.yield %w : index
  }
  %t = arith.addi %r, %n : index
  memref.store %t, %y[%i] : memref<?xindex>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [3, make.integers("index", 0, 50, make.n), make.zeros("index", make.n)]


@pytest.mark.parametrize("launch", [*LINES[1:4], PLANES[1]], ids=str)
def test_annotated_kernels_do_the_same(launch: Launch):
    check_passes(
        KERNEL,
        arguments,
        (launch,),
        SpmdAnnotateShapesPass(why=True),
        SpmdToLoopsPass(),
        SpmdAnnotateShapesPass(),
        VectorizePass(width=8),
        SpmdAnnotateShapesPass(why=True),
    )
