"""`:=` gives a variable its value where it stands, in conditions and in loops."""

# pyright: basic

import numpy as np
import pytest

import spmd
from spmd.language import global_id
from tests.runtime.python.harness import expect_as_python


@spmd.kernel
def in_statements(x, y):
    i = global_id()
    if (v := x[i]) > 3:
        y[0, i] = v
    elif (w := v * 2) < -4:
        y[0, i] = w
    else:
        y[0, i] = v + w
    y[1, i] = (a := v + 1) * a + (b := i)
    y[2, i] = a + b
    y[min((k := 3), 5), i] = 8
    y[4, i] += k + (m := 2) * m
    for j in range(c := 3):
        y[5, i] += c * j


@spmd.kernel
def in_loops(x, y):
    i = global_id()
    n, count = abs(int(x[i])), 0
    while (n := n // 2) > 0:
        count += n
    y[0, i] = count + n
    n = 20
    while (n := n - 3) > 0 and n != i % 20:
        if n % 2:
            continue
        if n == i % 7:
            y[1, i] = n
            break
        y[1, i] += n
    else:
        y[1, i] -= 1
    y[2, i] = n
    for k in range(5):
        if (v := x[(i + k) % 64]) > 0:
            y[3, i] += v
    last = -1
    for k in range(5):
        y[4, i] += last
        if (last := x[(i + 2 * k) % 64]) > 2:
            y[5, i] = last


@spmd.kernel
def where_else_leaves_the_loop_around(x, y):
    i = global_id()
    for j in range(5):
        v = x[i] + j
        while (v := v - 1) > 0:
            y[0, i] += v
        else:
            break
    for j in range(5):
        v = x[i] - j
        while (v := v - 1) > 0:
            y[1, i] += 1
            if v == 4:
                break
        else:
            y[2, i] += 1
            continue
        y[3, i] += 100
        while (w := v - 1) > 0:
            while (w := w - 1) > 0:
                y[4, i] += w
            else:
                v -= 1
            y[5, i] += v


@spmd.function
def doubled(x):
    return (y := x + x) * y


@spmd.kernel
def in_functions(x, y):
    i = global_id()
    y[0, i] = doubled(x[i]) if x[i] > 0 and doubled(x[i]) > 9 else -1.0
    n = i
    y[1, i] = n + (n := 3) * n


@pytest.mark.parametrize(
    "kernel",
    [in_statements, in_loops, where_else_leaves_the_loop_around, in_functions],
)
def test_as_in_python(kernel: spmd.PythonKernel):
    x = np.random.default_rng(1).integers(-9, 10, 64).astype(np.float64)
    expect_as_python(kernel, x, np.zeros((6, 64)), global_size=64)
