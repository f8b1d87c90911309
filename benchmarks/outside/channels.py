"""Pictures and layers whose last dimension is a few channels, and tables of pairs."""

# pyright: basic

import numpy as np

import spmd
from benchmarks.outside.case import RANDOM, Case, case
from spmd.language import global_id


@case
def blend(scale: int) -> Case:
    """A picture over another one, by the fourth channel of its bytes."""

    @spmd.kernel
    def blend(over, under, out):
        x, y = global_id(0), global_id(1)
        alpha = np.int32(over[y, x, 3])
        for c in range(4):
            mixed = np.int32(over[y, x, c]) * alpha
            mixed += np.int32(under[y, x, c]) * (255 - alpha)
            out[y, x, c] = np.uint8(mixed // 255)

    n = 256 // scale
    over, under = RANDOM(1).integers(0, 256, (2, n, n, 4), np.uint8)
    alpha = over[..., 3:].astype(np.int32)
    want = ((over * alpha + under * (255 - alpha)) // 255).astype(np.uint8)
    return Case(blend, (over, under, np.zeros_like(want)), 2, want, (n, n))


@case
def nearest(scale: int) -> Case:
    """A picture of bytes enlarged by one and a half."""

    @spmd.kernel
    def nearest(picture, out):
        x, y = global_id(0), global_id(1)
        out[y, x] = picture[y * 2 // 3, x * 2 // 3]

    n = 192 // scale
    picture = RANDOM(1).integers(0, 256, (n, n), np.uint8)
    at = np.arange(n * 3 // 2) * 2 // 3
    want = picture[at][:, at]
    return Case(nearest, (picture, np.zeros_like(want)), 1, want, want.shape)


@case
def depthwise(scale: int) -> Case:
    """A 3x3 stencil of each channel with weights of its own; channels are last."""

    @spmd.kernel
    def depthwise(x, weights, out):
        c, column, row = global_id(0), global_id(1), global_id(2)
        total = np.float32(0)
        for i in range(3):
            for j in range(3):
                total += x[row + i, column + j, c] * weights[i, j, c]
        out[row, column, c] = total

    n, channels = 60 // scale, 32
    random = RANDOM(1)
    x = random.random((n + 2, n + 2, channels), np.float32)
    weights = random.random((3, 3, channels), np.float32)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (0, 1))
    want = np.einsum("rkcij,ijc->rkc", windows, weights)
    return Case(depthwise, (x, weights, np.zeros_like(want)), 2, want, (channels, n, n))


@case
def distances(scale: int) -> Case:
    """How far any point is from any other one, in three dimensions."""

    @spmd.kernel
    def distances(points, out):
        j, i = global_id(0), global_id(1)
        x = points[i, 0] - points[j, 0]
        y = points[i, 1] - points[j, 1]
        z = points[i, 2] - points[j, 2]
        out[i, j] = np.sqrt(x * x + y * y + z * z)

    n = 256 // scale
    points = RANDOM(1).random((n, 3), np.float32)
    want = np.linalg.norm(points[:, None] - points, axis=-1)
    return Case(distances, (points, np.zeros_like(want)), 1, want, (n, n))


@case
def tint(scale: int) -> Case:
    """The red, green and blue of bytes, each by a factor of its own."""

    @spmd.kernel
    def tint(picture, out):
        x, y = global_id(0), global_id(1)
        out[y, x, 0] = np.uint8((np.int32(picture[y, x, 0]) * 250) >> 8)
        out[y, x, 1] = np.uint8((np.int32(picture[y, x, 1]) * 200) >> 8)
        out[y, x, 2] = np.uint8((np.int32(picture[y, x, 2]) * 120) >> 8)

    n = 256 // scale
    picture = RANDOM(1).integers(0, 256, (n, n, 3), np.uint8)
    want = (picture * np.array([250, 200, 120]) >> 8).astype(np.uint8)
    return Case(tint, (picture, np.zeros_like(want)), 1, want, (n, n))


@case
def quaternions(scale: int) -> Case:
    """Rotations one after the other: products of rows of four numbers, of length one."""

    @spmd.kernel
    def quaternions(p, q, out):
        i = global_id(0)
        a, b, c, d = p[i, 0], p[i, 1], p[i, 2], p[i, 3]
        e, f, g, h = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        w = a * e - b * f - c * g - d * h
        x = a * f + b * e + c * h - d * g
        y = a * g - b * h + c * e + d * f
        z = a * h + b * g - c * f + d * e
        length = np.sqrt(w * w + x * x + y * y + z * z)
        out[i, 0] = w / length
        out[i, 1] = x / length
        out[i, 2] = y / length
        out[i, 3] = z / length

    n = 16384 // scale
    p, q = RANDOM(1).random((2, n, 4), np.float32)
    (a, b, c, d), (e, f, g, h) = p.T, q.T
    product = [
        a * e - b * f - c * g - d * h,
        a * f + b * e + c * h - d * g,
        a * g - b * h + c * e + d * f,
        a * h + b * g - c * f + d * e,
    ]
    want = np.stack(product, 1)
    want /= np.linalg.norm(want, axis=1, keepdims=True)
    return Case(quaternions, (p, q, np.zeros_like(want)), 2, want, n)


@case
def pooling(scale: int) -> Case:
    """The largest of each 2x2 numbers."""

    @spmd.kernel
    def pooling(x, out):
        j, i = global_id(0), global_id(1)
        upper = max(x[2 * i, 2 * j], x[2 * i, 2 * j + 1])
        lower = max(x[2 * i + 1, 2 * j], x[2 * i + 1, 2 * j + 1])
        out[i, j] = max(upper, lower)

    n = 128 // scale
    x = RANDOM(1).random((2 * n, 2 * n), np.float32)
    want = x.reshape(n, 2, n, 2).max((1, 3))
    return Case(pooling, (x, np.zeros_like(want)), 1, want, want.shape)
