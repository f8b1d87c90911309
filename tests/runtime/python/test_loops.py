"""Loops that have an else, and loops over tuples."""

# pyright: basic

import numpy as np

import spmd
from spmd.language import atomic_add, atomic_cas, global_id
from tests.runtime.python.harness import expect_as_python, kernel_of


@spmd.kernel
def otherwise(x, out):
    i = global_id()
    for j in range(x.size):
        if x[j] == i:
            out[i, 0] = j
            break
    else:
        out[i, 0] = -1
    n = 0
    while n < 5:
        n += 1
        if n == i:
            break
    else:
        n = 100
    out[i, 1] = n
    for j in range(3):
        n += j
    else:
        n += 7
    out[i, 2] = n
    for _ in range(4):
        for q in range(i):
            if q == 2:
                break
        else:
            continue
        out[i, 3] += 1
        break
    else:
        out[i, 3] = -5
    while False:
        out[i, 4] = 99
        break
    else:
        out[i, 4] = 5
    for _ in range(2):
        n += 1
    else:
        if n > 105:
            return
    out[i, 5] = 1


def test_else_runs_where_a_loop_is_not_broken():
    x = np.array([3, 1, 7, 0, 2, 5])
    expect_as_python(otherwise, x, np.zeros((8, 6)), global_size=8)


@spmd.kernel
def tuples(x, out):
    i = global_id()
    s = 0
    for dx, dy in ((0, 1), (1, 0), (2, 3)):
        if dx == i:
            continue
        s += dx * 10 + dy
        if s > 20 and i == 4:
            break
    else:
        s += 1000
    out[i, 0] = s
    t = 0
    for w in (1, 2.5, i):
        for n in x.shape:
            t += w * n
    out[i, 1] = t + w
    if i > 3:
        for q in (1, 2):
            if q == i - 3:
                return
            out[i, 2] += q
    out[i, 3] = 1
    for _ in ():
        out[i, 3] = 2


def test_a_loop_over_a_tuple_is_unrolled():
    x, out = np.zeros((2, 3)), np.zeros((8, 4))
    expect_as_python(tuples, x, out, global_size=8)
    kernel = kernel_of(
        "@spmd.kernel\ndef k(x):\n    for a in (1, 2, 3):\n        x[a] = a\n"
    )
    assert kernel.ir("python", np.zeros(4)).count("memref.store") == 3


@spmd.kernel
def orders(x, won):
    atomic_add(x, 0, 1, ordering="acq_rel", scope="work_group")
    _, won[global_id()] = atomic_cas(x, 1, 0, 7, ordering="seq_cst")


def test_atomics_say_what_they_order():
    x, won = np.zeros(2, np.int32), np.zeros(5, bool)
    orders(x, won, global_size=5)
    assert x.tolist() == [5, 7]
    assert won.sum() == 1
    ir = orders.ir("python", x, won)
    assert "%x[%c0] ordering(acq_rel) scope(work_group) : memref<?xi32>" in ir
    assert "ordering(seq_cst) : memref<?xi32>" in ir


@spmd.kernel
def together(points, centers, out):
    i = global_id()
    best, nearest = np.inf, -1
    for k, c in enumerate(centers, start=0):
        d = 0.0
        for a, b in zip(points[i], c):
            d += (a - b) ** 2
        if d < best:
            best, nearest = d, k
    out[i, 0] = nearest
    for number, (a, weight) in enumerate(zip((1, 2, 3), (0.5, i, 2.5, 9)), 7):
        out[i, 1] += number * a * weight
    for n, (p, r) in enumerate(zip(points[i, ::2], range(5)), i):
        if p > 0.9:
            break
        out[i, 2] += n * p + r


def test_zip_and_enumerate():
    points = np.random.default_rng(1).random((9, 4))
    expect_as_python(
        together, points, points[:3].copy(), np.zeros((9, 3)), global_size=9
    )
