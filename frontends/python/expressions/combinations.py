"""Functions of Python and NumPy that others make: operators, logarithms, clipping, signs."""

from __future__ import annotations

import ast
import builtins
import math as python_math
from collections.abc import Callable

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import binary, promoted
from spmd.frontends.python.expressions.comparisons import compare
from spmd.frontends.python.expressions.functions import HANDLERS as OF_NUMBERS
from spmd.frontends.python.expressions.functions import float_type, select
from spmd.frontends.python.expressions.parallel import Handler
from spmd.frontends.python.types import BOOL, FLOAT, INT
from spmd.frontends.python.values import Constant, Items, Value, integer


def _operator(op: ast.operator) -> Handler:
    def handler(e: Emitter, x: Value, y: Value) -> Value:
        return binary(e, op, x, y)

    return handler


def _divmod(e: Emitter, x: Value, y: Value) -> Value:
    return Items((binary(e, ast.FloorDiv(), x, y), binary(e, ast.Mod(), x, y)))


def _log(e: Emitter, x: Value, base: Value | None = None) -> Value:
    """`math.log`."""
    natural = OF_NUMBERS[np.log]
    above = natural(e, x)
    return above if base is None else binary(e, ast.Div(), above, natural(e, base))


def _scaled(factor: float) -> Handler:
    """Degrees as radians, or the other way round."""

    def handler(e: Emitter, x: Value) -> Value:
        number = e.scalar(x, "as argument")
        converted = e.convert(number, float_type(number.type))
        return binary(e, ast.Mult(), converted, Constant(FLOAT, factor))

    return handler


def _logical(op: Callable[..., Operation]) -> Handler:
    """`np.logical_and` and its like: both are computed."""

    def handler(e: Emitter, x: Value, y: Value) -> Value:
        return e.number(BOOL, op(e.ssa(e.truth(x)), e.ssa(e.truth(y))))

    return handler


def _logical_not(e: Emitter, x: Value) -> Value:
    return compare(e, ast.Eq(), e.convert(e.truth(x), INT), integer(0))


def _clip(e: Emitter, x: Value, low: Value, high: Value) -> Value:
    return OF_NUMBERS[np.minimum](e, OF_NUMBERS[np.maximum](e, x, low), high)


def _sign(e: Emitter, x: Value) -> Value:
    """Of floats NaN stays, and both zeros become 0."""
    number, zero = e.scalar(x, "as argument"), integer(0)
    rest = e.convert(integer(0), number.type)
    if number.type.kind == "f":
        rest = select(e, compare(e, ast.Eq(), number, zero), rest, number)
    if number.type.kind != "u":
        below = compare(e, ast.Lt(), number, zero)
        rest = select(e, below, e.convert(integer(-1), number.type), rest)
    above = compare(e, ast.Gt(), number, zero)
    return select(e, above, e.convert(integer(1), number.type), rest)


def _hypot(e: Emitter, x: Value, y: Value) -> Value:
    """No square overflows or vanishes; off by two units in the last place at most."""
    one, other = e.scalar(x, "as argument"), e.scalar(y, "as argument")
    type_ = float_type(promoted(e, "both arguments", one, other))
    a, b = (OF_NUMBERS[abs](e, e.convert(each, type_)) for each in (one, other))
    large, small = OF_NUMBERS[np.maximum](e, a, b), OF_NUMBERS[np.minimum](e, a, b)
    is_zero, where = compare(e, ast.Eq(), large, integer(0)), OF_NUMBERS[np.where]
    ratio = binary(e, ast.Div(), small, where(e, is_zero, integer(1), large))
    square = binary(e, ast.Mult(), ratio, ratio)
    root = OF_NUMBERS[np.sqrt](e, binary(e, ast.Add(), square, integer(1)))
    length = binary(e, ast.Mult(), large, root)
    # An infinity counts more than NaN.
    infinite = OF_NUMBERS[np.isinf]
    any_ = _logical(arith.OrIOp)(e, infinite(e, a), infinite(e, b))
    return where(e, any_, Constant(FLOAT, python_math.inf), length)


_RADIANS, _DEGREES = _scaled(python_math.pi / 180), _scaled(180 / python_math.pi)

HANDLERS: dict[object, Handler] = {
    **OF_NUMBERS,
    builtins.pow: _operator(ast.Pow()),
    np.power: _operator(ast.Pow()),
    np.add: _operator(ast.Add()),
    np.subtract: _operator(ast.Sub()),
    np.multiply: _operator(ast.Mult()),
    np.divide: _operator(ast.Div()),
    np.floor_divide: _operator(ast.FloorDiv()),
    np.remainder: _operator(ast.Mod()),
    np.bitwise_and: _operator(ast.BitAnd()),
    np.bitwise_or: _operator(ast.BitOr()),
    np.bitwise_xor: _operator(ast.BitXor()),
    np.left_shift: _operator(ast.LShift()),
    np.right_shift: _operator(ast.RShift()),
    builtins.divmod: _divmod,
    np.logical_and: _logical(arith.AndIOp),
    np.logical_or: _logical(arith.OrIOp),
    np.logical_xor: _logical(arith.XOrIOp),
    np.logical_not: _logical_not,
    np.clip: _clip,
    np.sign: _sign,
    np.hypot: _hypot,
    python_math.hypot: _hypot,
    python_math.log: _log,
    np.deg2rad: _RADIANS,
    np.radians: _RADIANS,
    python_math.radians: _RADIANS,
    np.rad2deg: _DEGREES,
    np.degrees: _DEGREES,
    python_math.degrees: _DEGREES,
}
"""What writes a call, by the function that is called."""
