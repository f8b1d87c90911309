"""The meaning of `arith`: integers wrap around, floats round after every op."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import arith, ub
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, helper, meaning, trap
from spmd.reference.facts import poison_source
from spmd.reference.scalars import POISON, Scalar, as_vector, length_of, signed
from spmd.reference.semantics.expressions import (
    INTEGER_KINDS,
    element,
    elementwise,
    expressions,
    unless_poison,
)


def constant_elements(value: DenseIntOrFPElementsAttr, scalar: Scalar) -> list[Any]:
    """The elements of a dense constant, splats repeated."""
    length = math.prod(value.get_shape())
    found = cast("list[float]", list(value.get_values()))
    if len(found) == 1:
        found *= length
    if scalar.is_float:
        return [float(x) for x in found]
    return [int(x) & scalar.mask for x in found]


@meaning(arith.ConstantOp)
def _constant(body: Body, op: arith.ConstantOp) -> None:
    scalar = element(op.result.type, op)
    value = op.value
    if isinstance(value, IntegerAttr):
        body.literal(op.result, value.value.data & scalar.mask)
    elif isinstance(value, FloatAttr):
        body.literal(op.result, value.value.data)
    elif isinstance(value, DenseIntOrFPElementsAttr):
        elements = tuple(constant_elements(value, scalar))
        body.names[op.result] = body.program.bind(elements, "constant")
    else:
        fail(op, f"expected a number or dense elements, got {value}")


# --- integers ------------------------------------------------------------------------

expressions(
    {
        arith.AndIOp: INTEGER_KINDS["and"],
        arith.OrIOp: INTEGER_KINDS["or"],
        arith.XOrIOp: INTEGER_KINDS["xor"],
        arith.MinUIOp: INTEGER_KINDS["minui"],
        arith.MaxUIOp: INTEGER_KINDS["maxui"],
        arith.MinSIOp: INTEGER_KINDS["min"],
        arith.MaxSIOp: INTEGER_KINDS["max"],
    }
)

Wrapping = arith.AddiOp | arith.SubiOp | arith.MuliOp

SYMBOLS = {arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*"}
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}
BREAKS_NO_FLAG = {
    "+": "{0} + {1} < {t.sign}",
    "-": "{1} <= {0} < {t.sign}",
    "*": "{0} < {t.sign} and {1} < {t.sign} and {0} * {1} < {t.sign}",
}
"""Holds for small non-negative operands with such a result."""


poison_source(arith.AddiOp, arith.SubiOp, arith.MuliOp)(
    lambda op: bool(op.overflow_flags.data)
)


def _flags(op: Wrapping | arith.ShLIOp) -> str:
    return ",".join(sorted(flag.value for flag in op.overflow_flags.data))


@helper
def no_wrap(a: int, b: int, symbol: str, bits: int, flags: str) -> Any:
    """Add, subtract or multiply; undefined where the flags are broken."""
    limit = 1 << bits
    exact = OPERATORS[symbol](a, b)
    exact_signed = OPERATORS[symbol](signed(a, bits), signed(b, bits))
    if "nuw" in flags and not 0 <= exact < limit:
        return POISON
    if "nsw" in flags and not -limit // 2 <= exact_signed < limit // 2:
        return POISON
    return exact & (limit - 1)


@meaning(*SYMBOLS)
def _wrapping(body: Body, op: Wrapping) -> None:
    symbol = SYMBOLS[type(op)]
    flags = _flags(op)
    text = f"({{0}} {symbol} {{1}}) & {{t.mask}}"
    if flags:
        slow = f"no_wrap({{0}}, {{1}}, {symbol!r}, {{t.bits}}, {flags!r})"
        slow = body.defined(op, slow, f"an overflow, which {flags} rules out")
        text = f"({{0}} {symbol} {{1}} if {BREAKS_NO_FLAG[symbol]} else {slow})"
    elementwise(body, op, text)


@poison_source(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
def _may_shift_out(op: arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp) -> bool:
    if isinstance(op, arith.ShLIOp) and op.overflow_flags.data:
        return True
    amount = op.rhs.owner
    if isinstance(amount, arith.ConstantOp) and isinstance(amount.value, IntegerAttr):
        scalar = element(op.result.type, op)
        return not 0 <= amount.value.value.data < scalar.bits
    return True


SHIFTS: dict[type[Operation], str] = {
    arith.ShLIOp: "({0} << {1}) & {t.mask}",
    arith.ShRUIOp: "{0} >> {1}",
    arith.ShRSIOp: "((({0} ^ {t.sign}) - {t.sign}) >> {1}) & {t.mask}",
}


@helper
def no_loss(a: int, b: int, bits: int, flags: str) -> Any:
    """Shift to the left; undefined where the flags rule out what gets lost."""
    if b >= bits or ("nuw" in flags and a << b >> bits):
        return POISON
    half = 1 << (bits - 1)
    if "nsw" in flags and not -half <= signed(a, bits) << b < half:
        return POISON
    return (a << b) & (2 * half - 1)


@meaning(*SHIFTS)
def _shift(body: Body, op: Any) -> None:
    text = SHIFTS[type(op)]
    if isinstance(op, arith.ShLIOp) and (flags := _flags(op)):
        text = f"no_loss({{0}}, {{1}}, {{t.bits}}, {flags!r})"
        why = f"a shift by the width or more, or a loss of bits that {flags} rules out"
        text = body.defined(op, text, why)
    elif _may_shift_out(op):
        text = f"({text} if {{1}} < {{t.bits}} else POISON)"
        text = body.defined(op, text, "a shift by the width or more")
    elementwise(body, op, text)


@helper
def nonzero(divisor: int, site: int) -> int:
    if not divisor:
        trap(site, "division by zero")
    return divisor


@helper
def divided(
    divide: Callable[[int, int], int], a: int, b: int, bits: int, site: int
) -> int:
    """A signed quotient or remainder, which must not overflow."""
    x, y = signed(a, bits), signed(nonzero(b, site), bits)
    if y == -1 and a == 1 << (bits - 1):
        trap(site, f"overflow: the quotient of {x} and {y} does not fit i{bits}")
    return divide(x, y) & ((1 << bits) - 1)


@helper
def ceiling(x: int, y: int) -> int:
    return -(-x // y)


@helper
def quotient(x: int, y: int) -> int:
    """Rounded towards zero."""
    return x // y if (x < 0) == (y < 0) else ceiling(x, y)


@helper
def remainder(x: int, y: int) -> int:
    """With the sign of `x`."""
    return x - quotient(x, y) * y


@helper
def floor(x: int, y: int) -> int:
    return x // y


DIVISIONS: dict[type[Operation], str] = {
    arith.DivUIOp: "{0} // nonzero({1}, {site})",
    arith.RemUIOp: "{0} % nonzero({1}, {site})",
    arith.CeilDivUIOp: "ceiling({0}, nonzero({1}, {site}))",
    arith.DivSIOp: "divided(quotient, {0}, {1}, {t.bits}, {site})",
    arith.RemSIOp: "divided(remainder, {0}, {1}, {t.bits}, {site})",
    arith.FloorDivSIOp: "divided(floor, {0}, {1}, {t.bits}, {site})",
    arith.CeilDivSIOp: "divided(ceiling, {0}, {1}, {t.bits}, {site})",
}


@meaning(*DIVISIONS)
def _division(body: Body, op: Any) -> None:
    if not isinstance(op.rhs.type, VectorType):
        body.require([op.rhs], op, "divisor")
    elementwise(body, op, DIVISIONS[type(op)])


PREDICATES = ["==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="]


@meaning(arith.CmpiOp)
def _cmpi(body: Body, op: arith.CmpiOp) -> None:
    predicate = op.predicate.value.data
    symbol = PREDICATES[predicate]
    is_signed = 2 <= predicate < 6
    flipped = f"({{0}} ^ {{s.sign}}) {symbol} ({{1}} ^ {{s.sign}})"
    elementwise(body, op, flipped if is_signed else f"{{0}} {symbol} {{1}}")


poison_source(ub.PoisonOp)(lambda _: True)


@meaning(ub.PoisonOp)
def _poison(body: Body, op: ub.PoisonOp) -> None:
    body.let(op.result, poison_of(op.result.type))


def poison_of(type_: Attribute) -> str:
    """An undefined value of the type, as an expression."""
    if as_vector(type_) is None:
        return "POISON"
    return f"(POISON,) * {length_of(type_)}"


@meaning(arith.SelectOp)
def _select(body: Body, op: arith.SelectOp) -> None:
    condition, true, false = body.uses([op.cond, op.lhs, op.rhs])
    if isinstance(op.cond.type, VectorType):
        guard = "POISON if c is POISON else " if body.may_be_poison(op.cond) else ""
        loop = f"for c, a, b in zip({condition}, {true}, {false})"
        body.let(op.result, f"tuple([{guard}a if c else b {loop}])")
        return
    name = body.new(op.result)
    choice = f"{name} = {true} if {condition} else {false}"
    if body.may_be_poison(op.cond):
        body.line(f"if {condition} is POISON: {name} = {poison_of(op.result.type)}")
        choice = f"else: {choice}"
    body.line(choice)


WIDE = "(signed({0}, {t.bits}) * signed({1}, {t.bits}))"
TWO_RESULTS: dict[type[Operation], str] = {
    arith.AddUIExtendedOp: "({0} + {1}) & {t.mask}, {0} + {1} > {t.mask}",
    arith.MulUIExtendedOp: "({0} * {1}) & {t.mask}, ({0} * {1}) >> {t.bits}",
    arith.MulSIExtendedOp: f"{WIDE} & {{t.mask}}, ({WIDE} >> {{t.bits}}) & {{t.mask}}",
}


@meaning(*TWO_RESULTS)
def _two_results(body: Body, op: Any) -> None:
    low, high = (body.new(result) for result in op.results)
    operands = body.uses(op.operands)
    is_vector = isinstance(op.lhs.type, VectorType)
    names = ["a", "b"] if is_vector else operands
    text = f"({TWO_RESULTS[type(op)].format(*names, t=element(op.lhs.type, op))})"
    text = unless_poison(body, op, names, text, "(POISON, POISON)")
    if is_vector:
        text = f"map(tuple, zip(*[{text} for a, b in zip({', '.join(operands)})]))"
    body.line(f"{low}, {high} = {text}")
