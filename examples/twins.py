"""
The kernels of the numbered examples as functions of Python.

Each takes the arguments of the .mlir file with the number of its name.
"""

from typing import Any

import numpy as np

import spmd
from spmd.language import (
    barrier,
    fma,
    global_id,
    group_id,
    local,
    local_id,
    local_size,
)

Array = Any
"""Type checkers need not know that elements are typed when a kernel is called."""


@spmd.kernel
def saxpy(n: int, a: np.float32, x: Array, y: Array) -> None:
    i = global_id()
    if i < n:
        y[i] = a * x[i] + y[i]


@spmd.function
def normal_below(d: Any) -> Any:
    k = 1 / (1 + 0.2316419 * abs(d))
    polynomial = 0.0
    for b in (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530):
        polynomial = k * (b + polynomial)
    above = 0.3989422804 * np.exp(-0.5 * (d * d)) * polynomial
    return 1 - above if d > 0 else above


@spmd.kernel
def black_scholes(
    price: Array,
    strike: Array,
    years: Array,
    rate: np.float32,
    volatility: np.float32,
    call: Array,
    put: Array,
) -> None:
    i = global_id()
    s, x, t = price[i], strike[i], years[i]
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / x) + (rate + 0.5 * (volatility * volatility)) * t) / spread
    owed = x * np.exp(-(rate * t))
    c = s * normal_below(d1) - owed * normal_below(d1 - spread)
    call[i] = c
    put[i] = c + owed - s


@spmd.kernel
def mandelbrot(
    left: np.float32,
    top: np.float32,
    dx: np.float32,
    dy: np.float32,
    limit: np.int32,
    steps: Array,
) -> None:
    column, row = global_id(0), global_id(1)
    # Ids have 64 bits; in 32 twice as many lanes fit a register.
    cr = left + np.float32(np.int32(column)) * dx
    ci = top + np.float32(np.int32(row)) * dy
    r, i = cr, ci
    count = np.int32(0)
    while (r * r + i * i <= 4) & (count < limit):
        r, i = r * r - i * i + cr, r * i + r * i + ci
        count += 1
    steps[row, column] = count


@spmd.kernel(group_size=256)
def group_sum(x: Array, out: Array) -> None:
    tile = local(256, np.float32)
    lid = local_id()
    tile[lid] = x[global_id()]
    barrier()
    for step in (128, 64, 32, 16, 8, 4, 2, 1):
        if (lid < step) & (lid + step < local_size()):
            tile[lid] += tile[lid + step]
        barrier()
    if lid == 0:
        out[group_id()] = tile[0]


@spmd.kernel(group_size=(64, 32))
def gemm(a: Array, b: Array, c: Array) -> None:
    tile = local((256, 64), np.float32)
    column, lx = global_id(0), local_id(0)
    first, depth, last = 6 * global_id(1), b.shape[0], c.shape[0] - 1
    s0 = s1 = s2 = s3 = s4 = s5 = np.float32(0)
    for start in range(0, depth, 256):
        count = min(depth - start, 256)
        for k in range(local_id(1), count, local_size(1)):
            tile[k, lx] = b[start + k, column]
        barrier()
        for k in range(count):
            bk, at = tile[k, lx], start + k
            s0 = fma(a[min(first, last), at], bk, s0)
            s1 = fma(a[min(first + 1, last), at], bk, s1)
            s2 = fma(a[min(first + 2, last), at], bk, s2)
            s3 = fma(a[min(first + 3, last), at], bk, s3)
            s4 = fma(a[min(first + 4, last), at], bk, s4)
            s5 = fma(a[min(first + 5, last), at], bk, s5)
        barrier()
    row = first
    for s in (s0, s1, s2, s3, s4, s5):
        if row <= last:
            c[row, column] = s
        row += 1


@spmd.kernel(group_size=256)
def nbody(
    x: Array,
    y: Array,
    z: Array,
    mass: Array,
    softening: np.float32,
    ax: Array,
    ay: Array,
    az: Array,
) -> None:
    tile = local((4, 256), np.float32)
    body = global_id()
    xi, yi, zi = x[body], y[body], z[body]
    sx = sy = sz = np.float32(0)
    for start in range(0, len(x), 256):
        count = min(len(x) - start, 256)
        for j in range(local_id(), count, local_size()):
            tile[0, j], tile[1, j] = x[start + j], y[start + j]
            tile[2, j], tile[3, j] = z[start + j], mass[start + j]
        barrier()
        for j in range(count):
            dx, dy, dz = tile[0, j] - xi, tile[1, j] - yi, tile[2, j] - zi
            r2 = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening)))
            pull = tile[3, j] / (r2 * np.sqrt(r2))
            sx, sy, sz = fma(pull, dx, sx), fma(pull, dy, sy), fma(pull, dz, sz)
        barrier()
    ax[body], ay[body], az[body] = sx, sy, sz


@spmd.kernel(group_size=(32, 32))
def transpose(a: Array, out: Array) -> None:
    tile = local((256, 33), np.float32)
    lx, ly, left, top = local_id(0), local_id(1), group_id(0) * 32, group_id(1) * 256
    height = min(a.shape[0] - top, 256)
    for r in range(ly, height, local_size(1)):
        tile[r, lx] = a[top + r, global_id(0)]
    barrier()
    for c in range(ly, local_size(0), local_size(1)):
        for r in range(lx, height, local_size(0)):
            out[left + c, top + r] = tile[r, c]


TWINS = {
    each.name: each
    for each in (saxpy, black_scholes, mandelbrot, group_sum, gemm, nbody, transpose)
}
