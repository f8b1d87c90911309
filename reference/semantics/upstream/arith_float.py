"""The meaning of `arith` on floats."""

from __future__ import annotations

import math

from xdsl.dialects import arith

from spmd.dialects.compat.missing_arith import RemFOp
from spmd.reference.compiler import Body, helper, meaning
from spmd.reference.semantics.expressions import FLOAT_KINDS, elementwise, expressions


@helper
def divide(a: float, b: float) -> float:
    try:
        return a / b
    except ZeroDivisionError:
        if a == 0.0 or a != a:
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)


@helper
def float_remainder(a: float, b: float) -> float:
    """With the sign of `a`."""
    if math.isinf(a) or b == 0.0:
        return math.nan
    return math.fmod(a, b)


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
    return -minimumf(-a, -b)


@helper
def minnumf(a: float, b: float) -> float:
    """The other one wins against NaN."""
    if a != a:
        return b
    return a if b != b else minimumf(a, b)


@helper
def maxnumf(a: float, b: float) -> float:
    """The other one wins against NaN."""
    return -minnumf(-a, -b)


expressions(
    {
        arith.AddfOp: FLOAT_KINDS["add"],
        arith.SubfOp: FLOAT_KINDS["sub"],
        arith.MulfOp: FLOAT_KINDS["mul"],
        arith.DivfOp: "divide({0}, {1})",
        RemFOp: "float_remainder({0}, {1})",
    },
    rounds=True,
)
expressions(
    {
        arith.MinimumfOp: FLOAT_KINDS["minimumf"],
        arith.MaximumfOp: FLOAT_KINDS["maximumf"],
        arith.MinnumfOp: FLOAT_KINDS["minnumf"],
        arith.MaxnumfOp: FLOAT_KINDS["maxnumf"],
        arith.NegfOp: "-{0}",
    }
)

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
    elementwise(body, op, COMPARISONS[op.predicate.value.data])
