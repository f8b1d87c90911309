"""
Private arrays that live across a barrier: one array per work-item in group memory.

Where every use is a load or a store, the work-item is the last index: neighbouring
work-items access neighbouring elements.

```mlir
%a = memref.alloca() : memref<8xf32>                       // before
%v = memref.load %a[%k] : memref<8xf32>

%a = memref.alloca() {alignment = 64 : i64, spmd.group_memory} : memref<8x64xf32>
%v = memref.load %a[%k, %lx] : memref<8x64xf32>            // after
```

Where the array itself is needed as a value, it must be contiguous for each work-item: the
work-item is the first index, and each region takes a view of its own part. The allocation
gets the reason as attribute `spmd.not_interleaved`.

An array of dynamic size, the largest of all work-items, is allocated as far outside as the
size is known.

```mlir
%a = memref.alloca(%n) {alignment = 64 : i64, spmd.group_memory} : memref<?x64xf32>
scf.for %lx = ... {
  ...
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StringAttr,
    i8,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.barriers.barrier_regions import BarrierRegion
from spmd.analysis.contexts.region_needs import RegionNeeds
from spmd.dialects.building import Builder, bytes_of
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import size_in_bytes, static_bytes
from spmd.dialects.enclosing import op_of
from spmd.dialects.rewriting import NO_WRAP, hint, locate, replace
from spmd.dialects.spmd import EnqueuedLocalSizeOp, KernelOp
from spmd.dialects.work_groups import aligned_alloca, mark_group_memory
from spmd.passes.work_item_loops.building import WorkGroup, WorkItemNest, explain

NOT_INTERLEAVED = "spmd.not_interleaved"
"""Why a private array lies `[work-item][element]` in group memory."""


class _GroupArray:
    """The group memory that keeps one private array of all work-items."""

    def __init__(
        self,
        group: WorkGroup,
        alloca: memref.AllocaOp,
        sizes: Sequence[SSAValue],
    ):
        self.group = group
        self.alloca = alloca
        self.type = alloca.memref.type
        if not isinstance(self.type.layout, NoneAttr):
            what = "expected a private array in identity layout"
            fail(alloca, f"{what}, got {self.type}")
        self.sizes = sizes
        self.reason = why_not_interleaved(alloca)
        """Why the elements of one work-item lie together; `None` if they do not."""

        self.ops: list[Operation] = []
        """What makes the array, if it cannot stand at the head of the kernel."""

        self._bytes: SSAValue | None = None
        """The size of the part of one work-item."""

        self.array = self._dynamic() if sizes else self._static()
        why = "a private array that is used on both sides of a barrier"
        explain(self.array, why, self._part(), self.reason)
        if self.reason is not None:
            assert isinstance(self.array.owner, Operation)
            self.array.owner.attributes[NOT_INTERLEAVED] = StringAttr(self.reason)

    def _part(self) -> MemRefType[Attribute]:
        """What the array keeps of one work-item."""
        shape = self.type.get_shape()
        if self.reason is None:
            return MemRefType(self.type.element_type, shape)
        dynamic = DYNAMIC_INDEX in shape
        return MemRefType(i8, [DYNAMIC_INDEX if dynamic else static_bytes(self.type)])

    def _static(self) -> SSAValue:
        name, type_ = self.alloca.memref.name_hint, self.type
        if self.reason is None:
            return self.group.array(
                type_.element_type, name, self.alloca, type_.get_shape()
            )
        size = static_bytes(type_)
        self._bytes = self.group.constants.index(size)
        return self.group.bytes_per_work_item(size, name, self.alloca)

    def _dynamic(self) -> SSAValue:
        shape, sizes = list(self.type.get_shape()), list(self.sizes)
        nominal, dimensions = self.group.nominal, self.group.dimensions
        extents = [self.group.size(EnqueuedLocalSizeOp, d) for d in dimensions]
        if self.reason is None and nominal is not None:
            shape += [nominal[d] for d in dimensions]
            type_ = MemRefType(self.type.element_type, shape)
        elif self.reason is None:
            shape += [DYNAMIC_INDEX] * len(extents)
            type_ = MemRefType(self.type.element_type, shape)
            sizes += extents
        else:
            fixed = size_in_bytes(self.type.element_type)
            for extent in shape:
                fixed *= 1 if extent == DYNAMIC_INDEX else extent
            constants = self.group.constants
            part = (constants.index(fixed), *sizes)
            self._bytes = bytes_of(self.ops.append, constants, part)
            whole = (self._bytes, *extents)
            sizes = [bytes_of(self.ops.append, constants, whole)]
            type_ = MemRefType(i8, (DYNAMIC_INDEX,))
        op = mark_group_memory(aligned_alloca(type_, sizes))
        self.ops.append(op)
        for made in self.ops:
            locate(made, self.alloca)
        return hint(op.memref, self.alloca.memref)

    def view(self, ids: Mapping[int, SSAValue], at: Builder) -> SSAValue:
        """The part of one work-item, found by `at`."""
        assert self._bytes is not None, "an interleaved array has no views"
        index = self.group.linear_id(ids, at)
        offset = at.add(arith.MuliOp(index, self._bytes, overflow=NO_WRAP))
        plain = MemRefType(self.type.element_type, self.type.shape, self.type.layout)
        view = memref.ViewOp(self.array, offset, self.sizes, plain)
        if plain != self.type:
            # Group memory has no memory space; what uses it expects that of `alloca`.
            view = memref.MemorySpaceCastOp(at.add(view), self.type)
        return at.add(view, self.alloca.memref)

    def use_elements(
        self, indices_of: Callable[[Operation], Sequence[SSAValue]]
    ) -> None:
        """Let the loads and stores use the elements of an interleaved array."""
        for use in tuple(self.alloca.memref.uses):
            op = use.operation
            operands = list(op.operands)
            operands[use.index] = self.array
            op.operands = (*operands, *indices_of(op))


class PrivateArrays:
    """
    The private arrays of one kernel that live across a barrier.

    `known` tells what a size is called outside of the work-item loops.
    """

    def __init__(
        self,
        group: WorkGroup,
        needs: RegionNeeds,
        known: Callable[[SSAValue], SSAValue],
    ):
        self.regions = needs.regions
        self._arrays = {
            alloca: _GroupArray(group, alloca, [*map(known, alloca.dynamic_sizes)])
            for alloca in needs.values.private
        }
        self._made_in: dict[BarrierRegion, list[_GroupArray]] = {}
        for alloca, array in self._arrays.items():
            if array.ops:
                region = self.regions.region_of(alloca)
                if region is None or alloca not in region.ops:
                    _fail_about_size(alloca, "before the control flow around it")
                self._made_in.setdefault(region, []).append(array)

    def replaces(self, op: Operation) -> bool:
        """Whether `op` is an allocation that became group memory."""
        return op in self._arrays

    def interleave(self, nest_of: Callable[[Operation], WorkItemNest]) -> None:
        """Let the loads and stores of interleaved arrays use them."""
        for array in self._arrays.values():
            if array.reason is None:
                array.use_elements(lambda op: nest_of(op).indices)

    def view_in(self, alloca: memref.AllocaOp, nest: WorkItemNest) -> SSAValue:
        """The array of the work-item of `nest`."""
        array = self._arrays[alloca]
        if array.reason is None:
            return alloca.memref
        return array.view(nest.ids, Builder.at_end(nest.body, alloca))

    def place(self, region: BarrierRegion) -> None:
        """Make the arrays of dynamic size that `region` is the first to use."""
        for array in self._made_in.get(region, ()):
            anchor = region.end
            while (parent := _may_move_out(anchor, array.alloca)) is not None:
                anchor = parent
            Builder.before(anchor).append(*array.ops)


def _may_move_out(anchor: Operation, alloca: memref.AllocaOp) -> Operation | None:
    """The control flow around `anchor`, if the sizes of `alloca` are known before it."""
    parent = anchor.parent_op()
    if parent is None or isinstance(parent, KernelOp):
        return None
    for size in alloca.dynamic_sizes:
        at = size.owner
        if isinstance(at, Block):
            at = at.parent_op()
        while at is not None and at is not parent:
            at = at.parent_op()
        if at is parent and size.owner is not parent:
            return None
    return parent


def lift_private_array(
    group: WorkGroup,
    alloca: memref.AllocaOp,
    at_head: Callable[[SSAValue], SSAValue | None],
) -> _GroupArray:
    """
    Make group memory of `alloca` where its work-items still ask for their local ids.

    The loads and stores of the array, or a view in the place of `alloca`, use the ids.
    What an array of dynamic size needs is not yet placed; `at_head` tells what a size is
    called before all barriers.
    """
    sizes: list[SSAValue] = []
    for size in alloca.dynamic_sizes:
        known = at_head(size)
        if known is None:
            _fail_about_size(alloca, "before the first barrier")
        sizes.append(known)
    array = _GroupArray(group, alloca, sizes)
    ids = group.local_ids()
    if array.reason is not None:
        replace(alloca, (), (array.view(ids, Builder.before(alloca)),))
        return array
    indices = tuple(ids[d] for d in sorted(ids, reverse=True))
    array.use_elements(lambda op: indices)
    Rewriter.erase_op(alloca)
    return array


def _fail_about_size(alloca: memref.AllocaOp, where: str) -> NoReturn:
    fail(
        alloca,
        f"expected a private array of static size, or of a size that is known {where}, "
        f"got {alloca.memref.type}: it lives across a barrier",
    )


def why_not_interleaved(alloca: memref.AllocaOp) -> str | None:
    """Why the elements of one work-item must lie together."""
    for use in alloca.memref.uses:
        op = use.operation
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            return f"{op.name} needs it as a value"
    return None


def fail_about_unmovable(values: Iterable[SSAValue]) -> None:
    """Fail if there is a memref that lives across a barrier and cannot be rematerialized."""
    for value in values:
        op = op_of(value)
        fail(
            op,
            "expected only arguments, allocations, globals and views of them as memrefs "
            f"that are used after a barrier, got one that {op.name} makes",
        )
