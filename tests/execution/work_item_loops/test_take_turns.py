"""Work-items that take turns in a loop compute what they do one after the other."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import Launch, Maker, check_native, check_passes

COUNTERS = """
spmd.kernel @counters(%data: memref<?xi32>, %bins: memref<?x16xi32>, %times: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  %counters = spmd.local_alloc : memref<16x64xi8, #spmd.memory<local>>
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %n = spmd.global_size x
  %end = arith.index_cast %times : i32 to index
  scf.for %b = %c0 to %c16 step %c1 {
    memref.store %zero, %counters[%b, %lid] : memref<16x64xi8, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %i = %c0 to %end step %c1 {
    %start = arith.muli %i, %n : index
    %at = arith.addi %start, %gid : index
    %v32 = memref.load %data[%at] : memref<?xi32>
    %v = arith.index_cast %v32 : i32 to index
    %old = memref.load %counters[%v, %lid] : memref<16x64xi8, #spmd.memory<local>>
    %new = arith.addi %old, %one : i8
    memref.store %new, %counters[%v, %lid] : memref<16x64xi8, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %b = %c0 to %c16 step %c1 {
    %count8 = memref.load %counters[%b, %lid] : memref<16x64xi8, #spmd.memory<local>>
    %count = arith.extui %count8 : i8 to i32
    memref.store %count, %bins[%gid, %b] : memref<?x16xi32>
  }
  spmd.return
}
"""

LAUNCHES = Launch((128,), (64,)), Launch((51,), (16,)), Launch((3,), (8,))


@pytest.mark.parametrize("times", [0, 1, 9])
def test_counters(times: int):
    def arguments(make: Maker) -> list[Any]:
        data = make.integers("i32", 0, 16, max(1, times) * make.n)
        return [data, make.zeros("i32", make.n, 16), times]

    steps = SpmdToLoopsPass(), FormSubGroupsPass()
    module = check_passes(COUNTERS, arguments, LAUNCHES, *steps)
    assert "run an iteration of the loop before the next" in str(module)
    for launch in LAUNCHES:
        check_native(COUNTERS, arguments, launch)


ATOMICS = """
spmd.kernel @bins(%data: memref<?xi32>, %bins: memref<16xi32>, %times: i32)
    attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %counters = spmd.local_alloc : memref<16xi32, #spmd.memory<local>>
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %n = spmd.global_size x
  %end = arith.index_cast %times : i32 to index
  %is_bin = arith.cmpi ult, %lid, %c16 : index
  scf.if %is_bin {
    memref.store %zero, %counters[%lid] : memref<16xi32, #spmd.memory<local>>
  }
  spmd.barrier
  scf.for %i = %c0 to %end step %c1 {
    %start = arith.muli %i, %n : index
    %at = arith.addi %start, %gid : index
    %v32 = memref.load %data[%at] : memref<?xi32>
    %v = arith.index_cast %v32 : i32 to index
    %old = spmd.atomic_rmw add %one, %counters[%v] : memref<16xi32, #spmd.memory<local>>
  }
  spmd.barrier
  scf.if %is_bin {
    %count = memref.load %counters[%lid] : memref<16xi32, #spmd.memory<local>>
    %old = spmd.atomic_rmw add %count, %bins[%lid] : memref<16xi32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("times", [0, 1, 9])
def test_atomics(times: int):
    def arguments(make: Maker) -> list[Any]:
        data = make.integers("i32", 0, 16, max(1, times) * make.n)
        return [data, make.zeros("i32", 16), times]

    launches = Launch((128,), (64,)), Launch((83,), (64,))
    steps = SpmdToLoopsPass(), FormSubGroupsPass()
    module = check_passes(ATOMICS, arguments, launches, *steps)
    assert "run an iteration of the loop before the next" in str(module)
    for launch in launches:
        check_native(ATOMICS, arguments, launch)
