"""Kernels compute the same when they choose between integers without branches."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.structuring.if_to_select import IfToSelectPass
from tests.execution.harness import (
    LINES,
    Maker,
    check_native_launches,
    check_passes,
)

KERNEL = """
spmd.kernel @window(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %n = memref.dim %x, %c0 : memref<?xi32>
  %v = memref.load %x[%i] : memref<?xi32>
  %odd = arith.trunci %v : i32 to i1
  %inside = arith.cmpi sgt, %i, %r : index
  %low, %sign = scf.if CONDITION -> (index, i32) {
    %left = arith.subi %i, %r OVERFLOW : index
    scf.yield LEFT, %v : index, i32
  } else {
    %minus = arith.subi %zero, %v : i32
    scf.yield %c0, %minus : index, i32
  }
  %end = arith.addi %i, %r : index
  %fits = arith.cmpi slt, %end, %n : index
  %high = scf.if %fits -> (index) {
    scf.yield %end : index
  } else {
    %m = memref.dim %x, %c0 : memref<?xi32>
    scf.yield %m : index
  }
  %sum = scf.for %k = %low to %high step %c1 iter_args(%s = %sign) -> (i32) {
    %w = memref.load %x[%k] : memref<?xi32>
    %t = arith.addi %s, %w : i32
    scf.yield %t : i32
  }
  memref.store %sum, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize(
    ("condition", "left", "overflow"),
    [
        ("%inside", "%left", ""),
        # Where it is not chosen, what may not overflow does.
        ("%inside", "%left", "overflow<nuw>"),
        ("%odd", "%c1", ""),
    ],
)
def test_integers_that_branches_choose(condition: str, left: str, overflow: str):
    text = KERNEL.replace("CONDITION", condition).replace("LEFT", left)
    text = text.replace("OVERFLOW", overflow)

    def arguments(make: Maker) -> list[Any]:
        return [make.random("i32", make.n), make.zeros("i32", make.n)]

    check_passes(text, arguments, LINES[2:4], IfToSelectPass())
    passes = (SpmdToLoopsPass(), VectorizePass(width=8))
    check_passes(text, arguments, LINES[3:4], *passes)
    check_native_launches(text, arguments, LINES[1:4])
