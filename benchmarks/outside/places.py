"""Ids that are taken apart, and neighbours that trade places."""

# pyright: basic

import numpy as np

import spmd
from benchmarks.outside.case import RANDOM, Case, case
from spmd.language import global_id


@case
def layer(scale: int) -> Case:
    """A bias by column and a factor by row, over a flat matrix, and a rectifier."""

    @spmd.kernel
    def layer(x, bias, factor, out, columns: np.int64):
        i = global_id()
        row, column = i // columns, i % columns
        out[i] = max(x[i] * factor[row] + bias[column], np.float32(0))

    rows, columns = 256 // scale, 300
    random = RANDOM(1)
    x = random.random((rows, columns), np.float32) - np.float32(0.5)
    bias, factor = random.random(columns, np.float32), random.random(rows, np.float32)
    want = np.maximum(x * factor[:, None] + bias, 0).ravel()
    arguments = (x.ravel(), bias, factor, np.zeros_like(want), columns)
    return Case(layer, arguments, 3, want, rows * columns)


@case
def flat_gradient(scale: int) -> Case:
    """Differences of a picture whose pixels have flat ids, inside of its edges."""

    @spmd.kernel
    def flat_gradient(picture, out):
        i = global_id()
        height, width = picture.shape
        y, x = i // width, i % width
        if x > 0 and x < width - 1 and y > 0 and y < height - 1:
            across = picture[y, x + 1] - picture[y, x - 1]
            down = picture[y + 1, x] - picture[y - 1, x]
            out[y, x] = across * across + down * down

    n = 512 // scale
    picture = RANDOM(1).random((n, n), np.float32)
    want = np.zeros_like(picture)
    across = picture[1:-1, 2:] - picture[1:-1, :-2]
    down = picture[2:, 1:-1] - picture[:-2, 1:-1]
    want[1:-1, 1:-1] = across**2 + down**2
    arguments = (picture, np.zeros_like(picture))
    return Case(flat_gradient, arguments, 1, want, n * n)


@case
def swapped_channels(scale: int) -> Case:
    """Red and blue of pixels that lie flat."""

    @spmd.kernel
    def swapped_channels(pixels, out):
        i = global_id()
        channel = i % 4
        out[i] = pixels[i - channel + (channel ^ 2 if channel % 2 == 0 else channel)]

    n = (1 << 18) // scale
    pixels = RANDOM(1).integers(0, 256, (n, 4), np.uint8)
    want = pixels[:, [2, 1, 0, 3]].ravel()
    arguments = (pixels.ravel(), np.zeros_like(want))
    return Case(swapped_channels, arguments, 1, want, 4 * n)


@case
def blocks_turned(scale: int) -> Case:
    """Each block of 4 x 4 numbers transposed."""

    @spmd.kernel
    def blocks_turned(x, out):
        i = global_id()
        row, column = i % 16 // 4, i % 4
        out[i] = x[i // 16 * 16 + column * 4 + row]

    n = (1 << 17) // scale
    x = RANDOM(1).random(n, np.float32)
    want = x.reshape(-1, 4, 4).transpose(0, 2, 1).ravel()
    return Case(blocks_turned, (x, np.zeros_like(x)), 1, want, n)


@case
def hadamard(scale: int) -> Case:
    """The Walsh-Hadamard transform of rows of eight, of which each number is a sum of all."""

    @spmd.kernel
    def hadamard(x, out):
        i = global_id()
        total = np.float32(0)
        for k in range(8):
            both = (i % 8) & k
            odd = (both ^ (both >> 1) ^ (both >> 2)) & 1
            number = x[i - i % 8 + k]
            total += -number if odd == 1 else number
        out[i] = total

    n = (1 << 16) // scale
    x = RANDOM(1).random(n, np.float32)
    signs = np.array(
        [[(-1) ** (j & k).bit_count() for k in range(8)] for j in range(8)]
    )
    want = (x.reshape(-1, 8) @ signs.T).astype(np.float32).ravel()
    return Case(hadamard, (x, np.zeros_like(x)), 1, want, n)


@case
def quarters(scale: int) -> Case:
    """Means of four neighbours each, and their spread."""

    @spmd.kernel
    def quarters(x, mean, spread):
        i = global_id()
        total, squares = np.float32(0), np.float32(0)
        for k in range(4):
            number = x[4 * i + k]
            total += number
            squares += number * number
        mean[i] = total / 4
        spread[i] = squares / 4 - total * total / 16

    n = (1 << 14) // scale
    x = RANDOM(1).random(4 * n, np.float32)
    want = x.reshape(-1, 4).var(1)
    arguments = (x, np.zeros(n, np.float32), np.zeros(n, np.float32))
    return Case(quarters, arguments, 2, want, n, tolerance=1e-3)
