"""Kernels compute the same when their own elements of local memory become values."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.kernels.drop_redundant_barriers import DropRedundantBarriersPass
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.rematerialization.promote_own_elements import PromoteOwnElementsPass
from tests.execution.harness import (
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native_launches,
    check_passes,
)

# Branches with one side and with two, loops left one after the other, barriers that order
# nothing, and two arrays, one of which gives the other its values.
ELEMENTS = """
spmd.kernel @elements(%x: memref<?xi32>, %y: memref<?xi32> {spmd.noalias}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %a = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %a[%lid] : memref<64xi32, #spmd.memory<local>>
  memref.store %one, %b[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %bits = arith.index_cast %v : i32 to index
  %n = arith.andi %bits, %c7 : index
  scf.for %i = %c0 to %n step %c1 {
    %i32 = arith.index_cast %i : index to i32
    %p = memref.load %a[%lid] : memref<64xi32, #spmd.memory<local>>
    %q = arith.muli %p, %i32 : i32
    %bit = arith.andi %q, %one : i32
    %odd = arith.cmpi ne, %bit, %zero : i32
    scf.if %odd {
      memref.store %q, %b[%lid] : memref<64xi32, #spmd.memory<local>>
    } else {
      %r = memref.load %b[%lid] : memref<64xi32, #spmd.memory<local>>
      %s = arith.addi %r, %q : i32
      memref.store %s, %a[%lid] : memref<64xi32, #spmd.memory<local>>
    }
    scf.if %odd {
      %t = arith.addi %p, %one : i32
      memref.store %t, %a[%lid] : memref<64xi32, #spmd.memory<local>>
    }
  }
  spmd.barrier
  %k = scf.while (%j = %n) : (index) -> index {
    %u = memref.load %b[%lid] : memref<64xi32, #spmd.memory<local>>
    %w = arith.addi %u, %v : i32
    memref.store %w, %b[%lid] : memref<64xi32, #spmd.memory<local>>
    %more = arith.cmpi ult, %j, %c7 : index
    scf.condition(%more) %j : index
  } do {
  ^bb0(%h: index):
    %next = arith.addi %h, %c1 : index
    %e = memref.load %b[%lid] : memref<64xi32, #spmd.memory<local>>
    memref.store %e, %a[%lid] : memref<64xi32, #spmd.memory<local>>
    scf.yield %next : index
  }
  %f = memref.load %a[%lid] : memref<64xi32, #spmd.memory<local>>
  %g = memref.load %b[%lid] : memref<64xi32, #spmd.memory<local>>
  %sum = arith.addi %f, %g : i32
  memref.store %sum, %y[%gid] : memref<?xi32>
  spmd.return
}
"""


def one_array(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.n)]


@pytest.mark.parametrize("launch", LINES, ids=str)
def test_elements_of_branches_and_loops(launch: Launch):
    module = check_passes(
        ELEMENTS,
        one_array,
        (launch,),
        SpmdSpecializePass(work_group_size=launch.group_size),
        HoistIdsPass(),
        DropRedundantBarriersPass(),
        PromoteOwnElementsPass(),
    )
    assert "local_alloc" not in str(module)


def test_lanes_carry_elements():
    passes = SpmdToLoopsPass(), VectorizePass(4)
    check_passes(ELEMENTS, one_array, LINES[1:4], *passes)
    check_native_launches(ELEMENTS, one_array, LINES)


PLANE = """
spmd.kernel @plane(%x: memref<?x?xf32>) {
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %tile = spmd.local_alloc : memref<4x16xf32, #spmd.memory<local>>
  %v = memref.load %x[%gy, %gx] : memref<?x?xf32>
  memref.store %v, %tile[%ly, %lx] : memref<4x16xf32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%ly, %lx] : memref<4x16xf32, #spmd.memory<local>>
  %s = arith.addf %w, %v : f32
  memref.store %s, %x[%gy, %gx] : memref<?x?xf32>
  spmd.return
}
"""


def plane(make: Maker) -> list[Any]:
    return [make.random("f32", *make.size)]


@pytest.mark.parametrize("launch", PLANES, ids=str)
def test_two_indices_tell_work_items_apart(launch: Launch):
    module = check_passes(
        PLANE,
        plane,
        (launch,),
        SpmdSpecializePass(work_group_size=launch.group_size),
        SpmdToLoopsPass(),
    )
    assert "spmd.group_memory" not in str(module)
