"""Every integer op of `arith`, on every width, against NumPy."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

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
from tests.execution.lowering.native_functions import DTYPES, Array, NativeFunctions

TYPES = ("i8", "i16", "i32", "i64", "index")


def unsigned(array: Array) -> Array:
    return array.view(f"u{array.itemsize}")


def width_of(t: str) -> int:
    return 8 * np.dtype(DTYPES[t]).itemsize


def nonzero(scalar: str, k: int) -> Array:
    values = interesting(scalar)
    if k == 0:
        # The smallest integer has no negative: its quotient by -1 is undefined.
        return values[values != np.iinfo(values.dtype).min]
    return values[values != 0]


def shift_counts(scalar: str, k: int) -> Array:
    if k == 0:
        return interesting(scalar)
    width = width_of(scalar)
    return np.array([0, 1, width // 2, width - 1], dtype=DTYPES[scalar])


def exactly(function: Callable[[int, int], int], *, signed: bool = True) -> Binary:
    """A function of Python's integers on arrays, wrapped to their width."""

    def on_arrays(a: Array, b: Array) -> Array:
        x, y = (a, b) if signed else (unsigned(a), unsigned(b))
        wrap = (1 << 8 * a.itemsize) - 1
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        values = [function(int(v), int(w)) & wrap for v, w in pairs]
        return np.array(values, dtype=f"u{a.itemsize}").view(a.dtype)

    return on_arrays


def to_zero(a: int, b: int) -> int:
    """The quotient rounded to zero; Python's own rounds down."""
    size = abs(a) // abs(b)
    return -size if (a < 0) != (b < 0) else size


PREDICATES: dict[str, Binary] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def on_unsigned(function: Binary) -> Binary:
    return lambda a, b: function(unsigned(a), unsigned(b))


def cases_of(t: str) -> list[Case]:
    width = width_of(t)

    def case(op: str, expected: Binary, values: Values | None = None) -> Case:
        body = f"%r = arith.{op} %a, %b : {{0}}"
        return Case(f"{op}_{t}", body, (t, t), t, expected, values=values)

    cases = [
        case("addi", np.add),
        case("subi", np.subtract),
        case("muli", np.multiply),
        case("andi", np.bitwise_and),
        case("ori", np.bitwise_or),
        case("xori", np.bitwise_xor),
        case("minsi", np.minimum),
        case("maxsi", np.maximum),
        case("minui", exactly(min, signed=False)),
        case("maxui", exactly(max, signed=False)),
        case("shli", np.left_shift, shift_counts),
        case("shrsi", np.right_shift, shift_counts),
        case("shrui", exactly(lambda a, b: a >> b, signed=False), shift_counts),
        case("divsi", exactly(to_zero), nonzero),
        case("remsi", exactly(lambda a, b: a - to_zero(a, b) * b), nonzero),
        case("floordivsi", exactly(lambda a, b: a // b), nonzero),
        case("ceildivsi", exactly(lambda a, b: -(-a // b)), nonzero),
        case("divui", exactly(lambda a, b: a // b, signed=False), nonzero),
        case("remui", exactly(lambda a, b: a % b, signed=False), nonzero),
        case("ceildivui", exactly(lambda a, b: -(-a // b), signed=False), nonzero),
    ]
    for name, function in PREDICATES.items():
        if name in ("eq", "ne"):
            forms = {name: function}
        else:
            forms = {f"s{name}": function, f"u{name}": on_unsigned(function)}
        for predicate, expected in forms.items():
            body = f"%r = arith.cmpi {predicate}, %a, %b : {{0}}"
            cases.append(Case(f"cmpi_{predicate}_{t}", body, (t, t), "i1", expected))
    for sign in ("s", "u"):
        body = f"%l, %r = arith.mul{sign}i_extended %a, %b : {{0}}"
        high = exactly(lambda a, b: a * b >> width, signed=sign == "s")
        cases.append(Case(f"mul{sign}i_high_{t}", body, (t, t), t, high))
        body = f"%r, %h = arith.mul{sign}i_extended %a, %b : {{0}}"
        cases.append(Case(f"mul{sign}i_low_{t}", body, (t, t), t, np.multiply))
    if t != "index":  # xDSL's verifier does not know it
        sum_ = "arith.addui_extended %a, %b : {0}, {bits}"
        carry = on_unsigned(lambda a, b: a + b < a)
        cases += [
            Case(f"addui_sum_{t}", f"%r, %o = {sum_}", (t, t), t, np.add),
            Case(f"addui_overflow_{t}", f"%s, %r = {sum_}", (t, t), "i1", carry),
        ]
    select = "%r = arith.select %a, %b, %c : {mask}{1}"
    cases.append(Case(f"select_{t}", select, ("i1", t, t), t, np.where))
    return cases


BIT_OPS: dict[str, Binary] = {
    "andi": np.logical_and,
    "ori": np.logical_or,
    "xori": np.logical_xor,
    "addi": np.logical_xor,
    "muli": np.logical_and,
    "minui": np.logical_and,
    "maxsi": np.logical_and,
    "cmpi ult,": lambda a, b: ~a & b,
    "cmpi slt,": lambda a, b: a & ~b,
}
BITS = [
    Case(
        f"bit_{op.replace(' ', '_').strip(',')}",
        f"%r = arith.{op} %a, %b : {{0}}",
        ("i1", "i1"),
        "i1",
        expected,
    )
    for op, expected in BIT_OPS.items()
]
CASES = {"i1": BITS, **{t: cases_of(t) for t in TYPES}}


@cache
def compiled(t: str) -> NativeFunctions:
    return compile_cases(CASES[t])


@pytest.mark.parametrize(
    ("t", "case"),
    [(t, case) for t, cases in CASES.items() for case in cases],
    ids=lambda value: value.name if isinstance(value, Case) else value,
)
def test_integer_op(t: str, case: Case):
    for width in (None, *WIDTHS):
        check(compiled(t), case, width)
