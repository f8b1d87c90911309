"""The kernels, written as their tutorials write them, for one work-item."""

# pyright: basic

import numpy as np

import spmd
from spmd.language import (
    atomic_add,
    barrier,
    constexpr,
    global_id,
    global_size,
    group_id,
    local,
    local_id,
    local_size,
    reduce,
)

TILE = 16
BINS = 256


@spmd.kernel
def vector_add(x, y, out):
    i = global_id()
    out[i] = x[i] + y[i]


@spmd.kernel(group_size=(64, 1))
def softmax(x, out):
    row = global_id(1)
    top = -np.inf
    for j in range(local_id(), x.shape[1], local_size()):
        top = max(top, x[row, j])
    top = reduce(max, top)
    total = 0
    for j in range(local_id(), x.shape[1], local_size()):
        e = np.exp(x[row, j] - top)
        out[row, j] = e
        total += e
    total = reduce(sum, total)
    for j in range(local_id(), x.shape[1], local_size()):
        out[row, j] /= total


@spmd.kernel(group_size=(64, 1))
def layer_norm(x, scale, shift, out):
    row = global_id(1)
    columns = x.shape[1]
    total = 0
    for j in range(local_id(), columns, local_size()):
        total += x[row, j]
    mean = reduce(sum, total) / np.float32(columns)
    squares = 0
    for j in range(local_id(), columns, local_size()):
        squares += (x[row, j] - mean) ** 2
    variance = reduce(sum, squares) / np.float32(columns)
    rate = 1 / np.sqrt(variance + 1e-5)
    for j in range(local_id(), columns, local_size()):
        out[row, j] = (x[row, j] - mean) * rate * scale[j] + shift[j]


@spmd.kernel
def matmul(a, b, c):
    j, i = global_id(0), global_id(1)
    total = 0
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@spmd.kernel(group_size=(TILE, TILE))
def tiled_matmul(a, b, c):
    tile_a = local((TILE, TILE), np.float32)
    tile_b = local((TILE, TILE), np.float32)
    x, y = global_id(0), global_id(1)
    tx, ty = local_id(0), local_id(1)
    total = 0
    for first in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[y, first + tx]
        tile_b[ty, tx] = b[first + ty, x]
        barrier()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        barrier()
    c[y, x] = total


@spmd.kernel(group_size=256)
def array_sum(x, sums):
    tile = local(256, np.float32)
    lid = local_id()
    tile[lid] = x[global_id()]
    barrier()
    step = 128
    while step > 0:
        if lid < step:
            tile[lid] += tile[lid + step]
        barrier()
        step //= 2
    if lid == 0:
        sums[group_id()] = tile[0]


@spmd.kernel
def life(now, after):
    x, y = global_id(0), global_id(1)
    height, width = now.shape
    if 0 < x < width - 1 and 0 < y < height - 1:
        alive = 0
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                alive += now[y + dy, x + dx]
        me = now[y, x]
        after[y, x] = alive == 3 or (alive == 4 and me == 1)


@spmd.kernel
def histogram(x, low, high, counts, bins: constexpr):
    width = (high - low) / bins
    for i in range(global_id(), len(x), global_size()):
        bin = int((x[i] - low) / width)
        if 0 <= bin < bins:
            atomic_add(counts, bin, 1)


@spmd.kernel
def shared_histogram(x, low, high, counts, bins: constexpr):
    mine = local(bins, np.int64)
    for bin in range(local_id(), bins, local_size()):
        mine[bin] = 0
    barrier()
    width = (high - low) / bins
    for i in range(global_id(), len(x), global_size()):
        bin = int((x[i] - low) / width)
        if 0 <= bin < bins:
            atomic_add(mine, bin, 1)
    barrier()
    for bin in range(local_id(), bins, local_size()):
        atomic_add(counts, bin, mine[bin])
