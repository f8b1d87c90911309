"""
Arithmetic and comparisons, with the meaning that Python and NumPy give them.

Numbers are promoted as NumPy 2 does it. Constants are computed by Python itself.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Operation, SSAValue

from spmd.dialects.compat.missing_arith import RemFOp
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.types import (
    BOOL,
    FLOAT,
    FLOAT64,
    Scalar,
    limits,
    promote,
)
from spmd.frontends.python.values import (
    Constant,
    Host,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
    value_of,
)

_operator: Any = operator  # Some of its functions have types that are partly unknown.

HOST: dict[type[ast.AST], tuple[str, Callable[..., object]]] = {
    ast.Add: ("+", _operator.add),
    ast.Sub: ("-", _operator.sub),
    ast.Mult: ("*", _operator.mul),
    ast.Div: ("/", _operator.truediv),
    ast.FloorDiv: ("//", _operator.floordiv),
    ast.Mod: ("%", _operator.mod),
    ast.Pow: ("**", _operator.pow),
    ast.LShift: ("<<", _operator.lshift),
    ast.RShift: (">>", _operator.rshift),
    ast.BitAnd: ("&", _operator.and_),
    ast.BitOr: ("|", _operator.or_),
    ast.BitXor: ("^", _operator.xor),
    ast.UAdd: ("+", _operator.pos),
    ast.USub: ("-", _operator.neg),
    ast.Invert: ("~", _operator.invert),
    ast.Lt: ("<", _operator.lt),
    ast.LtE: ("<=", _operator.le),
    ast.Gt: (">", _operator.gt),
    ast.GtE: (">=", _operator.ge),
    ast.Eq: ("==", _operator.eq),
    ast.NotEq: ("!=", _operator.ne),
    ast.Is: ("is", _operator.is_),
    ast.IsNot: ("is not", _operator.is_not),
}

_OfTwo = Callable[[SSAValue, SSAValue], Operation]

_PLAIN: dict[type[ast.AST], tuple[_OfTwo, _OfTwo]] = {
    ast.Add: (arith.AddiOp, arith.AddfOp),
    ast.Sub: (arith.SubiOp, arith.SubfOp),
    ast.Mult: (arith.MuliOp, arith.MulfOp),
}
"""The operations on integers and on floats."""

_BITS: dict[type[ast.AST], _OfTwo] = {
    ast.BitAnd: arith.AndIOp,
    ast.BitOr: arith.OrIOp,
    ast.BitXor: arith.XOrIOp,
}

_LARGEST_POWER = 64
"""The largest constant exponent that is computed by multiplications."""


def sign(op: ast.AST) -> str:
    """How an operator is written."""
    return HOST[type(op)][0] if type(op) in HOST else type(op).__name__


def binary(e: Emitter, op: ast.operator, one: Value, other: Value) -> Value:
    """`one op other`."""
    if type(op) not in HOST:
        e.fail("expected arrays of one dimension for @; write the sums as loops")
    for value in (one, other):
        if not isinstance(value, Constant | Number):
            advice = ""
            if isinstance(value, Host) and isinstance(value.value, str):
                advice = "; print takes f-strings"
            elif isinstance(value, Memory):
                advice = "; a work-item computes elements, as in x[global_id()], or in a loop"
            e.fail(
                f"expected numbers for {sign(op)}, got {described(one.type)} and "
                f"{described(other.type)}{advice}"
            )
    assert isinstance(one, Constant | Number)
    assert isinstance(other, Constant | Number)
    if isinstance(one, Constant) and isinstance(other, Constant):
        return _folded(e, op, one, other)
    if isinstance(op, ast.LShift | ast.RShift):
        return _shift(e, op, one, other)
    if isinstance(op, ast.Pow):
        return _power(e, one, other)
    type_ = promoted(e, sign(op), one, other)
    if type(op) in _BITS:
        return _bitwise(e, op, one, other, type_)
    if type_ == BOOL:
        e.fail(
            f"expected numbers for {sign(op)}, got bool and bool; int(...) makes a number"
        )
    if isinstance(op, ast.Div) and type_.kind != "f":
        type_ = FLOAT if type_.weak else FLOAT64
    a, b = e.convert(one, type_), e.convert(other, type_)
    if type(op) in _PLAIN:
        made = _PLAIN[type(op)][type_.kind == "f"](e.ssa(a), e.ssa(b))
        return e.number(type_, made, *_bounds(op, a, b, type_))
    if isinstance(op, ast.Div):
        return e.number(type_, arith.DivfOp(e.ssa(a), e.ssa(b)))
    if type_.kind == "f":
        return _divide_floats(e, op, a, b)
    return _divide_integers(e, op, a, b)


def promoted(e: Emitter, what: str, one: Scalars, other: Scalars) -> Scalar:
    """The type of arithmetic on both, or an error about the operation `what`."""
    type_ = promote(one.type, other.type)
    if type_ is None:
        e.fail(
            f"expected types for {what} that NumPy can join without rounding, got "
            f"{one.type} and {other.type}; convert one, as in {other.type.written}(...)"
        )
    return type_


def _folded(e: Emitter, op: ast.AST, *operands: Constant) -> Value:
    written, function = HOST[type(op)]
    hosts = [operand.host for operand in operands]
    if isinstance(op, ast.LShift | ast.Pow) and abs(hosts[1]) > 1 << 10:
        e.fail(
            f"expected a constant that fits 64 bits, got {hosts[0]} {written} {hosts[1]}"
        )
    try:
        with np.errstate(all="ignore"):
            result = value_of(function(*hosts))
    except (ArithmeticError, ValueError, TypeError) as error:
        shown = f" {written} ".join(map(str, hosts)) if len(hosts) > 1 else written
        e.fail(f"expected constants that can be computed, got {shown}: {error}")
    if not isinstance(result, Constant):
        e.fail(f"expected a real number, got {written} of {hosts} that gives none")
    return result


def _bounds(
    op: ast.AST, a: Scalars, b: Scalars, type_: Scalar
) -> tuple[int | None, int | None]:
    """What a sum or product lies between, if it cannot wrap around."""
    if a.low is None or b.low is None or a.high is None or b.high is None:
        return None, None
    if isinstance(op, ast.Add):
        low, high = a.low + b.low, a.high + b.high
    elif isinstance(op, ast.Mult) and min(a.low, b.low) >= 0:
        low, high = a.low * b.low, a.high * b.high
    else:
        return None, None
    least, most = limits(type_)
    return (low, high) if least <= low and high <= most else (None, None)


def _bitwise(
    e: Emitter, op: ast.AST, one: Scalars, other: Scalars, type_: Scalar
) -> Value:
    if type_.kind == "f":
        e.fail(
            f"expected whole numbers for {sign(op)}, got {one.type} and {other.type}"
        )
    a, b = e.convert(one, type_), e.convert(other, type_)
    made = _BITS[type(op)](e.ssa(a), e.ssa(b))
    some = [each for each in (a, b) if each.low is not None and each.low >= 0]
    if isinstance(op, ast.BitAnd) and some:
        highs = [each.high for each in some if each.high is not None]
        return e.number(type_, made, 0, min(highs, default=None))
    return e.number(type_, made, 0 if len(some) == 2 else None)


def _shift(e: Emitter, op: ast.AST, one: Scalars, other: Scalars) -> Value:
    type_ = promoted(e, sign(op), one, other)
    if not type_.is_integer:
        e.fail(
            f"expected whole numbers for {sign(op)}, got {one.type} and {other.type}"
        )
    if isinstance(other, Constant) and not 0 <= other.value < type_.bits:
        e.fail(
            f"expected a shift by 0 to {type_.bits - 1} of {type_}, got {other.value}"
        )
    a, b = e.convert(one, type_), e.convert(other, type_)
    if isinstance(op, ast.LShift):
        made = arith.ShLIOp(e.ssa(a), e.ssa(b))
        if not isinstance(b, Constant):
            return e.number(type_, made)
        factor = Constant(type_, 1 << b.value)
        return e.number(type_, made, *_bounds(ast.Mult(), a, factor, type_))
    shift = arith.ShRUIOp if type_.kind == "u" else arith.ShRSIOp
    known = (0, a.high) if a.low is not None and a.low >= 0 else (None, None)
    return e.number(type_, shift(e.ssa(a), e.ssa(b)), *known)


def _power(e: Emitter, one: Scalars, other: Scalars) -> Value:
    if isinstance(other, Constant) and other.type.is_integer and one.type != BOOL:
        type_ = promoted(e, "**", one, other)
        if abs(other.value) <= (_LARGEST_POWER if type_.is_integer else 4):
            return _multiplied(e, e.convert(one, type_), other.value)
    type_ = promoted(e, "**", one, other)
    if type_.kind != "f":
        e.fail(
            f"expected a constant from 0 to {_LARGEST_POWER} as exponent of {one.type}, "
            f"got {described(other.type)}; write 1 << n for powers of 2, float(...) ** ..., "
            "or a loop"
        )
    a, b = e.convert(one, type_), e.convert(other, type_)
    return e.number(type_, math.PowFOp(e.ssa(a), e.ssa(b)))


def _multiplied(e: Emitter, base: Scalars, exponent: int) -> Value:
    """A power by squaring."""
    if exponent < 0:
        if base.type.is_integer:
            e.fail(
                f"expected an exponent of at least 0 for {base.type}, got {exponent}; "
                "write float(...) ** ..."
            )
        power = _multiplied(e, base, -exponent)
        return binary(e, ast.Div(), e.convert(integer(1), base.type), power)
    result: Value = e.convert(integer(1), base.type)
    square: Value = base
    first = True
    while exponent:
        if exponent & 1:
            result = square if first else binary(e, ast.Mult(), result, square)
            first = False
        exponent >>= 1
        if exponent:
            square = binary(e, ast.Mult(), square, square)
    return result


# --- division ---------------------------------------------------------------------------


def _divide_integers(e: Emitter, op: ast.AST, a: Scalars, b: Scalars) -> Value:
    """Towards minus infinity; a remainder has the sign of the divisor."""
    type_, is_floor = a.type, isinstance(op, ast.FloorDiv)
    if isinstance(b, Constant) and b.value == 0:
        e.fail(f"expected a divisor other than 0 for {sign(op)}, got 0")
    x, y = e.ssa(a), e.ssa(b)
    positive = (b.low or 0) > 0
    if type_.kind == "u" or (positive and a.low is not None and a.low >= 0):
        made = arith.DivUIOp if is_floor else arith.RemUIOp
        return e.number(type_, made(x, y), 0, a.high)
    if is_floor:
        return e.number(type_, arith.FloorDivSIOp(x, y))
    rest = e.add(arith.RemSIOp(x, y))
    zero = e.constants.zero(type_.ir)
    if positive:
        wrong = e.add(arith.CmpiOp(rest, zero, "slt"))
    else:
        signs = e.add(arith.CmpiOp(e.add(arith.XOrIOp(rest, y)), zero, "slt"))
        some = e.add(arith.CmpiOp(rest, zero, "ne"))
        wrong = e.add(arith.AndIOp(some, signs))
    moved = e.add(arith.AddiOp(rest, y))
    known = (0, b.high) if positive else (None, None)
    return e.number(type_, arith.SelectOp(wrong, moved, rest), *known)


def _divide_floats(e: Emitter, op: ast.AST, a: Scalars, b: Scalars) -> Value:
    """As `npy_divmod` of NumPy, and `float_divmod` of CPython."""
    type_ = a.type
    x, y = e.ssa(a), e.ssa(b)
    zero = e.constants.zero(type_.ir)
    rest = e.add(RemFOp(x, y))
    some = e.add(arith.CmpfOp(rest, zero, "une"))
    negative = e.add(arith.CmpfOp(rest, zero, "olt"))
    divisor_negative = e.add(arith.CmpfOp(y, zero, "olt"))
    wrong = e.add(arith.AndIOp(some, e.add(arith.XOrIOp(negative, divisor_negative))))
    moved = e.add(arith.SelectOp(wrong, e.add(arith.AddfOp(rest, y)), rest))
    if isinstance(op, ast.Mod):
        none = e.add(math.CopySignOp(zero, y))
        return e.number(type_, arith.SelectOp(some, moved, none))
    one, half = (e.ssa(e.convert(Constant(FLOAT, n), type_)) for n in (1.0, 0.5))
    exact = e.add(arith.DivfOp(x, y))
    quotient = e.add(arith.DivfOp(e.add(arith.SubfOp(x, rest)), y))
    less = e.add(arith.SubfOp(quotient, one))
    quotient = e.add(arith.SelectOp(wrong, less, quotient))
    floor = e.add(math.FloorOp(quotient))
    above = e.add(arith.CmpfOp(e.add(arith.SubfOp(quotient, floor)), half, "ogt"))
    floor = e.add(arith.SelectOp(above, e.add(arith.AddfOp(floor, one)), floor))
    is_zero = e.add(arith.CmpfOp(quotient, zero, "oeq"))
    signed_zero = e.add(math.CopySignOp(zero, exact))
    floor = e.add(arith.SelectOp(is_zero, signed_zero, floor))
    by_zero = e.add(arith.CmpfOp(y, zero, "oeq"))
    return e.number(type_, arith.SelectOp(by_zero, exact, floor))


# --- one operand ---------------------------------------------------------------------------


def unary(e: Emitter, op: ast.unaryop, value: Value) -> Value:
    """`op value`, other than `not`."""
    number = e.scalar(value, f"for {sign(op)}")
    if number.type == BOOL:
        e.fail(f"expected a number for {sign(op)}, got bool; write not, or int(...)")
    if isinstance(number, Constant):
        return _folded(e, op, number)
    type_ = number.type
    if isinstance(op, ast.UAdd):
        return number
    if isinstance(op, ast.USub):
        if type_.kind == "f":
            return e.number(type_, arith.NegfOp(number.ssa))
        zero = e.constants.zero(type_.ir)
        return e.number(type_, arith.SubiOp(zero, number.ssa))
    if not type_.is_integer:
        e.fail(f"expected a whole number for ~, got {type_}")
    return e.number(type_, arith.XOrIOp(number.ssa, e.constants.number(-1, type_.ir)))
