"""The ranges of comparisons, against all pairs of numbers that are compared."""

from __future__ import annotations

import operator
from itertools import combinations_with_replacement, product

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IntegerType

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.range_rules import RULES
from spmd.dialects.names import PREDICATES
from tests.analysis.ranges.test_loop_ranges import ranges_in

BITS = 3
BOUNDS = list(combinations_with_replacement(range(-(1 << BITS - 1), 1 << BITS - 1), 2))
COMPARE = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def holds(predicate: str, a: int, b: int) -> bool:
    if predicate.startswith("u"):
        a, b = a % (1 << BITS), b % (1 << BITS)
    return COMPARE[predicate[-2:]](a, b)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_what_is_said_holds_for_all(predicate: str):
    kind = IntegerType(BITS)
    a, b = test.TestOp(result_types=[kind, kind]).results
    op = arith.CmpiOp(a, b, predicate)
    rule = RULES.get(arith.CmpiOp)
    assert rule is not None
    decided = 0
    for (low, high), (first, last) in product(BOUNDS, BOUNDS):
        said = rule(op, [IntegerRange(low, high), IntegerRange(first, last)], 1)
        found = {
            holds(predicate, x, y)
            for x, y in product(range(low, high + 1), range(first, last + 1))
        }
        if said.value is not None:
            decided += 1
            assert found == {said.value == -1}, (low, high, first, last)
        elif min(low, first) >= 0 or not predicate.startswith("u"):
            assert len(found) == 2, (low, high, first, last)
    assert decided


@pytest.mark.parametrize(("op", "number"), [("andi", 8), ("ori", 14), ("xori", 6)])
def test_bits_of_two_constants(op: str, number: int):
    body = f"""
  %ten = arith.constant 10 : index
  %twelve = arith.constant 12 : index
  %r = arith.{op} %ten, %twelve : index"""
    assert ranges_in(body, "r")["r"] == (number, number)
