"""Private arrays that lanes write under masks: each lane finds what it wrote itself."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.runtime.options import Width
from tests.execution.harness import LINES, Maker, check_native

KERNEL = """
spmd.kernel @stores(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>, %w: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %c8 = arith.constant 8 : i32
  %c3 = arith.constant 3 : i32
  %c6_i32 = arith.constant 6 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %less = arith.cmpi slt, %v, %c8 : i32
  %few = arith.cmpi slt, %v, %c3 : i32
  // All stores under one mask.
  scf.if %less {
    %a = memref.alloca() : memref<8xi32>
    scf.for %j = %c0 to %c6 step %c1 {
      %n = arith.index_cast %j : index to i32
      %s = arith.addi %n, %v : i32
      memref.store %s, %a[%j] : memref<8xi32>
    }
    %t = memref.load %a[%c2] : memref<8xi32>
    memref.store %t, %y[%i] : memref<?xi32>
  }
  // By all, and then by some.
  %b = memref.alloca() : memref<8xi32>
  memref.store %v, %b[%c0] : memref<8xi32>
  scf.if %few {
    memref.store %c3, %b[%c0] : memref<8xi32>
  }
  %e = memref.load %b[%c0] : memref<8xi32>
  memref.store %e, %x[%i] : memref<?xi32>
  // By some, and then by some of these.
  scf.if %less {
    %c = memref.alloca() : memref<8xi32>
    memref.store %v, %c[%c0] : memref<8xi32>
    scf.if %few {
      memref.store %c3, %c[%c0] : memref<8xi32>
    }
    %f = memref.load %c[%c0] : memref<8xi32>
    memref.store %f, %z[%i] : memref<?xi32>
  }
  // By others in each iteration.
  %d = memref.alloca() : memref<8xi32>
  scf.for %j_1 = %c0 to %c6 step %c1 {
    %m = arith.index_cast %j_1 : index to i32
    %now = arith.cmpi eq, %m, %v : i32
    scf.if %now {
      %twice = arith.addi %m, %m : i32
      memref.store %twice, %d[%c1] : memref<8xi32>
    }
  }
  %low = arith.cmpi slt, %v, %c6_i32 : i32
  scf.if %low {
    %g = memref.load %d[%c1] : memref<8xi32>
    memref.store %g, %w[%i] : memref<?xi32>
  }
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    values = make.integers("i32", 0, 12, make.n)
    return [values, *(make.zeros("i32", make.n) for _ in range(3))]


def test_lanes_keep_what_they_wrote():
    for launch in LINES:
        check_native(KERNEL, arguments, launch, width=4)


SORT = """
spmd.kernel @sort(%x: memref<5x?xi32>, %y: memref<?xi32>, %far: index, %most: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %i = spmd.global_id x
  %a = memref.alloca() : memref<5xi32>
  scf.for %k = %c0 to %c5 step %c1 {
    %v = memref.load %x[%k, %i] : memref<5x?xi32>
    memref.store %v, %a[%k] : memref<5xi32>
  }
  scf.for %j = %c0 to %c4 step %c1 {
    %next = arith.addi %j, %c1 : index
    scf.for %k_1 = %next to %c5 step %c1 {
      %low = memref.load %a[%j] : memref<5xi32>
      %high = memref.load %a[%k_1] : memref<5xi32>
      %less = arith.cmpi slt, %high, %low : i32
      scf.if %less {
        memref.store %high, %a[%j] : memref<5xi32>
        memref.store %low, %a[%k_1] : memref<5xi32>
      }
    }
  }
  %median = memref.load %a[%c2] : memref<5xi32>
  // Nobody takes this one where the element does not exist.
  %more = arith.cmpi sgt, %median, %most : i32
  scf.if %more {
    memref.store %most, %a[%far] : memref<5xi32>
  }
  %end = memref.load %a[%c2] : memref<5xi32>
  memref.store %end, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.optimized
@pytest.mark.parametrize("width", [1, 4, 16, "auto"])
@pytest.mark.parametrize(("far", "most"), [(2, 6), (1 << 40, 99)])
def test_lanes_exchange_elements(width: Width, far: int, most: int):
    def values(make: Maker) -> list[Any]:
        found = make.integers("i32", 0, 12, 5, make.n)
        return [found, make.zeros("i32", make.n), far, most]

    for launch in LINES:
        check_native(SORT, values, launch, width=width)
