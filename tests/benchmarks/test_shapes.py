"""Groups and tiles of all shapes compute the same."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from benchmarks.shapes.__main__ import (
    STENCILS,
    grouped,
    in_groups,
    in_tiles,
    laid_out,
    multiplied,
    transposed,
)


@pytest.mark.parametrize("name", grouped(8))
def test_groups(name: str):
    arguments = grouped(256)[name]
    out = arguments[-1]
    start, want = out.copy(), None
    for run in in_groups(name, arguments):
        out[...] = start
        run()
        want = out.copy() if want is None else want
        np.testing.assert_array_equal(out, want)
    assert (want != start).any()


SAME = {
    **{name: partial(in_tiles, name, 40) for name in STENCILS},
    "transpose": partial(transposed, 40),
    "sgemm": partial(multiplied, 40),
}


@pytest.mark.parametrize("name", SAME)
def test_tiles(name: str):
    out, runs = SAME[name]()
    runs.popitem()[1]()
    want = out.copy()
    assert want.any()
    for shape, run in runs.items():
        out[...] = 0
        run()
        np.testing.assert_allclose(out, want, err_msg=shape, rtol=1e-5)


@pytest.mark.parametrize("points", [5, 9])
def test_layouts(points: int):
    found: list[Any] = []
    for result, run in laid_out(points, 32):
        run()
        found.append(result().copy())
    rows, blocks = found
    assert rows.any()
    np.testing.assert_allclose(blocks, rows)
