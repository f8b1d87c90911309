"""
Which integers are numbers of 16 bits, among those that are computed with bytes.

Sums, products and masks are right in 16 bits if their results are numbers of 16 bits, with a
sign or without; shifts to the right, comparisons, extrema and quotients by constants if what
they take is: H. S. Warren, *Hacker's Delight*, 2-13. All operands have to be at hand:
constants, bytes that were extended, what is the same in all lanes, and other such numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeGuard

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.interfaces.computation import (
    Elementwise,
    compares_integers,
    is_modular,
    is_shift,
    is_unsigned,
)
from spmd.dialects.interfaces.speculation import IntegerDivision, Quotient
from spmd.dialects.rewriting import splat_number

SHORT = 16
"""The bits of what is a short integer here."""


class Short(NamedTuple):
    """What makes a value in 16 bits."""

    op: Operation
    reads_unsigned: bool
    """Whether all numbers that `op` takes are numbers of 16 bits without a sign."""
    is_unsigned: bool
    """Whether the value is one; else it has a sign."""


def short_integers(around: Operation) -> dict[SSAValue, Short]:
    """What operations in the regions of `around` can make in 16 bits."""
    return _Search(around).found if any(map(is_short, around.walk())) else {}


def is_short(op: Operation | Block) -> TypeGuard[Operation]:
    """Whether `op` extends a number of at most 16 bits."""
    return extends(op) and 1 < width_of(op.operands[0]) <= SHORT


def extends(op: Operation | Block) -> TypeGuard[Operation]:
    return is_cast(op) and width_of(op.operands[0]) < width_of(op.results[0])


def is_cast(op: Operation | Block) -> TypeGuard[Operation]:
    """Whether `op` gives an integer as one of another type."""
    if isinstance(op, Block) or Elementwise.of(op) is None:
        return False
    if len(op.operands) != 1 or len(op.results) != 1:
        return False
    widths = width_of(op.operands[0]), width_of(op.results[0])
    return all(widths) and op.operands[0].type != op.results[0].type


def width_of(value: SSAValue) -> int:
    """The bits of an integer, 64 of an index; 0 if `value` is none."""
    type_ = value.type
    if isinstance(type_, IndexType):
        return 64
    return type_.bitwidth if isa(type_, IntegerType) else 0


def _is_unsigned(range_: IntegerRange) -> bool:
    """Whether all are numbers of 16 bits without a sign."""
    return range_.low >= 0 and range_.high < 1 << SHORT


def _fits(range_: IntegerRange) -> bool:
    return _is_unsigned(range_) or range_.fits(SHORT)


def _divides_by_constant(op: Operation) -> bool:
    """Whether `op` divides, rounding down or to 0, by a positive constant: LLVM multiplies."""
    division = IntegerDivision.of(op)
    if division is None or division.quotient is Quotient.UP:
        return False
    return (splat_number(op.operands[1]) or 0) > 0


class _Search:
    """What of the regions of an operation is computed in 16 bits."""

    def __init__(self, around: Operation):
        self._around = around
        self._ranges = IntegerRanges()
        # The results of operations, and what loops carry, beside what they give back.
        self.found: dict[SSAValue, Short] = {}
        for op in around.walk():
            if isinstance(op, scf.ForOp):
                for carried, result in carried_by(op):
                    if self._may_carry(carried, result):
                        self._find(op, carried)
                        self._find(op, result)
            elif self._may_narrow(op):
                self._find(op, op.results[0])
        while lost := [value for value in self.found if not self._has_all(value)]:
            for value in lost:
                del self.found[value]

    def _find(self, op: Operation, value: SSAValue) -> None:
        of = self._ranges.of
        read = (
            _is_unsigned(of(each)) for each in op.operands if width_of(each) > SHORT
        )
        self.found[value] = Short(op, all(read), _is_unsigned(of(value)))

    def _may_narrow(self, op: Operation) -> bool:
        """Whether `op` gives the same in 16 bits, by what is known of its numbers."""
        if len(op.results) != 1:
            return False
        numbers = [each for each in op.operands if width_of(each) > SHORT]
        result, of = op.results[0], self._ranges.of
        if compares_integers(op) or _divides_by_constant(op):
            ranges = [of(each) for each in numbers]
            if all(map(_is_unsigned, ranges)):
                return bool(ranges)
            return all(each.fits(SHORT) for each in ranges) and not is_unsigned(op)
        if not numbers or any(each.type != result.type for each in numbers):
            return False
        if is_shift(op):
            places = of(op.operands[1]).value
            if places is None or not 0 <= places < SHORT:
                return False  # AVX2 has no others in 16 bits.
            if not isinstance(op, arith.ShLIOp):
                known = of(op.operands[0])
                signed = known.fits(SHORT) and not is_unsigned(op)
                return signed or _is_unsigned(known)
        elif not is_modular(op) and not isinstance(op, arith.SelectOp):
            return False
        return _fits(of(result))

    def _may_carry(self, carried: BlockArgument, result: OpResult) -> bool:
        known = map(self._ranges.of, (carried, result))
        return width_of(carried) > SHORT and all(map(_fits, known))

    def _has_all(self, value: SSAValue) -> bool:
        """Whether all operands of what makes `value`, if it is in 16 bits, are at hand."""
        op = self.found[value].op
        if isinstance(op, scf.ForOp):
            carries: list[SSAValue] = [*op.body.block.args[1:], *op.results]
            number = carries.index(value) % len(op.results)
            around = op.iter_args[number], terminator(op.body.block).operands[number]
            pair = op.body.block.args[1 + number], op.results[number]
            return all(map(self._is_at_hand, around)) and all(
                each in self.found for each in pair
            )
        numbers = [each for each in op.operands if width_of(each) > SHORT]
        own = (is_short(each.owner) or each in self.found for each in numbers)
        return any(own) and all(map(self._is_at_hand, numbers))

    def _is_at_hand(self, value: SSAValue) -> bool:
        if value in self.found or splat_number(value) is not None:
            return True
        return is_short(value.owner) or is_outside(value, self._around)


def carried_by(loop: scf.ForOp) -> Iterator[tuple[BlockArgument, OpResult]]:
    """What a loop carries, and what it gives back of it."""
    return zip(loop.body.block.args[1:], loop.results, strict=True)
