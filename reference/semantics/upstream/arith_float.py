"""The meaning of `arith` on floats. `fastmath` permits, it does not oblige: ignored."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.ir import Operation

from spmd.reference.compiler import Body, element, elementwise, helper, meaning


@helper
def divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0.0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


@helper
def minimumf(a: float, b: float) -> float:
    """NaN wins; -0.0 is less than 0.0."""
    if a != a or b != b:
        return math.nan
    if a == b:
        return a if math.copysign(1.0, a) < 0.0 else b
    return a if a < b else b


@helper
def maximumf(a: float, b: float) -> float:
    """NaN wins; 0.0 is greater than -0.0."""
    if a != a or b != b:
        return math.nan
    if a == b:
        return b if math.copysign(1.0, a) < 0.0 else a
    return a if a > b else b


@helper
def minnumf(a: float, b: float) -> float:
    """The other one wins against NaN."""
    if a != a:
        return b
    return a if b != b else minimumf(a, b)


@helper
def maxnumf(a: float, b: float) -> float:
    """The other one wins against NaN."""
    if a != a:
        return b
    return a if b != b else maximumf(a, b)


ROUNDED: dict[type[Operation], Callable[[str, str], str]] = {
    arith.AddfOp: lambda a, b: f"{a} + {b}",
    arith.SubfOp: lambda a, b: f"{a} - {b}",
    arith.MulfOp: lambda a, b: f"{a} * {b}",
    arith.DivfOp: lambda a, b: f"divide({a}, {b})",
}
EXACT: dict[type[Operation], Callable[[str, str], str]] = {
    arith.MinimumfOp: lambda a, b: f"minimumf({a}, {b})",
    arith.MaximumfOp: lambda a, b: f"maximumf({a}, {b})",
    arith.MinnumfOp: lambda a, b: f"minnumf({a}, {b})",
    arith.MaxnumfOp: lambda a, b: f"maxnumf({a}, {b})",
}


@meaning(*ROUNDED)
def _rounded(body: Body, op: Any) -> None:
    scalar = element(op.result.type, op)
    elementwise(body, op, op.operands, ROUNDED[type(op)], rounding=scalar)


@meaning(*EXACT)
def _exact(body: Body, op: Any) -> None:
    elementwise(body, op, op.operands, EXACT[type(op)])


@meaning(arith.NegfOp)
def _negf(body: Body, op: arith.NegfOp) -> None:
    elementwise(body, op, op.operands, lambda a: f"-{a}")


# In the order of the predicates' numbers; a comparison with NaN is false in Python.
COMPARISONS = [
    "False",
    "{0} == {1}",
    "{0} > {1}",
    "{0} >= {1}",
    "{0} < {1}",
    "{0} <= {1}",
    "({0} < {1} or {0} > {1})",
    "({0} == {0} and {1} == {1})",
    "not ({0} < {1} or {0} > {1})",
    "not {0} <= {1}",
    "not {0} < {1}",
    "not {0} >= {1}",
    "not {0} > {1}",
    "{0} != {1}",
    "({0} != {0} or {1} != {1})",
    "True",
]


@meaning(arith.CmpfOp)
def _cmpf(body: Body, op: arith.CmpfOp) -> None:
    comparison = COMPARISONS[op.predicate.value.data]
    elementwise(body, op, op.operands, comparison.format)
