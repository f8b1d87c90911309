"""Local memory that work-items fill together: scans, tables, dynamic programs, partitions."""

# pyright: basic

from functools import reduce as fold

import numpy as np

import spmd
from benchmarks.outside.case import RANDOM, Case, case
from spmd.language import (
    atomic_add,
    barrier,
    global_id,
    group_id,
    local,
    local_id,
    private,
    scan,
)


@case
def needleman(scale: int) -> Case:
    """A tile of Rodinia's needleman: the diagonals of a table, one after the other."""

    @spmd.kernel(group_size=16)
    def needleman(scores, out, gap: np.int32):
        table = local((17, 17), np.int32)
        i, tile = local_id(), group_id()
        table[0, i + 1] = -gap * np.int32(i + 1)
        table[i + 1, 0] = -gap * np.int32(i + 1)
        if i == 0:
            table[0, 0] = 0
        barrier()
        for diagonal in range(31):
            x, y = i + 1, diagonal - i + 1
            if y >= 1 and y <= 16:
                match = table[y - 1, x - 1] + scores[tile, y - 1, x - 1]
                skip = max(table[y, x - 1], table[y - 1, x]) - gap
                table[y, x] = max(match, skip)
            barrier()
        for row in range(16):
            out[tile, row, i] = table[row + 1, i + 1]

    n = 4096 // scale
    scores = RANDOM(1).integers(-5, 6, (n, 16, 16), np.int32)
    table = np.zeros((n, 17, 17), np.int32)
    table[:, 0, :] = table[:, :, 0] = -2 * np.arange(17)
    for y in range(1, 17):
        for x in range(1, 17):
            match = table[:, y - 1, x - 1] + scores[:, y - 1, x - 1]
            skip = np.maximum(table[:, y, x - 1], table[:, y - 1, x]) - 2
            table[:, y, x] = np.maximum(match, skip)
    arguments = (scores, np.zeros_like(scores), 2)
    return Case(needleman, arguments, 1, table[:, 1:, 1:], n * 16)


@case
def levenshtein(scale: int) -> Case:
    """The distance of each of many words from one; a row of the table is private."""

    @spmd.kernel
    def levenshtein(words, word, out):
        row = private(17, np.int32)
        i = global_id()
        for j in range(17):
            row[j] = j
        for k in range(words.shape[0]):
            corner = row[0]
            row[0] = k + 1
            for j in range(16):
                swap = corner + (1 if words[k, i] != word[j] else 0)
                corner = row[j + 1]
                row[j + 1] = min(swap, min(corner, row[j]) + 1)
        out[i] = row[16]

    n = 1 << 16 // scale.bit_length()
    words = RANDOM(1).integers(0, 4, (12, n), np.uint8)
    word = RANDOM(2).integers(0, 4, 16, np.uint8)
    row = [np.full(n, j, np.int32) for j in range(17)]
    for k in range(12):
        after = [np.full(n, k + 1, np.int32)]
        for j in range(16):
            swap = row[j] + (words[k] != word[j])
            after.append(np.minimum(swap, np.minimum(row[j + 1], after[j]) + 1))
        row = after
    arguments = (words, word, np.zeros(n, np.int32))
    return Case(levenshtein, arguments, 2, row[16].astype(np.int32), n)


@case
def blelloch(scale: int) -> Case:
    """An exclusive scan, up and down a tree: GPU Gems 3, chapter 39."""

    @spmd.kernel(group_size=256)
    def blelloch(x, y):
        t = local(512, np.int32)
        i, first = local_id(), group_id() * 512
        t[2 * i] = x[first + 2 * i]
        t[2 * i + 1] = x[first + 2 * i + 1]
        step, active = 1, 256
        while active > 0:
            barrier()
            if i < active:
                t[step * (2 * i + 2) - 1] += t[step * (2 * i + 1) - 1]
            step *= 2
            active //= 2
        if i == 0:
            t[511] = 0
        active = 1
        while active < 512:
            step //= 2
            barrier()
            if i < active:
                a, b = step * (2 * i + 1) - 1, step * (2 * i + 2) - 1
                v = t[a]
                t[a] = t[b]
                t[b] += v
            active *= 2
        barrier()
        y[first + 2 * i] = t[2 * i]
        y[first + 2 * i + 1] = t[2 * i + 1]

    n = (1 << 20) // scale
    x = RANDOM(1).integers(0, 10, n, np.int32)
    want = x.reshape(-1, 512).cumsum(1, dtype=np.int32) - x.reshape(-1, 512)
    return Case(blelloch, (x, np.zeros_like(x)), 1, want.ravel(), n // 2)


@case
def hillis_steele(scale: int) -> Case:
    """An inclusive scan in steps of doubling distance: CACM 29(12), 1986."""

    @spmd.kernel(group_size=256)
    def hillis_steele(x, y):
        t = local(256, np.int32)
        i = local_id()
        t[i] = x[global_id()]
        step = 1
        while step < 256:
            barrier()
            v = t[i]
            if i >= step:
                v += t[i - step]
            barrier()
            t[i] = v
            step *= 2
        y[global_id()] = t[i]

    n = (1 << 20) // scale
    x = RANDOM(1).integers(0, 10, n, np.int32)
    want = x.reshape(-1, 256).cumsum(1, dtype=np.int32).ravel()
    return Case(hillis_steele, (x, np.zeros_like(x)), 1, want, n)


@case
def local_histogram(scale: int) -> Case:
    @spmd.kernel(group_size=256)
    def local_histogram(x, bins):
        mine = local(256, np.int32)
        i = local_id()
        mine[i] = 0
        barrier()
        for j in range(16):
            atomic_add(mine, np.int32(x[(group_id() * 16 + j) * 256 + i]), 1)
        barrier()
        atomic_add(bins, i, mine[i])

    n = (1 << 20) // scale
    x, bins = RANDOM(1).integers(0, 256, n, np.uint8), np.zeros(256, np.int32)
    want = np.bincount(x, minlength=256)
    return Case(local_histogram, (x, bins), 1, want, n // 16, in_place=True)


@case
def partition(scale: int) -> Case:
    """A step of quicksort in each group: what is less than the pivot comes first."""

    @spmd.kernel(group_size=256)
    def partition(x, y, pivots):
        lesser = local(256, np.int32)
        i, group = local_id(), group_id()
        v = x[group * 256 + i]
        less = 1 if v < pivots[group] else 0
        ahead = scan(sum, less, exclusive=True)
        lesser[i] = ahead + less
        barrier()
        place = ahead if less == 1 else lesser[255] + np.int32(i) - ahead
        y[group * 256 + place] = v

    n = (1 << 20) // scale
    x = RANDOM(1).random(n, np.float32)
    pivots = x[::256].copy()
    blocks = x.reshape(-1, 256)
    order = (blocks >= pivots[:, None]).argsort(1, kind="stable")
    want = np.take_along_axis(blocks, order, 1).ravel()
    return Case(partition, (x, np.zeros_like(x), pivots), 1, want, n)


@case
def sieve(scale: int) -> Case:
    """The primes of one segment for each group; each work-item crosses out for one prime."""

    @spmd.kernel(group_size=64)
    def sieve(primes, is_prime):
        crossed = local(4096, np.uint8)
        i, first = local_id(), group_id() * 4096
        for k in range(i, 4096, 64):
            crossed[k] = 0
        barrier()
        for k in range(i, len(primes), 64):
            p = int(primes[k])
            multiple = max(p * p, (first + p - 1) // p * p) - first
            while multiple < 4096:
                crossed[multiple] = 1
                multiple += p
        barrier()
        for k in range(i, 4096, 64):
            is_prime[first + k] = 1 - crossed[k]

    n = (1 << 20) // scale
    want = np.ones(n, np.uint8)
    for p in range(2, int(n**0.5) + 1):
        want[p * p :: p] = 0
    small = np.flatnonzero(want[: int(n**0.5) + 1])[2:].astype(np.int32)
    return Case(sieve, (small, np.zeros_like(want)), 1, want, n // 64)


CRC = np.array(
    [
        fold(lambda c, _: c >> 1 ^ (0xEDB88320 if c & 1 else 0), range(8), byte)
        for byte in range(256)
    ],
    np.uint32,
)
"""The table of CRC-32 (ISO 3309), for each byte."""


@case
def crc(scale: int) -> Case:
    """The checksum of each of many messages, by a table of 256 entries."""

    @spmd.kernel
    def crc(messages, table, out):
        i = global_id()
        c = np.uint32(0xFFFFFFFF)
        for j in range(messages.shape[1]):
            byte = (c ^ np.uint32(messages[i, j])) & np.uint32(255)
            c = table[byte] ^ (c >> np.uint32(8))
        out[i] = ~c

    n = (1 << 14) // scale
    messages = RANDOM(1).integers(0, 256, (n, 64), np.uint8)
    c = np.full(n, 0xFFFFFFFF, np.uint32)
    for byte in messages.T:
        c = CRC[(c ^ byte) & 255] ^ (c >> 8)
    return Case(crc, (messages, CRC, np.zeros(n, np.uint32)), 2, ~c, n)


@case
def codebook(scale: int) -> Case:
    """Weights of 4 bits, each the number of one of 16 values, with a scale for 64 of them."""

    @spmd.kernel(group_size=256)
    def codebook(codes, values, scales, out):
        i, lane = global_id(), local_id()
        table = local((16,), np.float32)
        if lane < 16:
            table[lane] = values[lane]
        barrier()
        out[i] = table[codes[i] & 15] * scales[i // 64]

    n = (1 << 18) // scale
    codes = RANDOM(1).integers(0, 16, n, np.uint8)
    values = np.linspace(-1, 1, 16).astype(np.float32) ** 3
    scales = RANDOM(2).random(n // 64, np.float32)
    want = values[codes] * scales.repeat(64)
    out = np.zeros(n, np.float32)
    return Case(codebook, (codes, values, scales, out), 3, want, n)
