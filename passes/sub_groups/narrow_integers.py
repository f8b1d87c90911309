"""
Arithmetic of bytes and of numbers of 16 bits in 16 bits, where ranges say that these are enough.

C and Python compute with bytes in 32 or 64 bits, or as an `index`, of which a register holds a half
or a quarter as many.

```mlir
// before
%r = memref.load %image[%at] : memref<?xi8>
%wide = arith.extui %r : i8 to i32
%part = arith.muli %wide, %c77_i32 : i32      // at most 255 * 77
%low = arith.shrui %part, %c8_i32 : i32
%gray = arith.trunci %low : i32 to i8
// after
%wide = arith.extui %r : i8 to i16
%part = arith.muli %wide, %c77_i16 : i16
%low = arith.shrui %part, %c8_i16 : i16
%gray = arith.trunci %low : i16 to i8
```

Sums, products and masks are right in 16 bits if their results are numbers of 16 bits, with a
sign or without; shifts to the right, comparisons, extrema and quotients by constants if what
they take is: H. S. Warren, *Hacker's Delight*, 2-13. Loops may carry such numbers, as the sums of filters do. All
operands have to be at hand: constants, bytes that were extended, what is the same in all
lanes, and what is computed in 16 bits itself. MLIR has a pass like this
(`arith-int-range-narrowing`), for any types and without loops.

Requires: level 2 (`form-sub-groups`).
Ensures: level 2; the same numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeGuard

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, i16
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.enclosing import function_around, is_outside, terminator
from spmd.dialects.interfaces.computation import (
    Elementwise,
    compares_integers,
    is_modular,
    is_shift,
    is_unsigned,
)
from spmd.dialects.interfaces.speculation import IntegerDivision, Quotient
from spmd.dialects.names import FIRST_UNSIGNED
from spmd.dialects.rewriting import splat_number
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NOT_VECTORIZED

BITS = 16

_UNSIGNED: dict[type[Operation], type[Operation]] = {
    arith.MinSIOp: arith.MinUIOp,
    arith.MaxSIOp: arith.MaxUIOp,
}
"""Extrema that are the same of numbers that are not negative."""

SIGNED = 2
"""The first predicate of `arith.cmpi` that reads signs; `FIRST_UNSIGNED` is its like without."""


@dataclass(frozen=True)
class NarrowIntegersPass(ModulePass):
    """Integers of 16 bits where these are enough; see the module docstring."""

    name = "narrow-integers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in [each for each in op.walk() if isinstance(each, SubGroupOp)]:
            if NOT_VECTORIZED not in group.attributes and _has_bytes(group):
                _Narrowing(group).run()


def _has_bytes(group: SubGroupOp) -> bool:
    return any(map(_is_short, group.walk()))


def _is_short(op: Operation | Block) -> TypeGuard[Operation]:
    """Whether `op` extends a number of at most 16 bits."""
    return _extends(op) and 1 < _width(op.operands[0]) <= BITS


def _extends(op: Operation | Block) -> TypeGuard[Operation]:
    return _is_cast(op) and _width(op.operands[0]) < _width(op.results[0])


def _is_cast(op: Operation | Block) -> TypeGuard[Operation]:
    """Whether `op` gives an integer as one of another type."""
    if isinstance(op, Block) or Elementwise.of(op) is None:
        return False
    if len(op.operands) != 1 or len(op.results) != 1:
        return False
    widths = _width(op.operands[0]), _width(op.results[0])
    return all(widths) and op.operands[0].type != op.results[0].type


def _divides_by_constant(op: Operation) -> bool:
    """Whether `op` divides, rounding down or to 0, by a positive constant: LLVM multiplies."""
    division = IntegerDivision.of(op)
    if division is None or division.quotient is Quotient.UP:
        return False
    return (splat_number(op.operands[1]) or 0) > 0


def _without_sign(op: Operation) -> type[Operation]:
    """What gives the same as `op` of numbers that are not negative."""
    division = IntegerDivision.of(op)
    if division is None:
        return _UNSIGNED.get(type(op), type(op))
    return arith.RemUIOp if division.quotient is None else arith.DivUIOp


def _width(value: SSAValue) -> int:
    """The bits of an integer, 64 of an index; 0 if `value` is none."""
    type_ = value.type
    if isinstance(type_, IndexType):
        return 64
    return type_.bitwidth if isa(type_, IntegerType) else 0


def _is_unsigned(range_: IntegerRange) -> bool:
    """Whether all are numbers of 16 bits without a sign."""
    return range_.low >= 0 and range_.high < 1 << BITS


def _fits(range_: IntegerRange) -> bool:
    return _is_unsigned(range_) or range_.fits(BITS)


class _Narrow(NamedTuple):
    """What makes a value in 16 bits, by the ranges that were known before anything changed."""

    op: Operation
    reads_unsigned: bool
    """Whether all numbers that `op` takes are numbers of 16 bits without a sign."""
    is_unsigned: bool
    """Whether the value is one; else it has a sign."""


class _Narrowing:
    """What of a sub-group is computed in 16 bits."""

    def __init__(self, group: SubGroupOp):
        self._group = group
        self._ranges = IntegerRanges()
        self._constants = ConstantPool(function_around(group).body.block)
        self._short: dict[SSAValue, SSAValue] = {}
        """Of what is extended, or is the same in all lanes, the low 16 bits."""
        # The results of operations, and what loops carry, beside what they give back.
        self._found: dict[SSAValue, _Narrow] = {}
        for op in group.walk():
            if isinstance(op, scf.ForOp):
                for carried, result in _carried(op):
                    if self._may_carry(carried, result):
                        self._find(op, carried)
                        self._find(op, result)
            elif self._may_narrow(op):
                self._find(op, op.results[0])
        while lost := [value for value in self._found if not self._has_all(value)]:
            for value in lost:
                del self._found[value]

    def _find(self, op: Operation, value: SSAValue) -> None:
        of = self._ranges.of
        read = (_is_unsigned(of(each)) for each in op.operands if _width(each) > BITS)
        self._found[value] = _Narrow(op, all(read), _is_unsigned(of(value)))

    def _may_narrow(self, op: Operation) -> bool:
        """Whether `op` gives the same in 16 bits, by what is known of its numbers."""
        if len(op.results) != 1:
            return False
        numbers = [each for each in op.operands if _width(each) > BITS]
        result, of = op.results[0], self._ranges.of
        if compares_integers(op) or _divides_by_constant(op):
            ranges = [of(each) for each in numbers]
            if all(map(_is_unsigned, ranges)):
                return bool(ranges)
            return all(each.fits(BITS) for each in ranges) and not is_unsigned(op)
        if not numbers or any(each.type != result.type for each in numbers):
            return False
        if is_shift(op):
            places = of(op.operands[1]).value
            if places is None or not 0 <= places < BITS:
                return False  # AVX2 has no others in 16 bits.
            if not isinstance(op, arith.ShLIOp):
                known = of(op.operands[0])
                return _is_unsigned(known) if is_unsigned(op) else known.fits(BITS)
        elif not is_modular(op) and not isinstance(op, arith.SelectOp):
            return False
        return _fits(of(result))

    def _may_carry(self, carried: BlockArgument, result: OpResult) -> bool:
        known = map(self._ranges.of, (carried, result))
        return _width(carried) > BITS and all(map(_fits, known))

    def _has_all(self, value: SSAValue) -> bool:
        """Whether all operands of what makes `value`, if it is in 16 bits, are at hand."""
        op = self._found[value].op
        if isinstance(op, scf.ForOp):
            carries: list[SSAValue] = [*op.body.block.args[1:], *op.results]
            number = carries.index(value) % len(op.results)
            around = op.iter_args[number], terminator(op.body.block).operands[number]
            pair = op.body.block.args[1 + number], op.results[number]
            return all(map(self._is_at_hand, around)) and all(
                each in self._found for each in pair
            )
        numbers = [each for each in op.operands if _width(each) > BITS]
        own = (_is_short(each.owner) or each in self._found for each in numbers)
        return any(own) and all(map(self._is_at_hand, numbers))

    def _is_at_hand(self, value: SSAValue) -> bool:
        if value in self._found or splat_number(value) is not None:
            return True
        return _is_short(value.owner) or is_outside(value, self._group)

    def run(self) -> None:
        """Compute what was found in 16 bits."""
        if not self._found:
            return
        yields: dict[Operation, list[int]] = {}
        for op in tuple(self._group.walk()):
            if op in yields:
                for number in yields[op]:
                    op.operands[number] = self._low(op.operands[number])
            elif isinstance(op, scf.ForOp):
                numbers = [
                    number
                    for number, (carried, _) in enumerate(_carried(op))
                    if carried in self._found
                ]
                if numbers:
                    self._carry(op, numbers)
                    yields[terminator(op.body.block)] = numbers
            elif _is_cast(op):
                _shorten(op)
            elif any(result in self._found for result in op.results):
                self._compute(op)
        for op in tuple(self._group.walk(reverse=True)):
            if _extends(op) and op.results[0].first_use is None:
                Rewriter.erase_op(op)

    def _low(self, value: SSAValue) -> SSAValue:
        """The low 16 bits of what is at hand."""
        number, owner = splat_number(value), value.owner
        if number is not None:
            low = int(number) & (1 << BITS) - 1
            return self._constants.number(low - ((low >> BITS - 1) << BITS), i16)
        if _extends(owner) and owner.operands[0].type == i16:
            return owner.operands[0]
        if value not in self._short:
            if _is_short(owner):
                at, source = Builder.before(owner), owner.operands[0]
                short = at.add(_cast(source, i16, is_unsigned(owner)), value)
            else:
                short = Builder.before(self._group).add(_cast(value, i16), value)
            self._short[value] = short
        return self._short[value]

    def _compute(self, op: Operation) -> None:
        """Compute `op` in 16 bits, and extend what comes of it."""
        at, result = Builder.before(op), op.results[0]
        narrow = self._found[result]
        operands = [self._low(x) if _width(x) > BITS else x for x in op.operands]
        if isinstance(op, arith.CmpiOp):
            predicate = op.predicate.value.data
            if narrow.reads_unsigned and SIGNED <= predicate < FIRST_UNSIGNED:
                predicate += FIRST_UNSIGNED - SIGNED
            left, right = operands
            new = at.add(arith.CmpiOp(left, right, predicate), result)
        else:
            kind = _without_sign(op) if narrow.reads_unsigned else type(op)
            # Sums may overflow in 16 bits on the way to what does not.
            flags = {"overflowFlags": arith.IntegerOverflowAttr("none")}
            properties = flags if "overflowFlags" in op.properties else {}
            made = kind.create(
                operands=operands, result_types=[i16], properties=properties
            )
            wide = _cast(at.add(made, result), result.type, narrow.is_unsigned)
            new = at.add(wide, result)
        result.replace_all_uses_with(new)
        Rewriter.erase_op(op)

    def _carry(self, loop: scf.ForOp, numbers: list[int]) -> None:
        block = loop.body.block
        for number in numbers:
            loop.operands[3 + number] = self._low(loop.iter_args[number])
            for old, point in (
                (block.args[1 + number], InsertPoint.at_start(block)),
                (loop.results[number], InsertPoint.after(loop)),
            ):
                unsigned, type_ = self._found[old].is_unsigned, old.type
                short = Rewriter.replace_value_with_new_type(old, i16)
                uses = tuple(short.uses)
                wide = Builder(point, loop).add(_cast(short, type_, unsigned), short)
                for use in uses:
                    use.operation.operands[use.index] = wide


def _cast(value: SSAValue, type_: Attribute, unsigned: bool = False) -> Operation:
    """An integer as one of another type, extended or cut off."""
    kind = arith.ExtUIOp if unsigned else arith.ExtSIOp
    if IndexType() in (value.type, type_):
        kind = IndexCastUIOp if unsigned else arith.IndexCastOp
    elif isa(type_, IntegerType) and type_.bitwidth < _width(value):
        kind = arith.TruncIOp
    return kind.create(operands=[value], result_types=[type_])


def _shorten(op: Operation) -> None:
    """Cast what was extended, in place of the number that it was extended to."""
    extension, result = op.operands[0].owner, op.results[0]
    if not _extends(extension) or (is_unsigned(op) and not is_unsigned(extension)):
        return
    value = extension.operands[0]
    if value.type != result.type:
        cast = _cast(value, result.type, is_unsigned(extension))
        value = Builder.before(op).add(cast, result)
    result.replace_all_uses_with(value)
    Rewriter.erase_op(op)


def _carried(loop: scf.ForOp) -> Iterator[tuple[BlockArgument, OpResult]]:
    """What a loop carries, and what it gives back of it."""
    return zip(loop.body.block.args[1:], loop.results, strict=True)
