"""The meaning of `arith`: integers wrap around, floats round after every op."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, element, elementwise, helper, meaning, trap
from spmd.reference.facts import poison_source
from spmd.reference.scalars import POISON, Scalar, as_vector, length_of, signed


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

IntegerText = Callable[[Scalar, str, str], str]

INTEGER: dict[type[Operation], IntegerText] = {
    arith.AndIOp: lambda t, a, b: f"{a} & {b}",
    arith.OrIOp: lambda t, a, b: f"{a} | {b}",
    arith.XOrIOp: lambda t, a, b: f"{a} ^ {b}",
    arith.MinUIOp: lambda t, a, b: f"({a} if {a} < {b} else {b})",
    arith.MaxUIOp: lambda t, a, b: f"({a} if {a} > {b} else {b})",
    arith.MinSIOp: lambda t, a, b: f"({a} if {a} ^ {t.sign} < {b} ^ {t.sign} else {b})",
    arith.MaxSIOp: lambda t, a, b: f"({a} if {a} ^ {t.sign} > {b} ^ {t.sign} else {b})",
}


@meaning(*INTEGER)
def _integer(body: Body, op: Any) -> None:
    scalar = element(op.result.type, op)
    text = INTEGER[type(op)]
    elementwise(body, op, op.operands, lambda a, b: text(scalar, a, b))


SYMBOLS = {arith.AddiOp: "+", arith.SubiOp: "-", arith.MuliOp: "*"}


@poison_source(arith.AddiOp, arith.SubiOp, arith.MuliOp)
def _may_overflow(op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> bool:
    return bool(op.overflow_flags.data)


@helper
def no_wrap(a: int, b: int, symbol: str, bits: int, flags: str) -> Any:
    """Add, subtract or multiply; undefined where the flags are broken."""
    limit = 1 << bits
    signed_a, signed_b = signed(a, bits), signed(b, bits)
    if symbol == "+":
        exact, exact_signed = a + b, signed_a + signed_b
    elif symbol == "-":
        exact, exact_signed = a - b, signed_a - signed_b
    else:
        exact, exact_signed = a * b, signed_a * signed_b
    if "nuw" in flags and not 0 <= exact < limit:
        return POISON
    if "nsw" in flags and not -limit // 2 <= exact_signed < limit // 2:
        return POISON
    return exact & (limit - 1)


@meaning(arith.AddiOp, arith.SubiOp, arith.MuliOp)
def _wrapping(body: Body, op: arith.AddiOp | arith.SubiOp | arith.MuliOp) -> None:
    scalar = element(op.result.type, op)
    symbol = SYMBOLS[type(op)]
    flags = ",".join(sorted(flag.value for flag in op.overflow_flags.data))

    def text(a: str, b: str) -> str:
        if not flags:
            return f"({a} {symbol} {b}) & {scalar.mask}"
        # Small non-negative operands and result break no flag.
        undefined = body.undefined(op, f"an overflow, which {flags} rules out")
        slow = f"no_wrap({a}, {b}, {symbol!r}, {scalar.bits}, {flags!r})"
        if body.checked:
            temporary = body.fresh("t")
            slow = (
                f"({undefined} if ({temporary} := {slow}) is POISON else {temporary})"
            )
        small = scalar.sign
        if symbol == "+":
            return f"({a} + {b} if {a} + {b} < {small} else {slow})"
        if symbol == "-":
            return f"({a} - {b} if {b} <= {a} < {small} else {slow})"
        return (
            f"({a} * {b} if {a} < {small} and {b} < {small} and "
            f"{a} * {b} < {small} else {slow})"
        )

    elementwise(body, op, op.operands, text)


@poison_source(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
def _may_shift_out(op: arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp) -> bool:
    amount = op.rhs.owner
    if isinstance(amount, arith.ConstantOp) and isinstance(amount.value, IntegerAttr):
        scalar = element(op.result.type, op)
        return not 0 <= amount.value.value.data < scalar.bits
    return True


@meaning(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
def _shift(body: Body, op: arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp) -> None:
    scalar = element(op.result.type, op)
    bits, mask, sign = scalar.bits, scalar.mask, scalar.sign

    def text(a: str, b: str) -> str:
        if isinstance(op, arith.ShLIOp):
            shifted = f"({a} << {b}) & {mask}"
        elif isinstance(op, arith.ShRUIOp):
            shifted = f"{a} >> {b}"
        else:
            shifted = f"((({a} ^ {sign}) - {sign}) >> {b}) & {mask}"
        if not _may_shift_out(op):
            return shifted
        undefined = body.undefined(op, "a shift by the width or more")
        return f"({shifted} if {b} < {bits} else {undefined})"

    elementwise(body, op, op.operands, text)


@helper
def divui(a: int, b: int, site: int) -> int:
    if not b:
        trap(site, "division by zero")
    return a // b


@helper
def remui(a: int, b: int, site: int) -> int:
    if not b:
        trap(site, "division by zero")
    return a % b


@helper
def ceildivui(a: int, b: int, site: int) -> int:
    if not b:
        trap(site, "division by zero")
    return -(-a // b)


def _signed_operands(a: int, b: int, bits: int, site: int) -> tuple[int, int]:
    if not b:
        trap(site, "division by zero")
    x, y = signed(a, bits), signed(b, bits)
    if y == -1 and a == 1 << (bits - 1):
        trap(site, f"overflow: the quotient of {x} and {y} does not fit i{bits}")
    return x, y


@helper
def divsi(a: int, b: int, bits: int, site: int) -> int:
    x, y = _signed_operands(a, b, bits, site)
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & ((1 << bits) - 1)


@helper
def remsi(a: int, b: int, bits: int, site: int) -> int:
    x, y = _signed_operands(a, b, bits, site)
    rest = abs(x) % abs(y)
    return (rest if x >= 0 else -rest) & ((1 << bits) - 1)


@helper
def floordivsi(a: int, b: int, bits: int, site: int) -> int:
    x, y = _signed_operands(a, b, bits, site)
    return (x // y) & ((1 << bits) - 1)


@helper
def ceildivsi(a: int, b: int, bits: int, site: int) -> int:
    x, y = _signed_operands(a, b, bits, site)
    return -(-x // y) & ((1 << bits) - 1)


DIVISIONS: dict[type[Operation], str] = {
    arith.DivUIOp: "divui",
    arith.RemUIOp: "remui",
    arith.CeilDivUIOp: "ceildivui",
    arith.DivSIOp: "divsi",
    arith.RemSIOp: "remsi",
    arith.FloorDivSIOp: "floordivsi",
    arith.CeilDivSIOp: "ceildivsi",
}


@meaning(*DIVISIONS)
def _division(body: Body, op: Any) -> None:
    scalar = element(op.result.type, op)
    name = DIVISIONS[type(op)]
    bits = "" if name.endswith("ui") else f"{scalar.bits}, "
    site = body.site(op)
    if not isinstance(op.rhs.type, VectorType):
        body.require([op.rhs], op, "divisor")
    elementwise(body, op, op.operands, lambda a, b: f"{name}({a}, {b}, {bits}{site})")


PREDICATES = ["==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="]


@meaning(arith.CmpiOp)
def _cmpi(body: Body, op: arith.CmpiOp) -> None:
    scalar = element(op.lhs.type, op)
    predicate = op.predicate.value.data
    symbol = PREDICATES[predicate]
    flip = f" ^ {scalar.sign}" if 2 <= predicate < 6 else ""

    def text(a: str, b: str) -> str:
        if flip:
            return f"({a}{flip}) {symbol} ({b}{flip})"
        return f"{a} {symbol} {b}"

    elementwise(body, op, op.operands, text)


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


def _two_results(body: Body, op: Any, results: Any, expression: str) -> None:
    low, high = (body.new(result) for result in results)
    a, b = body.uses(op.operands)
    if isinstance(op.lhs.type, VectorType):
        pairs = f"[{expression.format('a', 'b')} for a, b in zip({a}, {b})]"
        body.line(f"{low}, {high} = map(tuple, zip(*{pairs}))")
        return
    guards = [
        f"{name} is POISON"
        for name, value in zip((a, b), op.operands, strict=True)
        if body.may_be_poison(value)
    ]
    if guards:
        body.line(f"if {' or '.join(guards)}: {low} = {high} = POISON")
        body.line(f"else: {low}, {high} = {expression.format(a, b)}")
    else:
        body.line(f"{low}, {high} = {expression.format(a, b)}")


@meaning(arith.AddUIExtendedOp)
def _addui_extended(body: Body, op: arith.AddUIExtendedOp) -> None:
    t = element(op.lhs.type, op)
    text = f"(({{0}} + {{1}}) & {t.mask}, {{0}} + {{1}} > {t.mask})"
    _two_results(body, op, (op.sum, op.overflow), text)


@meaning(arith.MulUIExtendedOp)
def _mului_extended(body: Body, op: arith.MulUIExtendedOp) -> None:
    t = element(op.lhs.type, op)
    text = f"(({{0}} * {{1}}) & {t.mask}, ({{0}} * {{1}}) >> {t.bits})"
    _two_results(body, op, (op.low, op.high), text)


@meaning(arith.MulSIExtendedOp)
def _mulsi_extended(body: Body, op: arith.MulSIExtendedOp) -> None:
    t = element(op.lhs.type, op)
    wide = f"(signed({{0}}, {t.bits}) * signed({{1}}, {t.bits}))"
    text = f"({wide} & {t.mask}, ({wide} >> {t.bits}) & {t.mask})"
    _two_results(body, op, (op.low, op.high), text)
