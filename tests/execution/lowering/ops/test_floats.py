"""Every float op of `arith`, on every type, against NumPy; NaN, infinities, subnormals."""

from __future__ import annotations

from functools import cache

import ml_dtypes
import numpy as np
import pytest

from tests.execution.lowering.elementwise import (
    WIDTHS,
    Binary,
    Case,
    Values,
    check,
    compile_cases,
    interesting,
)
from tests.execution.lowering.native_functions import Array, NativeFunctions

TYPES = ("f16", "bf16", "f32", "f64")


def negated(a: Array) -> Array:
    """Only the sign changes, also of a NaN."""
    bits = a.view(f"u{a.itemsize}")
    return (bits ^ np.array(1 << 8 * a.itemsize - 1, bits.dtype)).view(a.dtype)


def with_zeros_in_order(function: Binary, first: int) -> Binary:
    """`minimum` and `maximum` of zeros of different sign, which NumPy leaves open."""

    def on_arrays(a: Array, b: Array) -> Array:
        zeros = (a == 0) & (b == 0)
        signs = np.signbit(a).astype(int) - np.signbit(b).astype(int)
        chosen = np.where(signs * first >= 0, a, b)
        return np.where(zeros, chosen, function(a, b))

    return on_arrays


def but_nan(a: Array, b: Array, chosen: Array) -> Array:
    return np.where(np.isnan(a), b, np.where(np.isnan(b), a, chosen))


def number_if_any(function: Binary) -> Binary:
    return lambda a, b: but_nan(a, b, function(a, b))


def ordered(a: Array, b: Array) -> Array:
    return ~(np.isnan(a) | np.isnan(b))


PREDICATES: dict[str, Binary] = {
    "false": lambda a, b: np.zeros(a.shape, bool),
    "oeq": np.equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "one": lambda a, b: ordered(a, b) & (a != b),
    "ord": ordered,
    "ueq": lambda a, b: ~ordered(a, b) | (a == b),
    "ugt": lambda a, b: ~(a <= b),
    "uge": lambda a, b: ~(a < b),
    "ult": lambda a, b: ~(a >= b),
    "ule": lambda a, b: ~(a > b),
    "une": np.not_equal,
    "uno": lambda a, b: ~ordered(a, b),
    "true": lambda a, b: np.ones(a.shape, bool),
}


def in_f32(function: Binary) -> Binary:
    """NumPy's own for bf16 differ in corners; f32 is wide enough to round once."""

    def on_arrays(a: Array, b: Array) -> Array:
        if a.dtype != ml_dtypes.bfloat16:
            return function(a, b)
        wide = function(a.astype(np.float32), b.astype(np.float32))
        return wide.astype(ml_dtypes.bfloat16)

    return on_arrays


def cases_of(t: str) -> list[Case]:
    def case(op: str, expected: Binary, values: Values | None = None) -> Case:
        body = f"%r = arith.{op} %a, %b : {{0}}"
        return Case(f"{op}_{t}", body, (t, t), t, expected, values=values)

    cases = [
        case("addf", in_f32(np.add)),
        case("subf", in_f32(np.subtract)),
        case("mulf", in_f32(np.multiply)),
        case("divf", in_f32(np.divide)),
        case("minimumf", in_f32(with_zeros_in_order(np.minimum, 1))),
        case("maximumf", in_f32(with_zeros_in_order(np.maximum, -1))),
        # Zeros of different sign may come out in any order.
        case("minnumf", in_f32(number_if_any(np.minimum)), no_zeros),
        case("maxnumf", in_f32(number_if_any(np.maximum)), no_zeros),
        Case(f"negf_{t}", "%r = arith.negf %a : {0}", (t,), t, negated),
        Case(
            f"select_{t}",
            "%r = arith.select %a, %b, %c : {mask}{1}",
            ("i1", t, t),
            t,
            np.where,
        ),
    ]
    for predicate, expected in PREDICATES.items():
        body = f"%r = arith.cmpf {predicate}, %a, %b : {{0}}"
        cases.append(Case(f"cmpf_{predicate}_{t}", body, (t, t), "i1", expected))
    return cases


def no_zeros(scalar: str, k: int) -> Array:
    values = interesting(scalar)
    return values[values != 0]


CASES = {t: cases_of(t) for t in TYPES}


@cache
def compiled(t: str) -> NativeFunctions:
    return compile_cases(CASES[t])


@pytest.mark.parametrize(
    ("t", "case"),
    [(t, case) for t, cases in CASES.items() for case in cases],
    ids=lambda value: value.name if isinstance(value, Case) else value,
)
def test_float_op(t: str, case: Case):
    for width in (None, *WIDTHS):
        check(compiled(t), case, width)
