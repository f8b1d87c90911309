"""Arrays as text."""

import numpy as np
import pytest

from spmd.tools.array_text import describe


def text(array: np.ndarray, precision: int = 6, limit: int = 64) -> str:
    return "\n".join(describe("%x: t", array, precision, limit))


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.array(2.5), "%x: t[] = 2.5"),
        (np.array([], np.int8), "%x: t[0] = []"),
        (np.array([1, -2], np.int8), "%x: t[2] = [1, -2]"),
        (np.array([True, False]), "%x: t[2] = [true, false]"),
        (
            np.array([1 / 3, np.nan, -np.inf, -0.0]),
            "%x: t[4] = [0.333333, nan, -inf, -0]",
        ),
        (np.array([[1, 2], [3, 4]]), "%x: t[2,2] =\n  [1, 2]\n  [3, 4]"),
        (np.zeros((2, 1, 1), int), "%x: t[2,1,1] =\n  [0]\n  [0]"),
        (np.zeros((2, 0)), "%x: t[2,0] = []"),
    ],
)
def test_arrays(array: np.ndarray, expected: str):
    assert text(array) == expected


def test_long_arrays_are_cut():
    assert text(np.arange(9), limit=3) == "%x: t[9] = [0, 1, 2, ...]"
    rows = np.arange(9).reshape(3, 3)
    assert text(rows, limit=4) == "%x: t[3,3] =\n  [0, 1, 2]\n  [3, ...]\n  ..."
    assert text(rows, limit=3) == "%x: t[3,3] =\n  [0, 1, 2]\n  ..."
    assert text(rows, limit=9) == "%x: t[3,3] =\n  [0, 1, 2]\n  [3, 4, 5]\n  [6, 7, 8]"


def test_precision():
    assert text(np.array([1 / 3]), precision=3) == "%x: t[1] = [0.333]"
