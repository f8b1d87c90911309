"""Integer arithmetic of the interpreter against Python's own, bit by bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spmd.reference import UndefinedBehavior
from spmd.reference.scalars import POISON
from tests.reference.functions import call, evaluate

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
WIDTHS = ("i8", "i16", "i32", "i64", "index")


def wrap(value: int, bits: int) -> int:
    """Two's complement."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def truncated(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


SIGNED: dict[str, Callable[[int, int], int]] = {
    "addi": lambda a, b: a + b,
    "subi": lambda a, b: a - b,
    "muli": lambda a, b: a * b,
    "andi": lambda a, b: a & b,
    "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b,
    "minsi": min,
    "maxsi": max,
    "divsi": truncated,
    "remsi": lambda a, b: a - b * truncated(a, b),
    "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b),
}
UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "minui": min,
    "maxui": max,
    "divui": lambda a, b: a // b,
    "remui": lambda a, b: a % b,
    "ceildivui": lambda a, b: -(-a // b),
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, int, int]:
    type_ = draw(st.sampled_from(WIDTHS))
    bits = BITS[type_]
    low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    edge = st.sampled_from([0, 1, -1, low, low + 1, high, high - 1, 2, -2])
    number = st.one_of(edge, st.integers(low, high))
    return type_, draw(number), draw(number)


@pytest.mark.parametrize("name", [*SIGNED, *UNSIGNED])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(pair=pairs())
def test_binary(name: str, pair: tuple[str, int, int]):
    type_, a, b = pair
    bits = BITS[type_]
    divides = "div" in name or "rem" in name
    overflows = name.endswith("si") and a == -(1 << (bits - 1)) and b == -1

    def run() -> Any:
        return evaluate(
            f"arith.{name} %0, %1 : {type_}", [(type_, a), (type_, b)], type_
        )

    if divides and (b == 0 or overflows):
        with pytest.raises(UndefinedBehavior, match=r"division by zero|overflow"):
            run()
        return
    if name in SIGNED:
        expected = SIGNED[name](a, b)
    else:
        expected = UNSIGNED[name](unsigned(a, bits), unsigned(b, bits))
    assert run() == wrap(expected, bits)


@pytest.mark.parametrize("name", list(COMPARISONS))
@settings(max_examples=60, deadline=None, derandomize=True)
@given(pair=pairs())
def test_comparisons(name: str, pair: tuple[str, int, int]):
    type_, a, b = pair
    bits = BITS[type_]
    operands = [(type_, a), (type_, b)]
    compare = COMPARISONS[name]
    for sign in ("s", "u") if name not in ("eq", "ne") else ("",):
        got = evaluate(f"arith.cmpi {sign}{name}, %0, %1 : {type_}", operands, "i1")
        left, right = (unsigned(x, bits) if sign == "u" else x for x in (a, b))
        assert got == compare(left, right), (sign, a, b)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(pair=pairs(), amount=st.integers(0, 70))
def test_shifts(pair: tuple[str, int, int], amount: int):
    type_, a, _ = pair
    bits = BITS[type_]
    amount = min(amount, bits + 2)
    expected = {
        "shli": unsigned(a, bits) << amount,
        "shrui": unsigned(a, bits) >> amount,
        "shrsi": a >> amount,
    }
    for name, value in expected.items():
        operands = [(type_, a), (type_, amount)]
        got = evaluate(f"arith.{name} %0, %1 : {type_}", operands, type_)
        assert got is POISON if amount >= bits else got == wrap(value, bits)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(pair=pairs())
def test_overflow_flags_make_poison_exactly_where_they_are_broken(
    pair: tuple[str, int, int],
):
    type_, a, b = pair
    bits = BITS[type_]
    for name, operation in (("addi", "+"), ("subi", "-"), ("muli", "*")):
        exact = SIGNED[name]
        for flags in ("nsw", "nuw", "nsw,nuw"):
            op = f"arith.{name} %0, %1 overflow<{flags}> : {type_}"
            got = evaluate(op, [(type_, a), (type_, b)], type_)
            result = exact(a, b)
            result_unsigned = exact(unsigned(a, bits), unsigned(b, bits))
            broken = ("nsw" in flags and result != wrap(result, bits)) or (
                "nuw" in flags and result_unsigned != unsigned(result_unsigned, bits)
            )
            assert (got is POISON) == broken, (operation, flags, a, b)
            assert broken or got == wrap(result, bits)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(pair=pairs())
def test_counts_casts_and_extended_arithmetic(pair: tuple[str, int, int]):
    type_, a, b = pair
    bits = BITS[type_]
    x, y = unsigned(a, bits), unsigned(b, bits)
    if type_ != "index":
        binary = f"{x:0{bits}b}"
        counts = {
            "ctpop": binary.count("1"),
            "ctlz": len(binary) - len(binary.lstrip("0")),
            "cttz": len(binary) - len(binary.rstrip("0")),
            "absi": abs(a),
        }
        for name, expected in counts.items():
            got = evaluate(f"math.{name} %0 : {type_}", [(type_, a)], type_)
            assert got == wrap(expected, bits), name
        for to in ("i1", "i8", "i16", "i32", "i64"):
            if BITS[to] > bits:
                got = evaluate(f"arith.extsi %0 : {type_} to {to}", [(type_, a)], to)
                assert got == a
                got = evaluate(f"arith.extui %0 : {type_} to {to}", [(type_, a)], to)
                assert got == wrap(x, BITS[to])
            elif BITS[to] < bits:
                got = evaluate(f"arith.trunci %0 : {type_} to {to}", [(type_, a)], to)
                assert got == bool(a & 1) if to == "i1" else got == wrap(a, BITS[to])
        got = evaluate(f"arith.index_cast %0 : {type_} to index", [(type_, a)], "index")
        assert got == a
    for name, product in (("mului", x * y), ("mulsi", a * b)):
        source = f"""
func.func @f(%a: {type_}, %b: {type_}) -> ({type_}, {type_}) {{
  %low, %high = arith.{name}_extended %a, %b : {type_}
  func.return %low, %high : {type_}, {type_}
}}
"""
        assert call(source, a, b) == [wrap(product, bits), wrap(product >> bits, bits)]
    if type_ == "index":
        return  # xDSL's verifier knows integers only
    source = f"""
func.func @f(%a: {type_}, %b: {type_}) -> ({type_}, i1) {{
  %s, %o = arith.addui_extended %a, %b : {type_}, i1
  func.return %s, %o : {type_}, i1
}}
"""
    assert call(source, a, b) == [wrap(x + y, bits), x + y >= 1 << bits]


def test_powers():
    for a, b, expected in (
        (3, 4, 81),
        (-2, 3, -8),
        (2, 40, 0),
        (-1, -3, -1),
        (2, -1, 0),
    ):
        got = evaluate("math.ipowi %0, %1 : i32", [("i32", a), ("i32", b)], "i32")
        assert got == expected
    with pytest.raises(UndefinedBehavior, match="division by zero"):
        evaluate("math.ipowi %0, %1 : i32", [("i32", 0), ("i32", -1)], "i32")
