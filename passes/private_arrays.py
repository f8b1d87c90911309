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
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    MemRefType,
    NoneAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.context_needs import ContextNeeds
from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import static_bytes
from spmd.dialects.rewriting import NO_WRAP, hint, locate, replace
from spmd.passes.work_item_loops import WorkGroup, WorkItemNest, explain

NOT_INTERLEAVED = "spmd.not_interleaved"
"""Why a private array lies `[work-item][element]` in group memory."""


class PrivateArrays:
    """The private arrays of one kernel that live across a barrier."""

    def __init__(self, group: WorkGroup, needs: ContextNeeds):
        self.group = group
        self.needs = needs
        self._arrays: dict[Operation, SSAValue] = {}
        self._interleaved: dict[memref.AllocaOp, None] = {}
        for alloca in needs.private:
            if (problem := why_not_in_group_memory(alloca)) is not None:
                fail(alloca, problem)
            self._arrays[alloca], reason = _allocate(group, alloca)
            if reason is None:
                self._interleaved[alloca] = None

    def replaces(self, op: Operation) -> bool:
        """Whether `op` is an allocation that became group memory."""
        return op in self._arrays

    def interleave(self, nest_of: Callable[[Operation], WorkItemNest]) -> None:
        """Let the loads and stores of interleaved arrays use them."""
        for alloca in self._interleaved:
            for use in tuple(alloca.memref.uses):
                op = use.operation
                operands = list(op.operands)
                operands[use.index] = self._arrays[alloca]
                op.operands = (*operands, *nest_of(op).indices)

    def view_in(self, alloca: memref.AllocaOp, nest: WorkItemNest) -> SSAValue:
        """The array of the work-item of `nest`."""
        if alloca in self._interleaved:
            return alloca.memref
        ops = _view(self.group, self._arrays[alloca], nest.ids, alloca)
        for op in ops:
            nest.body.add_op(op)
        return ops[-1].results[0]


def _view(
    group: WorkGroup,
    array: SSAValue,
    ids: Mapping[int, SSAValue],
    alloca: memref.AllocaOp,
) -> list[Operation]:
    """The operations that find the part of `array` of one work-item; the last one is it."""
    type_ = _type_of(alloca)
    index, ops = group.linear_id(ids, alloca)
    size = group.constants.index(static_bytes(type_))
    offset = arith.MuliOp(index, size, overflow=NO_WRAP)
    plain = MemRefType(type_.element_type, type_.shape, type_.layout)
    view = memref.ViewOp(array, offset, (), plain)
    ops += (offset, view)
    if plain != type_:
        # Group memory has no memory space; what uses the array expects that of `alloca`.
        ops.append(memref.MemorySpaceCastOp(view, type_))
    hint(ops[-1].results[0], alloca.memref)
    for op in ops:
        locate(op, alloca)
    return ops


def lift_private_array(group: WorkGroup, alloca: memref.AllocaOp) -> None:
    """
    Make group memory of `alloca` where its work-items still ask for their local ids.

    The loads and stores of the array, or a view in the place of `alloca`, use the ids.
    """
    if (problem := why_not_in_group_memory(alloca)) is not None:
        fail(alloca, problem)
    array, reason = _allocate(group, alloca)
    ids = group.local_ids()
    if reason is not None:
        replace(alloca, _view(group, array, ids, alloca))
        return
    indices = tuple(ids[d] for d in sorted(ids, reverse=True))
    for use in tuple(alloca.memref.uses):
        operands = list(use.operation.operands)
        operands[use.index] = array
        use.operation.operands = (*operands, *indices)
    assert alloca.parent is not None
    alloca.parent.erase_op(alloca)


def _allocate(group: WorkGroup, alloca: memref.AllocaOp) -> tuple[SSAValue, str | None]:
    """Group memory for all work-items, and why it is not interleaved."""
    type_ = _type_of(alloca)
    name = alloca.memref.name_hint
    reason = why_not_interleaved(alloca)
    why = "a private array that is used on both sides of a barrier"
    if reason is None:
        array = group.array(type_.element_type, name, alloca, type_.get_shape())
        return explain(array, why), None
    array = explain(group.bytes_per_work_item(static_bytes(type_), name, alloca), why)
    assert isinstance(array.owner, Operation)
    array.owner.attributes[NOT_INTERLEAVED] = StringAttr(reason)
    return array, reason


def why_not_in_group_memory(alloca: memref.AllocaOp) -> str | None:
    """Why there cannot be an array per work-item in place of `alloca`."""
    type_ = _type_of(alloca)
    if DYNAMIC_INDEX in type_.get_shape():
        return (
            f"expected a private array of static size, got {type_}: it lives across a "
            "barrier, where its size must be known before the group starts"
        )
    if not isinstance(type_.layout, NoneAttr):
        return f"expected a private array in identity layout, got {type_}"
    return None


def why_not_interleaved(alloca: memref.AllocaOp) -> str | None:
    """Why the elements of one work-item must lie together."""
    for use in alloca.memref.uses:
        op = use.operation
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            return f"{op.name} needs it as a value"
    return None


def _type_of(alloca: memref.AllocaOp) -> MemRefType[Attribute]:
    return alloca.memref.type


def fail_about_unmovable(values: Iterable[SSAValue]) -> None:
    """Fail if there is a memref that lives across a barrier and cannot be made again."""
    for value in values:
        owner = value.owner
        op = owner if isinstance(owner, Operation) else owner.parent_op()
        assert op is not None, "a block stands in an operation"
        fail(
            op,
            "expected only arguments, allocations, globals and views of them as memrefs "
            f"that are used behind a barrier, got one that {op.name} makes",
        )
