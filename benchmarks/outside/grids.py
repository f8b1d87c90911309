"""Neighbours on a grid: Rodinia's hotspot, lud and pathfinder, and filters of images."""

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
    private,
)


@spmd.function
def clamped(value, low, high):
    return min(max(value, low), high)


@case
def hotspot(scale: int) -> Case:
    @spmd.kernel(group_size=(16, 16))
    def hotspot(temp, power, out, step: np.float32, rx: np.float32, ry: np.float32):
        tile = local((18, 18), np.float32)
        x, y = global_id(0), global_id(1)
        h, w = temp.shape
        lx, ly = local_id(0), local_id(1)
        for row in range(ly, 18, 16):
            for column in range(lx, 18, 16):
                from_y = clamped(group_id(1) * 16 + row - 1, 0, h - 1)
                from_x = clamped(group_id(0) * 16 + column - 1, 0, w - 1)
                tile[row, column] = temp[from_y, from_x]
        barrier()
        if x < w and y < h:
            t = tile[ly + 1, lx + 1]
            along_y = tile[ly, lx + 1] + tile[ly + 2, lx + 1] - 2 * t
            along_x = tile[ly + 1, lx] + tile[ly + 1, lx + 2] - 2 * t
            out[y, x] = t + step * (power[y, x] + along_y * ry + along_x * rx)

    n = 1024 // scale
    temp, power = RANDOM(1).random((2, n, n), np.float32)
    p = np.pad(temp, 1, mode="edge")
    along_y = p[:-2, 1:-1] + p[2:, 1:-1] - 2 * temp
    along_x = p[1:-1, :-2] + p[1:-1, 2:] - 2 * temp
    want = temp + 0.5 * (power + along_y * 0.1 + along_x * 0.2)
    arguments = (temp, power, np.empty_like(temp), 0.5, 0.2, 0.1)
    return Case(hotspot, arguments, 2, want, (n, n))


@case
def pathfinder(scale: int) -> Case:
    far = 1 << 30

    @spmd.kernel(group_size=256)
    def pathfinder(wall, start, end, rows: constexpr):
        before = local(256, np.int32)
        i = local_id()
        column = group_id() * (256 - 2 * rows) + i - rows
        valid = column >= 0 and column < wall.shape[1]
        before[i] = start[column] if valid else far
        barrier()
        for row in range(rows):
            best = np.int32(far)
            if i >= 1 and i < 255 and valid:
                least = min(min(before[i - 1], before[i]), before[i + 1])
                best = least + wall[row, column]
            barrier()
            before[i] = best
            barrier()
        if i >= rows and i < 256 - rows and valid:
            end[column] = before[i]

    n, rows = (1 << 18) // scale, 10
    wall = RANDOM(1).integers(0, 10, (rows, n), np.int32)
    start = RANDOM(2).integers(0, 10, n, np.int32)
    want: Any = start
    for row in wall:
        p = np.pad(want, 1, constant_values=far)
        want = np.minimum(np.minimum(p[:-2], p[1:-1]), p[2:]) + row
    groups = -(-n // (256 - 2 * rows))
    arguments = (wall, start, np.zeros_like(start), rows)
    return Case(pathfinder, arguments, 2, want, groups * 256)


@case
def lud_internal(scale: int) -> Case:
    @spmd.kernel(group_size=(16, 16))
    def lud_internal(m, first: np.int64):
        a, b = local((16, 16), np.float32), local((16, 16), np.float32)
        x, y = local_id(0), local_id(1)
        row, column = first + 16 + global_id(1), first + 16 + global_id(0)
        a[y, x] = m[row, first + x]
        b[y, x] = m[first + y, column]
        barrier()
        total = 0
        for k in range(16):
            total += a[y, k] * b[k, x]
        m[row, column] -= total

    n = 1024 // scale
    m = RANDOM(1).random((n, n), np.float32)
    want = m.copy()
    want[16:, 16:] -= m[16:, :16] @ m[:16, 16:]
    return Case(lud_internal, (m, 0), 0, want, (n - 16, n - 16), in_place=True)


@case
def sobel(scale: int) -> Case:
    @spmd.kernel
    def sobel(image, out):
        x, y = global_id(0), global_id(1)
        h, w = image.shape
        if x == 0 or y == 0 or x == w - 1 or y == h - 1:
            out[y, x] = 0
            return
        gx, gy = 0, 0
        for d in (-1, 0, 1):
            weight = 2 - d * d
            gx += weight * (np.int32(image[y + d, x + 1]) - image[y + d, x - 1])
            gy += weight * (np.int32(image[y + 1, x + d]) - image[y - 1, x + d])
        out[y, x] = np.uint8(min(np.sqrt(np.float32(gx * gx + gy * gy)), 255))

    n = 1024 // scale
    image = RANDOM(1).integers(0, 256, (n, n), np.uint8)
    a = image.astype(np.int32)
    down, right = a[2:] - a[:-2], a[:, 2:] - a[:, :-2]
    gx = right[:-2] + 2 * right[1:-1] + right[2:]
    gy = down[:, :-2] + 2 * down[:, 1:-1] + down[:, 2:]
    want = np.zeros_like(image)
    size = np.sqrt((gx * gx + gy * gy).astype(np.float32))
    want[1:-1, 1:-1] = np.minimum(size, 255).astype(np.uint8)
    return Case(sobel, (image, np.zeros_like(image)), 1, want, (n, n))


@case
def bilateral(scale: int) -> Case:
    @spmd.kernel
    def bilateral(image, out, near: np.float32, like: np.float32):
        x, y = global_id(0), global_id(1)
        h, w = image.shape
        middle = image[y, x]
        total, weights = np.float32(0), np.float32(0)
        for dy in range(-3, 4):
            for dx in range(-3, 4):
                v = image[clamped(y + dy, 0, h - 1), clamped(x + dx, 0, w - 1)]
                away = np.float32(dx * dx + dy * dy) * near
                weight = np.exp(-away - (v - middle) * (v - middle) * like)
                total += weight * v
                weights += weight
        out[y, x] = total / weights

    n = 512 // scale
    image = RANDOM(1).random((n, n), np.float32)
    p = np.pad(image, 3, mode="edge")
    total: Any = np.zeros_like(image)
    weights: Any = total
    for dy in range(7):
        for dx in range(7):
            v = p[dy : dy + n, dx : dx + n]
            away = ((dx - 3) ** 2 + (dy - 3) ** 2) * 0.1
            weight = np.exp(-away - (v - image) ** 2 * 5)
            total, weights = total + weight * v, weights + weight
    arguments = (image, np.empty_like(image), 0.1, 5.0)
    return Case(bilateral, arguments, 1, total / weights, (n, n))


@case
def separable(scale: int) -> Case:
    @spmd.kernel(group_size=(128, 1))
    def separable(image, weights, out):
        tile = local(144, np.float32)
        x, y, first = local_id(), global_id(1), group_id(0) * 128
        for i in range(x, 144, 128):
            column = first + i - 8
            inside = column >= 0 and column < image.shape[1]
            tile[i] = image[y, column] if inside else np.float32(0)
        barrier()
        total = 0
        for j in range(17):
            total += tile[x + j] * weights[j]
        out[y, first + x] = total

    h, w = 512 // scale, 1024
    image = RANDOM(1).random((h, w), np.float32)
    weights = RANDOM(2).random(17, np.float32)
    p = np.pad(image, ((0, 0), (8, 8)))
    want = sum(p[:, j : j + w] * weights[j] for j in range(17))
    arguments = (image, weights, np.empty_like(image))
    return Case(separable, arguments, 2, np.asarray(want), (w, h))


@case
def life_on_a_torus(scale: int) -> Case:
    @spmd.kernel
    def life_on_a_torus(now, after):
        x, y = global_id(0), global_id(1)
        h, w = now.shape
        n = 0
        for dy in (-1, 0, 1):
            for dx in (-1, 0, 1):
                n += int(now[(y + dy) % h, (x + dx) % w])
        after[y, x] = 1 if n == 3 or (n == 4 and now[y, x] == 1) else 0

    n = 1024 // scale
    now = (RANDOM(1).random((n, n)) < 0.3).astype(np.uint8)
    sides = (-1, 0, 1)
    alive = sum(np.roll(now, (dy, dx), (0, 1)) for dy in sides for dx in sides)
    want = ((alive == 3) | ((alive == 4) & (now == 1))).astype(np.uint8)
    return Case(life_on_a_torus, (now, np.zeros_like(now)), 1, want, (n, n))


@case
def blur(scale: int) -> Case:
    @spmd.kernel
    def blur(image, out, far):
        x, y = global_id(0), global_id(1)
        h, w = image.shape
        total = np.float32(0)
        for dy in range(-far, far + 1):
            for dx in range(-far, far + 1):
                total += image[clamped(y + dy, 0, h - 1), clamped(x + dx, 0, w - 1)]
        out[y, x] = total

    h, w, far = 512 // scale, 500 // scale, 2
    image = RANDOM(1).random((h, w), np.float32)
    p = np.pad(image, far, mode="edge")
    sides = range(2 * far + 1)
    want = sum(p[dy : dy + h, dx : dx + w] for dy in sides for dx in sides)
    arguments = (image, np.empty_like(image), far)
    return Case(blur, arguments, 1, np.asarray(want), (w, h))


@case
def heat_on_a_torus(scale: int) -> Case:
    @spmd.kernel
    def heat_on_a_torus(now, after, rate: np.float32):
        x, y = global_id(0), global_id(1)
        h, w = now.shape
        along_x = now[y, (x - 1 + w) % w] + now[y, (x + 1) % w]
        along_y = now[(y - 1 + h) % h, x] + now[(y + 1) % h, x]
        after[y, x] = now[y, x] + rate * (along_x + along_y - 4 * now[y, x])

    n = 512 // scale
    now = RANDOM(1).random((n, n), np.float32)
    around = sum(np.roll(now, by, axis) for by in (-1, 1) for axis in (0, 1))
    want = now + np.float32(0.1) * (around - 4 * now)
    arguments = (now, np.empty_like(now), 0.1)
    return Case(heat_on_a_torus, arguments, 1, want, (n, n))


@case
def product_in_tiles(scale: int) -> Case:
    """A matrix product in tiles of local memory, of which a work-item sums 4x4 in registers."""

    @spmd.kernel(group_size=256)
    def product_in_tiles(a, b, c):
        left, right = local((64, 8), np.float32), local((8, 64), np.float32)
        sums, p, q = (
            private((4, 4), np.float32),
            private(4, np.float32),
            private(4, np.float32),
        )
        t = local_id()
        row, column = t // 16 * 4, t % 16 * 4
        y, x = (
            group_id() // (b.shape[1] // 64) * 64,
            group_id() % (b.shape[1] // 64) * 64,
        )
        for i in range(4):
            for j in range(4):
                sums[i, j] = 0
        for start in range(0, a.shape[1], 8):
            for s in range(2):
                r = s * 32 + t // 8
                left[r, t % 8] = a[y + r, start + t % 8]
                r = s * 4 + t // 64
                right[r, t % 64] = b[start + r, x + t % 64]
            barrier()
            for k in range(8):
                for i in range(4):
                    p[i] = left[row + i, k]
                    q[i] = right[k, column + i]
                for i in range(4):
                    for j in range(4):
                        sums[i, j] += p[i] * q[j]
            barrier()
        for i in range(4):
            for j in range(4):
                c[y + row + i, x + column + j] = sums[i, j]

    n = max(64, 512 // scale // 64 * 64)
    a, b = RANDOM(0).random((2, n, n), np.float32)
    return Case(product_in_tiles, (a, b, np.zeros_like(a)), 2, a @ b, n * n // 16)
