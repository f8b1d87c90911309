"""What is compiled in of an array: the sizes of points and pixels, and short strides."""

# pyright: basic

import numpy as np
import pytest

import spmd
from spmd.frontends.python.types import MOST_KNOWN
from spmd.language import global_id


@spmd.kernel
def turned(image, out):
    x, y = global_id(0), global_id(1)
    for c in range(image.shape[2]):
        out[y, x, c] = 9 - image[y, x, image.shape[2] - 1 - c]


@spmd.kernel
def added(points, sums):
    i = global_id()
    for c in range(points.shape[1]):
        sums[i] += points[i, c]
        points[i, c] += 1


@spmd.kernel
def doubled(x, y):
    i = global_id()
    y[i] += 2 * x[i]


VIEWS = {
    "plain": np.s_[:, :, :],
    "every other row": np.s_[::2],
    "upside down": np.s_[::-1],
    "mirrored": np.s_[:, ::-1],
    "every other pixel": np.s_[:, ::2],
    "other colours": np.s_[:, :, ::-1],
    "two of them": np.s_[:, :, :2],
    "the last one": np.s_[:, :, 2:],
    "none": np.s_[:, :, :0],
    "all at once": np.s_[::-2, ::-1, ::-2],
}


@pytest.mark.optimized
@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("view", VIEWS)
def test_pixels(view: str, dtype: type):
    whole = np.random.default_rng(3).integers(0, 9, (12, 70, 3)).astype(dtype)
    image, out = whole[VIEWS[view]], np.zeros_like(whole)
    part = out[VIEWS[view]]
    turned(image, part, global_size=image.shape[1::-1])
    assert (part == 9 - image[:, :, ::-1]).all()
    part[...] = 0
    assert not out.any(), "what no work-item has is as it was"


@pytest.mark.optimized
@pytest.mark.parametrize("length", [1, 2, 3, 4, 8, MOST_KNOWN, MOST_KNOWN + 1])
def test_points(length: int):
    points = np.arange(300 * length, dtype=np.float32).reshape(300, length)
    before, sums = points.copy(), np.zeros(300, np.float32)
    added(points, sums, global_size=300)
    np.testing.assert_allclose(sums, before.sum(1))
    assert (points == before + 1).all()


@pytest.mark.optimized
@pytest.mark.parametrize("there", [1, 2, -1, -3, 9])
@pytest.mark.parametrize("here", [1, 2, 5, 8, -1, -2, MOST_KNOWN, -MOST_KNOWN - 1])
def test_steps(here: int, there: int):
    x, y = np.arange(6000, dtype=np.float32)[::here][:300], np.zeros(3000, np.float32)
    part = y[::there][:300]
    for _ in range(2):
        doubled(x, part, global_size=300)
    assert (part == 4 * x).all()
    part[...] = 0
    assert not y.any()


@spmd.kernel
def of_either(x, y, other, out):
    i = global_id()
    chosen = x
    if other:
        chosen = y
    part = chosen[i, 1:]
    if other:
        part = chosen[i, :1]
    out[i] = part[0] + chosen.shape[1]


@pytest.mark.parametrize("other", [False, True])
def test_variables_know_no_sizes(other: bool):
    """So that a variable may be any array of an element type and of so many dimensions."""
    x, y = np.ones((40, 3), np.float32), np.full((40, 4), 2, np.float32)
    out = np.zeros(40, np.float32)
    of_either(x, y, other, out, global_size=40)
    assert (out == (6 if other else 4)).all()


def test_one_element_for_all():
    x, y = np.broadcast_to(np.float32(3), (300,)), np.zeros(300, np.float32)
    doubled(x, y, global_size=300)
    assert (y == 6).all()


def test_steps_that_are_no_elements():
    table = np.zeros(300, [("small", np.int8), ("number", "<f4"), ("more", np.int32)])
    table["number"] = np.arange(300)
    y = np.zeros(300, np.float32)
    with pytest.raises(spmd.LaunchError):
        doubled(table["number"], y, global_size=300)


@pytest.mark.parametrize(
    ("shape", "type_"),
    [
        ((5, 3), "memref<?x3xf32>"),
        ((3,), "memref<?xf32>"),
        ((5, 4, 4), "memref<?x4x4xf32>"),
        ((5, 5, 4), "memref<?x?x4xf32>"),
        ((5, 4, 0), "memref<?x?x?xf32>"),
        ((4, 17), "memref<?x?xf32>"),
        ((7, 1), "memref<?x1xf32>"),
    ],
)
def test_types(shape: tuple[int, ...], type_: str):
    @spmd.kernel
    def size(x, n):
        n[0] = x.size

    text = size.ir("python", np.zeros(shape, np.float32), np.zeros(1, np.int64))
    assert f"%x: {type_}" in text
