"""Overflows that a flag rules out, shifts by too much, floats that do not fit an integer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.interfaces.preconditions import (
    Bits,
    Case,
    Comparison,
    Fault,
    Preconditions,
    Terms,
    below_zero,
    bits_of,
)
from spmd.dialects.rewriting import splat_number

Wrapping = arith.AddiOp | arith.SubiOp | arith.MuliOp | arith.ShLIOp
Shift = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp


def wraps_around(op: Wrapping, terms: Terms) -> Sequence[Fault]:
    """Where a result leaves the range that a flag promises."""
    flags = {flag.value for flag in op.overflow_flags.data}
    cases = {
        "nsw": {
            arith.AddiOp: _sum_past_signed,
            arith.SubiOp: _difference_past_signed,
            arith.MuliOp: _product_past_signed,
            arith.ShLIOp: _multiple_past_signed,
        },
        "nuw": {
            arith.AddiOp: _sum_past_unsigned,
            arith.SubiOp: _difference_past_unsigned,
            arith.MuliOp: _product_past_unsigned,
            arith.ShLIOp: _multiple_past_unsigned,
        },
    }
    return [
        Fault(
            f"an overflow of {bits_of(op.result.type)} bits, which {flag} rules out",
            (),
            tuple(cases[flag][type(op)](op.lhs, op.rhs, terms)),
            _by_signs(op, terms) if flag == "nsw" else None,
        )
        for flag in sorted(flags)
    ]


def _by_signs(op: Wrapping, terms: Terms) -> Callable[[], Case] | None:
    """
    Where the sign of a sum or of a difference cannot be right.

    Henry S. Warren, Hacker's Delight, 2nd edition, section 2-13.
    """
    a, b = op.lhs, op.rhs

    def differ(x: SSAValue, y: SSAValue) -> SSAValue:
        return terms.add(arith.XOrIOp(x, y))

    def wrong() -> Case:
        result = terms.add(type(op)(a, b))
        other = differ(b, result) if isinstance(op, arith.AddiOp) else differ(a, b)
        sign = terms.add(arith.AndIOp(differ(a, result), other))
        return (below_zero(sign, terms),)

    return wrong if isinstance(op, arith.AddiOp | arith.SubiOp) else None


def _limits(terms: Terms, type_: Attribute) -> tuple[SSAValue, SSAValue]:
    """The least and the largest signed number."""
    half = 1 << (bits_of(type_) - 1)
    return terms.number(-half, type_), terms.number(half - 1, type_)


def _sum_past_signed(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    least, most = _limits(terms, a.type)
    zero = terms.number(0, a.type)
    # What is left up to the limit does not wrap around on that side of 0.
    above, below = (terms.add(arith.SubiOp(end, b)) for end in (most, least))
    yield Comparison("sgt", b, zero), Comparison("sgt", a, above)
    yield Comparison("slt", b, zero), Comparison("slt", a, below)


def _difference_past_signed(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    least, most = _limits(terms, a.type)
    zero = terms.number(0, a.type)
    above, below = (terms.sum(end, b) for end in (most, least))
    yield Comparison("slt", b, zero), Comparison("sgt", a, above)
    yield Comparison("sgt", b, zero), Comparison("slt", a, below)


def _product_past_signed(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    number = splat_number(b)
    if number is not None and number > 0:
        half = 1 << (bits_of(a.type) - 1)
        yield (Comparison("sgt", a, terms.number((half - 1) // number, a.type)),)
        yield (Comparison("slt", a, terms.number(-(half // number), a.type)),)
        return
    product = arith.MulSIExtendedOp(a, b)
    low = terms.add(product)
    sign = terms.number(bits_of(a.type) - 1, a.type)
    yield (Comparison("ne", product.high, terms.add(arith.ShRSIOp(low, sign))),)


def _sum_past_unsigned(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    left = terms.add(arith.SubiOp(terms.number(-1, b.type), b))
    yield (Comparison("ult", left, a),)


def _difference_past_unsigned(a: SSAValue, b: SSAValue, _: Terms) -> Iterator[Case]:
    yield (Comparison("ult", a, b),)


def _product_past_unsigned(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    number = splat_number(b)
    if number is not None and number > 0:
        most = ((1 << bits_of(a.type)) - 1) // int(number)
        yield (Comparison("ugt", a, terms.number(most, a.type)),)
        return
    product = arith.MulUIExtendedOp(a, b)
    terms.append(product)
    yield (Comparison("ne", product.high, terms.number(0, a.type)),)


def _multiple_past_signed(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    by = _below_width(b, terms)
    least, most = (terms.add(arith.ShRSIOp(end, by)) for end in _limits(terms, a.type))
    yield (Comparison("sgt", a, most),)
    yield (Comparison("slt", a, least),)


def _multiple_past_unsigned(a: SSAValue, b: SSAValue, terms: Terms) -> Iterator[Case]:
    most = arith.ShRUIOp(terms.number(-1, a.type), _below_width(b, terms))
    yield (Comparison("ugt", a, terms.add(most)),)


def _below_width(by: SSAValue, terms: Terms) -> SSAValue:
    """How far a shift goes, without an undefined result where that is too far."""
    last = terms.number(bits_of(by.type) - 1, by.type)
    return terms.add(arith.MinUIOp(by, last))


def shifted_left(op: arith.ShLIOp, terms: Terms) -> Sequence[Fault]:
    """Where a shift is by the width or more, or loses what a flag says it does not."""
    return [*shifted_out(op, terms), *wraps_around(op, terms)]


def shifted_out(op: Shift, terms: Terms) -> Sequence[Fault]:
    """Where a shift is by the width or more."""
    bits = bits_of(op.rhs.type)
    too_far = Comparison("uge", op.rhs, terms.number(bits, op.rhs.type))
    message = f"a shift of {bits} bits by the width or more"
    if isinstance(op.rhs.type, VectorType):
        return [Fault(message, (), ((too_far,),))]
    return [Fault(f"{message}: by {{}}", (op.rhs,), ((too_far,),))]


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
    return [Fault(message, (), ((below,), (above,)))]


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


def chosen(op: arith.SelectOp, bits: Bits, terms: Terms) -> SSAValue:
    """Where the value that is chosen is undefined, or what chooses."""
    condition, *values = bits
    if op.cond.type != i1:
        return terms.any_of(bits)
    no = terms.constants.bit(False)
    taken = arith.SelectOp(op.cond, *(no if bit is None else bit for bit in values))
    return terms.any_of((condition, terms.add(taken)))


Preconditions(wraps_around, of_value=True).attach(
    arith.AddiOp, arith.SubiOp, arith.MuliOp
)
Preconditions(shifted_left, of_value=True).attach(arith.ShLIOp)
Preconditions(shifted_out, of_value=True).attach(arith.ShRUIOp, arith.ShRSIOp)
Preconditions(does_not_fit, of_value=True).attach(arith.FPToSIOp, arith.FPToUIOp)
Preconditions(lambda op, terms: (), passed_on=chosen).attach(arith.SelectOp)
