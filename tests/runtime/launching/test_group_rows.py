"""Boxes of work-groups as rows of them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.runtime.launching.group_rows import rows_of

GRID = 3, 4, 2
BOXES = list(
    product(
        (range(3), range(1, 2), range(1, 1)),
        (range(4), range(1, 3)),
        (range(2), range(1, 2)),
    )
)


@pytest.mark.parametrize("box", BOXES, ids=str)
@pytest.mark.parametrize("most", [1, 3])
def test_rows_are_those_of_the_box(box: tuple[range, range, range], most: int):
    found = [
        part.first + row * part.step + group
        for rows in rows_of(box, GRID)
        for part in rows.parts(most)
        for row in range(part.rows)
        for group in range(part.groups)
    ]
    assert found == [
        (z * GRID[1] + y) * GRID[0] + x for z, y, x in product(*reversed(box))
    ]


@pytest.mark.parametrize("threads", [1, 3])
def test_only_the_groups_of_a_box_run(threads: int):
    kernel = spmd.compile("""
    spmd.kernel @k(%y: memref<?x?xi32>) {
      %one = arith.constant 1 : i32
      %i = spmd.global_id x
      %j = spmd.global_id y
      %old = spmd.atomic_rmw add %one, %y[%j, %i] : memref<?x?xi32>
      spmd.return
    }
    """)["k"]
    assert isinstance(kernel, spmd.Kernel)
    y = np.zeros((256, 64), np.int32)
    sizes: dict[str, Any] = {"global_size": (64, 256), "group_size": (2, 64)}
    # As a whole it runs in groups of another shape.
    launch = kernel.bind(y.copy(), **sizes)
    launch()
    box = (range(1, 3), range(1, 4), range(1))
    kernel.bind_box(box, y, **sizes, threads=threads)()
    expected = np.zeros_like(y)
    expected[64:256, 2:6] = 1
    np.testing.assert_array_equal(y, expected)
