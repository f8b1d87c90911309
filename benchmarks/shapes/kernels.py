"""Kernels over planes, for one work-item each."""

# pyright: basic

import numpy as np

import spmd
from spmd.language import constexpr, global_id, group_id, local_id, local_size

TIMES = 100


@spmd.kernel
def mandelbrot(out):
    i, j = global_id(0), global_id(1)
    cx = -2 + 3 * np.float32(i) / np.float32(out.shape[1])
    cy = -1.5 + 3 * np.float32(j) / np.float32(out.shape[0])
    x, y, steps = np.float32(0), np.float32(0), 0
    while steps < TIMES and x * x + y * y <= 4:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        steps += 1
    out[j, i] = steps


@spmd.kernel
def convolution(a, weights, out):
    i, j = global_id(0), global_id(1)
    total = np.float32(0)
    for y in range(5):
        for x in range(5):
            total += weights[y, x] * a[j + y, i + x]
    out[j, i] = total


@spmd.kernel
def heat(a, out):
    i, j = global_id(0), global_id(1)
    near = a[j + 1, i] + a[j + 1, i + 2] + a[j, i + 1] + a[j + 2, i + 1]
    out[j, i] = 0.5 * a[j + 1, i + 1] + 0.125 * near


@spmd.kernel
def heat_by_hand(a, out):
    i = group_id(0) * local_size(0) + local_id(0)
    j = group_id(1) * local_size(1) + local_id(1)
    near = a[j + 1, i] + a[j + 1, i + 2] + a[j, i + 1] + a[j + 2, i + 1]
    out[j, i] = 0.5 * a[j + 1, i + 1] + 0.125 * near


@spmd.kernel
def floyd_warshall(k, d):
    i, j = global_id(0), global_id(1)
    d[j, i] = min(d[j, i], d[j, k] + d[k, i])


@spmd.kernel
def black_scholes(price, strike, years, call):
    i, j = global_id(0), global_id(1)
    s, x, t = price[j, i], strike[j, i], years[j, i]
    spread = np.float32(0.3) * np.sqrt(t)
    d1 = (np.log(s / x) + np.float32(0.065) * t) / spread
    d2 = d1 - spread
    k1 = 1 / (1 + np.float32(0.2316419) * abs(d1))
    k2 = 1 / (1 + np.float32(0.2316419) * abs(d2))
    p1 = k1 * (
        np.float32(0.3193815)
        + k1 * (np.float32(-0.3565638) + k1 * np.float32(1.781478))
    )
    p2 = k2 * (
        np.float32(0.3193815)
        + k2 * (np.float32(-0.3565638) + k2 * np.float32(1.781478))
    )
    n1 = np.exp(-d1 * d1 / 2) * np.float32(0.3989423) * p1
    n2 = np.exp(-d2 * d2 / 2) * np.float32(0.3989423) * p2
    call[j, i] = s * (1 - n1) - x * np.exp(np.float32(-0.02) * t) * (1 - n2)


@spmd.kernel
def transpose(a, out):
    i, j = global_id(0), global_id(1)
    out[i, j] = a[j, i]


@spmd.kernel
def stencil(a, out, points: constexpr):
    i, j = global_id(0), global_id(1)
    total = np.float64(0)
    for y, x in points:
        total += a[j + y, i + x]
    out[j, i] = total * 0.2
