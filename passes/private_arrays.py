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

from collections.abc import Callable

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
from spmd.dialects.rewriting import NO_WRAP, hint, locate
from spmd.passes.work_item_loops import WorkGroup, WorkItemNest

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
            self._make(alloca)

    def _make(self, alloca: memref.AllocaOp) -> None:
        type_ = _type_of(alloca)
        name = alloca.memref.name_hint
        reason = why_not_interleaved(alloca)
        if reason is None:
            array = self.group.array(
                type_.element_type, name, alloca, type_.get_shape()
            )
            self._interleaved[alloca] = None
        else:
            array = self.group.bytes_per_work_item(static_bytes(type_), name, alloca)
            assert isinstance(array.owner, Operation)
            array.owner.attributes[NOT_INTERLEAVED] = StringAttr(reason)
        self._arrays[alloca] = array

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
        type_ = _type_of(alloca)
        index = self.group.linear_id(nest, alloca)
        size = self.group.constants.index(static_bytes(type_))
        offset = arith.MuliOp(index, size, overflow=NO_WRAP)
        view = memref.ViewOp(self._arrays[alloca], offset, (), type_)
        hint(view.result, alloca.memref)
        for op in (offset, view):
            locate(op, alloca)
            nest.body.add_op(op)
        return view.result


def why_not_in_group_memory(alloca: memref.AllocaOp) -> str | None:
    """Why there cannot be an array per work-item in place of `alloca`."""
    type_ = _type_of(alloca)
    if DYNAMIC_INDEX in type_.get_shape():
        return (
            f"expected a private array of static size, got {type_}: it lives across a "
            "barrier, where its size must be known before the group starts"
        )
    return None


def why_not_interleaved(alloca: memref.AllocaOp) -> str | None:
    """Why the elements of one work-item must lie together."""
    if not isinstance(_type_of(alloca).layout, NoneAttr):
        return "its layout is not the identity"
    for use in alloca.memref.uses:
        op = use.operation
        if not isinstance(op, memref.LoadOp | memref.StoreOp):
            return f"{op.name} needs it as a value"
    return None


def _type_of(alloca: memref.AllocaOp) -> MemRefType[Attribute]:
    return alloca.memref.type
