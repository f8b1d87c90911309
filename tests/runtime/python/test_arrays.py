"""Whole arrays: any size and layout, as NumPy computes them."""

# pyright: basic

import operator
from typing import Any

import numpy as np
import pytest

import spmd

RANDOM = np.random.default_rng(0)
DTYPES = ["float32", "float64", "int32", "uint8", "int64", "bool", "float16"]
SIZES = [1, 5, 1000, 32768, 32769, 200000]
LAYOUTS = {
    "C": lambda x: x,
    "transposed": lambda x: x.transpose(2, 0, 3, 1),
    "strided": lambda x: x[:, ::2],
    "backwards": lambda x: x[..., ::-1],
    "broadcast": lambda x: np.broadcast_to(x[:1], x.shape),
}


def multiply_add(a, b):
    return a * b + 1


def is_small(a):
    return a < 0.5


@pytest.mark.parametrize("layout", LAYOUTS)
def test_map_of_any_layout(layout: str):
    x = LAYOUTS[layout](RANDOM.random((3, 4, 5, 6)))
    y = x[::-1].astype(np.float32)
    np.testing.assert_allclose(spmd.map(multiply_add, x, y), x * y + 1)
    np.testing.assert_array_equal(spmd.map(is_small, x), x < 0.5)
    out = np.zeros_like(x)
    assert spmd.map(multiply_add, 2, x[0], out=out) is out
    np.testing.assert_array_equal(out, np.broadcast_to(2 * x[0] + 1, x.shape))


def test_map_has_the_type_of_the_function():
    x = np.arange(5, dtype=np.int16)
    assert spmd.map(multiply_add, x, 3).dtype == np.int16
    assert spmd.map(multiply_add, x, 3.0).dtype == np.float64
    assert spmd.map(np.sqrt, x).dtype == np.float32
    assert spmd.map(is_small, x).dtype == bool
    assert spmd.map(multiply_add, np.array(3), 4) == 13
    assert spmd.map(multiply_add, np.zeros((0, 3)), 4).shape == (0, 3)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", SIZES)
def test_reduce(dtype: str, n: int):
    x = (RANDOM.random(n) * 9 - 3 * (dtype[0] in "if")).astype(dtype)
    if dtype == "float16":
        x = (x * 0.01).astype(dtype)
    want, got = np.sum(x), spmd.reduce(sum, x)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(got, want, rtol=2e-2 if dtype == "float16" else 1e-4)
    assert got.tobytes() == spmd.reduce("add", x).tobytes()
    if dtype != "bool":
        assert spmd.reduce(max, x) == x.max()
        assert spmd.reduce(np.minimum, x) == x.min()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_along_an_axis(layout: str):
    x = LAYOUTS[layout](RANDOM.random((3, 140, 5, 130)))
    np.testing.assert_allclose(spmd.reduce(sum, x), x.sum())
    for axis in range(-1, 3):
        np.testing.assert_allclose(spmd.reduce(sum, x, axis), x.sum(axis))
        np.testing.assert_allclose(spmd.scan(sum, x, axis), x.cumsum(axis))
        np.testing.assert_array_equal(
            spmd.scan(max, x, axis), np.maximum.accumulate(x, axis)
        )


def test_nan_wins():
    x = np.zeros(1000, np.float32)
    x[777] = np.nan
    assert np.isnan(spmd.reduce(max, x))
    np.testing.assert_array_equal(spmd.scan(min, x), np.minimum.accumulate(x))


def gcd(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def test_reduce_by_a_function():
    x = RANDOM.integers(1, 100, (70, 90)) * 6
    assert spmd.reduce(gcd, x, initial=0) == np.gcd.reduce(x, axis=None)
    np.testing.assert_array_equal(
        spmd.reduce(gcd, x, 1, initial=0), np.gcd.reduce(x, axis=1)
    )


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
@pytest.mark.parametrize("n", [1, 15, 17, 8192, 8193, 50000])
def test_scan(dtype: str, n: int):
    x = (RANDOM.random(n) * 9).astype(dtype)
    want = np.cumsum(x)
    out = np.empty_like(want)
    assert spmd.scan(sum, x, out=out) is out
    np.testing.assert_allclose(out, want, rtol=1e-4)
    before = spmd.scan(operator.add, x, exclusive=True)
    np.testing.assert_allclose(before[1:], want[:-1], rtol=1e-4)
    assert before[0] == 0
    np.testing.assert_array_equal(spmd.scan(max, x), np.maximum.accumulate(x))
    rows = np.stack([x, x[::-1]])
    np.testing.assert_allclose(spmd.scan(sum, rows), rows.cumsum(1), rtol=1e-4)
    np.testing.assert_allclose(spmd.scan(sum, rows.T, 0), rows.T.cumsum(0), rtol=1e-4)


def test_no_elements():
    x = np.zeros((0, 3), np.float32)
    assert spmd.reduce(sum, x) == 0
    assert spmd.reduce(sum, x, 0).tolist() == [0, 0, 0]
    assert spmd.reduce(sum, x, 1).shape == (0,)
    assert spmd.scan(sum, x).shape == (0, 3)


def average(u, i, j):
    return (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) / 4


def weighted(u, w, i):
    total = 0.0
    for d in (-2, -1, 0, 1, 2):
        total += w[d + 2] * u[i + d]
    return total


@pytest.mark.parametrize("shape", [(30, 50), (3, 3), (2, 7), (1, 1)])
def test_stencil(shape: tuple[int, int]):
    for x in (RANDOM.random(shape), RANDOM.random(shape[::-1]).T):
        want = x.copy()
        inner = x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
        want[1:-1, 1:-1] = inner / 4
        np.testing.assert_allclose(spmd.stencil(average, x), want)


MARGINS: Any = 1, np.int64(3)


def test_stencil_of_several_arrays_and_margins():
    x, w = RANDOM.random(100), RANDOM.random(5)
    want = x.copy()
    want[2:-2] = np.convolve(x, w[::-1], "valid")
    np.testing.assert_allclose(spmd.stencil(weighted, x, w, margin=2), want)
    x = RANDOM.random((20, 20))
    got = spmd.stencil(average, x, margin=MARGINS)
    np.testing.assert_array_equal(got[:, :3], x[:, :3])
    np.testing.assert_array_equal(got[1:-1, 3:-3], spmd.stencil(average, x)[1:-1, 3:-3])


X = np.zeros((3, 5))
PAIR: Any = (0, 1)
HALF: Any = 1.5
WRONG = [
    (lambda: spmd.map(3, X), "spmd.map: expected a function, got int 3"),
    (lambda: spmd.map(multiply_add, X), "expected other arguments of multiply_add"),
    (lambda: spmd.map(multiply_add, 3, 4), "expected an array at least"),
    (lambda: spmd.map(multiply_add, [1, 2], 4), "expected an array at least"),
    (lambda: spmd.map(lambda a: a, X), "defined by def, got a lambda"),
    (lambda: spmd.map(multiply_add, X, X.T), "shape mismatch"),
    (lambda: spmd.map(is_small, X, out=X[0]), r"out as an array of shape \(3, 5\)"),
    (lambda: spmd.reduce(sum, [1]), "expected an array, got list"),
    (lambda: spmd.reduce(sum, X, 2), "expected an axis of an array with 2"),
    (lambda: spmd.reduce(sum, X, PAIR), "expected an axis of an array with 2"),
    (lambda: spmd.scan(sum, X, PAIR), "expected an axis of an array with 2"),
    (lambda: spmd.reduce(max, X > 0), "max of bool"),
    (
        lambda: spmd.reduce(gcd, X.astype(int), initial=0.5),
        "initial as a number of int64",
    ),
    (
        lambda: spmd.reduce(gcd, X.astype("i1"), initial=300),
        "initial: .* out of bounds",
    ),
    (lambda: spmd.stencil(average, X, margin=HALF), "expected a margin of 0 or more"),
    (lambda: spmd.reduce(gcd, X), "expected initial=, the neutral element of gcd"),
    (lambda: spmd.reduce(max, X[:0]), "expected elements for max, got none"),
    (lambda: spmd.reduce("and", X), "bitwise_and"),
    (lambda: spmd.scan(gcd, X), "expected sum, min, max, or one of add"),
    (lambda: spmd.stencil(average, X, out=X), "expected out in other memory"),
    (lambda: spmd.stencil(average, X, margin=(1,)), "expected a margin of 0 or more"),
    (lambda: spmd.stencil(average, 3), "expected an array with dimensions first"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_is_wrong(call, message: str):
    with pytest.raises((spmd.LaunchError, spmd.CompileError), match=message):
        call()


def increased(v):
    return v + 1


@pytest.mark.parametrize("view", [np.s_[::-1], np.s_[::-1, ::-1], np.s_[::1]])
def test_out_may_have_the_memory_of_an_array(view: Any):
    x = np.arange(90000.0).reshape(300, 300)
    want = increased(x.T[view])
    assert spmd.map(increased, x.T[view], out=x) is x
    assert np.array_equal(x, want)
    rows = np.arange(180000.0)
    want = np.cumsum(rows[90000::-1])
    spmd.scan(sum, rows[90000::-1], out=rows[:90001])
    assert np.array_equal(rows[:90001], want)
