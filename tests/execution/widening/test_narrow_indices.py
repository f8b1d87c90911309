"""Indices of 32 bits, which may wrap around: lanes that access memory are neighbours."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.runtime.options import Width
from tests.execution.harness import LINES, Launch, Maker, check_native

KERNEL = """
spmd.kernel @shifted(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>,
    %last: memref<?xi32>, %by: i32, %n: i32) {
  %zero = arith.constant 0 : i32
  %two = arith.constant 2 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %id = arith.index_cast %i : index to i32
  %k = arith.addi %id, %by : i32
  %low = arith.cmpi sge, %k, %zero : i32
  %high = arith.cmpi slt, %k, %n : i32
  %inside = arith.andi %low, %high : i1
  scf.if %inside {
    %at = arith.index_cast %k : i32 to index
    %w = memref.load %x[%at] : memref<?xi32>
    %s = arith.addi %v, %w : i32
    memref.store %s, %y[%at] : memref<?xi32>
  }
  // Every other element.
  %twice = arith.muli %k, %two : i32
  %above = arith.cmpi sge, %twice, %zero : i32
  %below = arith.cmpi slt, %twice, %n : i32
  %there = arith.andi %above, %below : i1
  scf.if %there {
    %at_1 = arith.index_cast %twice : i32 to index
    memref.store %v, %z[%at_1] : memref<?xi32>
  }
  // Backwards: the first lane may have wrapped where the others have not.
  %back = arith.subi %n, %k : i32
  %least = arith.cmpi sge, %back, %zero : i32
  %most = arith.cmpi slt, %back, %n : i32
  %here = arith.andi %least, %most : i1
  scf.if %here {
    %at_2 = arith.index_cast %back : i32 to index
    %u = memref.load %x[%at_2] : memref<?xi32>
    memref.store %u, %last[%i] : memref<?xi32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("width", [4, 16, "auto"])
@pytest.mark.parametrize(
    "by", [0, -5, 3, -(1 << 31), (1 << 31) - 7, -(1 << 31) - 11 + (1 << 32)]
)
def test_lanes_that_wrap_access_nothing(width: Width, by: int):
    def arguments(make: Maker) -> list[Any]:
        values = make.integers("i32", 0, 99, make.n)
        outs = [make.zeros("i32", make.n) for _ in range(3)]
        return [values, *outs, by, make.n]

    for launch in LINES:
        check_native(KERNEL, arguments, launch, width=width)


PLANE = """
spmd.kernel @plane(%x: memref<?xi32>, %y: memref<?xi32>, %pitch: i32) {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %i32 = arith.index_cast %i : index to i32
  %j32 = arith.index_cast %j : index to i32
  %row = arith.muli %j32, %pitch : i32
  %k = arith.addi %row, %i32 : i32
  %at = arith.index_cast %k : i32 to index
  %v = memref.load %x[%at] : memref<?xi32>
  memref.store %v, %y[%at] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", [8, "auto"])
def test_rows_of_a_plane(width: Width):
    def arguments(make: Maker) -> list[Any]:
        return [make.random("i32", make.n), make.zeros("i32", make.n), 24]

    for launch in (Launch((24, 6), (8, 2)), Launch((24, 5), (16, 4))):
        check_native(PLANE, arguments, launch, width=width)
