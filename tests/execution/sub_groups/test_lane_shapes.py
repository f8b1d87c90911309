"""Lanes along any dimensions, in rows of any length, compute what work-items do."""

from __future__ import annotations

import pytest

from spmd.dialects.spmd import SubGroupOp
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.masking.split_off_full_iterations import SplitOffFullIterationsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import (
    BOXES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
)

SHAPES = ((4, 2), (2, 4), (1, 8), (8, 4), (16, 1), (2, 1, 4), (2, 2, 2), (4, 8, 2))

KERNEL = """
spmd.kernel @shapes(%x: memref<?x?x?xi32>, %y: memref<?xi32>, %z: memref<?x3xi32>,
                    %out: memref<?x?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %k = spmd.global_id z
  %ly = spmd.local_id y
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %own = memref.alloca() : memref<3xi32>
  %plane = arith.muli %k, %ny : index
  %row = arith.addi %plane, %j : index
  %begin = arith.muli %row, %nx : index
  %at = arith.addi %begin, %i : index
  // Along x, the same in all of x, and of a row of z.
  %v = memref.load %x[%k, %j, %i] : memref<?x?x?xi32>
  %w = memref.load %x[%k, %j, %c0] : memref<?x?x?xi32>
  %u = memref.load %x[%c0, %c0, %i] : memref<?x?x?xi32>
  %third = arith.remui %at, %c3 : index
  %t = memref.load %z[%at, %third] : memref<?x3xi32>
  memref.store %v, %own[%c0] : memref<3xi32>
  memref.store %w, %own[%c1] : memref<3xi32>
  memref.store %u, %own[%c2] : memref<3xi32>
  // As many trips as the row says, from an address that rows have of their own.
  %trips = arith.addi %ly, %c1 : index
  %sum, %last = scf.for %r = %c0 to %trips step %c1 iter_args(%s = %t, %p = %begin)
      -> (i32, index) {
    %part = memref.load %y[%p] : memref<?xi32>
    %which = arith.remui %r, %c3 : index
    %mine = memref.load %own[%which] : memref<3xi32>
    %a = arith.addi %part, %mine : i32
    %more = arith.addi %s, %a : i32
    scf.yield %more, %p : i32, index
  }
  %odd = arith.remui %row, %c2 : index
  %is_odd = arith.cmpi eq, %odd, %c1 : index
  %positive = arith.cmpi sgt, %v, %zero : i32
  %both = arith.andi %is_odd, %positive : i1
  %in_front = arith.cmpi ult, %i, %ly : index
  scf.if %both {
    %from = memref.load %y[%last] : memref<?xi32>
    %sum2 = arith.muli %sum, %from : i32
    memref.store %sum2, %out[%k, %j, %i] : memref<?x?x?xi32>
  } else {
    scf.if %in_front {
      memref.store %sum, %out[%k, %j, %i] : memref<?x?x?xi32>
    } else {
      memref.store %u, %z[%at, %third] : memref<?x3xi32>
    }
  }
  spmd.return
}
"""


def _arrays(make: Maker):
    x, y, z = (*make.launch.global_size, 1, 1)[:3]
    items = x * y * z
    return [
        make.integers("i32", -9, 9, z, y, x),
        make.integers("i32", -9, 9, items),
        make.integers("i32", -9, 9, items, 3),
        make.zeros("i32", z, y, x),
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_vectors_of_rows(shape: tuple[int, ...]):
    for number, launch in enumerate((*PLANES, *BOXES)):
        specialize = (number + len(shape)) % 2 == 0
        check_native(KERNEL, _arrays, launch, shape=shape, specialize=specialize)


@pytest.mark.parametrize("size", [(16, 16), (4, 64), (8, 8), (1, 20), (3, 5, 7)])
def test_the_best_shape(size: tuple[int, ...]):
    whole = tuple(2 * extent for extent in size)
    partial = tuple(extent + extent // 2 for extent in size)
    check_native(KERNEL, _arrays, Launch(whole, size), width=8)
    check_native(KERNEL, _arrays, Launch(partial, size))


@pytest.mark.parametrize("shape", SHAPES)
def test_masks_of_rows(shape: tuple[int, ...]):
    for launches in (PLANES, BOXES):
        check_passes(
            KERNEL,
            _arrays,
            launches,
            SpmdToLoopsPass(),
            FormSubGroupsPass(shape=shape),
            MaskDivergencePass(),
        )


LOOPS_FROM_IDS = """
spmd.kernel @walk(%n32: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %c8 = arith.constant 8 : index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %w = spmd.global_size x
  %n = arith.index_cast %n32 : i32 to index
  %begin = arith.addi %lx, %ly : index
  %sum = scf.for %i = %begin to %n step %c8 iter_args(%s = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<?xi32>
    %t = arith.addi %s, %v : i32
    scf.yield %t : i32
  }
  %row = arith.muli %gy, %w : index
  %at = arith.addi %row, %gx : index
  memref.store %sum, %y[%at] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("shape", [(8, 4), (4, 8), (1, 8), (8,)])
def test_lanes_of_rows_leave_loops_one_after_the_other(shape: tuple[int, ...]):
    for n in (0, 3, 20):

        def arguments(make: Maker, n: int = n):
            return [n, make.range("i32", 20), make.zeros("i32", make.n)]

        check_native(LOOPS_FROM_IDS, arguments, Launch((16, 8), (8, 8)), shape=shape)


TURNS = """
spmd.kernel @turns(%n: index, %x: memref<?xf32>, %y: memref<?xf32>, %sums: memref<?xf32>)
    attributes {work_group_size = array<i64: 256>} {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %group = spmd.group_id x
  %items = spmd.global_size x
  %size = spmd.local_size x
  %sum, %other = scf.for %i = %gid to %n step %items iter_args(%s = %zero, %t = %zero)
      -> (f32, f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    %a = arith.addf %s, %v : f32
    %b = arith.maximumf %t, %a : f32
    memref.store %b, %y[%i] : memref<?xf32>
    scf.yield %a, %b : f32, f32
  }
  spmd.barrier
  %part = arith.addi %group, %c1 : index
  %first = arith.muli %part, %n : index
  scf.for %i = %lid to %n step %size {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %v : f32
    %at = arith.addi %first, %i : index
    memref.store %w, %y[%at] : memref<?xf32>
  }
  %both = arith.addf %sum, %other : f32
  memref.store %both, %sums[%gid] : memref<?xf32>
  spmd.return
}
"""


@pytest.mark.parametrize("n", [0, 1, 255, 256, 300, 1000])
@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4"])
def test_as_many_lanes_as_registers_hold_take_turns(n: int, target: str):
    def arrays(make: Maker):
        sums = make.zeros("f32", *make.launch.global_size)
        x, y = make.integers("f32", -9, 9, n), make.zeros("f32", 3 * n)
        return [n, x, y, sums]

    launches = (Launch((512,), (256,)), Launch((300,), (256,)))
    form = FormSubGroupsPass(target=target)
    steps = (SpmdToLoopsPass(), form, SplitOffFullIterationsPass())
    module = check_passes(TURNS, arrays, launches, *steps, MaskDivergencePass())
    lanes = {op.width for op in module.walk() if isinstance(op, SubGroupOp)}
    assert lanes == ({256} if target == "x86-64-v4" else {64})
    for launch in launches:
        check_native(TURNS, arrays, launch)
