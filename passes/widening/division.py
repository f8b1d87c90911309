"""
Integer division in lanes, of which no processor has a vector instruction.

| the divisor                        | the numbers        | becomes                              |
| ---------------------------------- | ------------------ | ------------------------------------ |
| a constant                         | up to 32 bits      | itself: LLVM multiplies              |
| a constant power of two            | any                | itself: LLVM shifts                  |
| one shifted to the left, unsigned  | any                | a shift, or for the rest a mask      |
| the same in all lanes              | up to 32 bits      | a product with the reciprocal        |
| any                                | up to 32 bits      | a quotient of floats                 |
| any                                | 64 bits            | the same where all lanes are in `[0, 2^50)`, or in `[-2^49, 2^49)` if they are signed, which is asked when they run; else lane by lane, and by a constant as LLVM multiplies |

*Why the quotients are exact.* A float of `p` bits (f32: 24, f64: 53) holds `n` and `d`
exactly. Let `n / d` lie between `k` and `k + 1`; if it is not `k`, it is at most
`k + 1 - 1/d`. Rounding to nearest reaches `k + 1` only if `1/d` is at most half a step of
floats there, which is at most `(k + 1) * 2^-p`: but `(k + 1) * d <= n + d < 2^p`. The
reciprocal is taken one step too large: relative to it the product is too large by less than
`2^(2-p)`, and stays below `k + 1` as long as `n + d < 2^(p-2)`, and never is below `k`. It is
the argument of Granlund and Montgomery, "Division by Invariant Integers using
Multiplication" (PLDI 1994, theorem 4.2), for floats. Signed numbers are the same, mirrored.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerType,
    i32,
    i64,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.building import reduction
from spmd.dialects.interfaces.speculation import IntegerDivision, Quotient
from spmd.dialects.rewriting import constant_index
from spmd.passes.widening.accesses.addresses import remark
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import Active, Lanes, Uniform
from spmd.passes.widening.state import Widening

SMALL = 50
"""Of 64 bits, so many are divided by floats of 64 bits, with or without a sign."""

MIDDLE, BITS_OF_MIDDLE = 1.5 * 2**52, 0x4338 << 48
"""
A float of 64 bits between two powers of two, and its bits. What an integer of 50 bits adds to
one of them it adds to the other, too, whether it is negative or not.
"""


def widen_division(
    widening: Widening,
    op: Operation,
    divisor: Lanes,
    n: SSAValue,
    d: SSAValue,
    active: Active,
) -> SSAValue | None:
    """
    `op` applied to the vectors `n` and `d`; `None` if LLVM knows better.

    `divisor` is how the lanes hold what is `d`.
    """
    division = IntegerDivision.of(op)
    width = bit_width(op.operands[0].type)
    assert division is not None
    assert width is not None
    constant = constant_index(op.operands[1])
    if (
        width == 1
        or width > 64
        or (constant is not None and _is_best_left(constant, width))
    ):
        return None
    writer = _Division(widening, op, division, divisor, active)
    if (shift := writer.shift()) is not None:
        return writer.shifted(n, shift)
    if width <= 32:
        return writer.by_floats(n, d, width)
    return writer.by_large_floats(n, d) if width == 64 else None


def _is_best_left(divisor: int, width: int) -> bool:
    """
    Whether LLVM divides by a constant as fast as can be.

    It multiplies; the upper halves of products of 64 bits take it four multiplications.
    """
    is_power = divisor & (divisor - 1) == 0
    return width < 64 or is_power or not 0 < divisor < 1 << SMALL


@dataclass(frozen=True)
class _Division:
    """Writes one division."""

    widening: Widening
    op: Operation
    division: IntegerDivision
    divisor: Lanes
    active: Active

    # Powers of two

    def shift(self) -> SSAValue | None:
        """How far a one is shifted to make the divisor."""
        one = self.op.operands[1].owner
        if not isinstance(one, arith.ShLIOp) or constant_index(one.lhs) != 1:
            return None
        if self._signed or self.division.quotient is Quotient.UP:
            return None
        return one.rhs

    def shifted(self, n: SSAValue, shift: SSAValue) -> SSAValue:
        """The bits of `n` from `shift` on, or those below."""
        w = self.widening
        places = w.vector(w.of(shift))
        if self.division.quotient is not None:
            return w.add(arith.ShRUIOp(n, places))
        one = self._dense(1)
        power = w.add(arith.ShLIOp(one, places))
        return w.add(arith.AndIOp(n, w.add(arith.SubiOp(power, one))))

    # Up to 32 bits

    def by_floats(self, n: SSAValue, d: SSAValue, width: int) -> SSAValue:
        """Through floats that have all numbers."""
        w, type_ = self.widening, self.op.results[0].type
        float_ = Float32Type() if width <= 16 else Float64Type()
        d, divisor = self._not_zero(d, self.divisor)
        top = self._to_float(n, float_)
        if isinstance(divisor, Uniform) and self._to_zero:
            other = self._reciprocal(divisor.scalar, float_)
            quotient = w.add(arith.MulfOp(top, other))
        else:
            quotient = w.add(arith.DivfOp(top, self._to_float(d, float_)))
            quotient = self._rounded(quotient)
        is_narrow = type_ != i32
        back = arith.FPToSIOp if self._signed or is_narrow else arith.FPToUIOp
        if is_narrow:
            wide = w.add(back(quotient, w.vector_type(i32)))  # pyright: ignore[reportArgumentType]
            found = w.add(arith.TruncIOp(wide, w.vector_type(type_)))  # pyright: ignore[reportArgumentType]
        else:
            if self._may_overflow:
                # The least number divided by -1 stays what it is, as in scalar code.
                limit, least = (w.dense(k * 2.0**31, float_) for k in (1, -1))
                fits = w.add(arith.CmpfOp(quotient, limit, "olt"))
                quotient = w.add(arith.SelectOp(fits, quotient, least))
            found = w.add(back(quotient, w.vector_type(type_)))  # pyright: ignore[reportArgumentType]
        return self._result(n, d, found)

    @property
    def _signed(self) -> bool:
        """Whether a number may be negative."""
        ranges = map(self.widening.ranges.of, self.op.operands)
        return self.division.signed and not all(r.is_non_negative for r in ranges)

    @property
    def _may_overflow(self) -> bool:
        n, d = map(self.widening.ranges.of, self.op.operands)
        return self._signed and n.low == -(1 << 31) and d.low <= -1 <= d.high

    def _not_zero(self, d: SSAValue, held: Lanes) -> tuple[SSAValue, Lanes]:
        """The divisor with 1 in the place of 0, as scalar code has it."""
        w, at = self.widening, self.widening.ranges.of(self.op.operands[1])
        if not at.low <= 0 <= at.high:
            return d, held
        if isinstance(held, Uniform):
            zero, one = (w.constants.number(k, held.scalar.type) for k in (0, 1))
            found = Uniform(self._choose(held.scalar, zero, one))
            return w.vector(found), found
        return self._choose(d, self._dense(0), self._dense(1)), held

    def _choose(self, d: SSAValue, zero: SSAValue, one: SSAValue) -> SSAValue:
        w = self.widening
        is_zero = w.add(arith.CmpiOp(d, zero, "eq"))
        return w.add(arith.SelectOp(is_zero, one, d))

    def _reciprocal(self, d: SSAValue, float_: AnyFloat) -> SSAValue:
        """`1 / d` in all lanes, one step farther from 0 than it is."""
        w, bits = self.widening, IntegerType(float_.bitwidth)
        if isinstance(d.type, IndexType):
            d = w.add(arith.IndexCastOp(d, i64))
        to_float = arith.SIToFPOp if self._signed else arith.UIToFPOp
        one = w.constants.get(FloatAttr(1.0, float_), "one")
        found = w.add(arith.DivfOp(one, w.add(to_float(d, float_))))
        next_ = w.add(arith.BitcastOp(found, bits))
        next_ = w.add(arith.AddiOp(next_, w.constants.number(1, bits)))
        return w.vector(Uniform(w.add(arith.BitcastOp(next_, float_), "reciprocal")))

    def _to_float(self, lanes: SSAValue, float_: AnyFloat) -> SSAValue:
        to_float = arith.SIToFPOp if self._signed else arith.UIToFPOp
        return self.widening.add(to_float(lanes, self.widening.vector_type(float_)))  # pyright: ignore[reportArgumentType]

    @property
    def _to_zero(self) -> bool:
        """Whether quotients are rounded to 0, or those to 0 are asked for."""
        quotient = self.division.quotient
        down = quotient is Quotient.DOWN and not self._signed
        return down or quotient in (Quotient.TO_ZERO, None)

    def _rounded(self, quotient: SSAValue) -> SSAValue:
        """The quotient as an integer; conversion rounds to 0 by itself."""
        match self.division.quotient:
            case Quotient.UP:
                return self.widening.add(math.CeilOp(quotient))
            case Quotient.DOWN:
                return self.widening.add(math.FloorOp(quotient))
            case _:
                return quotient

    def _result(self, n: SSAValue, d: SSAValue, quotient: SSAValue) -> SSAValue:
        """The quotient, or what it leaves."""
        if self.division.quotient is not None:
            return quotient
        w = self.widening
        return w.add(arith.SubiOp(n, w.add(arith.MuliOp(quotient, d))))

    # 64 bits

    def by_large_floats(self, n: SSAValue, d: SSAValue) -> SSAValue:
        """Through floats if all active lanes have small numbers."""
        w = self.widening
        d, divisor = self._not_zero(d, self.divisor)
        ranges = [*map(w.ranges.of, self.op.operands)]
        least = -(1 << SMALL - 1) if self._signed else 0
        if all(least <= r.low and r.high < least + (1 << SMALL) for r in ranges):
            return self._of_small(n, d, divisor)
        top, bottom = w.in_active(self.active, n, 0), d
        if least:
            above = self._dense(-least)
            top, bottom = (w.add(arith.AddiOp(each, above)) for each in (top, bottom))
        both = w.add(arith.OrIOp(top, bottom))
        bits = w.add(reduction(both, CombiningKindFlag.OR, self.op.operands[0].type))
        limit = w.constants.number(1 << SMALL, bits.type)
        small = w.add(arith.CmpiOp(bits, limit, "ult"), "small")
        then, otherwise = Block(), Block()
        with w.into(then):
            w.append(scf.YieldOp(self._of_small(n, d, divisor)))
        with w.into(otherwise):
            alone = clone_with(self.op, [n, d], [n.type])
            if constant_index(self.op.operands[1]) is None:
                limits = f"2^{SMALL - 1} or are below -2^{SMALL - 1}"
                limits = limits if least else f"2^{SMALL} or are negative"
                why = f"{self.op.name} of numbers that reach {limits}"
                remark(alone, "lane by lane", why)
            w.append(scf.YieldOp(w.add(alone)))
        return w.add(scf.IfOp(small, [n.type], Region(then), Region(otherwise)))

    def _of_small(self, n: SSAValue, d: SSAValue, divisor: Lanes) -> SSAValue:
        """Numbers of `SMALL` bits, put into floats and read from them bit by bit."""
        w, float_ = self.widening, Float64Type()
        middle, bits_of_middle = w.dense(MIDDLE, float_), w.dense(BITS_OF_MIDDLE, i64)

        def to_float(lanes: SSAValue) -> SSAValue:
            bits = w.add(arith.AddiOp(self._as(lanes, i64), bits_of_middle))
            return w.add(arith.SubfOp(self._as(bits, float_), middle))

        if isinstance(divisor, Uniform) and self._to_zero:
            other = self._reciprocal(divisor.scalar, float_)
            quotient = w.add(arith.MulfOp(to_float(n), other))
        else:
            quotient = w.add(arith.DivfOp(to_float(n), to_float(d)))
        if self._to_zero:
            rounded = math.TruncOp if self._signed else math.FloorOp
            quotient = w.add(rounded(quotient))
        else:
            quotient = self._rounded(quotient)
        bits = self._as(w.add(arith.AddfOp(quotient, middle)), i64)
        found = w.add(arith.SubiOp(bits, bits_of_middle))
        return self._result(n, d, self._as(found, self.op.operands[0].type))

    def _as(self, lanes: SSAValue, type_: Attribute) -> SSAValue:
        """The same bits as another type of 64 bits."""
        w, wide = self.widening, self.widening.vector_type(type_)
        if lanes.type == wide:
            return lanes
        casts = IndexType() in (type_, lanes.type.element_type)  # pyright: ignore
        return w.add((arith.IndexCastOp if casts else arith.BitcastOp)(lanes, wide))  # pyright: ignore

    def _dense(self, number: int) -> SSAValue:
        return self.widening.dense(number, self.op.operands[0].type)
