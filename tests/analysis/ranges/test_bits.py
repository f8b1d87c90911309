"""The ranges of shifts, by amounts that are too large too, and of unsigned casts."""

from __future__ import annotations

import pytest

from tests.analysis.ranges.test_loop_ranges import INDEX, ranges_in


@pytest.mark.parametrize("op", ["shli", "shrui", "shrsi"])
@pytest.mark.parametrize("amount", [-1, 64, 1 << 40])
def test_of_an_amount_that_is_no_position_nothing_is_said(op: str, amount: int):
    body = f"""
  %far = arith.constant {amount} : index
  %r = arith.{op} %l, %far : index"""
    assert ranges_in(body, "r")["r"] == INDEX


@pytest.mark.parametrize(
    ("op", "amount", "bounds"),
    [
        ("shli", 0, (0, 63)),
        ("shli", 3, (0, 63 * 8)),
        ("shli", 63, INDEX),
        ("shrui", 2, (0, 15)),
        ("shrsi", 2, (0, 15)),
        ("shrui", 63, (0, 0)),
    ],
)
def test_of_a_known_amount(op: str, amount: int, bounds: tuple[int, int]):
    body = f"""
  %near = arith.constant {amount} : index
  %r = arith.{op} %l, %near : index"""
    assert ranges_in(body, "r")["r"] == bounds


@pytest.mark.parametrize(
    ("op", "bounds"),
    [("shrui", (0, (1 << 60) - 1)), ("shrsi", (-(1 << 58), 1 << 58))],
)
def test_of_what_may_be_negative(op: str, bounds: tuple[int, int]):
    body = f"""
  %four = arith.constant 4 : index
  %r = arith.{op} %n, %four : index"""
    assert ranges_in(body, "r")["r"] == bounds


@pytest.mark.parametrize(
    ("source", "target", "bounds"),
    [
        ("index", "i64", (-(1 << 62), 1 << 62)),
        ("index", "i32", (-(1 << 31), (1 << 31) - 1)),
        ("i32", "index", (0, (1 << 32) - 1)),
    ],
)
def test_of_unsigned_casts(source: str, target: str, bounds: tuple[int, int]):
    """One that keeps all bits keeps a negative number."""
    value = "%n" if source == "index" else "%m"
    body = f"%r = arith.index_castui {value} : {source} to {target}"
    assert ranges_in(body, "r")["r"] == bounds
