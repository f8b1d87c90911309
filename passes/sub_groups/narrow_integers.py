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

Which these are is found by `analysis/ranges/short_integers.py`. Loops may carry such numbers, as
the sums of filters do. MLIR has a pass like this
(`arith-int-range-narrowing`), for any types and without loops.

Requires: level 2 (`form-sub-groups`).
Ensures: level 2; the same numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, i16
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from spmd.analysis.ranges.short_integers import (
    SHORT,
    carried_by,
    extends,
    is_cast,
    is_short,
    short_integers,
    width_of,
)
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.enclosing import function_around, terminator
from spmd.dialects.interfaces.computation import (
    is_unsigned,
)
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.names import FIRST_UNSIGNED
from spmd.dialects.rewriting import splat_number
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NOT_VECTORIZED

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
            if NOT_VECTORIZED not in group.attributes:
                _Narrowing(group).run()


def _without_sign(op: Operation) -> type[Operation]:
    """What stands for `op` if no number is negative."""
    if isinstance(op, arith.ShRSIOp):
        return arith.ShRUIOp
    division = IntegerDivision.of(op)
    if division is None:
        return _UNSIGNED.get(type(op), type(op))
    return arith.RemUIOp if division.quotient is None else arith.DivUIOp


class _Narrowing:
    """What of a sub-group is computed in 16 bits."""

    def __init__(self, group: SubGroupOp):
        self._group = group
        self._constants = ConstantPool(function_around(group).body.block)
        self._found = short_integers(group)
        self._short: dict[SSAValue, SSAValue] = {}
        """Of what is extended, or is the same in all lanes, the low 16 bits."""

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
                    for number, (carried, _) in enumerate(carried_by(op))
                    if carried in self._found
                ]
                if numbers:
                    self._carry(op, numbers)
                    yields[terminator(op.body.block)] = numbers
            elif is_cast(op):
                _shorten(op)
            elif any(result in self._found for result in op.results):
                self._compute(op)
        for op in tuple(self._group.walk(reverse=True)):
            if extends(op) and op.results[0].first_use is None:
                Rewriter.erase_op(op)

    def _low(self, value: SSAValue) -> SSAValue:
        """The low 16 bits of what is at hand."""
        number, owner = splat_number(value), value.owner
        if number is not None:
            low = int(number) & (1 << SHORT) - 1
            return self._constants.number(low - ((low >> SHORT - 1) << SHORT), i16)
        if extends(owner) and owner.operands[0].type == i16:
            return owner.operands[0]
        if value not in self._short:
            if is_short(owner):
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
        operands = [self._low(x) if width_of(x) > SHORT else x for x in op.operands]
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
    elif isa(type_, IntegerType) and type_.bitwidth < width_of(value):
        kind = arith.TruncIOp
    return kind.create(operands=[value], result_types=[type_])


def _shorten(op: Operation) -> None:
    """Cast what was extended, in place of the number that it was extended to."""
    extension, result = op.operands[0].owner, op.results[0]
    if not extends(extension) or (is_unsigned(op) and not is_unsigned(extension)):
        return
    value = extension.operands[0]
    if value.type != result.type:
        cast = _cast(value, result.type, is_unsigned(extension))
        value = Builder.before(op).add(cast, result)
    result.replace_all_uses_with(value)
    Rewriter.erase_op(op)
