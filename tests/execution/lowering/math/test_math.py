"""Every op of `math`, on every type, against NumPy and Python."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.dialects.remarks import MathCall, Remark, listen
from spmd.lowering import machine
from spmd.lowering.emit import emit_llvm
from spmd.lowering.machine import PORTABLE
from tests.execution.lowering.elementwise import (
    WIDTHS,
    Case,
    Unary,
    Values,
    check,
    compile_cases,
    interesting,
)
from tests.execution.lowering.native_functions import (
    DTYPES,
    Array,
    NativeFunctions,
    parse_module,
)

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64")

ULPS = {"f16": 1, "bf16": 1, "f32": 5, "f64": 5}
"""Vector functions of glibc promise four; f16 and bf16 are rounded from f32."""


def in_f64(function: Callable[..., Any]) -> Callable[..., Array]:
    """A function in double precision, rounded to the type of its first argument."""

    def on_arrays(*arrays: Array) -> Array:
        wide = [a.astype(np.float64) if a.dtype.kind != "i" else a for a in arrays]
        return np.asarray(function(*wide)).astype(arrays[0].dtype)

    return on_arrays


def each(function: Callable[[float], float]) -> Unary:
    """A function of Python's floats on arrays."""
    return lambda a: np.array([function(value) for value in a.tolist()])


def values_between(low: float, high: float) -> Values:
    """The interesting values of a range, and random ones."""

    def values(scalar: str, k: int) -> Array:
        rng = np.random.default_rng(5)
        with np.errstate(all="ignore"):
            every = np.concatenate(
                [
                    interesting(scalar),
                    rng.uniform(low, high, 300).astype(DTYPES[scalar]),
                ]
            )
        # The edges of a range must survive rounding to the type.
        keep = (every.astype(np.float64) >= low) & (every.astype(np.float64) <= high)
        tiny = np.finfo(np.float32).tiny
        return every[keep & ((np.abs(every.astype(np.float64)) >= tiny) | (every == 0))]

    return values


RANGES: dict[str, tuple[Unary, float, float]] = {
    "acos": (np.arccos, -1, 1),
    "acosh": (np.arccosh, 1, 1e4),
    "asin": (np.arcsin, -1, 1),
    "asinh": (np.arcsinh, -1e4, 1e4),
    "atan": (np.arctan, -1e4, 1e4),
    "atanh": (np.arctanh, -0.99, 0.99),
    "cbrt": (np.cbrt, -1e4, 1e4),
    "cos": (np.cos, -100, 100),
    "cosh": (np.cosh, -10, 10),
    "erf": (each(math.erf), -4, 4),
    "exp": (np.exp, -10, 10),
    "exp2": (np.exp2, -10, 15),
    "expm1": (np.expm1, -10, 10),
    "log": (np.log, 1e-4, 1e4),
    "log10": (np.log10, 1e-4, 1e4),
    "log1p": (np.log1p, -0.9, 1e4),
    "log2": (np.log2, 1e-4, 1e4),
    "sin": (np.sin, -100, 100),
    "sinh": (np.sinh, -10, 10),
    "tan": (np.tan, -1.5, 1.5),
    "tanh": (np.tanh, -10, 10),
    "rsqrt": (lambda a: 1 / np.sqrt(a), 1e-4, 1e4),
}


def half_away(a: Array) -> Array:
    whole = np.trunc(a)
    return np.copysign(np.where(np.abs(a - whole) >= 0.5, whole + np.sign(a), whole), a)


def rounded_fma(t: str) -> Callable[[Array, Array, Array], Array]:
    """`a * b + c` with one rounding, from fractions."""

    def one(a: float, b: float, c: float) -> float:
        if all(map(math.isfinite, (a, b, c))):
            exact = Fraction(a) * Fraction(b) + Fraction(c)
            if exact:
                return _nearest(exact, t)
        # Zeros, infinities and NaN do not depend on the rounding.
        with np.errstate(all="ignore"):
            return float(np.float64(a) * np.float64(b) + np.float64(c))

    def on_arrays(a: Array, b: Array, c: Array) -> Array:
        columns = [array.astype(np.float64).tolist() for array in (a, b, c)]
        return np.array([one(*triple) for triple in zip(*columns, strict=True)])

    return on_arrays


PRECISION = {
    "f16": (11, -24, 65504.0),
    "bf16": (8, -133, 3.3895313892515355e38),
    "f32": (24, -149, float(np.finfo(np.float32).max)),
    "f64": (53, -1074, float(np.finfo(np.float64).max)),
}
"""Digits, exponent of the smallest number, and largest number."""


def _nearest(exact: Fraction, t: str) -> float:
    """A fraction rounded to a float type, to nearest, ties to even."""
    digits, lowest, largest = PRECISION[t]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < 2**exponent if exponent >= 0 else size * 2**-exponent < 1:
        exponent -= 1
    unit = max(exponent - digits + 1, lowest)
    scaled = size / 2**unit if unit >= 0 else size * 2**-unit
    whole = math.floor(scaled)
    rest = scaled - whole
    half = rest.denominator == 2 and rest.numerator == 1
    if rest * 2 > 1 or (half and whole % 2):
        whole += 1
    try:
        value = math.ldexp(whole, unit)
    except OverflowError:
        value = math.inf
    if value > largest:
        value = math.inf
    return -value if exact < 0 else value


def near_ties(scalar: str, k: int) -> Array:
    """Factors and terms whose exact sum lies just beside a tie."""
    rng = np.random.default_rng(6 + k)
    bits = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}[scalar]
    mantissas = 1 + rng.integers(0, 4, 2000) * 2.0 ** (1 - bits // 2)
    scale = 2.0 ** rng.integers(-24 if k == 2 else -4, 4, 2000)
    with np.errstate(all="ignore"):
        values = (mantissas * scale).astype(DTYPES[scalar])
    return np.concatenate([values, -values, interesting(scalar)])


def float_cases(t: str) -> list[Case]:
    def unary(
        op: str, expected: Unary, ulps: int = 0, values: Values | None = None
    ) -> Case:
        body = f"%r = math.{op} %a : {{0}}"
        return Case(f"{op}_{t}", body, (t,), t, in_f64(expected), ulps, values)

    exact = [
        unary("absf", np.abs),
        unary("ceil", np.ceil),
        unary("floor", np.floor),
        unary("roundeven", np.rint),
        unary("round", half_away),
        unary("trunc", np.trunc),
        unary("sqrt", np.sqrt),
        Case(
            f"copysign_{t}",
            "%r = math.copysign %a, %b : {0}",
            (t, t),
            t,
            in_f64(np.copysign),
        ),
        Case(
            f"fma_{t}",
            "%r = math.fma %a, %b, %c : {0}",
            (t, t, t),
            t,
            rounded_fma(t),
            values=near_ties,
        ),
    ]
    close = [
        unary(op, function, ULPS[t], values_between(low, high))
        for op, (function, low, high) in RANGES.items()
    ]
    close += [
        Case(
            f"powf_{t}",
            "%r = math.powf %a, %b : {0}",
            (t, t),
            t,
            in_f64(np.power),
            ULPS[t],
            lambda scalar, k: values_between(*((0.01, 20), (-4, 4))[k])(scalar, k)[::4],
        ),
        Case(
            f"atan2_{t}",
            "%r = math.atan2 %a, %b : {0}",
            (t, t),
            t,
            in_f64(np.arctan2),
            ULPS[t],
            lambda scalar, k: values_between(-100, 100)(scalar, k)[::4],
        ),
        Case(
            f"fpowi_{t}",
            "%r = math.fpowi %a, %b : {0}, {1}",
            (t, "i32"),
            t,
            in_f64(np.power),
            40,
            lambda scalar, k: (
                np.arange(-5, 8, dtype=np.int32)
                if k
                else values_between(0.2, 5)(scalar, k)
            ),
        ),
    ]
    return exact + close


def integer_power(a: Array, b: Array) -> Array:
    def one(x: int, n: int) -> int:
        if n >= 0:
            return x**n
        return x ** (-n % 2) if x in (1, -1) else 0

    wrap = (1 << 8 * a.itemsize) - 1
    powers = [one(x, n) & wrap for x, n in zip(a.tolist(), b.tolist(), strict=True)]
    return np.array(powers, dtype=f"u{a.itemsize}").view(a.dtype)


def integer_cases(t: str) -> list[Case]:
    width = 8 * np.dtype(DTYPES[t]).itemsize

    def unary(op: str, function: Callable[[int], int]) -> Case:
        def expected(a: Array) -> Array:
            unsigned = a.view(f"u{a.itemsize}").tolist()
            return np.array([function(value) for value in unsigned])

        return Case(f"{op}_{t}", f"%r = math.{op} %a : {{0}}", (t,), t, expected)

    def exponents(scalar: str, k: int) -> Array:
        dtype = DTYPES[scalar]
        return np.array([-3, -2, -1, 0, 1, 2, 3, 10, 63], dtype) if k else _powers(t)

    return [
        Case(f"absi_{t}", "%r = math.absi %a : {0}", (t,), t, np.abs),
        unary("ctpop", lambda v: v.bit_count()),
        unary("ctlz", lambda v: width - v.bit_length()),
        unary("cttz", lambda v: (v & -v).bit_length() - 1 if v else width),
        Case(
            f"ipowi_{t}",
            "%r = math.ipowi %a, %b : {0}",
            (t, t),
            t,
            integer_power,
            values=exponents,
        ),
    ]


def _powers(t: str) -> Array:
    values = interesting(t)
    return values[values != 0]


CASES = {
    **{t: float_cases(t) for t in FLOATS},
    **{t: integer_cases(t) for t in INTEGERS},
}


@cache
def compiled(t: str) -> NativeFunctions:
    return compile_cases(CASES[t])


@pytest.mark.parametrize(
    ("t", "case"),
    [(t, case) for t, cases in CASES.items() for case in cases],
    ids=lambda value: value.name if isinstance(value, Case) else value,
)
def test_math_op(t: str, case: Case):
    for width in (None, *WIDTHS):
        check(compiled(t), case, width)


def test_without_vector_functions_each_lane_is_a_call():
    case = next(case for case in CASES["f32"] if case.name == "sin_f32")
    text = f"builtin.module {{{case.text(8)}\n}}"
    remarks: list[Remark] = []
    with listen(remarks.append):
        llvm_ir = emit_llvm(parse_module(text), PORTABLE)
    assert "@sinf" in llvm_ir
    (remark,) = remarks
    assert isinstance(remark, MathCall)
    assert (remark.op.name, remark.is_vector) == ("math.sin", False)
    check(NativeFunctions(text, PORTABLE), case, 8)


def test_where_no_vector_functions_are_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(machine, "VECTOR_LIBRARY", "no such library")
    host = machine.host_machine.__wrapped__()
    assert (host.vector_abi, host.vector_functions) == ("", frozenset())


BITS = """
spmd.kernel @k(%x: memref<?xf16>, %y: memref<?xbf16>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf16>
  %a = math.absf %v : f16
  %b = math.copysign %a, %v : f16
  %c = arith.negf %b : f16
  memref.store %c, %x[%i] : memref<?xf16>
  %w = memref.load %y[%i] : memref<?xbf16>
  %d = math.absf %w : bf16
  %e = math.copysign %d, %w : bf16
  memref.store %e, %y[%i] : memref<?xbf16>
  spmd.return
}
"""


@pytest.mark.parametrize("vectorize", [False, True])
def test_signs_of_narrow_floats_are_bits(vectorize: bool):
    """Also of signalling NaNs, which f32 would make quiet."""
    kernel = spmd.compile(BITS, vectorize=vectorize)["k"]
    every = np.arange(1 << 16, dtype=np.uint16)
    x, y = every.copy(), every.copy()
    kernel(x.view(np.float16), y, global_size=every.size, threads=1)
    assert (x == every ^ 0x8000).all()
    assert (y == every).all()
