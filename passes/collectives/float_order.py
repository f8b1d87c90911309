"""
Floats as integers that are in the same order, so that the largest is an integer's maximum.

A vector unit has a maximum of floats, but none that knows NaN and the sign of zero: that
takes six instructions, each of which waits for the one before. The bits of a float as a
signed integer are in the order of the floats once the magnitude of negative ones is
complemented (M. Herf, "Radix Tricks", 2001). `arith.maximumf` gives NaN if there is one, so
NaNs of either sign have to be above infinity, where subtracting a number gets them: those of
negative sign wrap. For `arith.minimumf` it is added, and all are below.

```mlir
%bits = arith.bitcast %v : f32 to i32
%negative = arith.cmpi slt, %bits, %c0_i32 : i32
%turned = arith.xori %bits, %c2147483647_i32 : i32
%order = arith.select %negative, %turned, %bits : i32
%key = arith.addi %order, %cm8388607_i32 : i32   // - 2^23 + 1: -inf is the least
```
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, VectorType, bf16, f16, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.building import ConstantPool
from spmd.dialects.spmd.types import Kind

_FRACTION_BITS: dict[Attribute, int] = {f16: 10, bf16: 7, f32: 23, f64: 52}


@dataclass(frozen=True)
class FloatOrder:
    """Floats, or vectors of them, as the integers that `kind` (min or max) is taken of."""

    kind: Kind
    add: Callable[[Operation], SSAValue]
    """Inserts an op and gives its result."""
    constants: ConstantPool

    @staticmethod
    def serves(kind: Kind | None, type_: Attribute) -> bool:
        """Whether `kind` of values of this type is one that integers can do better."""
        is_extremum = kind in (Kind.MIN, Kind.MAX)
        return is_extremum and get_element_type_or_self(type_) in _FRACTION_BITS

    def key(self, value: SSAValue) -> SSAValue:
        """The integers for the floats `value`."""
        bits = self.add(arith.BitcastOp(value, self.key_type(value.type)))
        shift = self._shift(get_element_type_or_self(value.type))
        return self.add(arith.AddiOp(self._turned(bits), self._number(shift, bits)))

    def value(self, key: SSAValue, type_: Attribute) -> SSAValue:
        """The floats of type `type_` that have the key `key`."""
        shift = self._shift(get_element_type_or_self(type_))
        order = self.add(arith.AddiOp(key, self._number(-shift, key)))
        return self.add(arith.BitcastOp(self._turned(order), type_))

    @staticmethod
    def key_type(type_: Attribute) -> Attribute:
        """The type of the integers for floats of type `type_`."""
        element = get_element_type_or_self(type_)
        bits = IntegerType(cast(AnyFloat, element).bitwidth)
        return VectorType(bits, type_.get_shape()) if isa(type_, VectorType) else bits

    def _shift(self, element: Attribute) -> int:
        nans = (1 << _FRACTION_BITS[element]) - 1
        return nans if self.kind is Kind.MIN else -nans

    def _turned(self, bits: SSAValue) -> SSAValue:
        """All bits of negative numbers but the sign complemented; its own inverse."""
        width = cast(IntegerType, get_element_type_or_self(bits.type)).width.data
        negative = self.add(arith.CmpiOp(bits, self._number(0, bits), "slt"))
        magnitude = self._number((1 << (width - 1)) - 1, bits)
        turned = self.add(arith.XOrIOp(bits, magnitude))
        return self.add(arith.SelectOp(negative, turned, bits))

    def _number(self, number: int, like: SSAValue) -> SSAValue:
        type_ = like.type
        if isa(type_, VectorType):
            (lanes,) = type_.get_shape()
            return self.constants.dense(number, type_.element_type, lanes)
        return self.constants.number(number, type_)
