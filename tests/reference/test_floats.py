"""Float arithmetic of the interpreter against exact rationals, in all four formats."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from spmd.reference.scalars import POISON
from tests.execution.harness import DTYPES
from tests.reference.functions import call, evaluate

FORMATS = ("f16", "bf16", "f32", "f64")
BITS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
EDGES = {
    "f16": [65504.0, 2.0**-14, 2.0**-24, 2.0**-10],
    "bf16": [(2 - 2**-7) * 2.0**127, 2.0**-126, 2.0**-133, 2.0**-7],
    "f32": [(2 - 2**-23) * 2.0**127, 2.0**-126, 2.0**-149, 2.0**-23],
    "f64": [(2 - 2**-52) * 2.0**1023, 2.0**-1022, 2.0**-1074, 2.0**-52],
}
"""The largest, the smallest normal, the smallest number, and the distance at one."""


def of_bits(format_: str, bits: int) -> float:
    raw = np.array(bits, f"u{BITS[format_] // 8}")
    with np.errstate(invalid="ignore"):
        return float(raw.view(DTYPES[format_]).astype(np.float64))


def floats(format_: str) -> st.SearchStrategy[float]:
    """Any bits, numbers near each other, and the edges of the format."""
    edges = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan]
    edges += EDGES[format_]
    small = st.integers(-2000, 2000).map(lambda n: of_format(format_, n / 16))
    any_bits = st.integers(0, (1 << BITS[format_]) - 1)
    return st.one_of(
        st.sampled_from(edges), small, any_bits.map(lambda b: of_bits(format_, b))
    )


def of_format(format_: str, value: float) -> float:
    return float(np.array(value).astype(DTYPES[format_]))


@cache
def all_values(format_: str) -> list[float]:
    """The finite values of a short format, in order."""
    with np.errstate(invalid="ignore"):
        every = np.arange(1 << 16, dtype=np.uint16).view(DTYPES[format_])
        finite = np.unique(every.astype(np.float64))
    return [float(x) for x in finite[np.isfinite(finite)]]


def nearest(format_: str, exact: Fraction) -> float:
    """The value of the format next to `exact`, ties to even; zero has no sign here."""
    largest, _, _, step = EDGES[format_]
    # From half a step beyond the largest number on, all round to infinity.
    limit = Fraction(largest) * (1 + Fraction(step) / (4 - 2 * Fraction(step)))
    if abs(exact) >= limit:
        return math.inf if exact > 0 else -math.inf
    if format_ == "f64":
        return float(exact)
    if BITS[format_] == 16:
        values = all_values(format_)
        at = bisect_left(values, exact)
        around = values[max(at - 1, 0) : at + 1]
    else:
        guess = np.float32(min(max(float(exact), -largest), largest))
        with np.errstate(over="ignore"):
            around = [
                float(x)
                for x in (
                    guess,
                    np.nextafter(guess, np.float32(np.inf)),
                    np.nextafter(guess, np.float32(-np.inf)),
                )
                if np.isfinite(x)
            ]

    def distance(value: float) -> tuple[Fraction, int]:
        bits = np.array(value).astype(DTYPES[format_]).view(f"u{BITS[format_] // 8}")
        return abs(Fraction(value) - exact), int(bits) & 1

    return min(around, key=distance)


def same(got: float, want: float) -> bool:
    if math.isnan(want):
        return math.isnan(got)
    return got == want and (
        want != 0 or math.copysign(1, got) == math.copysign(1, want)
    )


@st.composite
def operands(draw: st.DrawFn, count: int = 2) -> tuple[str, list[float]]:
    format_ = draw(st.sampled_from(FORMATS))
    return format_, [draw(floats(format_)) for _ in range(count)]


EXACT: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
    "addf": lambda a, b: a + b,
    "subf": lambda a, b: a - b,
    "mulf": lambda a, b: a * b,
    "divf": lambda a, b: a / b,
}


def run(op: str, format_: str, values: list[float], result: str = "") -> float:
    places = ", ".join(f"%{i}" for i in range(len(values)))
    typed = [(format_, value) for value in values]
    return evaluate(f"{op} {places} : {format_}", typed, result or format_)


@pytest.mark.parametrize("name", list(EXACT))
@settings(max_examples=150, deadline=None, derandomize=True)
@given(given_=operands())
def test_arithmetic_rounds_once(name: str, given_: tuple[str, list[float]]):
    format_, (a, b) = given_
    got = run(f"arith.{name}", format_, [a, b])
    with np.errstate(all="ignore"):
        operation = {"addf": np.add, "subf": np.subtract, "mulf": np.multiply}
        ieee = float(operation.get(name, np.divide)(np.float64(a), np.float64(b)))
    if math.isfinite(a) and math.isfinite(b) and not (name == "divf" and b == 0):
        want = nearest(format_, EXACT[name](Fraction(a), Fraction(b)))
        if want == 0:  # the sign of zero is that of IEEE
            want = math.copysign(0.0, ieee)
    else:
        want = ieee
    assert same(got, want), (a, b)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(given_=operands(3))
def test_fma_rounds_once(given_: tuple[str, list[float]]):
    format_, (a, b, c) = given_
    assume(all(map(math.isfinite, (a, b, c))))
    got = run("math.fma", format_, [a, b, c])
    want = nearest(format_, Fraction(a) * Fraction(b) + Fraction(c))
    if want == 0:
        assert got == 0
    else:
        assert same(got, want), (a, b, c)


def test_fma_of_what_is_not_finite():
    inf, nan = math.inf, math.nan
    for format_ in FORMATS:
        for a, b, c, want in (
            (inf, 0.0, 1.0, nan),
            (inf, 2.0, -inf, nan),
            (2.0, 2.0, -inf, -inf),
            (nan, 0.0, 0.0, nan),
            (-0.0, 1.0, -0.0, -0.0),
            (1.0, 1.0, -1.0, 0.0),
        ):
            assert same(run("math.fma", format_, [a, b, c]), want), (format_, a, b, c)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(given_=operands())
def test_minima_and_maxima(given_: tuple[str, list[float]]):
    format_, (a, b) = given_
    nan = math.isnan(a) or math.isnan(b)

    def key(value: float) -> tuple[float, float]:
        return value, math.copysign(1, value)  # -0.0 is less than 0.0

    low = math.nan if nan else min(a, b, key=key)
    high = math.nan if nan else max(a, b, key=key)
    assert same(run("arith.minimumf", format_, [a, b]), low)
    assert same(run("arith.maximumf", format_, [a, b]), high)
    if nan:
        low = high = b if math.isnan(a) else a
    assert same(run("arith.minnumf", format_, [a, b]), low)
    assert same(run("arith.maxnumf", format_, [a, b]), high)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(given_=operands())
def test_comparisons(given_: tuple[str, list[float]]):
    format_, (a, b) = given_
    unordered = math.isnan(a) or math.isnan(b)
    relations = {
        "eq": a == b,
        "gt": a > b,
        "ge": a >= b,
        "lt": a < b,
        "le": a <= b,
        "ne": a != b and not unordered,
    }
    expected = {"false": False, "true": True, "ord": not unordered, "uno": unordered}
    for name, holds in relations.items():
        expected[f"o{name}"] = holds
        expected[f"u{name}"] = holds or unordered
    for predicate, want in expected.items():
        got = run(f"arith.cmpf {predicate},", format_, [a, b], "i1")
        assert got == want, predicate


@settings(max_examples=150, deadline=None, derandomize=True)
@given(given_=operands(1), to=st.sampled_from(FORMATS))
def test_conversions_between_floats(given_: tuple[str, list[float]], to: str):
    format_, (a,) = given_
    name = "extf" if BITS[to] > BITS[format_] else "truncf"
    assume(BITS[to] != BITS[format_])
    got = evaluate(f"arith.{name} %0 : {format_} to {to}", [(format_, a)], to)
    want = nearest(to, Fraction(a)) if math.isfinite(a) else a
    assert same(got, math.copysign(want, a) if want == 0 else want)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    format_=st.sampled_from(FORMATS),
    width=st.sampled_from([8, 16, 32, 64]),
    number=st.integers(-(1 << 63), (1 << 64) - 1),
)
def test_integers_to_floats_round_once(format_: str, width: int, number: int):
    number &= (1 << width) - 1
    signed = number - (1 << width) if number >> (width - 1) else number
    for name, exact in (("sitofp", signed), ("uitofp", number)):
        op = f"arith.{name} %0 : i{width} to {format_}"
        got = evaluate(op, [(f"i{width}", signed)], format_)
        assert got == nearest(format_, Fraction(exact))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(given_=operands(1), width=st.sampled_from([8, 16, 32, 64]))
def test_floats_to_integers(given_: tuple[str, list[float]], width: int):
    format_, (a,) = given_
    for name, low, high in (
        ("fptosi", -(1 << (width - 1)), (1 << (width - 1)) - 1),
        ("fptoui", 0, (1 << width) - 1),
    ):
        op = f"arith.{name} %0 : {format_} to i{width}"
        got = evaluate(op, [(format_, a)], f"i{width}")
        if math.isfinite(a) and low <= math.trunc(a) <= high:
            want = math.trunc(a)
            assert got == (want - (1 << width) if want >> (width - 1) > 0 else want)
        else:
            assert got is POISON


@settings(max_examples=150, deadline=None, derandomize=True)
@given(given_=operands(1))
def test_bits_and_rounding_to_whole_numbers(given_: tuple[str, list[float]]):
    format_, (a,) = given_
    bits = BITS[format_]
    if not math.isnan(a):
        there = evaluate(
            f"arith.bitcast %0 : {format_} to i{bits}", [(format_, a)], f"i{bits}"
        )
        want = np.array(a).astype(DTYPES[format_]).view(f"i{bits // 8}")
        assert there == int(want)
        back = evaluate(
            f"arith.bitcast %0 : i{bits} to {format_}", [(f"i{bits}", there)], format_
        )
        assert same(back, a)
    with np.errstate(all="ignore"):
        wide = np.float64(a)
        half_away = np.copysign(np.floor(np.abs(wide) + 0.5), wide)
        if abs(a) == 0.49999999999999994 or abs(a) >= 2.0**52:
            half_away = np.copysign(np.trunc(wide), wide)
        expected = {
            "floor": np.floor(wide),
            "ceil": np.ceil(wide),
            "trunc": np.trunc(wide),
            "roundeven": np.rint(wide),
            "round": half_away,
            "absf": np.abs(wide),
        }
    for name, want in expected.items():
        assert same(run(f"math.{name}", format_, [a]), float(want)), name
    assert same(run("arith.negf", format_, [a]), -a)


@pytest.mark.parametrize("format_", FORMATS)
def test_only_the_sign_of_a_nan_changes(format_: str):
    integer, sign = f"i{BITS[format_]}", 1 << (BITS[format_] - 1)
    nan = 2 * sign - 5  # quiet and negative, with a payload of its own
    for op in ("math.absf %x", "math.copysign %x, %one", "arith.negf %x"):
        source = f"""
func.func @f(%bits: {integer}) -> {integer} {{
  %one = arith.constant 1.0 : {format_}
  %x = arith.bitcast %bits : {integer} to {format_}
  %changed = {op} : {format_}
  %result = arith.bitcast %changed : {format_} to {integer}
  func.return %result : {integer}
}}"""
        assert call(source, nan) == [nan ^ sign], op


def test_functions_at_their_poles_and_beyond():
    inf, nan = math.inf, math.nan
    for name, argument, want in (
        ("exp", 1000.0, inf),
        ("exp", -inf, 0.0),
        ("exp2", 2000.0, inf),
        ("expm1", 1000.0, inf),
        ("log", 0.0, -inf),
        ("log", -1.0, nan),
        ("log1p", -1.0, -inf),
        ("log2", 0.0, -inf),
        ("log10", inf, inf),
        ("sqrt", -1.0, nan),
        ("sqrt", -0.0, -0.0),
        ("rsqrt", 0.0, inf),
        ("rsqrt", -0.0, -inf),
        ("rsqrt", inf, 0.0),
        ("sin", inf, nan),
        ("cosh", -1000.0, inf),
        ("sinh", -1000.0, -inf),
        ("tanh", inf, 1.0),
        ("acos", 2.0, nan),
        ("atanh", 1.0, inf),
        ("atanh", -1.0, -inf),
        ("acosh", 0.5, nan),
        ("cbrt", -8.0, -2.0),
        ("erf", inf, 1.0),
        ("atan", -inf, -math.pi / 2),
    ):
        assert same(run(f"math.{name}", "f64", [argument]), want), (name, argument)
    for a, b, want in (
        (0.0, -1.0, inf),
        (-0.0, -1.0, -inf),
        (-0.0, -2.0, inf),
        (-8.0, 1 / 3, nan),
        (-2.0, 3.0, -8.0),
        (-10.0, 401.0, -inf),
        (10.0, 401.0, inf),
        (nan, 0.0, 1.0),
    ):
        assert same(run("math.powf", "f64", [a, b]), want), (a, b)
    assert same(run("math.copysign", "f32", [3.0, -0.0]), -3.0)
    assert same(run("math.atan2", "f64", [0.0, -1.0]), math.pi)
    got = evaluate("math.fpowi %0, %1 : f64, i32", [("f64", -2.0), ("i32", -3)], "f64")
    assert got == -0.125
