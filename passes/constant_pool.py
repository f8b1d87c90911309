"""Constants of any type at the head of a function."""

from __future__ import annotations

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
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.rewriting import Constants


class ConstantPool(Constants):
    """Scalars and vectors of any type that passes ask for by number."""

    def bit(self, value: bool) -> SSAValue:
        return self.get(IntegerAttr.from_bool(value), str(value).lower())

    def number(self, value: int, type_: Attribute) -> SSAValue:
        """A scalar integer or index."""
        assert isa(type_, IntegerType | IndexType), f"{type_} has no integers"
        sign = "m" if value < 0 else ""
        suffix = "" if isinstance(type_, IndexType) else f"_{type_}"
        return self.get(IntegerAttr(value, type_), f"c{sign}{abs(value)}{suffix}")

    def zero(self, type_: Attribute) -> SSAValue:
        """Something harmless of a type, for lanes that have no value."""
        if isa(type_, VectorType):
            number = 0.0 if isa(type_.element_type, AnyFloat) else 0
            return self.get(DenseIntOrFPElementsAttr.from_list(type_, [number]))  # pyright: ignore
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
