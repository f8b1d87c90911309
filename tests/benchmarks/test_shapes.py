"""Groups and tiles of all shapes compute the same."""

import numpy as np
import pytest

from benchmarks.shapes.__main__ import STENCILS, grouped, in_groups, in_tiles


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


@pytest.mark.parametrize("name", STENCILS)
def test_tiles(name: str):
    out, runs = in_tiles(name, 40)
    runs.pop("C")()
    want = out.copy()
    for shape, run in runs.items():
        out[...] = 0
        run()
        np.testing.assert_allclose(out, want, err_msg=shape)
