"""
Offset, sizes and strides of a memref as values, and a memref made of them.

What the type fixes is a number and no value: a memref of static shape in identity layout is
known by its base alone. Everything else is looked up where the memref was made, through
its views, so that it stays a function of ids and loop counters that analyses understand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects import arith, memref, ub
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import (
    MemRefLayout,
    memref_layout,
    memref_type,
    mixed_numbers,
)

Number = int | SSAValue


def open_numbers(layout: MemRefLayout) -> Iterator[tuple[str, int]]:
    """The numbers that describe a memref of a type with `layout`, in a fixed order."""
    if layout.offset is None:
        yield "offset", 0
    yield from (("size", d) for d, size in enumerate(layout.sizes) if size is None)
    if not layout.is_identity:
        yield from (("stride", d) for d, s in enumerate(layout.strides) if s is None)


def layout_of(type_: MemRefType[Attribute], op: Operation) -> MemRefLayout:
    """What `type_` fixes; an error at `op` if its layout is none that we know."""
    if (layout := memref_layout(type_)) is not None:
        return layout
    fail(op, f"expected a memref in identity or strided layout, got {type_}")


class Descriptors:
    """
    Writes, before an anchor, what finds the numbers of a memref or makes one of them.

    `known` are memrefs whose open numbers are values already.
    """

    def __init__(
        self,
        constants: ConstantPool,
        known: Mapping[SSAValue, Mapping[tuple[str, int], SSAValue]],
    ):
        self.constants = constants
        self.known = known

    def value(self, number: Number) -> SSAValue:
        """`number` as a value."""
        return self.constants.index(number) if isinstance(number, int) else number

    def number(self, memory: SSAValue, kind: str, d: int, anchor: Operation) -> Number:
        """The offset (`d` is 0), or the size or stride in dimension `d`, of `memory`."""
        layout = layout_of(memref_type(memory), anchor)
        fixed = {
            "offset": (layout.offset,),
            "size": layout.sizes,
            "stride": layout.strides,
        }[kind][d]
        if fixed is not None:
            return fixed
        if (value := self.known.get(memory, {}).get((kind, d))) is not None:
            return value
        if kind == "stride" and layout.is_identity:
            inner = self.number(memory, "stride", d + 1, anchor)
            size = self.number(memory, "size", d + 1, anchor)
            return self._multiply(inner, size, anchor)
        owner = memory.owner
        match owner:
            case memref.CastOp() | memref.MemorySpaceCastOp():
                return self.number(owner.operands[0], kind, d, anchor)
            case memref.SubviewOp() if len(owner.static_sizes) == len(layout.sizes):
                return self._of_subview(owner, kind, d, anchor)
            case memref.ReinterpretCastOp():
                return _mixed(owner, kind)[d]
            case ub.PoisonOp():
                return 0
            case memref.AllocaOp():
                sizes = iter(owner.dynamic_sizes)
                return [next(sizes) if n is None else n for n in layout.sizes][d]
            case arith.SelectOp():
                one = self.number(owner.lhs, kind, d, anchor)
                two = self.number(owner.rhs, kind, d, anchor)
                if one == two:
                    return one
                values = self.value(one), self.value(two)
                return Builder.before(anchor).add(arith.SelectOp(owner.cond, *values))
            case _ if kind == "size":
                return Builder.before(anchor).add(
                    memref.DimOp(memory, self.constants.index(d))
                )
            case _:
                op = memref.ExtractStridedMetaDataOp(memory)
                Builder.before(anchor).append(op)
                return op.offset if kind == "offset" else op.strides[d]

    def build(
        self,
        base: SSAValue,
        type_: MemRefType[Attribute],
        numbers: Mapping[tuple[str, int], SSAValue],
        anchor: Operation,
    ) -> SSAValue:
        """A memref of `type_` whose elements are some of those of `base`."""
        layout = layout_of(type_, anchor)

        def all_of(kind: str, fixed: Iterable[int | None]) -> list[Number]:
            return [numbers[kind, d] if n is None else n for d, n in enumerate(fixed)]

        offsets = all_of("offset", (layout.offset,))
        sizes = all_of("size", layout.sizes)
        if layout.is_identity:
            strides: list[Number] = [1] * len(sizes)
            for d in reversed(range(len(sizes) - 1)):
                strides[d] = self._multiply(strides[d + 1], sizes[d + 1], anchor)
        else:
            strides = all_of("stride", layout.strides)
        space = memref_type(base).memory_space
        plain = MemRefType(type_.element_type, type_.shape, type_.layout, space)
        op = memref.ReinterpretCastOp.from_dynamic(base, offsets, sizes, strides, plain)
        result = Builder.before(anchor).add(op)
        if plain != type_:
            result = Builder.before(anchor).add(memref.MemorySpaceCastOp(result, type_))
        return result

    def _of_subview(
        self, op: memref.SubviewOp, kind: str, d: int, anchor: Operation
    ) -> Number:
        if kind == "size":
            return _mixed(op, kind)[d]
        if kind == "stride":
            source = self.number(op.source, kind, d, anchor)
            return self._multiply(_mixed(op, kind)[d], source, anchor)
        total = self.number(op.source, "offset", 0, anchor)
        for dimension, offset in enumerate(_mixed(op, "offset")):
            stride = self.number(op.source, "stride", dimension, anchor)
            total = self._add(total, self._multiply(offset, stride, anchor), anchor)
        return total

    def _multiply(self, a: Number, b: Number, anchor: Operation) -> Number:
        if isinstance(a, int) and isinstance(b, int):
            return a * b
        if 0 in (a, b):
            return 0
        if a == 1 or b == 1:
            return b if a == 1 else a
        return Builder.before(anchor).add(arith.MuliOp(self.value(a), self.value(b)))

    def _add(self, a: Number, b: Number, anchor: Operation) -> Number:
        if isinstance(a, int) and isinstance(b, int):
            return a + b
        if a == 0 or b == 0:
            return b if a == 0 else a
        return Builder.before(anchor).add(arith.AddiOp(self.value(a), self.value(b)))


def _mixed(op: memref.SubviewOp | memref.ReinterpretCastOp, kind: str) -> list[Number]:
    """Numbers that are partly attributes, partly operands."""
    static, dynamic = {
        "offset": (op.static_offsets, op.offsets),
        "size": (op.static_sizes, op.sizes),
        "stride": (op.static_strides, op.strides),
    }[kind]
    return [*mixed_numbers(static, dynamic)]
