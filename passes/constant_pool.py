"""Constants of any type at the head of a function, one for each value."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.rewriting import hint, locate

ConstantAttr = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr


class ConstantPool:
    """The constants at the head of `entry`; those further down are left alone."""

    def __init__(self, entry: Block):
        self._entry = entry
        self._values: dict[Attribute, SSAValue] = {}
        for op in entry.ops:
            if not isinstance(op, arith.ConstantOp):
                break
            self._values.setdefault(op.value, op.result)

    def get(self, attribute: ConstantAttr, name: str | None = None) -> SSAValue:
        """The constant of this value and type."""
        found = self._values.get(attribute)
        if found is None:
            op = arith.ConstantOp(attribute)
            found = hint(op.result, name)
            first = self._entry.first_op
            assert first is not None, "an entry block has a terminator"
            if (parent := self._entry.parent_op()) is not None:
                locate(op, parent)
            self._entry.insert_op_before(op, first)
            self._values[attribute] = found
        return found

    def bit(self, value: bool) -> SSAValue:
        return self.get(IntegerAttr.from_bool(value), str(value).lower())

    def number(self, value: int, type_: Attribute) -> SSAValue:
        """A scalar integer or index."""
        assert isa(type_, IntegerType | IndexType), f"{type_} has no integers"
        sign = "m" if value < 0 else ""
        suffix = "" if isinstance(type_, IndexType) else f"_{type_}"
        return self.get(IntegerAttr(value, type_), f"c{sign}{abs(value)}{suffix}")

    def zero(self, type_: Attribute) -> SSAValue:
        """Something harmless of a scalar type, for lanes that have no value."""
        if isa(type_, AnyFloat):
            return self.get(FloatAttr(0.0, type_), "zero")
        return self.bit(False) if type_ == i1 else self.number(0, type_)

    def dense(
        self, value: float, type_: Attribute, width: int, name: str | None = None
    ) -> SSAValue:
        """A vector with the same number in each lane."""
        if name is None and value in (0, 1):
            name = "ones" if value else "zeros"
        elif name is None and isinstance(value, int):
            name = f"c{value}_lanes" if value > 0 else f"cm{-value}_lanes"
        if isa(type_, AnyFloat):
            floats = VectorType(type_, [width])
            return self.get(
                DenseIntOrFPElementsAttr.from_list(floats, [float(value)]), name
            )
        assert isa(type_, IntegerType | IndexType), f"{type_} has no numbers"
        integers = VectorType(type_, [width])
        return self.get(
            DenseIntOrFPElementsAttr.from_list(integers, [int(value)]), name
        )
