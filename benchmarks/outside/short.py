"""Short kernels of many fields, each of which was far slower in lanes than as scalar code once."""

# pyright: basic

import numpy as np

import spmd
from benchmarks.outside.case import RANDOM, Case, case
from spmd.language import global_id, private


@case
def reverse_bits(scale: int) -> Case:
    @spmd.kernel
    def reverse_bits(x, y):
        i = global_id()
        rest, found = x[i], np.uint32(0)
        for _ in range(32):
            found = (found << 1) | (rest & 1)
            rest = rest >> 1
        y[i] = found

    n = (1 << 17) // scale
    x = RANDOM(1).integers(0, 1 << 32, n, np.uint32)
    bits = np.unpackbits(x.astype(">u4").view(np.uint8).reshape(n, 4), axis=1)
    want = np.packbits(bits[:, ::-1], axis=1).view(">u4").ravel().astype(np.uint32)
    return Case(reverse_bits, (x, np.zeros_like(x)), 1, want, n, tolerance=0)


@case
def median(scale: int) -> Case:
    """Of nine pixels, the smallest of which are exchanged to the front."""

    @spmd.kernel
    def median(image, out):
        col, row = global_id(0), global_id(1)
        height, width = image.shape
        near = private(9, np.float32)
        k = 0
        for i in range(-1, 2):
            for j in range(-1, 2):
                r = min(max(row + i, 0), height - 1)
                near[k] = image[r, min(max(col + j, 0), width - 1)]
                k += 1
        for i in range(5):
            for j in range(i + 1, 9):
                if near[j] < near[i]:
                    near[i], near[j] = near[j], near[i]
        out[row, col] = near[4]

    height, width = 256 // scale, 512
    image = RANDOM(1).random((height, width), np.float32)
    edge = np.pad(image, 1, mode="edge")
    around = [edge[i : i + height, j : j + width] for i in range(3) for j in range(3)]
    want = np.median(np.stack(around), axis=0)
    arguments = (image, np.zeros_like(image))
    return Case(median, arguments, 1, want, (width, height), tolerance=0)


@case
def embedding(scale: int) -> Case:
    """Rows of a table, each copied by one work-item."""

    @spmd.kernel
    def embedding(table, words, out):
        i = global_id()
        for j in range(table.shape[1]):
            out[i, j] = table[words[i], j]

    n = 8192 // scale
    table = RANDOM(1).random((5000, 64), np.float32)
    words = RANDOM(2).integers(0, 5000, n, np.int32)
    want = table[words]
    return Case(embedding, (table, words, np.zeros_like(want)), 2, want, n)


@case
def upsample(scale: int) -> Case:
    @spmd.kernel
    def upsample(x, y):
        i = global_id()
        k = i // 2
        if i % 2 == 0:
            y[i] = x[k]
        else:
            y[i] = np.float32(0.5) * (x[k] + x[min(k + 1, len(x) - 1)])

    n = (1 << 16) // scale
    x = RANDOM(1).random(n, np.float32)
    want = np.repeat(x, 2)
    want[1::2] = (x + np.append(x[1:], x[-1])) / 2
    return Case(upsample, (x, np.zeros_like(want)), 1, want, 2 * n)


@case
def knapsack(scale: int) -> Case:
    """One thing more: what is best for each capacity, with indices of 32 bits."""

    @spmd.kernel
    def knapsack(best, after, weight: np.int32, value: np.int32):
        c = global_id()
        take = best[c - weight] + value if c >= weight else np.int32(0)
        after[c] = max(best[c], take)

    n, weight, value = (1 << 17) // scale, 37, 91
    best = RANDOM(1).integers(0, 1000, n, np.int32)
    want = best.copy()
    want[weight:] = np.maximum(best[weight:], best[:-weight] + value)
    arguments = (best, np.zeros_like(best), weight, value)
    return Case(knapsack, arguments, 1, want, n, tolerance=0)


@case
def diagonals(scale: int) -> Case:
    """A sparse matrix by its diagonals times a vector."""

    @spmd.kernel
    def diagonals(values, offsets, x, y):
        i = global_id()
        total = np.float32(0)
        for d in range(len(offsets)):
            j = i + offsets[d]
            if j >= 0 and j < len(x):
                total += values[d, i] * x[j]
        y[i] = total

    n = (1 << 16) // scale
    offsets = np.array([-256, -16, -1, 0, 1, 16, 256], np.int32)
    values = RANDOM(1).random((7, n), np.float32)
    x, want = RANDOM(2).random(n, np.float32), np.zeros(n, np.float32)
    for row, offset in zip(values, offsets, strict=True):
        j = np.arange(n) + offset
        inside = (j >= 0) & (j < n)
        want[inside] += row[inside] * x[j[inside]]
    return Case(diagonals, (values, offsets, x, np.zeros_like(x)), 3, want, n)


@case
def moving_average(scale: int) -> Case:
    @spmd.kernel
    def moving_average(x, y, window: np.int32):
        i = global_id()
        first = max(i - window + 1, 0)
        total = np.float32(0)
        for k in range(first, i + 1):
            total += x[k]
        y[i] = total / np.float32(i + 1 - first)

    n, window = (1 << 15) // scale, 20
    x, i = RANDOM(1).random(n, np.float32), np.arange(n)
    sums = np.concatenate([[0], x.astype(float).cumsum()])
    first = np.maximum(i - window + 1, 0)
    want = ((sums[i + 1] - sums[first]) / (i + 1 - first)).astype(np.float32)
    return Case(moving_average, (x, np.zeros_like(x), window), 1, want, n)


@case
def box_filter(scale: int) -> Case:
    """The mean around each pixel, of those that there are."""

    @spmd.kernel
    def box_filter(x, y, r: np.int64):
        i, j = global_id(0), global_id(1)
        height, width = x.shape
        total = np.float32(0)
        number = 0
        for row in range(max(j - r, 0), min(j + r + 1, height)):
            for k in range(max(i - r, 0), min(i + r + 1, width)):
                total += x[row, k]
                number += 1
        y[j, i] = total / np.float32(number)

    n, r = 256 // scale, 3
    x = RANDOM(1).random((n, n), np.float32)
    around = [
        [
            x[max(j - r, 0) : j + r + 1, max(i - r, 0) : i + r + 1].mean()
            for i in range(n)
        ]
        for j in range(n)
    ]
    want = np.array(around, np.float32)
    return Case(box_filter, (x, np.zeros_like(x), r), 1, want, (n, n))


@case
def local_maximum(scale: int) -> Case:
    """The largest sample around each one, found in a `while`."""

    @spmd.kernel
    def local_maximum(x, y, r: np.int64):
        i = global_id()
        k = max(i - r, 0)
        end = min(i + r + 1, len(x))
        largest = x[i]
        while k < end:
            largest = max(largest, x[k])
            k += 1
        y[i] = largest

    n, r = (1 << 16) // scale, 7
    x = RANDOM(1).random(n, np.float32)
    padded = np.pad(x, r, constant_values=0)
    want = np.lib.stride_tricks.sliding_window_view(padded, 2 * r + 1).max(1)
    return Case(local_maximum, (x, np.zeros_like(x), r), 1, want, n)


@case
def least_labels(scale: int) -> Case:
    """A step towards connected components: each pixel takes the least label beside it."""

    @spmd.kernel
    def least_labels(labels, out):
        x, y = global_id(0), global_id(1)
        height, width = labels.shape
        least = labels[y, x]
        if least > 0:
            if x > 0 and labels[y, x - 1] > 0:
                least = min(least, labels[y, x - 1])
            if x < width - 1 and labels[y, x + 1] > 0:
                least = min(least, labels[y, x + 1])
            if y > 0 and labels[y - 1, x] > 0:
                least = min(least, labels[y - 1, x])
            if y < height - 1 and labels[y + 1, x] > 0:
                least = min(least, labels[y + 1, x])
        out[y, x] = least

    height, width = 256 // scale, 512
    numbers = RANDOM(1).permutation(height * width).reshape(height, width) + 1
    labels = np.where(RANDOM(2).random((height, width)) < 0.6, numbers, 0)
    most = np.iinfo(np.int32).max
    edge = np.pad(np.where(labels > 0, labels, most), 1, constant_values=most)
    around = (edge[1:-1, 1:-1], edge[1:-1, :-2], edge[1:-1, 2:])
    least = np.minimum.reduce([*around, edge[:-2, 1:-1], edge[2:, 1:-1]])
    want = np.where(labels > 0, least, 0).astype(np.int32)
    labels = labels.astype(np.int32)
    arguments = (labels, np.zeros_like(labels))
    return Case(least_labels, arguments, 1, want, (width, height), tolerance=0)
