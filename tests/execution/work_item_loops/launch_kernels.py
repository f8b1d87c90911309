"""Kernels that host functions launch, in one and two dimensions, and their sizes."""

from __future__ import annotations

_ROTATE = """
spmd.kernel @rotate(%by: index, %x: memref<?xi32>, %y: memref<?xi32>,
    %tile: memref<?x2xi32, #spmd.memory<local>>) SIZE{
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %g = spmd.num_groups x
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l, %c1] : memref<?x2xi32, #spmd.memory<local>>
  spmd.barrier
  %o = arith.addi %l, %by : index
  %other = arith.remui %o, %n : index
  %w = memref.load %tile[%other, %c1] : memref<?x2xi32, #spmd.memory<local>>
  %h = arith.index_cast %g : index to i32
  %s = arith.addi %w, %v : i32
  %t = arith.addi %s, %h : i32
  memref.store %t, %y[%i] : memref<?xi32>
  spmd.return
}
"""

_PLANE = """
spmd.kernel @plane(%w: index, %z: ARRAY) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %lx = spmd.local_id x
  %row = arith.muli %gy, %w : index
  %i = arith.addi %row, %gx : index
  %v = memref.load %z[%i] : ARRAY
  %l = arith.index_cast %lx : index to i32
  %s = arith.addi %v, %l : i32
  memref.store %s, %z[%i] : ARRAY
  spmd.return
}
"""

STRIDED = "memref<?xi32, strided<[?], offset: ?>>"


def rotate_and_plane(size: int | None = None, array: str = "memref<?xi32>") -> str:
    """
    `@rotate`, by a number of places within each group, and `@plane`, which adds local ids.

    `size` fixes the groups of the first; `array` is what the second works on.
    """
    fixed = (
        "" if size is None else f"attributes {{work_group_size = array<i64: {size}>}} "
    )
    return _ROTATE.replace("SIZE", fixed) + _PLANE.replace("ARRAY", array)


SIZES = ((16, 8), (20, 8), (7, 16), (0, 4), (12, 1))
"""Work-items and the size of a group: whole groups, a tail, part of one, nothing, ones."""
