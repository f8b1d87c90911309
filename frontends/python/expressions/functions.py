"""What functions of Python, `math` and NumPy become in a kernel."""

from __future__ import annotations

import ast
import builtins
import math as python_math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from xdsl.dialects import arith, math
from xdsl.ir import Operation

from spmd.dialects.compat.missing_arith import RemFOp
from spmd.frontends.python import names
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import binary, promoted, unary
from spmd.frontends.python.expressions.comparisons import compare
from spmd.frontends.python.expressions.memory import size
from spmd.frontends.python.expressions.parallel import HANDLERS as OF_LANGUAGE
from spmd.frontends.python.expressions.parallel import Handler
from spmd.frontends.python.types import (
    BOOL,
    FLOAT,
    FLOAT32,
    FLOAT64,
    INT,
    SCALARS,
    Scalar,
    limits,
    promote,
)
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
    value_of,
)


def float_type(type_: Scalar) -> Scalar:
    """The type that NumPy computes a function of real numbers in, for numbers of `type_`."""
    if type_.kind == "f":
        return type_
    if type_ == INT:
        return FLOAT
    if type_.bits <= 8:
        return SCALARS["float16"]
    return FLOAT32 if type_.bits == 16 else FLOAT64


def _fold(function: Callable[..., object], *values: Value) -> Value | None:
    """What a function of Python says of constants, if all are and it says something."""
    hosts: list[object] = []
    for value in values:
        if not isinstance(value, Constant):
            return None
        hosts.append(value.host)
    try:
        with np.errstate(all="ignore"):
            found = value_of(function(*hosts))
    except (ArithmeticError, ValueError, TypeError):
        return None
    return found if isinstance(found, Constant) else None


def _float_function(op: Callable[..., Operation], function: object) -> Handler:
    """A function of one real number, in the type of its argument."""

    def handler(e: Emitter, x: Value) -> Value:
        number = e.scalar(x, "as argument")
        if callable(function) and (known := _fold(function, number)) is not None:
            return known
        type_ = float_type(number.type)
        return e.number(type_, op(e.ssa(e.convert(number, type_))))

    return handler


def _float_function_of_two(op: Callable[..., Operation]) -> Handler:
    def handler(e: Emitter, x: Value, y: Value) -> Value:
        one, other = e.scalar(x, "as argument"), e.scalar(y, "as argument")
        type_ = float_type(promoted(e, "both arguments", one, other))
        a, b = (e.ssa(e.convert(each, type_)) for each in (one, other))
        return e.number(type_, op(a, b))

    return handler


def _fma(e: Emitter, x: Value, y: Value, z: Value) -> Value:
    numbers = [e.scalar(each, "as argument") for each in (x, y, z)]
    one, other, last = numbers
    type_ = promoted(e, "x and y", one, other)
    type_ = float_type(promoted(e, "the sum", Constant(type_, 0), last))
    a, b, c = (e.ssa(e.convert(each, type_)) for each in numbers)
    return e.number(type_, math.FmaOp(a, b, c))


def _to_integer(op: Callable[..., Operation], function: object) -> Handler:
    """`math.floor` and its like, which give an `int`."""
    rounded = _float_function(op, function)

    def handler(e: Emitter, x: Value) -> Value:
        number = e.scalar(x, "as argument")
        if number.type.kind != "f":
            return e.convert(number, INT)
        return _cast(e, INT, rounded(e, number))

    return handler


def _cast(e: Emitter, type_: Scalar, x: Value) -> Value:
    number = e.scalar(x, f"for {type_}(...)")
    return e.truth(number) if type_ == BOOL else e.convert(number, type_)


@cache
def cast_to(type_: Scalar) -> Handler:
    """A call of a type, as in `np.float32(x)`."""
    zero = Constant(type_, 0)

    def handler(e: Emitter, x: Value = zero) -> Value:
        return _cast(e, type_, x)

    return handler


def _absolute(e: Emitter, x: Value) -> Value:
    number = e.scalar(x, "as argument")
    if (known := _fold(abs, number)) is not None:
        return known
    type_ = number.type
    if type_.kind in "ub":
        return e.convert(number, INT) if type_ == BOOL else number
    if type_.kind == "f":
        return e.number(type_, math.AbsFOp(e.ssa(number)))
    # The smallest number has no opposite, and stays what it is.
    wraps = number.low is None or number.low == limits(type_)[0]
    return e.number(type_, math.AbsIOp(e.ssa(number)), None if wraps else 0)


def _extreme(function: Callable[..., Any], predicate: ast.cmpop) -> Handler:
    """`min` or `max` of Python: the first one, unless a later one is less or greater."""

    def handler(e: Emitter, *values: Value) -> Value:
        given = values
        if len(values) == 1 and isinstance(values[0], Items):
            given = values[0].values
        if not given or (len(values) == 1 and given is values):
            got = ", ".join(described(each.type) for each in values) or "nothing"
            e.fail(f"expected two numbers or more, or a tuple of them, got {got}")
        best = e.scalar(given[0], "as argument")
        for each in given[1:]:
            number = e.scalar(each, "as argument")
            best = _chosen(e, function, predicate, number, best)
        return best

    return handler


def _chosen(
    e: Emitter,
    function: Callable[..., Any],
    op: ast.cmpop,
    number: Scalars,
    best: Scalars,
) -> Scalars:
    numbers = [each for each in (number, best) if isinstance(each, Number)]
    type_ = promote(number.type, best.type)
    if type_ and numbers and all(_is_among(each, type_) for each in numbers):
        whole = e.convert(best, type_), e.convert(number, type_)
        return extreme(e, function, type_, *whole)
    # An `int` is compared by its value, and may be too large for the type of the result.
    better = compare(e, op, number, best)
    if isinstance(better, Constant):
        return number if better.value else best
    return select(e, better, number, best)


def _is_among(number: Number, type_: Scalar) -> bool:
    """Whether `type_` is one of whole numbers, and has whatever `number` may be."""
    if not type_.is_integer:
        return False
    if number.type == type_:
        return True
    if not number.type.is_integer:
        return False
    least, most = limits(number.type)
    low = least if number.low is None else number.low
    high = most if number.high is None else number.high
    return limits(type_)[0] <= low and high <= limits(type_)[1]


def extreme(
    e: Emitter,
    function: Callable[[int, int], int],
    type_: Scalar,
    one: Scalars,
    other: Scalars,
) -> Scalars:
    """`function`, which is `min` or `max`, of two whole numbers of type `type_`."""
    lows = [each.low for each in (one, other) if each.low is not None]
    highs = [each.high for each in (one, other) if each.high is not None]
    if isinstance(one, Constant) and isinstance(other, Constant):
        return Constant(type_, function(one.value, other.value))
    if function is max:
        low = max(lows, default=None)
        high = max(highs) if len(highs) == 2 else None
        made = arith.MaxUIOp if type_.kind == "u" else arith.MaxSIOp
    else:
        low = min(lows) if len(lows) == 2 else None
        high = min(highs, default=None)
        made = arith.MinUIOp if type_.kind == "u" else arith.MinSIOp
    return e.number(type_, made(e.ssa(one), e.ssa(other)), low, high)


def select(e: Emitter, condition: Scalars, one: Scalars, other: Scalars) -> Scalars:
    """One of two numbers, in the type that both have together."""
    type_ = promoted(e, "both values", one, other)
    a, b = e.convert(one, type_), e.convert(other, type_)
    op = arith.SelectOp(e.ssa(condition), e.ssa(a), e.ssa(b))
    if a.low is None or b.low is None or a.high is None or b.high is None:
        return e.number(type_, op)
    return e.number(type_, op, min(a.low, b.low), max(a.high, b.high))


def _ufunc_extreme(
    of_floats: type[Operation], of_signed: type[Operation], of_unsigned: type[Operation]
) -> Handler:
    """`np.minimum` and its like."""

    def handler(e: Emitter, x: Value, y: Value) -> Value:
        one, other = e.scalar(x, "as argument"), e.scalar(y, "as argument")
        type_ = promoted(e, "both arguments", one, other)
        a, b = (e.ssa(e.convert(each, type_)) for each in (one, other))
        made = {"f": of_floats, "i": of_signed}.get(type_.kind, of_unsigned)
        return e.number(type_, made(a, b))  # pyright: ignore[reportCallIssue]

    return handler


def _where(e: Emitter, condition: Value, x: Value, y: Value) -> Value:
    one, other = e.scalar(x, "to choose"), e.scalar(y, "to choose")
    return select(e, e.truth(condition), one, other)


def _length(e: Emitter, x: Value) -> Value:
    match x:
        case Items(values):
            return integer(len(values))
        case Memory():
            return size(e, x, 0)
        case _:
            e.fail(f"expected an array or a tuple for len, got {described(x.type)}")


def _ordinal(e: Emitter, x: Value) -> Value:
    if isinstance(x, Host) and isinstance(x.value, str) and len(x.value) == 1:
        return integer(ord(x.value))
    e.fail(f"expected one character for ord, got {described(x.type)}")


def _total(e: Emitter, x: Value) -> Value:
    if not isinstance(x, Items):
        e.fail(
            f"expected a tuple or an array for sum, got {described(x.type)}; reduce is for "
            "the sum over work-items"
        )
    result: Value = integer(0)
    for each in x.values:
        result = binary(e, ast.Add(), result, each)
    return result


def _is_float(predicate: str) -> Handler:
    """Of `np.isnan` and its like: how a number compares with itself or infinity."""

    def handler(e: Emitter, x: Value) -> Value:
        number = e.scalar(x, "as argument")
        type_ = float_type(number.type)
        value = e.ssa(e.convert(number, type_))
        if predicate == "uno":
            return e.number(BOOL, arith.CmpfOp(value, value, "uno"))
        infinity = e.ssa(e.convert(Constant(FLOAT, python_math.inf), type_))
        size_ = e.add(math.AbsFOp(value))
        return e.number(BOOL, arith.CmpfOp(size_, infinity, predicate))

    return handler


def _negative(e: Emitter, x: Value) -> Value:
    return unary(e, ast.USub(), x)


def _square(e: Emitter, x: Value) -> Value:
    return binary(e, ast.Mult(), x, x)


def _round(e: Emitter, x: Value) -> Value:
    return _to_integer(math.RoundEvenOp, round)(e, x)


_NAMES: list[tuple[Callable[..., Operation], str, str]] = [
    (math.SqrtOp, "sqrt", "sqrt"),
    (math.CbrtOp, "cbrt", "cbrt"),
    (math.ExpOp, "exp", "exp"),
    (math.Exp2Op, "exp2", "exp2"),
    (math.ExpM1Op, "expm1", "expm1"),
    (math.LogOp, "log", "log"),
    (math.Log2Op, "log2", "log2"),
    (math.Log10Op, "log10", "log10"),
    (math.Log1pOp, "log1p", "log1p"),
    (math.SinOp, "sin", "sin"),
    (math.CosOp, "cos", "cos"),
    (math.TanOp, "tan", "tan"),
    (math.AsinOp, "asin", "arcsin"),
    (math.AcosOp, "acos", "arccos"),
    (math.AtanOp, "atan", "arctan"),
    (math.SinhOp, "sinh", "sinh"),
    (math.CoshOp, "cosh", "cosh"),
    (math.TanhOp, "tanh", "tanh"),
    (math.AsinhOp, "asinh", "arcsinh"),
    (math.AcoshOp, "acosh", "arccosh"),
    (math.AtanhOp, "atanh", "arctanh"),
    (math.ErfOp, "erf", ""),
    (math.AbsFOp, "fabs", "fabs"),
    (math.FloorOp, "", "floor"),
    (math.CeilOp, "", "ceil"),
    (math.TruncOp, "", "trunc"),
    (math.RoundEvenOp, "", "rint"),
]
"""Functions of one real number, by their names in `math` and in NumPy."""

_NAMES_OF_TWO: list[tuple[Callable[..., Operation], str, str]] = [
    (math.Atan2Op, "atan2", "arctan2"),
    (math.CopySignOp, "copysign", "copysign"),
    (RemFOp, "fmod", "fmod"),
    (arith.MaxnumfOp, "", "fmax"),
    (arith.MinnumfOp, "", "fmin"),
    (math.PowFOp, "pow", "float_power"),
]


def _by_name() -> dict[object, Handler]:
    found: dict[object, Handler] = {}
    for op, *known in _NAMES:
        for module, name in zip((python_math, np), known, strict=True):
            # `math.exp2` and `math.cbrt` came with Python 3.11.
            if name and (function := getattr(module, name, None)) is not None:
                found[function] = _float_function(op, function)
    for op, *known in _NAMES_OF_TWO:
        for module, name in zip((python_math, np), known, strict=True):
            if name:
                found[getattr(module, name)] = _float_function_of_two(op)
    return found


HANDLERS: dict[object, Handler] = {
    **OF_LANGUAGE,
    **_by_name(),
    builtins.abs: _absolute,
    np.abs: _absolute,
    builtins.min: _extreme(min, ast.Lt()),
    builtins.max: _extreme(max, ast.Gt()),
    np.minimum: _ufunc_extreme(arith.MinimumfOp, arith.MinSIOp, arith.MinUIOp),
    np.maximum: _ufunc_extreme(arith.MaximumfOp, arith.MaxSIOp, arith.MaxUIOp),
    builtins.len: _length,
    builtins.ord: _ordinal,
    builtins.sum: _total,
    builtins.round: _round,
    np.where: _where,
    np.isnan: _is_float("uno"),
    np.isinf: _is_float("oeq"),
    np.isfinite: _is_float("olt"),
    python_math.isnan: _is_float("uno"),
    python_math.isinf: _is_float("oeq"),
    python_math.isfinite: _is_float("olt"),
    python_math.floor: _to_integer(math.FloorOp, python_math.floor),
    python_math.ceil: _to_integer(math.CeilOp, python_math.ceil),
    python_math.trunc: _to_integer(math.TruncOp, python_math.trunc),
    np.negative: _negative,
    names.fma: _fma,
    getattr(python_math, "fma", names.fma): _fma,  # came with Python 3.13
    np.square: _square,
}
"""What writes a call, by the function that is called."""
