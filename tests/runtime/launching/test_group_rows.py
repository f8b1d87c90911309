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


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize(
    ("columns", "rows", "edges", "reshaped"),
    [
        (range(1, 3), range(1, 2), (2, 64, 0), False),
        (range(32, 64), range(1), (64, 64, 0), True),
        (range(64, 128), range(1, 2), (64, 64, 0), True),
    ],
)
@pytest.mark.parametrize("size", [(256, 128), (250, 120)])
def test_only_the_groups_of_a_box_run(
    columns: range,
    rows: range,
    edges: tuple[int, int, int],
    reshaped: bool,
    size: tuple[int, int],
    threads: int,
    turned: bool,
):
    """Also where it takes other groups to run them, and where y numbers them first."""
    text = """
    spmd.kernel @k(%y: memref<?x?xi32>) {
      %one = arith.constant 1 : i32
      %i = spmd.global_id x
      %j = spmd.global_id y
      %old = memref.load %y[%j, %i] : memref<?x?xi32>
      %new = arith.addi %old, %one : i32
      memref.store %new, %y[%j, %i] : memref<?x?xi32>
      spmd.return
    }
    """

    def turn(*each: Any) -> Any:
        return (*(each[:2][::-1] if turned else each[:2]), each[2])

    kernel = spmd.compile(text.replace("%j, %i", "%i, %j") if turned else text)["k"]
    assert isinstance(kernel, spmd.Kernel)
    y = np.zeros(size[::-1], np.int32)
    sizes: dict[str, Any] = {
        "global_size": turn(*size, 1),
        "group_size": turn(2, 64, 1),
    }
    # As a whole it runs in groups of another shape.
    whole = kernel.bind(y.copy(), **sizes)
    whole()
    columns = range(columns.start, min(columns.stop, -(-size[0] // 2)))
    box = turn(columns, rows, range(1))
    launch = kernel.bind_box(box, y, **sizes, edges=turn(*edges), threads=threads)
    launch()
    assert (repr(launch) == repr(whole)) == reshaped
    expected = np.zeros_like(y)
    expected[64 * rows.start : 64 * rows.stop, 2 * columns.start : 2 * columns.stop] = 1
    np.testing.assert_array_equal(y, expected)
