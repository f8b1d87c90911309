"""Kernels compute the same when elements of their private arrays become values."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.rematerialization.promote_private_arrays import (
    PromotePrivateArraysPass,
)
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_native_launches,
    check_passes,
)

# A tile of sums across barriers, a part of it that each iteration writes anew, a sort whose
# loops depend on each other, branches and a loop that work-items take and leave by themselves.
TILE = """
spmd.kernel @tile(%x: memref<?xi32>, %y: memref<?xi32> {spmd.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %seven = arith.constant 7 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %acc = memref.alloca() : memref<3x2xi32>
  %part = memref.alloca() : memref<3xi32>
  %shared = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c2 step %c1 {
      memref.store %v, %acc[%i, %j] : memref<3x2xi32>
    }
  }
  scf.for %k = %c0 to %c5 step %c1 {
    %k32 = arith.index_cast %k : index to i32
    memref.store %v, %shared[%lid] : memref<64xi32, #spmd.memory<local>>
    scf.for %i = %c0 to %c3 step %c1 {
      %i32 = arith.index_cast %i : index to i32
      %s = arith.muli %v, %i32 : i32
      %t = arith.addi %s, %k32 : i32
      memref.store %t, %part[%i] : memref<3xi32>
    }
    spmd.barrier
    %first = memref.load %shared[%c0] : memref<64xi32, #spmd.memory<local>>
    scf.for %i = %c0 to %c2 step %c1 {
      %from = arith.addi %i, %c1 : index
      scf.for %j = %from to %c3 step %c1 {
        %l = memref.load %part[%i] : memref<3xi32>
        %r = memref.load %part[%j] : memref<3xi32>
        %p = arith.cmpi slt, %r, %l : i32
        scf.if %p {
          memref.store %r, %part[%i] : memref<3xi32>
          memref.store %l, %part[%j] : memref<3xi32>
        }
      }
    }
    scf.for %i = %c0 to %c3 step %c1 {
      scf.for %j = %c0 to %c2 step %c1 {
        %old = memref.load %acc[%i, %j] : memref<3x2xi32>
        %more = memref.load %part[%i] : memref<3xi32>
        %sum = arith.addi %old, %more : i32
        %all = arith.xori %sum, %first : i32
        memref.store %all, %acc[%i, %j] : memref<3x2xi32>
      }
    }
    spmd.barrier
  }
  %n = scf.while (%m = %one) : (i32) -> i32 {
    %a = memref.load %acc[%c1, %c1] : memref<3x2xi32>
    %bits = arith.andi %a, %seven : i32
    %more = arith.cmpi slt, %m, %bits : i32
    scf.condition(%more) %m : i32
  } do {
  ^bb0(%m: i32):
    %a = memref.load %acc[%c1, %c1] : memref<3x2xi32>
    %half = arith.shrui %a, %one : i32
    memref.store %half, %acc[%c1, %c1] : memref<3x2xi32>
    memref.store %m, %acc[%c2, %c0] : memref<3x2xi32>
    %next = arith.addi %m, %one : i32
    scf.yield %next : i32
  }
  %end = scf.for %i = %c0 to %c3 step %c1 iter_args(%e = %n) -> (i32) {
    %f = scf.for %j = %c0 to %c2 step %c1 iter_args(%g = %e) -> (i32) {
      %a = memref.load %acc[%i, %j] : memref<3x2xi32>
      %twice = arith.addi %g, %g : i32
      %h = arith.xori %twice, %a : i32
      scf.yield %h : i32
    }
    scf.yield %f : i32
  }
  memref.store %end, %y[%gid] : memref<?xi32>
  spmd.return
}
"""

# Rows of a tile, every second element of one from its end, and all of it as a line.
VIEWS = """
spmd.kernel @views(%x: memref<?xi32>, %y: memref<?xi32> {spmd.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %gid = spmd.global_id x
  %tile = memref.alloca() : memref<3x4xi32>
  %v = memref.load %x[%gid] : memref<?xi32>
  scf.for %i = %c0 to %c3 step %c1 {
    %row = memref.subview %tile[%i, 0] [1, 4] [1, 1]
      : memref<3x4xi32> to memref<4xi32, strided<[1], offset: ?>>
    scf.for %j = %c0 to %c4 step %c1 {
      %j32 = arith.index_cast %j : index to i32
      %t = arith.muli %v, %j32 : i32
      memref.store %t, %row[%j] : memref<4xi32, strided<[1], offset: ?>>
    }
  }
  spmd.barrier
  %odd = memref.subview %tile[2, 1] [1, 2] [1, 2]
    : memref<3x4xi32> to memref<2xi32, strided<[2], offset: 9>>
  %some = memref.cast %odd
    : memref<2xi32, strided<[2], offset: 9>> to memref<?xi32, strided<[?], offset: ?>>
  %a = memref.load %some[%c1] : memref<?xi32, strided<[?], offset: ?>>
  %again = arith.addi %a, %v : i32
  memref.store %again, %odd[%c0] : memref<2xi32, strided<[2], offset: 9>>
  %sum = scf.for %j = %c0 to %c4 step %c1 iter_args(%s = %a) -> (i32) {
    %b = memref.load %tile[%c2, %j] : memref<3x4xi32>
    %twice = arith.addi %s, %s : i32
    %next = arith.xori %twice, %b : i32
    scf.yield %next : i32
  }
  memref.store %sum, %y[%gid] : memref<?xi32>
  spmd.return
}
"""


def arrays(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.n)]


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_loops_branches_and_barriers(launch: Launch):
    module = check_passes(
        TILE,
        arrays,
        (launch,),
        SpmdSpecializePass(work_group_size=launch.group_size),
        PromotePrivateArraysPass(),
    )
    assert "memref.alloca" not in str(module)


def test_views_of_private_arrays():
    module = check_passes(
        VIEWS,
        arrays,
        LINES[3:4],
        SpmdSpecializePass(work_group_size=LINES[3].group_size),
        PromotePrivateArraysPass(),
    )
    assert "memref.alloca" not in str(module)
    check_passes(VIEWS, arrays, LINES[1:4], SpmdToLoopsPass(), VectorizePass(4))
    check_native_launches(VIEWS, arrays, LINES)


def test_lanes_have_values_of_their_own():
    check_passes(TILE, arrays, LINES[1:4], SpmdToLoopsPass(), VectorizePass(4))
    check_native_launches(TILE, arrays, LINES)


def test_only_what_is_asked_for_crosses_barriers():
    module = check_passes(
        TILE,
        arrays,
        LINES[3:4],
        SpmdSpecializePass(work_group_size=LINES[3].group_size),
        SpmdToLoopsPass(),
    )
    # In both versions six sums and what was loaded, not what each iteration writes anew.
    assert str(module).count("spmd.context") == 2 * (6 + 1)
