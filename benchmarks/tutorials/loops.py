"""The same work as plain loops, which Numba compiles."""

# pyright: basic

import math

import numpy as np


def vector_add(x, y, out):
    for i in range(len(x)):
        out[i] = x[i] + y[i]


def softmax(x, out):
    for row in range(x.shape[0]):
        top = np.float32(-math.inf)
        for j in range(x.shape[1]):
            top = max(top, x[row, j])
        total = np.float32(0)
        for j in range(x.shape[1]):
            out[row, j] = math.exp(x[row, j] - top)
            total += out[row, j]
        for j in range(x.shape[1]):
            out[row, j] /= total


def layer_norm(x, scale, shift, out):
    columns = x.shape[1]
    for row in range(x.shape[0]):
        total = np.float32(0)
        for j in range(columns):
            total += x[row, j]
        mean = total / np.float32(columns)
        squares = np.float32(0)
        for j in range(columns):
            squares += (x[row, j] - mean) ** 2
        rate = np.float32(1 / math.sqrt(squares / columns + 1e-5))
        for j in range(columns):
            out[row, j] = (x[row, j] - mean) * rate * scale[j] + shift[j]


def matmul(a, b, c):
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            c[i, j] = total


tiled_matmul = matmul


def array_sum(x, sums):
    for g in range(len(sums)):
        total = np.float32(0)
        for i in range(256 * g, 256 * (g + 1)):
            total += x[i]
        sums[g] = total


def life(now, after):
    height, width = now.shape
    for y in range(1, height - 1):
        for x in range(1, width - 1):
            alive = 0
            for dy in range(-1, 2):
                for dx in range(-1, 2):
                    alive += now[y + dy, x + dx]
            after[y, x] = alive == 3 or (alive == 4 and now[y, x] == 1)


def histogram(x, low, high, counts, bins):
    width = (high - low) / bins
    for i in range(len(x)):
        bin = int((x[i] - low) / width)
        if 0 <= bin < bins:
            counts[bin] += 1


shared_histogram = histogram
