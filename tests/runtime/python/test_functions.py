"""Functions, casts and constants of Python, NumPy and the module do the same natively."""

# pyright: basic

import math

import numpy as np
import pytest

import spmd
from spmd.language import fma, global_id
from tests.runtime.python.harness import FLOATS, expect_as_python, numbers


@spmd.kernel
def functions(x, out):
    i = global_id()
    v = x[i]
    p = abs(v) + 1
    out[0, i] = np.sqrt(p) + np.exp(-p) + np.log(p) + np.log2(p) + np.log10(p)
    out[1, i] = np.sin(v) + np.cos(v) + np.tan(v) + np.arctan(v) + np.tanh(v)
    out[2, i] = np.floor(v) + 10 * np.ceil(v) + 100 * np.trunc(v) + np.rint(v)
    out[3, i] = min(v, 2) + max(v, -1, 0.5) + np.minimum(v, i) + np.maximum(v, 1)
    out[4, i] = np.arctan2(v, p) + np.copysign(p, v) + np.fmod(v, 3) + p**1.5
    out[5, i] = math.sqrt(p) + math.exp(-p) + math.floor(v) + math.ceil(v) + round(v)
    out[6, i] = np.where(v < 0, v, 2 * v) + math.pi + np.e
    out[7, i] = np.isnan(v) or (np.isinf(v / 0) and np.isfinite(v)) or math.isnan(v)
    out[8, i] = int(v) + int(p) + float(v) + np.int16(v) + bool(v) + np.float32(v) / 3
    out[9, i] = pow(p, 2) + sum((v, p, 1)) + np.square(v) + np.abs(v) + math.fabs(v)


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions(dtype: str):
    x = numbers(dtype) + np.dtype(dtype).type(0.3)
    expect_as_python(functions, x, np.zeros((10, 64)), global_size=64, tolerance=2e-5)


@spmd.kernel
def combinations(x, out):
    i = global_id()
    v = x[i]
    q, r = divmod(v, 3)
    out[0, i] = np.add(v, 2) + np.subtract(v, 1) * np.multiply(v, v) + np.divide(v, 4)
    out[1, i] = q + 100 * r + np.floor_divide(v, 2) + np.mod(v, 5) + np.remainder(v, 4)
    out[2, i] = np.clip(v, 2, 4) + 10 * np.sign(v) + np.sign(v - v)
    out[3, i] = np.logical_and(v > 2, i) + 2 * int(np.logical_or(v, i < 3))
    out[4, i] = int(np.logical_xor(v, i > 3)) + 2 * int(np.logical_not(v))
    out[5, i] = np.bitwise_and(i, 5) + np.bitwise_or(i, 8) * np.bitwise_xor(i, 3)
    out[6, i] = np.left_shift(i, 2) + np.right_shift(i, 1)
    out[7, i] = np.deg2rad(v) + math.degrees(v) + np.radians(i) + np.rad2deg(0.5)
    out[8, i] = math.log(abs(v) + 1, 2) + math.log(i + 1, 3) + math.log(i + 2)


@pytest.mark.parametrize("dtype", [*FLOATS, "int32", "uint32"])
def test_functions_that_others_make(dtype: str):
    x = numbers(dtype)
    with np.errstate(all="ignore"):
        expect_as_python(
            combinations, x, np.zeros((9, 64)), global_size=64, tolerance=2e-5
        )


@spmd.kernel
def signs(x, out):
    out[global_id()] = np.sign(x[global_id()])


def test_signs_of_zeros_and_nan():
    x = np.array([0.0, -0.0, np.nan, -np.inf, 3])
    out, want = np.zeros(5), np.sign(x)
    signs(x, out, global_size=5)
    np.testing.assert_array_equal(out, want)
    assert not np.signbit(out[:2]).any()


@spmd.kernel
def casts(x, out):
    i = global_id()
    out[0, i] = np.uint8(x[i])
    out[1, i] = np.int16(x[i]) + float(np.uint16(np.int8(-4)) + np.int8(np.uint8(200)))
    out[2, i] = np.float32(x[i])
    out[3, i] = int(x[i])
    out[4, i] = float(x[i])
    out[5, i] = bool(x[i])
    n: np.uint32 = 3  # type: ignore[assignment]
    out[6, i] = n * 2 - 7 * n // 9


@pytest.mark.parametrize("dtype", [*FLOATS, "uint8", "int32", "uint64", "bool"])
def test_casts(dtype: str):
    x = abs(numbers(dtype if dtype != "bool" else "int8")).astype(dtype)
    expect_as_python(casts, x, np.zeros((7, 64)), global_size=64)


@pytest.mark.parametrize("to", ["int8", "uint16", "int64", "float32", "bool"])
@pytest.mark.parametrize("dtype", ["float64", "int64", "uint8", "bool"])
def test_storing_converts(dtype: str, to: str):
    @spmd.kernel
    def copied(x, out):
        i = global_id()
        out[i] = x[i]
        out[i] += 1

    if to == "bool":
        pytest.skip("bool + 1 is no bool")
    x = abs(numbers("int8")).astype(dtype)
    expect_as_python(copied, x, np.zeros(64, to), global_size=64)


SCALE = 3
TABLE = (2, 4.5, np.int32(7))


@spmd.function
def clamp(v, low=0, high=SCALE):
    if v < low:
        return low
    if v > high:
        return high
    return v


@spmd.function
def position(x, key):
    for j in range(len(x)):
        if x[j] == key:
            return j, True
    return -1, False


@spmd.function
def applied(f, v):
    return f(v) + f(v + 1)


@spmd.kernel
def calls(x, out):
    i = global_id()
    v = x[i]
    r = clamp(v) + clamp(v, high=10, low=-4)
    at, found = position(x, i - 20)
    if found:
        k, _ = position(x, x[at])
        r += k * SCALE
    out[i] = r + at + TABLE[1] + TABLE[2] + applied(np.square, v) + applied(clamp, v)


def test_functions_and_constants_of_the_module():
    expect_as_python(calls, numbers("int32"), np.zeros(64), global_size=64)
    expect_as_python(calls, numbers("float64"), np.zeros(64), global_size=64)


@spmd.kernel
def scalars(a, b, c, flag, out):
    i = global_id()
    out[i] = a * i + b + c
    if flag:
        out[i] += 1


@pytest.mark.parametrize("a", [3, -2.5, np.float32(1.5), np.int8(-4), np.uint32(7)])
@pytest.mark.parametrize("flag", [True, np.False_])
def test_scalars_of_any_type(a: object, flag: object):
    args = (a, np.float64(0.25), 7, flag, np.zeros(8))
    expect_as_python(scalars, *args, global_size=8)


@spmd.kernel
def fused(x, out):
    v = x[global_id()]
    out[global_id(), 0] = fma(v, v, -1)
    out[global_id(), 1] = fma(v, 3, np.float64(0.1))


@pytest.mark.parametrize("dtype", FLOATS)
def test_fma_rounds_once(dtype: str):
    x = (1 + np.arange(1, 17) / 4096).astype(dtype)
    expect_as_python(fused, x, np.zeros((16, 2), dtype), global_size=16)


@spmd.kernel
def of_arrays(x, mask, numbers, wide, means, places, some):
    i = global_id()
    row = x[i]
    numbers[0, i] = max(row) - min(row) + sum(row[2:5])
    numbers[1, i] = np.max(row) - row.min()
    numbers[2, i] = row @ x[0] + np.dot(row, x[:, 1][: len(row)])
    wide[i] = row.sum() + np.sum(x[:, i % x.shape[1]])
    means[i] = row.mean() + np.mean(row[:3])
    places[0, i], places[1, i] = row.argmax(), np.argmin(row)
    some[0, i], some[1, i] = mask[i].any(), np.all(mask[i, i % 9 :])


@pytest.mark.parametrize(
    "dtype", ["float32", "float64", "int8", "int64", "uint8", "uint64"]
)
def test_functions_of_arrays(dtype: str):
    random = np.random.default_rng(7)
    x = random.integers(0, 99, (11, 9)).astype(dtype)
    if x.dtype.kind == "f":
        x[2, 3], x[5, 0], x[5, 8] = np.nan, np.nan, np.inf
    mask = random.random((11, 9)) < 0.8
    mask[3], mask[4] = False, True
    outs = [
        np.zeros((3, 11), dtype),
        np.zeros(11, x.sum().dtype),
        np.zeros(11, np.float64 if x.dtype.kind != "f" else dtype),
        np.zeros((2, 11), np.int32),
        np.zeros((2, 11), bool),
    ]
    with np.errstate(over="ignore", invalid="ignore"):
        expect_as_python(of_arrays, x, mask, *outs, global_size=11, tolerance=1e-6)


def test_functions_of_arrays_are_at_the_place_of_the_call():
    kernel = spmd.kernel(of_arrays.function)
    numbers = np.zeros((3, 2))
    arguments = numbers, numbers > 0, numbers, *np.zeros((2, 2)), numbers, numbers > 0
    report = kernel.check(*arguments, global_size=2)
    assert all(
        __file__ in place for place in str(report).splitlines() if ".py:" in place
    )


@spmd.kernel
def wrapped(x, out):
    i = global_id()
    v = x[i]
    some = v & np.int64(2**63 - 1)
    out[0, i] = abs(v) % 793
    out[1, i] = abs(v) // 793
    out[2, i] = (some * 31 + 7) % 793
    out[3, i] = (some << 5) % 793
    out[4, i] = (some + some) // 793
    out[5, i] = (some >> 3) % 793
    out[6, i] = max(some, 3) * 9 % 793
    out[7, i] = (i * 5 + 3) % 7 + (x.shape[0] + i) // 3


def test_what_wraps_around_may_be_negative():
    """Sums, products, shifts and the opposite of the smallest number."""
    limits = np.iinfo(np.int64)
    x = np.array([limits.min, limits.min + 1, -5, 7, limits.max, limits.max // 3])
    expect_as_python(wrapped, x, np.zeros((8, 6), np.int64), global_size=6)


@spmd.kernel
def converted(x, out):
    i = global_id()
    v = x[i]
    out[0, i] = np.int64(max(v, np.uint64(3))) % 7
    out[1, i] = np.int64(v >> np.uint64(0)) // 7


def test_what_wraps_around_in_a_cast_may_be_negative():
    x = np.array([2**64 - 5, 9, 2**63, 0], np.uint64)
    expect_as_python(converted, x, np.zeros((2, 4), np.int64), global_size=4)


@spmd.kernel
def lengths(x, y, out):
    i = global_id()
    out[0, i] = np.hypot(x[i], y[i])
    out[1, i] = math.hypot(y[i], 1) + np.hypot(i, 3)


@pytest.mark.parametrize("dtype", FLOATS)
def test_hypot_of_numbers_of_any_size(dtype: str):
    limits = np.finfo(dtype)
    some = [0, -0.0, 1, -3, 4, limits.max / 2, -limits.tiny, limits.smallest_subnormal]
    some += [limits.max**0.6, -np.inf, np.inf, np.nan]
    x, y = (each.ravel() for each in np.meshgrid(*[np.array(some, dtype)] * 2))
    with np.errstate(all="ignore"):
        expected = np.hypot(x, y)
        others = np.hypot(y, np.array(1, dtype)) + np.hypot(np.arange(x.size), 3.0)
    out = np.zeros((2, x.size), dtype)
    lengths(x, y, out, global_size=x.size)
    close = 4 * float(limits.eps)
    np.testing.assert_allclose(out[0], expected, rtol=close, atol=0)
    np.testing.assert_allclose(out[1], others, rtol=close, atol=0)


@spmd.function
def times(a, b, n):
    for _ in range(n):
        a = a * b
    return a


@spmd.function
def times_by_blocks(a, b, n):
    while n > 0:
        if a > 40:
            break
        a = a * b
        n -= 1
    return a


@spmd.function
def last(*values):
    return values[-1] + len(values)


@spmd.kernel
def changed_parameters(x, out):
    i = global_id()
    out[0, i] = times(1, 1.5, 3) + times_by_blocks(2, x[i], i % 4)
    if i > 2:
        out[1, i] = times(1, x[i], 2) + times(x[i], 2, i)
    out[2, i] = last(1, x[i], 2.5)


@pytest.mark.parametrize("dtype", [*FLOATS, "int8"])
def test_a_parameter_has_the_type_of_all_that_it_is_given(dtype: str):
    x = numbers(dtype, 9)
    expect_as_python(changed_parameters, x, np.zeros((3, 9)), global_size=9)


@spmd.kernel
def sums_of_halves(x, out):
    i = global_id()
    out[i, 0], out[i, 1], out[i, 2] = x[i].sum(), np.mean(x[i]), x[i] @ x[i]


def test_float16_is_added_up_in_float32():
    x = np.array([np.ones(4096), np.full(4096, 100), np.linspace(0, 1, 4096)])
    with np.errstate(over="ignore"):
        expect_as_python(
            sums_of_halves, x.astype(np.float16), np.zeros((3, 3)), global_size=3
        )


@spmd.kernel
def compared_beyond(x, out):
    i = global_id()
    out[i] = (x[i] < 2**70) + 2 * int(x[i] > -1) + 4 * int(300 >= x[i])  # noqa: SIM300
    out[i] += 8 * int(x[i] == 2**40) + 16 * int(x[i] != 256)
    out[i] += 32 * int(-129 < x[i])  # noqa: SIM300
    out[i] += 64 * int(TENTH > 0.1) + 128 * int(TENTH == 0.1)


TENTH = np.float32(0.1)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64"])
def test_numbers_that_a_type_does_not_have_are_compared(dtype: str):
    x = np.array([0, 1, 100], dtype)
    expect_as_python(compared_beyond, x, np.zeros(3), global_size=3)
