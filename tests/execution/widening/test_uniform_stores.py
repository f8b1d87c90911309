"""Lanes that store to one place, some of them or all: what one of them has is stored, once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.execution.harness import LINES, Launch, Maker, check_native

KERNEL = """
spmd.kernel @stores(%x: memref<?xi32>, %all: memref<?xf32>, %rank0: memref<f32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c9 = arith.constant 9 : i32
  %i = spmd.global_id x
  // The same in all work-items, which nothing says.
  %v = memref.load %all[%i] : memref<?xf32>
  %k = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %y[%c0] : memref<?xf32>
  %some = arith.cmpi sgt, %k, %c9 : i32
  scf.if %some {
    memref.store %v, %y[%c1] : memref<?xf32>
    scf.for %j = %c0 to %c3 step %c1 {
      memref.store %v, %rank0[] : memref<f32>
    }
  }
  %end = arith.index_cast %k : i32 to index
  scf.for %j_1 = %c0 to %end step %c1 {
    %w = arith.addf %v, %v : f32
    memref.store %w, %y[%c3] : memref<?xf32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("most", [1, 10, 12])
@pytest.mark.parametrize("width", [4, 16, "auto"])
def test_one_of_the_active_lanes_stores(width: Any, most: int):
    """If there is one: below 10 nobody stores to the second place and to `%rank0`."""

    def arguments(make: Maker) -> list[Any]:
        same = np.full(make.n, 7.5, np.float32)
        numbers = make.integers("i32", 0, most, make.n)
        return [numbers, same, make.zeros("f32"), make.zeros("f32", 4)]

    for launch in (*LINES, Launch((3,), (256,))):
        check_native(KERNEL, arguments, launch, width=width)
