"""Shifts by too much, and floats that do not fit an integer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    VectorType,
)
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.interfaces.preconditions import (
    Comparison,
    Fault,
    Preconditions,
    Terms,
    bits_of,
)

Shift = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp


def shifted_out(op: Shift, terms: Terms) -> Sequence[Fault]:
    """Where a shift is by the width or more."""
    bits = bits_of(op.rhs.type)
    too_far = Comparison("uge", op.rhs, terms.number(bits, op.rhs.type))
    message = f"a shift of {bits} bits by the width or more"
    if isinstance(op.rhs.type, VectorType):
        return [Fault(message, (), ((too_far,),), of_value=True)]
    return [Fault(f"{message}: by {{}}", (op.rhs,), ((too_far,),), of_value=True)]


def does_not_fit(op: arith.FPToSIOp | arith.FPToUIOp, terms: Terms) -> Sequence[Fault]:
    """Where a float, rounded towards zero, is no integer of the type of the result."""
    source = op.input.type
    element = get_element_type_or_self(source)
    assert isinstance(element, AnyFloat)
    bits = bits_of(op.result.type)
    if isinstance(op, arith.FPToSIOp):
        least, end = -(1 << (bits - 1)), 1 << (bits - 1)
        # One below the least is too low, if there is such a float; else what is lower.
        exact = bits <= _precision(element)
        below = Comparison(
            "ule" if exact else "ult",
            op.input,
            terms.number(_as_float(least - exact, element), source),
        )
        if _as_float(least, element) == float("-inf"):
            below = Comparison("ule", op.input, terms.number(float("-inf"), source))
    else:
        end = 1 << bits
        below = Comparison("ule", op.input, terms.number(-1.0, source))
    above = Comparison("uge", op.input, terms.number(_as_float(end, element), source))
    message = f"a float that does not fit i{bits}"
    return [Fault(message, (), ((below,), (above,)), of_value=True)]


def _precision(type_: AnyFloat) -> int:
    """The bits of the significand of a float, the hidden one included."""
    if isinstance(type_, Float16Type):
        return 11
    if isinstance(type_, BFloat16Type):
        return 8
    return 24 if isinstance(type_, Float32Type) else 53


def _as_float(power: int, type_: AnyFloat) -> float:
    """A number near a power of two, infinite where the type has none so large."""
    if isinstance(type_, Float16Type) and abs(power) > 65504:
        return float("inf") if power > 0 else float("-inf")
    return float(power)


Preconditions(shifted_out).attach(arith.ShLIOp, arith.ShRUIOp, arith.ShRSIOp)
Preconditions(does_not_fit).attach(arith.FPToSIOp, arith.FPToUIOp)
