"""Code for all group sizes runs small groups together, unless somebody could tell."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.runtime.arguments.sizes import make_range

WHERE = """
spmd.kernel @where(%lanes: memref<?x?xi32>, %sizes: memref<?x?xi32>, %sums: memref<?x?xi32>) {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %lane = spmd.lane_id
  %size = spmd.sub_group_size
  %one = arith.constant 1 : i32
  %lane32 = arith.index_cast %lane : index to i32
  %size32 = arith.index_cast %size : index to i32
  %i32 = arith.index_cast %i : index to i32
  %sum = spmd.reduce add %i32 across sub_group : i32
  memref.store %lane32, %lanes[%j, %i] : memref<?x?xi32>
  memref.store %size32, %sizes[%j, %i] : memref<?x?xi32>
  memref.store %sum, %sums[%j, %i] : memref<?x?xi32>
  spmd.return
}
"""
"""Which lane each work-item is, of how many, and what lanes have together."""


@pytest.mark.parametrize("n", [16, 100, 512, 1000])
@pytest.mark.parametrize("group", [(64, 1), (16, 1), (48, 1), (5, 1), (16, 4), (20, 2)])
def test_sub_groups_stay(group: tuple[int, int], n: int):
    results: list[list[np.ndarray]] = []
    for specialize in (True, False):
        kernel = spmd.compile(WHERE, width=16, specialize=specialize)["where"]
        arrays = [np.zeros((6, n), np.int32) for _ in range(3)]
        kernel(*arrays, global_size=(n, 6), group_size=group)
        results.append(arrays)
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


GROUPS = """
spmd.kernel @groups(%x: memref<?xi32>, %n: memref<?xi32>) {
  %i = spmd.global_id x
  %g = OP
  %g32 = arith.index_cast %g : index to i32
  memref.store %g32, %x[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize(
    "op",
    [
        "spmd.group_id x",
        "spmd.local_id x",
        "spmd.local_size x",
        "spmd.num_groups x",
        "spmd.sub_group_id",
        "spmd.num_sub_groups",
    ],
)
def test_what_tells_groups_apart(op: str):
    results: list[np.ndarray] = []
    for specialize in (True, False):
        source = GROUPS.replace("OP", op)
        kernel = spmd.compile(source, width=16, specialize=specialize)["groups"]
        x = np.zeros(512, np.int32)
        kernel(x, x, global_size=512, group_size=32)
        results.append(x)
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize(
    ("size", "group", "multiple", "edges", "joined"),
    [
        ((4096, 1, 1), (64, 1, 1), 16, 0, (256, 1, 1)),
        ((4000, 1, 1), (64, 1, 1), 16, 0, (256, 1, 1)),
        ((4096, 1, 1), (64, 1, 1), 16, 512, (256, 1, 1)),
        ((4096, 1, 1), (64, 1, 1), 16, 128, (64, 1, 1)),
        ((4096, 1, 1), (64, 1, 1), 16, 64, (64, 1, 1)),
        ((4096, 1, 1), (8, 1, 1), 16, 0, (8, 1, 1)),
        ((4096, 1, 1), (8, 1, 1), 1, 0, (256, 1, 1)),
        ((4096, 1, 1), (48, 1, 1), 16, 0, (48, 1, 1)),
        ((4096, 4, 1), (64, 4, 1), 16, 0, (64, 4, 1)),
        ((4096, 4, 1), (64, 4, 1), 1, 0, (256, 4, 1)),
        ((100, 1, 1), (16, 1, 1), 16, 0, (64, 1, 1)),
        ((4096, 256, 1), (64, 256, 1), 1, 0, (64, 256, 1)),
        ((4096, 64, 1), (64, 64, 1), 1, 0, (256, 64, 1)),
        ((4096, 1, 1), (1024, 1, 1), 1, 0, (1024, 1, 1)),
    ],
)
def test_how_many(
    size: tuple[int, int, int],
    group: tuple[int, int, int],
    multiple: int,
    edges: int,
    joined: tuple[int, int, int],
):
    range_ = make_range("k", size, group)
    assert range_.joined(multiple, (edges, 0, 0)) == joined


BLOCKS = """
spmd.kernel @blocks(%x: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %zero = arith.constant 0 : i32
  %is_below = arith.cmpi slt, %v, %zero : i32
  cf.cond_br %is_below, ^below, ^end
^below:
  memref.store %zero, %x[%i] : memref<?xi32>
  cf.br ^end
^end:
  spmd.return
}
"""


def test_kernels_of_several_blocks():
    kernel = spmd.compile(BLOCKS, specialize=False)["blocks"]
    x = np.arange(-50, 50, dtype=np.int32)
    kernel(x, global_size=100, group_size=10)
    np.testing.assert_array_equal(x, np.maximum(np.arange(-50, 50), 0))
