"""Arithmetic: random numbers, clusters, particles, transforms, signals, texts."""

# pyright: basic

from typing import Any

import numpy as np

import spmd
from benchmarks.outside.case import RANDOM, Case, case
from spmd.language import (
    barrier,
    constexpr,
    global_id,
    group_id,
    local,
    local_id,
    reduce,
)


@case
def philox(scale: int) -> Case:
    """Ten rounds of Philox 4x32: Salmon et al., SC 2011."""

    @spmd.kernel
    def philox(out, seed: np.uint32):
        i = global_id()
        a, b = np.uint32(i), np.uint32(i >> 32)
        c, d, key, other = np.uint32(0), np.uint32(0), seed, np.uint32(0)
        for _ in range(10):
            p = np.uint64(a) * np.uint64(0xD2511F53)
            q = np.uint64(c) * np.uint64(0xCD9E8D57)
            a = np.uint32(q >> np.uint64(32)) ^ b ^ key
            c = np.uint32(p >> np.uint64(32)) ^ d ^ other
            b, d = np.uint32(q), np.uint32(p)
            key += np.uint32(0x9E3779B9)
            other += np.uint32(0xBB67AE85)
        out[i] = np.float32(a >> np.uint32(8)) * np.float32(1 / (1 << 24))

    n = (1 << 20) // scale
    low, high = np.uint64(0xFFFFFFFF), np.uint64(32)
    a: Any = np.arange(n, dtype=np.uint64)
    b: Any = np.zeros_like(a)
    c: Any = b
    d: Any = b
    key, other = np.uint64(5), np.uint64(0)
    for _ in range(10):
        p, q = a * np.uint64(0xD2511F53), c * np.uint64(0xCD9E8D57)
        a, b, c, d = (q >> high) ^ b ^ key, q & low, (p >> high) ^ d ^ other, p & low
        key = (key + np.uint64(0x9E3779B9)) & low
        other = (other + np.uint64(0xBB67AE85)) & low
    want = (a >> np.uint64(8)).astype(np.float32) / np.float32(1 << 24)
    return Case(philox, (np.zeros(n, np.float32), 5), 0, want, n)


@case
def monte_carlo(scale: int) -> Case:
    @spmd.kernel(group_size=256)
    def monte_carlo(out, steps: np.int32):
        s = np.uint32(global_id()) * np.uint32(747796405)
        hits = np.int32(0)
        for _ in range(steps):
            s = s * np.uint32(1664525) + np.uint32(1013904223)
            x = np.float32(s >> np.uint32(8)) * np.float32(1 / 16777216)
            s = s * np.uint32(1664525) + np.uint32(1013904223)
            y = np.float32(s >> np.uint32(8)) * np.float32(1 / 16777216)
            if x * x + y * y < 1:
                hits += 1
        hits = reduce(sum, hits)
        if local_id() == 0:
            out[group_id()] = hits

    n = (1 << 15) // scale
    s: Any = np.arange(n, dtype=np.uint32) * np.uint32(747796405)
    want = np.zeros(n, np.int32)
    for _ in range(100):
        s = s * np.uint32(1664525) + np.uint32(1013904223)
        x = (s >> 8).astype(np.float32) / 16777216
        s = s * np.uint32(1664525) + np.uint32(1013904223)
        y = (s >> 8).astype(np.float32) / 16777216
        want += x * x + y * y < 1
    out = np.zeros(n // 256, np.int32)
    return Case(monte_carlo, (out, 100), 0, want.reshape(-1, 256).sum(1), n)


@case
def random_walk(scale: int) -> Case:
    """Each work-item walks on a grid until it leaves it, or is tired."""

    @spmd.kernel
    def random_walk(out, side: np.int32):
        s = np.uint32(global_id() + 1)
        x, y, steps = side // 2, side // 2, np.int32(0)
        while x > 0 and x < side and y > 0 and y < side and steps < 500:
            s ^= s << np.uint32(13)
            s ^= s >> np.uint32(17)
            s ^= s << np.uint32(5)
            way = s & np.uint32(3)
            if way == 0:
                x += 1
            elif way == 1:
                x -= 1
            elif way == 2:
                y += 1
            else:
                y -= 1
            steps += 1
        out[global_id()] = steps

    n, side = (1 << 15) // scale, 16
    # Types of arrays that follow from themselves take pyright most of its time.
    s: Any = np.arange(1, n + 1, dtype=np.uint32)
    x: Any = np.full(n, side // 2)
    y: Any = x
    want = np.zeros(n, np.int32)
    for _ in range(500):
        inside = (x > 0) & (x < side) & (y > 0) & (y < side)
        s = np.where(inside, s ^ s << 13, s)
        s = np.where(inside, s ^ s >> 17, s)
        s = np.where(inside, s ^ s << 5, s)
        way = s & 3
        x = x + inside * ((way == 0) * 1 - (way == 1))
        y = y + inside * ((way == 2) * 1 - (way == 3))
        want += inside
    return Case(random_walk, (np.zeros_like(want), side), 0, want, n)


@case
def collatz(scale: int) -> Case:
    @spmd.kernel
    def collatz(out):
        n, steps = global_id() + 1, np.int32(0)
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        out[global_id()] = steps

    n = (1 << 17) // scale
    v: Any = np.arange(1, n + 1)
    want = np.zeros(n, np.int32)
    while (v != 1).any():
        want += v != 1
        v = np.where(v == 1, 1, np.where(v % 2 == 0, v // 2, 3 * v + 1))
    return Case(collatz, (np.zeros_like(want),), 0, want, n)


def _clusters(points, centers):
    return ((points[:, None] - centers) ** 2).sum(-1).argmin(1).astype(np.int32)


@case
def kmeans(scale: int) -> Case:
    @spmd.kernel
    def kmeans(points, centers, out):
        i = global_id()
        best, which = np.float32(1e30), np.int32(0)
        for c in range(centers.shape[0]):
            distance = np.float32(0)
            for k in range(centers.shape[1]):
                t = points[i, k] - centers[c, k]
                distance += t * t
            if distance < best:
                best = distance
                which = np.int32(c)
        out[i] = which

    n = 100_000 // scale
    points, centers = RANDOM(1).random((n, 8)), RANDOM(2).random((16, 8))
    points, centers = points.astype(np.float32), centers.astype(np.float32)
    want = _clusters(points, centers)
    return Case(kmeans, (points, centers, np.zeros_like(want)), 2, want, n)


@case
def kmeans_by_feature(scale: int) -> Case:
    @spmd.kernel
    def kmeans_by_feature(points, centers, out):
        i = global_id()
        best, which = np.float32(1e30), np.int32(0)
        for c in range(centers.shape[0]):
            distance = np.float32(0)
            for k in range(centers.shape[1]):
                t = points[k, i] - centers[c, k]
                distance += t * t
            if distance < best:
                best = distance
                which = np.int32(c)
        out[i] = which

    n = 100_000 // scale
    points, centers = RANDOM(1).random((8, n)), RANDOM(2).random((16, 8))
    points, centers = points.astype(np.float32), centers.astype(np.float32)
    want = _clusters(points.T, centers)
    return Case(kmeans_by_feature, (points, centers, np.zeros_like(want)), 2, want, n)


@case
def particles(scale: int) -> Case:
    """As Rodinia's lavaMD: a group per box, whose particles meet those of other boxes."""

    @spmd.kernel(group_size=64)
    def particles(positions, charges, forces, near):
        other = local((64, 4), np.float32)
        box, i = group_id(), local_id()
        me = box * 64 + i
        fx, fy, fz = np.float32(0), np.float32(0), np.float32(0)
        px, py, pz = positions[me, 0], positions[me, 1], positions[me, 2]
        for k in range(near.shape[1]):
            it = int(near[box, k]) * 64 + i
            barrier()
            for d in (0, 1, 2):
                other[i, d] = positions[it, d]
            other[i, 3] = charges[it]
            barrier()
            for j in range(64):
                dx, dy, dz = px - other[j, 0], py - other[j, 1], pz - other[j, 2]
                u = np.exp(-(dx * dx + dy * dy + dz * dz)) * other[j, 3]
                fx += u * dx
                fy += u * dy
                fz += u * dz
        forces[me, 0] = fx
        forces[me, 1] = fy
        forces[me, 2] = fz

    n = 128 // scale
    positions = RANDOM(1).random((n * 64, 3), np.float32)
    charges = RANDOM(2).random(n * 64, np.float32)
    near = RANDOM(3).integers(0, n, (n, 8), np.int32)
    boxes, charged = positions.reshape(n, 64, 3), charges.reshape(n, 64)
    want = np.zeros((n, 64, 3))
    for k in range(8):
        away = boxes[:, :, None] - boxes[near[:, k]][:, None]
        u = np.exp(-(away**2).sum(-1)) * charged[near[:, k]][:, None]
        want += (u[..., None] * away).sum(2)
    arguments = (positions, charges, np.zeros_like(positions), near)
    want = want.reshape(-1, 3)
    return Case(particles, arguments, 2, want, n * 64, tolerance=1e-3)


@case
def fft_step(scale: int) -> Case:
    @spmd.kernel
    def fft_step(re, im, out_re, out_im, length: np.int32):
        i, half = global_id(), re.shape[0] // 2
        k = np.int32(i) % length
        angle = np.float32(-np.pi) * np.float32(k) / np.float32(length)
        c, s = np.cos(angle), np.sin(angle)
        x = re[i + half] * c - im[i + half] * s
        y = re[i + half] * s + im[i + half] * c
        j = (np.int32(i) // length) * length * 2 + k
        out_re[j] = re[i] + x
        out_im[j] = im[i] + y
        out_re[j + length] = re[i] - x
        out_im[j + length] = im[i] - y

    n, length = (1 << 18) // scale, 64
    re, im = RANDOM(1).random((2, n), np.float32)
    i = np.arange(n // 2)
    k, z = i % length, re + 1j * im
    x = z[n // 2 :] * np.exp(-1j * np.pi * k / length)
    j = i // length * length * 2 + k
    want = np.zeros(n, np.complex64)
    want[j], want[j + length] = z[: n // 2] + x, z[: n // 2] - x
    arguments = (re, im, np.zeros_like(re), np.zeros_like(re), length)
    return Case(fft_step, arguments, 2, want.real, n // 2)


@case
def fir(scale: int) -> Case:
    """A filter of 16-bit samples, with a sum of 32 bits."""

    @spmd.kernel
    def fir(samples, weights, out, taps: constexpr):
        i = global_id()
        total = np.int32(0)
        for k in range(taps):
            total += np.int32(samples[i + k]) * np.int32(weights[k])
        out[i] = np.int16(total >> 15)

    n = (1 << 20) // scale
    samples = RANDOM(1).integers(-3000, 3000, n + 15, np.int16)
    weights = RANDOM(2).integers(-3000, 3000, 16, np.int16)
    total = np.convolve(samples.astype(np.int32), weights[::-1].astype(np.int32))
    want = (total[15 : 15 + n] >> 15).astype(np.int16)
    return Case(fir, (samples, weights, np.zeros_like(want), 16), 2, want, n)


@case
def find_text(scale: int) -> Case:
    @spmd.kernel
    def find_text(text, pattern, found):
        i = global_id()
        same = True
        for j in range(len(pattern)):
            if text[i + j] != pattern[j]:
                same = False
                break
        found[i] = 1 if same else 0

    n = (1 << 20) // scale
    text = RANDOM(1).integers(97, 101, n + 4, np.uint8)
    pattern = np.frombuffer(b"abac", np.uint8)
    windows = np.lib.stride_tricks.sliding_window_view(text, 4)[:n]
    want = (windows == pattern).all(1).astype(np.uint8)
    return Case(find_text, (text, pattern.copy(), np.zeros_like(want)), 2, want, n)
