"""Comparisons of numbers, and membership in tuples."""

from __future__ import annotations

import ast

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import HOST, promoted, sign
from spmd.frontends.python.types import BOOL, INT, UINT64, Scalar, limits
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Number,
    Scalars,
    Value,
    described,
    integer,
)

_PREDICATES: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("lt", "olt"),
    ast.LtE: ("le", "ole"),
    ast.Gt: ("gt", "ogt"),
    ast.GtE: ("ge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


def compare(e: Emitter, op: ast.cmpop, one: Value, other: Value) -> Scalars:
    """`one op other`, of type `bool`."""
    if isinstance(op, ast.In | ast.NotIn):
        return _member(e, isinstance(op, ast.In), one, other)
    hosts = [_host(v) for v in (one, other) if isinstance(v, Constant | Host)]
    if len(hosts) == 2:
        try:
            return Constant(BOOL, bool(HOST[type(op)][1](*hosts)))
        except TypeError as error:
            e.fail(f"expected what can be compared, got an error: {error}")
    if isinstance(op, ast.Is | ast.IsNot):
        if not any(isinstance(v, Host) for v in (one, other)):
            e.fail(f"expected == or != between numbers, got {sign(op)}")
        return Constant(BOOL, isinstance(op, ast.IsNot))
    a, b = e.scalar(one, f"for {sign(op)}"), e.scalar(other, f"for {sign(op)}")
    if (known := _beyond(op, a, b)) is not None:
        return known
    type_ = _compared_type(e, op, a, b)
    x, y = e.ssa(e.convert(a, type_)), e.ssa(e.convert(b, type_))
    result = Number(BOOL, _compared(e, op, x, y, type_))
    signed = a if a.type == INT else b
    never = signed.low is not None and signed.low >= 0
    if type_ != UINT64 or signed.type != INT or never:
        return result
    # An `int` that is negative is less than any number without a sign.
    below = e.ssa(compare(e, ast.Lt(), signed, integer(0)))
    less = ast.Lt | ast.LtE if signed is a else ast.Gt | ast.GtE
    then = e.ssa(Constant(BOOL, isinstance(op, less | ast.NotEq)))
    return e.number(BOOL, arith.SelectOp(below, then, result.ssa))


def _beyond(op: ast.cmpop, a: Scalars, b: Scalars) -> Constant | None:
    """What is known where no number of a type is on the other side of an `int`."""
    hosts: list[int] = []
    is_beyond = False
    for one, other in ((a, b), (b, a)):
        known: int = one.value if isinstance(one, Constant) else limits(one.type)[0]
        hosts.append(known)
        if isinstance(one, Constant) and one.type == INT and other.type.is_integer:
            least, most = limits(other.type)
            is_beyond |= not least <= known <= most
    return Constant(BOOL, bool(HOST[type(op)][1](*hosts))) if is_beyond else None


def _host(value: Constant | Host) -> object:
    """What Python and NumPy compare: a `float` is rounded as the number that it meets."""
    return value.host if isinstance(value, Constant) else value.value


def _member(e: Emitter, is_in: bool, one: Value, other: Value) -> Scalars:
    """`one in other`, or `not in`."""
    if not isinstance(other, Items):
        e.fail(f"expected a tuple after in, got {described(other.type)}; write a loop")
    found: Scalars = Constant(BOOL, not is_in)
    for each in other.values:
        same = compare(e, ast.Eq() if is_in else ast.NotEq(), one, each)
        if isinstance(same, Constant) and bool(same.value) == is_in:
            return same
        if isinstance(found, Constant) or isinstance(same, Constant):
            found = same if isinstance(found, Constant) else found
            continue
        made = arith.OrIOp if is_in else arith.AndIOp
        found = e.number(BOOL, made(found.ssa, same.ssa))
    return found


def _compared_type(e: Emitter, op: ast.AST, a: Scalars, b: Scalars) -> Scalar:
    """
    As for arithmetic, but that an `int` does not become narrower.

    NumPy compares it by its value too, whatever it is compared with.
    """
    types = {a.type, b.type}
    is_int = any(each.type == INT and isinstance(each, Number) for each in (a, b))
    if is_int and all(each.is_integer and each != UINT64 for each in types):
        return INT
    return promoted(e, sign(op), a, b)


def _compared(
    e: Emitter, op: ast.AST, x: SSAValue, y: SSAValue, type_: Scalar
) -> SSAValue:
    of_integers, of_floats = _PREDICATES[type(op)]
    if type_.kind == "f":
        return e.add(arith.CmpfOp(x, y, of_floats))
    if of_integers not in ("eq", "ne"):
        of_integers = ("s" if type_.kind == "i" else "u") + of_integers
    return e.add(arith.CmpiOp(x, y, of_integers))
