"""Patterns of loads and stores: layouts, views, private arrays."""

from __future__ import annotations

import pytest

from spmd.analysis.divergence.access_patterns import (
    AccessPattern,
    Pattern,
    access_pattern,
)
from tests.analysis.programs import Analysed

ARGUMENTS = """,
  %grid: memref<?x?xf32>, %flat: memref<64xf32>, %cube: memref<4x8x16xf32>,
  %columns: memref<?x?xf32, strided<[1, ?]>>, %same: memref<?x?xf32, strided<[0, 1]>>,
  %third: memref<?xf32, strided<[3], offset: ?>>
"""


def pattern(body: str, dim: int = 0, index: int = 0) -> AccessPattern:
    k = Analysed(body, ARGUMENTS)
    return access_pattern(k.divergence, k.op("memref.load", index), dim)


@pytest.mark.parametrize(
    ("load", "expected", "stride"),
    [
        ("%x[%n] : memref<?xf32>", Pattern.UNIFORM, 0),
        ("%x[%gid] : memref<?xf32>", Pattern.CONTIGUOUS, 1),
        ("%x[%down] : memref<?xf32>", Pattern.REVERSED, -1),
        ("%x[%twice] : memref<?xf32>", Pattern.STRIDED, 2),
        ("%x[%loaded] : memref<?xf32>", Pattern.GATHER, None),
        ("%rows[%n, %gid] : memref<?x16xf32>", Pattern.CONTIGUOUS, 1),
        ("%rows[%gid, %n] : memref<?x16xf32>", Pattern.STRIDED, 16),
        ("%rows[%gid, %gid] : memref<?x16xf32>", Pattern.STRIDED, 17),
        ("%rows[%gid, %loaded] : memref<?x16xf32>", Pattern.GATHER, None),
        ("%grid[%n, %gid] : memref<?x?xf32>", Pattern.CONTIGUOUS, 1),
        ("%grid[%gid, %n] : memref<?x?xf32>", Pattern.STRIDED, None),
        ("%grid[%loaded, %n] : memref<?x?xf32>", Pattern.GATHER, None),
        ("%cube[%n, %gid, %n] : memref<4x8x16xf32>", Pattern.STRIDED, 16),
        ("%cube[%gid, %n, %n] : memref<4x8x16xf32>", Pattern.STRIDED, 128),
        (
            "%columns[%gid, %n] : memref<?x?xf32, strided<[1, ?]>>",
            Pattern.CONTIGUOUS,
            1,
        ),
        (
            "%columns[%n, %gid] : memref<?x?xf32, strided<[1, ?]>>",
            Pattern.STRIDED,
            None,
        ),
        (
            "%same[%loaded, %gid] : memref<?x?xf32, strided<[0, 1]>>",
            Pattern.CONTIGUOUS,
            1,
        ),
        ("%third[%gid] : memref<?xf32, strided<[3], offset: ?>>", Pattern.STRIDED, 3),
    ],
)
def test_layouts(load: str, expected: Pattern, stride: int | None):
    body = f"""
    %twice = arith.muli %gid, %c2 : index
    %down = arith.subi %n, %gid : index
    %loaded = memref.load %table[%gid] : memref<?xindex>
    %v = memref.load {load}
    """
    found = pattern(body, index=1)
    assert (found.pattern, found.stride, found.private) == (expected, stride, False)


def test_every_dimension_has_its_own_pattern():
    body = "%v = memref.load %rows[%lidy, %lid] : memref<?x16xf32>"
    assert pattern(body).pattern is Pattern.CONTIGUOUS
    assert pattern(body, 1).stride == 16
    assert pattern(body, 2).pattern is Pattern.UNIFORM


@pytest.mark.parametrize(
    ("offset", "load", "expected"),
    [
        ("%n, 0", "%gid, %c0", 16),
        ("%gid, 0", "%n, %c0", 16),
        ("%gid, 0", "%gid, %c0", 32),
        ("0, %lid", "%n, %lid", 2),
        ("%n, %n", "%n, %n", 0),
    ],
)
def test_views(offset: str, load: str, expected: int):
    layout = "memref<4x4xf32, strided<[16, 1], offset: ?>>"
    body = f"""
    %view = memref.subview %rows[{offset}] [4, 4] [1, 1] : memref<?x16xf32> to {layout}
    %v = memref.load %view[{load}] : {layout}
    """
    assert pattern(body).stride == expected


def test_private_arrays():
    body = """
    %p = memref.alloca() : memref<4xindex>
    %q = memref.alloca() : memref<4xindex>
    memref.store %lid, %p[%c0] : memref<4xindex>
    memref.store %n, %q[%c0] : memref<4xindex>
    %v = memref.load %p[%n] : memref<4xindex>
    %w = memref.load %q[%n] : memref<4xindex>
    """
    own = pattern(body)
    shared = pattern(body, index=1)
    assert (own.pattern, own.private) == (Pattern.UNIFORM, True)
    assert (shared.pattern, shared.private) == (Pattern.UNIFORM, False)


def test_chosen_memory_is_a_gather():
    body = """
    %p = arith.cmpi slt, %gid, %n : index
    %either = arith.select %p, %x, %y : memref<?xf32>
    %v = memref.load %either[%gid] : memref<?xf32>
    """
    k = Analysed(body, ", %y: memref<?xf32>")
    assert access_pattern(k.divergence, k.op("memref.load")).pattern is Pattern.GATHER
