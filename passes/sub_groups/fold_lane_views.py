"""
Accesses through views that work-items make become accesses to what the views are of.

A view that differs between work-items is no value of a lane, but an index is: the access
becomes contiguous, strided or a gather as any other. A private array that is only seen
through such views stays one that loads and stores access. Where a work-item chooses
between two memrefs, it takes one of two branches, each with one memref.

It is what upstream's `fold-memref-alias-ops` does, of `memref.cast`, `memref.subview` and
`memref.reinterpret_cast`, and only inside of loops over work-items: views that are made
outside of them are the same for all lanes.

Requires: level 1.
Ensures: in work-item loops, no op that accesses one element does so through one of these
views, if what they are of has a known layout.

```mlir
// before
scf.for %lx = %c0 to %n step %c1 {
  %row = memref.subview %x[%lx, 0] [1, 4] [1, 1]
    : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %v = memref.load %row[%k] : memref<4xf32, strided<[1], offset: ?>>
  %to = arith.select %c, %y, %z : memref<?xf32>
  memref.store %v, %to[%lx] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}

// after
scf.for %lx = %c0 to %n step %c1 {
  %v = memref.load %x[%lx, %k] : memref<?x4xf32>
  scf.if %c {
    memref.store %v, %y[%lx] : memref<?xf32>
  } else {
    memref.store %v, %z[%lx] : memref<?xf32>
  }
} {spmd.work_items = array<i64: 0>}
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type, mixed_numbers
from spmd.dialects.interfaces.memory import MemoryAccess, MemoryHint
from spmd.dialects.interfaces.views import makes_view, viewed_memory
from spmd.dialects.rewriting import constant_index, erase_dead_ops, hint
from spmd.passes.sub_groups.vector_forms import IsUniform, differs
from spmd.passes.work_item_loops.nests import innermost_loops


@dataclass(frozen=True)
class FoldLaneViewsPass(ModulePass):
    """Indices instead of views in lanes; see the module docstring."""

    name = "fold-lane-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            constants = ConstantPool(function.body.blocks[0])
            for loop in innermost_loops(function):
                _fold_in(loop, constants)


def _fold_in(loop: scf.ForOp, constants: ConstantPool) -> None:
    """Let accesses in `loop` name elements of what their memrefs are views of."""
    ops = tuple(loop.body.walk())
    if not any(map(makes_view, ops)):
        return
    is_uniform = analyze_work_items(loop).is_uniform
    for op in ops:
        position = _accessed(op)
        if position is not None and differs(op.operands[position], is_uniform):
            place = _Place(op.operands[position], tuple(op.operands[position + 1 :]))
            _Folding(position, is_uniform, constants).place(op, place)
    erase_dead_ops(loop.body)


def _accessed(op: Operation) -> int | None:
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
class _Folding:
    """The rewriting of one access."""

    position: int
    """Of the memref among the operands."""

    is_uniform: IsUniform
    constants: ConstantPool

    def place(self, op: Operation, place: _Place) -> None:
        """Let `op`, which is the access or a copy of it, access `place`."""
        while (through := self._through(op, place)) is not None:
            place = through
        choice = place.memory.owner
        if isinstance(choice, arith.SelectOp) and self._differs(place.memory):
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
            self.place(copy, _Place(memory, place.indices, place.linear))

    def _through(self, op: Operation, place: _Place) -> _Place | None:
        """The place in what `place.memory` is a view of."""
        if not self._differs(place.memory):
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

    def _differs(self, memory: SSAValue) -> bool:
        return differs(memory, self.is_uniform)

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
        return at.add(arith.MuliOp(index, self._value(stride)), "offset")

    def _sum(self, at: Builder, a: SSAValue, b: SSAValue) -> SSAValue:
        if constant_index(a) == 0:
            return b
        return a if constant_index(b) == 0 else at.add(arith.AddiOp(a, b), "at")


def _is_line(type_: MemRefType[Attribute]) -> bool:
    """Whether an index into a memref of this type counts elements of its memory."""
    return type_.get_num_dims() == 1 and isinstance(type_.layout, NoneAttr)
