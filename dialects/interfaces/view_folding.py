"""Accesses through views become accesses to what the views are of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type, mixed_numbers
from spmd.dialects.interfaces.memory import MemoryAccess, MemoryHint
from spmd.dialects.interfaces.views import viewed_memory
from spmd.dialects.rewriting import constant_index, hint


def accessed(op: Operation) -> int | None:
    """The operand whose element `op` accesses, the indices of which are the last ones."""
    if (hint_ := MemoryHint.of(op)) is not None:
        return hint_.operand
    access = MemoryAccess.of(op)
    if access is None or not access.element:
        return None
    return access.written if access.read is None else access.read


@dataclass(frozen=True)
class _Place:
    """An element of a memref."""

    memory: SSAValue
    indices: tuple[SSAValue, ...]
    linear: bool = False
    """Whether the only index counts elements from where the memory of `memory` starts."""


@dataclass(frozen=True)
class ViewFolding:
    """The rewriting of one access."""

    position: int
    """Of the memref among the operands."""

    folds: Callable[[SSAValue], bool]
    """Whether accesses are not to go through a memref."""

    constants: ConstantPool

    def fold(self, op: Operation) -> None:
        """Let `op` access what its memref is a view of."""
        memory, *indices = op.operands[self.position :]
        self._fold(op, _Place(memory, tuple(indices)))

    def _fold(self, op: Operation, place: _Place) -> None:
        """Let `op`, which is the access or a copy of it, access `place`."""
        while (through := self._through(op, place)) is not None:
            place = through
        choice = place.memory.owner
        if isinstance(choice, arith.SelectOp) and self.folds(place.memory):
            self._branch(op, choice, place)
            return
        memory = self._flat(op, place.memory) if place.linear else place.memory
        op.operands = (*op.operands[: self.position], memory, *place.indices)

    def _branch(self, op: Operation, choice: arith.SelectOp, place: _Place) -> None:
        copies = [op.clone(), op.clone()]
        blocks = [Block([copy, scf.YieldOp(*copy.results)]) for copy in copies]
        then, otherwise = (Region(block) for block in blocks)
        branch = scf.IfOp(choice.cond, op.result_types, then, otherwise)
        Builder.before(op).append(branch)
        for old, new in zip(op.results, branch.results, strict=True):
            old.replace_all_uses_with(hint(new, old))
        Rewriter.erase_op(op)
        for copy, memory in zip(copies, (choice.lhs, choice.rhs), strict=True):
            self._fold(copy, _Place(memory, place.indices, place.linear))

    def _through(self, op: Operation, place: _Place) -> _Place | None:
        """The place in what `place.memory` is a view of."""
        if not self.folds(place.memory):
            return None
        view, at = place.memory.owner, Builder.before(op)
        match view:
            case _ if place.linear and not isinstance(view, memref.ViewOp):
                # All other views are of memory that starts at the same place.
                source = viewed_memory(place.memory)
                return source and _Place(source, place.indices, True)
            case memref.CastOp():
                return _Place(view.source, place.indices)
            case memref.SubviewOp():
                return _Place(view.source, self._in_source(at, view, place.indices))
            case memref.ReinterpretCastOp():
                (offset,) = mixed_numbers(view.static_offsets, view.offsets)
                strides = mixed_numbers(view.static_strides, view.strides)
                total = self._value(offset)
                for index, stride in zip(place.indices, strides, strict=True):
                    total = self._sum(at, total, self._times(at, index, stride))
                linear = not _is_line(memref_type(view.source))
                return _Place(view.source, (total,), linear)
            case _:
                return None

    def _in_source(
        self, at: Builder, view: memref.SubviewOp, indices: Sequence[SSAValue]
    ) -> tuple[SSAValue, ...]:
        """The indices in what a subview is of; of dimensions left out, all have size 1."""
        left_out = len(view.static_sizes) - len(indices)
        rest, found = iter(indices), list[SSAValue]()
        for size, offset, stride in zip(
            view.static_sizes.get_values(),
            mixed_numbers(view.static_offsets, view.offsets),
            mixed_numbers(view.static_strides, view.strides),
            strict=True,
        ):
            index = self._value(offset)
            if left_out and size == 1:
                left_out -= 1
            else:
                index = self._sum(at, index, self._times(at, next(rest), stride))
            found.append(index)
        return tuple(found)

    def _flat(self, op: Operation, memory: SSAValue) -> SSAValue:
        """The memory of `memory` as a memref of one dimension without an end."""
        type_ = memref_type(memory)
        if _is_line(type_):
            return memory
        layout = StridedLayoutAttr([1], 0)
        line = MemRefType(
            type_.element_type, [DYNAMIC_INDEX], layout, type_.memory_space
        )
        unbounded = self.constants.index((1 << 63) - 1)
        view = memref.ReinterpretCastOp.from_dynamic(
            memory, [0], [unbounded], [1], line
        )
        return Builder.before(op).add(view, memory)

    def _value(self, number: int | SSAValue) -> SSAValue:
        return self.constants.index(number) if isinstance(number, int) else number

    def _times(self, at: Builder, index: SSAValue, stride: int | SSAValue) -> SSAValue:
        if stride == 1:
            return index
        known = constant_index(index)
        if known is not None and isinstance(stride, int):
            return self.constants.index(known * stride)
        return at.add(arith.MuliOp(index, self._value(stride)), "offset")

    def _sum(self, at: Builder, a: SSAValue, b: SSAValue) -> SSAValue:
        known, more = constant_index(a), constant_index(b)
        if known is not None and more is not None:
            return self.constants.index(known + more)
        if known == 0:
            return b
        return a if more == 0 else at.add(arith.AddiOp(a, b), "at")


def _is_line(type_: MemRefType[Attribute]) -> bool:
    """Whether an index into a memref of this type counts elements of its memory."""
    return type_.get_num_dims() == 1 and isinstance(type_.layout, NoneAttr)
