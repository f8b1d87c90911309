"""Each construct of the language does natively what it does in Python."""

# pyright: basic

import math

import numpy as np
import pytest

import spmd
from spmd.language import global_id, global_size, private
from tests.runtime.python.harness import (
    FLOATS,
    INTEGERS,
    expect_as_python,
    kernel_of,
    numbers,
)


@spmd.kernel
def arithmetic(x, y, out):
    i = global_id()
    a, b = x[i], y[i]
    out[0, i] = a + b
    out[1, i] = a - b
    out[2, i] = a * b
    out[3, i] = a / b
    out[4, i] = a // b
    out[5, i] = a % b
    out[6, i] = +a - -b
    out[7, i] = a**2 + abs(b)
    out[8, i] = a * 2 + 1
    out[9, i] = 3 - a
    out[10, i] = (a + 1) / 2


@pytest.mark.parametrize("one", [*FLOATS, *INTEGERS])
@pytest.mark.parametrize("other", ["float32", "int32", "uint8", "int64"])
def test_arithmetic(one: str, other: str):
    if one == "uint64" and other in ("int32", "int64"):
        pytest.skip("NumPy makes floats of them")
    x, y = numbers(one), numbers(other)[::-1].copy()
    y[y == 0] = 3
    expect_as_python(
        arithmetic, x, y, np.zeros((11, 64)), global_size=64, tolerance=1e-6
    )


@spmd.kernel
def compared(x, first, out):
    i = global_id()
    n = first + i
    out[0, i] = n < x[i]
    out[1, i] = n <= x[i]
    out[2, i] = x[i] > n
    out[3, i] = x[i] >= n
    out[4, i] = n == x[i]
    out[5, i] = x[i] != n
    out[6, i] = min(n, x[i], 4) if 0 <= n < 200 else 0
    out[7, i] = max(abs(n) % 100, x[i])


@pytest.mark.parametrize("first", [-40, -(1 << 40), 100])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_an_int_is_compared_by_its_value(dtype: str, first: int):
    expect_as_python(
        compared, numbers(dtype), first, np.zeros((8, 64), np.int64), global_size=64
    )


@spmd.kernel
def of_python(x, f: float, n: int, yes: bool):
    a = f / n
    b = n / f
    c = f * yes
    d = x[0] / (f / n)
    e = n * f + x[0]
    x[0] = a + b + c + d + e


@pytest.mark.parametrize("name", "abcde")
def test_numbers_of_python_stay_weak_whatever_their_order(name: str):
    x = np.ones(1, np.float32)
    found = of_python.type_of(name, x, 0.5, 3, True)
    assert str(found) == ("float32" if name in "de" else "float")


@spmd.kernel
def division_of_floats(x, y, out):
    i = global_id()
    out[0, i] = x[i] // y[i]
    out[1, i] = x[i] % y[i]


@pytest.mark.parametrize("dtype", FLOATS)
def test_division_of_floats_is_exact_and_knows_zeros(dtype: str):
    x = np.array([0.0, -0.0, 1, -1, 5.5, -5.5, 0.1, 1e6, -1e-3, 7, math.inf, 3] * 5)
    y = np.array([1.0, 0.3, -0.1, 2, math.inf, -math.inf, 0.0])
    y = np.resize(y, x.size).astype(dtype)
    expect_as_python(
        division_of_floats, x.astype(dtype), y, np.zeros((2, 60), dtype), global_size=60
    )


@spmd.kernel
def python_integers(n, m, out):
    i = global_id() - 8
    out[i + 8, 0] = i // n
    out[i + 8, 1] = i % n
    out[i + 8, 2] = i // m
    out[i + 8, 3] = i % m
    out[i + 8, 4] = i // 4 + 100 * (i % 4)
    out[i + 8, 5] = i // -3 + 100 * (i % -3)
    out[i + 8, 6] = global_id() // 5 + 100 * (global_id() % 5)
    out[i + 8, 7] = (i << 3) + (i >> 1)
    out[i + 8, 8] = (i & 12) + 1000 * (i | 3) + 100000 * (i ^ 5)
    out[i + 8, 9] = ~i
    out[i + 8, 10] = i**3


def test_python_integers():
    expect_as_python(
        python_integers, 3, -5, np.zeros((20, 11), np.int64), global_size=20
    )


@spmd.kernel
def bits(x, out):
    i = global_id()
    v = x[i]
    out[0, i] = v & 6
    out[1, i] = v | 9
    out[2, i] = v ^ 5
    out[3, i] = v >> 1
    out[4, i] = v << 2
    out[5, i] = ~v


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype: str):
    expect_as_python(bits, numbers(dtype), np.zeros((6, 64), dtype), global_size=64)


@spmd.kernel
def comparisons(x, y, out):
    i = global_id()
    a, b = x[i], y[i]
    out[0, i] = a < b
    out[1, i] = a <= b
    out[2, i] = a > b
    out[3, i] = a >= b
    out[4, i] = a == b
    out[5, i] = a != b
    out[6, i] = a < i - 30 < b
    out[7, i] = 0 <= a < 4 <= b
    out[8, i] = not a
    out[9, i] = not a < b
    out[10, i] = (a < 3 and b > 2) or a == b


@pytest.mark.parametrize("dtype", [*FLOATS, *INTEGERS])
def test_comparisons(dtype: str):
    x, y = numbers(dtype), numbers(dtype)[::-1].copy()
    if dtype in FLOATS:
        x[3], y[5] = math.nan, math.nan
    expect_as_python(comparisons, x, y, np.zeros((11, 64), bool), global_size=64)


@spmd.kernel
def short_circuit(x, at, out):
    i = global_id()
    k = at[i]
    n = len(x)
    inside = k >= 0 and k < n and x[k] > 2
    outside = k < 0 or k >= n or x[k] <= 2
    chosen = x[k] if 0 <= k < n else -1
    out[i] = inside + 2 * outside + 4 * chosen


def test_short_circuit_loads_nothing_outside():
    at = np.array([0, 5, -1, 1 << 40, 3, -(1 << 40), 9, 10])
    args = (numbers("int64", 10), at, np.zeros(8, np.int64))
    expect_as_python(short_circuit, *args, global_size=8)
    assert short_circuit.check(*args, global_size=8)


@spmd.kernel
def branches(x, out):
    i = global_id()
    v = x[i]
    if v < -5:
        r = 1
    elif v < 0:
        r = 2
        if i % 2 == 0:
            r += 10
    elif v:
        r = 3
    else:
        r = 4
        v = v - 1
    out[i] = r * 100 + v


@spmd.kernel
def guards(x, out, n):
    i = global_id()
    if i >= n:
        return
    v = x[i]
    if v < 0:
        if i % 3 == 0:
            out[i] = -1
            return
        out[i] = -2
        return
    elif v == 0:
        out[i] = 100
    else:
        out[i] = 7
        if v > 4:
            return
    out[i] += 1


@spmd.kernel
def loops(x, out):
    i = global_id()
    total = 0
    for j in range(len(x)):
        if x[j] < 0:
            continue
        total += x[j] * (j + 1)
        if total > 40 + i:
            break
    down = 0
    for j in range(10, i - 5, -3):
        down = down * 3 + j
    for j in range(i):
        for k in range(j, i, 2):
            if (j + k) % 5 == 4:
                break
            down += k
        if down > 1000:
            continue
        down += 1
    n, steps = i + 1, 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    while True:
        steps += 1
        if steps % 7 == 0:
            break
    out[0, i] = total
    out[1, i] = down
    out[2, i] = steps
    last = -1
    for j in range(0, i, 4):
        last = j
    out[3, i] = last
    j = 77
    for j in range(i - 3):
        pass
    out[4, i] = j


@spmd.kernel
def steps_of_any_sign(first, last, steps, out):
    i = global_id()
    count = 0
    total = 0
    for j in range(first[i], last[i], steps[i]):
        count += 1
        total = total * 3 + j
    out[0, i] = count
    out[1, i] = total


@spmd.kernel
def returns_in_loops(x, out):
    i = global_id()
    for j in range(len(x)):
        if x[j] == i - 8:
            out[i] = j
            return
        if j > 50:
            for k in range(i):
                if k * k > j:
                    out[i] = 1000 + k
                    return
    out[i] = -1


@pytest.mark.parametrize("dtype", ["float32", "int32", "int64"])
def test_control_flow(dtype: str):
    x = numbers(dtype)
    expect_as_python(branches, x, np.zeros(64), global_size=64)
    expect_as_python(guards, x, np.zeros(64), 60, global_size=64)
    expect_as_python(loops, x, np.zeros((5, 64), np.int64), global_size=64)
    expect_as_python(returns_in_loops, x, np.zeros(64), global_size=64)


def test_ranges_with_steps_of_any_sign():
    random = np.random.default_rng(3)
    first, last, steps = random.integers(-9, 10, (3, 64))
    steps[steps == 0] = 1
    expect_as_python(
        steps_of_any_sign,
        first,
        last,
        steps,
        np.zeros((2, 64), np.int64),
        global_size=64,
    )


@spmd.kernel
def tuples(x, out):
    i = global_id()
    pair = (x[i], i)
    a, b = pair
    a, b = b, a
    (c, d), e = (a, b), 3
    if i % 2:
        pair = (x[0], i + 1)
    f, g = pair
    for _ in range(3):
        c, d = d + 1, c * 2
    out[i] = a + 10 * b + c + d + e + f + g + pair[1] + len(pair)
    n, m = out.shape[0], len(out)
    assert n == m, "sizes"


@spmd.kernel
def arrays(x, out):
    i, j = global_id(0), global_id(1)
    n, m = x.shape
    row = private(4, np.float32)
    for k in range(4):
        row[k] = x[j, k] * k
    row[-1] += x[-1, -2]
    row[1] -= 2
    out[j, i] = row[0] + row[1] + row[2] + row[3] + n * m + x.ndim + x.size
    out[j, i] *= 2 if x.dtype == np.float32 else 3
    out[j, i] += global_size(1)


def test_tuples_and_arrays():
    expect_as_python(tuples, numbers("int32"), np.zeros(64), global_size=64)
    x = numbers("float32", 40).reshape(8, 5)
    expect_as_python(arrays, x, np.zeros((8, 5)), global_size=(5, 8))
    expect_as_python(arrays, x[::2, 1:], np.zeros((8, 5))[::-1], global_size=(4, 4))


WEIGHTS = (1, 4, 6, 4, 1)
TABLES = {
    dtype: np.array([[0, 1, 100], [3, 4, 5]]).astype(dtype)
    for dtype in ("bool", "uint8", "int64", "float16", "float64")
}


@pytest.mark.parametrize("dtype", TABLES)
def test_arrays_and_tuples_of_the_module(dtype: str):
    text = """
@spmd.kernel
def k(x, y):
    i = global_id()
    y[i] = WEIGHTS[i] + (0.5, 2, -1.5)[i % 3]
    for row in TABLE:
        y[i] += int(row[i % 3]) * len(TABLE)
    y[i] += int(TABLE[1, 2]) + TABLE.shape[1]
"""
    kernel = kernel_of(text, WEIGHTS=WEIGHTS, TABLE=TABLES[dtype])
    expect_as_python(kernel, np.zeros(5), np.zeros(5), global_size=5)


@spmd.kernel
def members(x, out):
    i = global_id()
    out[0, i] = x[i] in (3, 5.5, i)
    out[1, i] = i not in (2, 4) and x[i] not in (7,)
    out[2, i] = 3 in (1, 3) or i in (9,)
    out[3, i] = 2 not in (1, 3)


@pytest.mark.parametrize("dtype", ["float64", "uint8", "int32"])
def test_members(dtype: str):
    x = np.arange(64).astype(dtype)
    expect_as_python(members, x, np.zeros((4, 64)), global_size=64)
