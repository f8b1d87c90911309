"""Work-items that run one iteration after the other compute what each does alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.work_item_loops.nests import nests_in
from tests.execution.harness import Launch, Maker, check_native, check_passes


def is_around_work_items(module: ModuleOp) -> bool:
    """Whether a loop of work-items goes around all of them."""
    return any(
        isinstance(nest.parent_op(), scf.ForOp)
        for function in module.ops
        for nest in nests_in(function)
    )


def check_interchanged(
    kernel: str, arguments: Callable[[Maker], list[Any]], launches: Sequence[Launch]
) -> None:
    """Loops go around work-items, and these do the same, natively too."""
    module = check_passes(kernel, arguments, launches, SpmdToLoopsPass())
    assert is_around_work_items(module)
    for launch in launches:
        check_native(kernel, arguments, launch)


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

    check_interchanged(COUNTERS, arguments, LAUNCHES)


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
    check_interchanged(ATOMICS, arguments, launches)


GRID_STRIDE = """
spmd.kernel @grid_stride(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %gid = spmd.global_id x
  %step = spmd.global_size x
  scf.for %i = %gid to %n step %step {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = memref.load %y[%i] : memref<?xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("n", [0, 1, 37, 64, 100, 300])
def test_loops_that_work_items_begin_side_by_side(n: int):
    def arguments(make: Maker) -> list[Any]:
        return [make.random("f32", n), make.random("f32", n), n]

    launches = *LAUNCHES, Launch((100,), (64,)), Launch((64,), (64,))
    check_interchanged(GRID_STRIDE, arguments, launches)


PLANES = """
spmd.kernel @planes(%x: memref<?x?x?xf32>, %from: index, %to: index) {
  %x0 = spmd.global_id x
  %y0 = spmd.global_id y
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %nx = spmd.global_size x
  %last = arith.subi %nx, %c1 : index
  %inside = arith.cmpi slt, %x0, %last : index
  scf.if %inside {
    scf.for %z = %from to %to step %c1 {
      scf.for %w = %z to %to step %c1 {
        %v = memref.load %x[%w, %y0, %x0] : memref<?x?x?xf32>
        %s = arith.mulf %v, %two : f32
        memref.store %s, %x[%z, %y0, %x0] : memref<?x?x?xf32>
      }
    }
  }
  spmd.return
}
"""


@pytest.mark.parametrize("begin", [0, 2, 7])
def test_loops_around_planes_of_work_items(begin: int):
    def arguments(make: Maker) -> list[Any]:
        nx, ny, *_ = make.launch.global_size
        return [make.integers("f32", -9, 9, 7, ny, nx), begin, 7]

    launches = Launch((64, 3), (32, 2)), Launch((40, 5), (40, 2))
    check_interchanged(PLANES, arguments, launches)


FROM_BELOW = """
spmd.kernel @from_below(%x: memref<?xi32>, %first: i32, %n: index) {
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %size = spmd.global_size x
  %zero = arith.constant 0 : index
  %from = arith.index_cast %first : i32 to index
  %begin = arith.addi %from, %gid : index
  %one = arith.constant 1 : i32
  scf.for %i = %begin to %n step %size {
    %is_in = arith.cmpi sge, %i, %zero : index
    scf.if %is_in {
      %v = memref.load %x[%i] : memref<?xi32>
      %w = arith.addi %v, %one : i32
      memref.store %w, %x[%i] : memref<?xi32>
    }
  }
  spmd.return
}
"""


@pytest.mark.parametrize("first", [-200, -1, 0, 5])
def test_loops_that_begin_below_zero(first: int):
    def arguments(make: Maker) -> list[Any]:
        return [make.zeros("i32", 150), first, 150]

    check_interchanged(FROM_BELOW, arguments, LAUNCHES)


CHUNKS = """
spmd.kernel @chunks(%x: memref<?xi32>, %y: memref<?xi32>, %sums: memref<?xi32>, %n: index, %part: i64) {
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %size = spmd.local_size x
  %group = spmd.group_id x
  %zero = arith.constant 0 : i32
  %each = arith.index_cast %part : i64 to index
  %first = arith.muli %group, %each : index
  %next = arith.addi %first, %each : index
  %end = arith.minsi %next, %n : index
  %begin = arith.addi %first, %lid : index
  scf.for %i = %begin to %end step %size {
    %v = memref.load %x[%i] : memref<?xi32>
    memref.store %v, %y[%i] : memref<?xi32>
  }
  %sum = scf.for %i = %begin to %end step %size iter_args(%s = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  memref.store %sum, %sums[%gid] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("part", [-(1 << 62), -3, 0, 1, 15, 64, 150])
def test_numbers_that_are_indices_do_not_wrap(part: int):
    """Groups have parts of arrays; what `part` times the group is nobody knows."""

    def arguments(make: Maker) -> list[Any]:
        x, y = make.integers("i32", -9, 9, 150), make.zeros("i32", 150)
        return [x, y, make.zeros("i32", make.n), 150, part]

    launches = Launch((128,), (64,)), Launch((51,), (16,))
    if part < 0:
        launches = (Launch((64,), (64,)),)
    check_passes(CHUNKS, arguments, launches, SpmdToLoopsPass(), VectorizePass())
    for launch in launches:
        check_native(CHUNKS, arguments, launch)
