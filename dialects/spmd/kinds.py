"""How collectives combine two values: the kinds of `spmd.reduce` and `spmd.scan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, cast

from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
)
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from spmd.dialects.spmd.attributes import BracketedKeyword
from spmd.dialects.spmd.types import WIDTHS, is_float, is_integer

Neutral: TypeAlias = IntegerAttr[IntegerType | IndexType] | FloatAttr[AnyFloat]


class Kind(StrEnum):
    """How two values become one; each kind is associative and commutative."""

    ADD = "add"
    MUL = "mul"
    MIN = "min"
    MAX = "max"
    MINUI = "minui"
    MAXUI = "maxui"
    AND = "and"
    OR = "or"
    XOR = "xor"


@irdl_attr_definition
class KindAttr(BracketedKeyword, EnumAttribute[Kind]):
    """`#spmd.kind<add>`; ops print the bare keyword."""

    name = "spmd.kind"


INTEGERS_OR_FLOATS = "an integer of 8 to 64 bits, index or a float"
INTEGERS = "an integer of 8 to 64 bits or index"
INTEGERS_AND_I1 = "an integer or index"

_BITWISE = (Kind.AND, Kind.OR, Kind.XOR)
_UNSIGNED = (Kind.MINUI, Kind.MAXUI)


def why_not_kind(kind: Kind, type_: Attribute) -> str | None:
    """Why values of this type cannot be combined by `kind`."""
    if kind in _BITWISE:
        allowed, wanted = is_integer(type_), INTEGERS_AND_I1
    elif kind in _UNSIGNED:
        allowed, wanted = is_integer(type_, narrowest=8), INTEGERS
    else:
        allowed = is_integer(type_, narrowest=8) or is_float(type_)
        wanted = INTEGERS_OR_FLOATS
    if allowed:
        return None
    return f"expected {wanted} for {kind}, got {type_}"


def _neutral_integer(kind: Kind, width: int) -> int:
    match kind:
        case Kind.ADD | Kind.OR | Kind.XOR | Kind.MAXUI:
            return 0
        case Kind.MUL:
            return 1
        case Kind.AND | Kind.MINUI:
            return -1
        case Kind.MIN:
            return 2 ** (width - 1) - 1
        case Kind.MAX:
            return -(2 ** (width - 1))


_NEUTRAL_FLOAT = {
    Kind.ADD: 0.0,
    Kind.MUL: 1.0,
    Kind.MIN: float("inf"),
    Kind.MAX: float("-inf"),
}


def neutral_element(kind: Kind, type_: Attribute) -> Neutral:
    """
    The value that changes nothing when it is combined by `kind`.

    The first work-item of an exclusive scan gets it. For `add` of floats it is +0.0, which
    changes -0.0. `why_not_kind` must allow the type.
    """
    if is_float(type_):
        return FloatAttr(_NEUTRAL_FLOAT[kind], cast(AnyFloat, type_))
    value = _neutral_integer(kind, WIDTHS[type_])
    return IntegerAttr(value, cast(IntegerType | IndexType, type_))


def combine(
    kind: Kind, lhs: SSAValue | Operation, rhs: SSAValue | Operation
) -> Operation:
    """The `arith` op that combines two scalars or vectors by `kind`."""
    from xdsl.dialects import arith
    from xdsl.utils.type import get_element_type_or_self

    integer: dict[Kind, Callable[..., Operation]] = {
        Kind.ADD: arith.AddiOp,
        Kind.MUL: arith.MuliOp,
        Kind.MIN: arith.MinSIOp,
        Kind.MAX: arith.MaxSIOp,
        Kind.MINUI: arith.MinUIOp,
        Kind.MAXUI: arith.MaxUIOp,
        Kind.AND: arith.AndIOp,
        Kind.OR: arith.OrIOp,
        Kind.XOR: arith.XOrIOp,
    }
    floating: dict[Kind, Callable[..., Operation]] = {
        Kind.ADD: arith.AddfOp,
        Kind.MUL: arith.MulfOp,
        Kind.MIN: arith.MinimumfOp,
        Kind.MAX: arith.MaximumfOp,
    }
    element = get_element_type_or_self(SSAValue.get(lhs).type)
    return (floating if is_float(element) else integer)[kind](lhs, rhs)
