"""Kernels compute the same when loops over points and pixels are written out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.structuring.unroll_short_loops import UnrollShortLoopsPass
from tests.execution.harness import (
    LINES,
    Maker,
    check_native_launches,
    check_passes,
)

KERNEL = """
spmd.kernel @sums(%x: memref<?xROWxi32>, %y: memref<?xROWxi32>, %z: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %row = arith.constant ROW : index
  %last = arith.constant LAST : index
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %all = scf.for %c = %c0 to %row step %c1 iter_args(%s = %zero) -> (i32) {
    %v = memref.load %x[%i, %c] : memref<?xROWxi32>
    %odd = arith.trunci %v : i32 to i1
    %t = scf.if %odd -> (i32) {
      %u = arith.xori %s, %v : i32
      memref.store %u, %x[%i, %c] : memref<?xROWxi32>
      scf.yield %u : i32
    } else {
      scf.yield %s : i32
    }
    %back = arith.subi %last, %c : index
    memref.store %t, %y[%i, %back] : memref<?xROWxi32>
    %next = arith.addi %t, %v : i32
    scf.yield %next : i32
  }
  memref.store %all, %z[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("row", [1, 2, 3, 8])
def test_rows_of_a_point(row: int):
    text = KERNEL.replace("ROW", str(row)).replace("LAST", str(row - 1))

    def arguments(make: Maker) -> list[Any]:
        points = make.random("i32", make.n * row).reshape(-1, row)
        return [points, np.zeros_like(points), make.zeros("i32", make.n)]

    check_passes(text, arguments, LINES[2:4], UnrollShortLoopsPass())
    passes = (SpmdToLoopsPass(), VectorizePass(width=8))
    check_passes(text, arguments, LINES[3:4], *passes)
    check_native_launches(text, arguments, LINES[1:4])
