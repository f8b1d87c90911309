"""
Atomic instructions on the elements of memrefs.

The pointer of an element is made of the memref's pointer, which upstream gives as a
number, and the distance of the element, which is computed from indices and strides: a
`getelementptr` on it keeps LLVM's knowledge of what memory it points into.
"""

from __future__ import annotations

from xdsl.dialects import arith, llvm, memref
from xdsl.dialects.builtin import DenseArrayBase, IndexType, IntegerAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import InsertPoint

from spmd.dialects import compat
from spmd.dialects.building import Builder
from spmd.dialects.compat.atomics import AtomicCmpXchgOp, AtomicRMWOp
from spmd.dialects.element_types import MemRefLayout, memref_layout
from spmd.dialects.rewriting import NO_SIGNED_WRAP, replace
from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp
from spmd.dialects.spmd.atomics import AtomicKind, AtomicOp, Ordering
from spmd.dialects.spmd.types import is_float

_INTEGERS = {
    AtomicKind.MINUI: "umin",
    AtomicKind.MAXUI: "umax",
    AtomicKind.AND: "_and",
    AtomicKind.OR: "_or",
    AtomicKind.XOR: "_xor",
    AtomicKind.EXCHANGE: "xchg",
}
_FLOATS = {
    AtomicKind.ADD: "fadd",
    AtomicKind.SUB: "fsub",
    AtomicKind.MIN: "fminimum",
    AtomicKind.MAX: "fmaximum",
    AtomicKind.EXCHANGE: "xchg",
}
"""What `llvm.atomicrmw` calls the kinds that it does not call as the dialect does."""

_ON_FAILURE = {"release": "monotonic", "acq_rel": "acquire"}
"""The strongest ordering that an exchange without store may have."""


def write_instruction(op: AtomicRmwOp | AtomicCasOp) -> None:
    """Put `llvm.atomicrmw` or `llvm.cmpxchg` in the place of `op`."""
    compat.ensure("llvm")
    code = _Code(op)
    pointer = code.pointer()
    ordering = op.ordering.data.value
    if op.ordering.data is Ordering.RELAXED:
        ordering = "monotonic"
    if isinstance(op, AtomicRmwOp):
        kind = instruction(op.kind.data, op.value.type)
        value = code.number(op.value)
        old = code.add(AtomicRMWOp(kind, pointer, value, ordering))
        replace(op, (), (code.in_type_of(op.old, old),))
        return
    on_failure = _ON_FAILURE.get(ordering, ordering)
    expected, new = code.number(op.expected), code.number(op.new)
    pair = code.add(AtomicCmpXchgOp(pointer, expected, new, ordering, on_failure))
    old, won = (
        code.add(llvm.ExtractValueOp(DenseArrayBase.from_list(i64, [n]), pair, type_))
        for n, type_ in enumerate((new.type, op.won.type))
    )
    replace(op, (), (code.in_type_of(op.old, old), won))


def instruction(kind: AtomicKind, type_: Attribute) -> str:
    """What `llvm.atomicrmw` calls a kind for elements of this type."""
    return (_FLOATS if is_float(type_) else _INTEGERS).get(kind, kind.value)


def _plain(type_: Attribute) -> Attribute:
    """The type that an element of memory has in the `llvm` dialect."""
    return i64 if isinstance(type_, IndexType) else type_


class _Code(Builder):
    """The operations that take the place of an atomic one."""

    def __init__(self, op: AtomicOp):
        super().__init__(InsertPoint.before(op), op)
        self._op = op

    def number(self, value: SSAValue) -> SSAValue:
        """`value` in a type of the `llvm` dialect."""
        if not isinstance(value.type, IndexType):
            return value
        return self.add(arith.IndexCastOp(value, i64))

    def in_type_of(self, old: SSAValue, new: SSAValue) -> SSAValue:
        """`new`, which stands for `old`, in the type of `old`."""
        if old.type == new.type:
            return new
        return self.add(arith.IndexCastOp(new, old.type))

    def pointer(self) -> SSAValue:
        """Where the element lies."""
        array = self._op.memref
        name = array.name_hint or "memory"
        number = self.add(memref.ExtractAlignedPointerAsIndexOp.get(array))
        start = self.add(llvm.IntToPtrOp(self.number(number)), f"{name}_start")
        index = self._index()
        if index is None:
            return start
        element = _plain(self._op.memref_type.element_type)
        at = llvm.GEPOp.from_mixed_indices(
            start, [self.number(index)], element, inbounds=True
        )
        return self.add(at, f"{name}_element")

    def _index(self) -> SSAValue | None:
        """How many elements after the start it lies; `None` if it is the first."""
        layout = memref_layout(self._op.memref_type)
        assert layout is not None, "kernels have no other layouts"
        indices = tuple(self._op.indices)
        if not layout.is_identity:
            return self._strided(indices, layout)
        total: SSAValue | None = None
        for dimension, (index, extent) in enumerate(
            zip(indices, layout.sizes, strict=True)
        ):
            if total is not None:
                total = self._multiply(total, self._extent(dimension, extent))
            total = self._sum(total, index)
        return total

    def _extent(self, dimension: int, extent: int | None) -> SSAValue:
        if extent is not None:
            return self._constant(extent)
        which = self._constant(dimension)
        return self.add(memref.DimOp(self._op.memref, which))

    def _strided(
        self, indices: tuple[SSAValue, ...], layout: MemRefLayout
    ) -> SSAValue | None:
        known = layout.offset, *layout.strides
        if None in known:
            metadata = memref.ExtractStridedMetaDataOp(self._op.memref)
            self.append(metadata)
            measured = metadata.offset, *metadata.strides
        else:
            measured = (None,) * len(known)
        offset, *strides = (
            number if number is not None else value
            for number, value in zip(known, measured, strict=True)
        )
        total: SSAValue | None = None
        if offset != 0:
            total = self._value(offset)
        for index, stride in zip(indices, strides, strict=True):
            step = index if stride == 1 else self._multiply(index, self._value(stride))
            total = self._sum(total, step)
        return total

    def _value(self, number: int | SSAValue | None) -> SSAValue:
        assert number is not None, "what the type leaves open is measured"
        return self._constant(number) if isinstance(number, int) else number

    def _constant(self, value: int) -> SSAValue:
        op = arith.ConstantOp(IntegerAttr.from_index_int_value(value))
        return self.add(op, f"c{value}" if value >= 0 else f"cm{-value}")

    def _sum(self, total: SSAValue | None, more: SSAValue) -> SSAValue:
        if total is None:
            return more
        return self.add(arith.AddiOp(total, more, overflow=NO_SIGNED_WRAP))

    def _multiply(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(arith.MuliOp(a, b, overflow=NO_SIGNED_WRAP))
