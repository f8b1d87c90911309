"""Slices and rows of arrays are what NumPy makes of them."""

# pyright: basic

import numpy as np
import pytest

import spmd
from spmd.language import barrier, global_id, local, local_id, private
from tests.runtime.python.harness import expect_as_python, kernel_of


@spmd.kernel
def rows(x, out):
    i = global_id()
    row = x[i]
    total = 0.0
    for j in range(len(row)):
        total += row[j]
    out[i, 0] = total
    inner = x[i, 1:-1]
    out[i, 1] = inner[0] + inner[-1] + len(inner)
    back = x[i, ::-2]
    out[i, 2] = back[0] + 10 * back[1] + 100 * len(back)
    column = x[..., 2]
    out[i, 3] = column[i] + column.shape[0]
    part = x[1:100, ...]
    out[i, 4] = part.shape[0] + 100 * part.shape[1] + part[0, -1] + part.size
    window = x[i][i : i + 3]
    for j in range(window.size):
        out[i, 5] += window[j]
    nested = x[2:, 1:][::2, ::-1]
    out[i, 6] = nested[1, 2] + nested.shape[0] * nested.shape[1]
    inner = x[i, 2:-2]
    inner[0] = -1
    inner[1] += inner[0]


LAYOUTS = {
    "C": lambda x: x,
    "Fortran": np.asfortranarray,
    "strided": lambda x: np.repeat(x, 2, 1)[:, ::2],
    "backwards": lambda x: x[::-1, ::-1].copy()[::-1, ::-1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_views_of_any_layout(layout: str):
    x = np.random.default_rng(0).random((9, 7)).round(2)
    expect_as_python(
        rows, LAYOUTS[layout](x), np.zeros((9, 7)), global_size=9, tolerance=1e-12
    )


BOUNDS = ["", "0", "2", "9", "-3", "-8", "n + 5"]


@pytest.mark.parametrize("step", ["", "3", "-1", "-2"])
def test_bounds_are_those_of_python(step: str):
    slices = [f"{a}:{b}:{step}" for a in BOUNDS for b in BOUNDS]
    lines = [
        f"    v{k} = x[{each}]\n    out[{k}, 0] = len(v{k})\n"
        f"    out[{k}, 1] = v{k}[len(v{k}) - 1] if len(v{k}) > 0 else -1\n"
        for k, each in enumerate(slices)
    ]
    text = "@spmd.kernel\ndef k(x, n, out):\n    i = global_id()\n" + "".join(lines)
    kernel = kernel_of(text)
    for x in (np.arange(7.0), np.arange(1.0)):
        expect_as_python(kernel, x, 4, np.zeros((len(slices), 2)), global_size=1)


def test_bounds_of_an_array_of_known_size():
    text = "@spmd.kernel\ndef k(out):\n    x = private(7, np.int64)\n"
    text += "    for j in range(7): x[j] = j\n"
    for k, (a, b) in enumerate((a, b) for a in BOUNDS[:-1] for b in BOUNDS[:-1]):
        text += f"    v{k} = x[{a}:{b}]\n    out[{k}] = len(v{k}) * 10 + (v{k}[0] if len(v{k}) else 0)\n"
    kernel = kernel_of(text)
    expect_as_python(kernel, np.zeros(64, np.int64), global_size=1)
    assert "memref.dim" not in kernel.ir("python", np.zeros(64, np.int64))


@spmd.kernel(group_size=8)
def halves(x):
    tile = local((2, 8), np.float32)
    old, new = tile[0], tile[1]
    old[local_id()] = x[global_id()]
    barrier()
    for _ in range(3):
        new[local_id()] = old[local_id() ^ 1] + 1
        old, new = new, old
        barrier()
    x[global_id()] = old[local_id()]


def test_views_of_local_memory_change_places():
    x = np.arange(16, dtype=np.float32)
    halves(x, global_size=16)
    np.testing.assert_array_equal(x, (np.arange(16) ^ 1) + 3)
    assert halves.check(x, global_size=16)


@spmd.function
def total(v):
    result = 0.0
    for j in range(len(v)):
        result += v[j]
    return result


@spmd.kernel
def of_functions(x, out):
    own = private((2, 3), np.float64)
    for j in range(3):
        own[0, j] = x[global_id(), j]
        own[1, j] = 1
    out[global_id()] = total(own[0]) + total(own[:, 1]) + total(x[global_id(), 1:])


def test_views_are_arguments_of_functions():
    x = np.random.default_rng(1).random((5, 4))
    expect_as_python(of_functions, x, np.zeros(5), global_size=5, tolerance=1e-12)


def test_neighbours_in_a_slice_are_one_vector_load():
    kernel = kernel_of(
        "@spmd.kernel\ndef k(x, y):\n    v = x[2:]\n    y[global_id()] = v[global_id()]\n"
    )
    x = np.zeros(64, np.float32)
    assert "vector.load" in kernel.ir("vectorize", x, x.copy())
    assert "gather" not in kernel.ir("vectorize", x, x.copy())


@spmd.kernel
def elements(x, out):
    i = global_id()
    total = 0.0
    for v in x[i, ::2]:
        if v > 0.9:
            break
        total += v
    for row in x:
        total += row[i] + len(row)
    out[i] = total


@pytest.mark.parametrize("layout", LAYOUTS)
def test_loops_over_arrays(layout: str):
    x = np.random.default_rng(4).random((6, 6))
    expect_as_python(
        elements, LAYOUTS[layout](x), np.zeros(6), global_size=6, tolerance=1e-12
    )


@spmd.kernel
def gray(image, out):
    x, y = global_id(0), global_id(1)
    red, green, blue = image[y, x]
    out[y, x] = (red + 2.0 * green + blue) / 4


def test_unpacking():
    image = np.random.default_rng(5).random((4, 5, 3))
    expect_as_python(gray, image, np.zeros((4, 5)), global_size=(5, 4), tolerance=1e-12)
    with pytest.raises(spmd.LaunchError, match="expected 3 elements to unpack"):
        gray(np.zeros((4, 5, 4)), np.zeros((4, 5)), global_size=(5, 4))
