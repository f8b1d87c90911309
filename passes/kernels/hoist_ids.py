"""
Moves every id, size and constant of a kernel to its head, one operation for each.

`spmd.global_id` is written as `enqueued_local_size * group_id + local_id`, and what the
kernel's `work_group_size` says about ids and sizes is put in: the nominal size is a
constant, in a dimension of nominal size one the local id is 0 and the local size 1, and
with `spmd.full_groups` every local size is the nominal one.

```mlir
// before
spmd.kernel @k(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %one = arith.constant 1 : i32
  memref.store %one, %x[%i] : memref<?xi32>
  spmd.return
}
// after
spmd.kernel @k(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i32
  %group_x = spmd.group_id x
  %local_x = spmd.local_id x
  %base_x = arith.muli %c64, %group_x overflow<nsw, nuw> : index
  %i = arith.addi %base_x, %local_x overflow<nsw, nuw> : index
  memref.store %one, %x[%i] : memref<?xi32>
  spmd.return
}
```

Requires: kernels without calls that ask for ids (`spmd-inline-calls`).
Ensures: all `spmd` id and size operations and all constants stand at the head of the
kernel's entry block; no two are equal; no `spmd.global_id` is left.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from spmd.dialects.names import FULL_GROUPS
from spmd.dialects.rewriting import NO_WRAP, hint, locate
from spmd.dialects.spmd import (
    Dimension,
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GroupIdOp,
    KernelOp,
    LocalIdOp,
    LocalSizeOp,
)
from spmd.dialects.spmd.kernel import kernels_in

_NAMES: dict[type[DimensionOp], str] = {
    GroupIdOp: "group",
    LocalIdOp: "local",
    LocalSizeOp: "local_size",
    EnqueuedLocalSizeOp: "enqueued",
}


class _Head:
    """The operations that will stand first in the entry block of one kernel."""

    def __init__(self, kernel: KernelOp):
        self.group_size = kernel.group_size
        self.full_groups = FULL_GROUPS in kernel.attributes
        self.constants: dict[tuple[Attribute, Attribute], arith.ConstantOp] = {}
        self.ids: list[Operation] = []
        self.sums: list[Operation] = []
        """What computes global ids."""
        self._values: dict[tuple[type[DimensionOp], Dimension], SSAValue] = {}

    def constant(self, op: arith.ConstantOp) -> SSAValue:
        """The one constant that is equal to `op`."""
        return self.constants.setdefault((op.value, op.result.type), op).result

    def id(
        self, kind: type[DimensionOp], dimension: Dimension, like: DimensionOp
    ) -> SSAValue:
        """The one value that is equal to the result of a `kind` of operation."""
        key = kind, dimension
        if (value := self._values.get(key)) is None:
            value = self._values[key] = self._new_id(kind, dimension, like)
        return value

    def _new_id(
        self, kind: type[DimensionOp], dimension: Dimension, like: DimensionOp
    ) -> SSAValue:
        known = self._known(kind, dimension)
        if known is not None:
            return self._index(known, like)
        if kind is GlobalIdOp:
            return self._global_id(dimension, like)
        op = kind(dimension)
        locate(op, like)
        self.ids.append(op)
        if type(like) is kind and (name := like.result.name_hint) is not None:
            return hint(op.result, name)
        return hint(op.result, f"{_NAMES.get(kind, kind.name[5:])}_{dimension.value}")

    def _known(self, kind: type[DimensionOp], dimension: Dimension) -> int | None:
        """The number that the fixed group size gives, if it does."""
        if self.group_size is None:
            return None
        nominal = self.group_size[dimension.number]
        if kind is EnqueuedLocalSizeOp:
            return nominal
        if kind is LocalSizeOp and (nominal == 1 or self.full_groups):
            return nominal
        if kind is LocalIdOp and nominal == 1:
            return 0
        return None

    def _global_id(self, dimension: Dimension, like: DimensionOp) -> SSAValue:
        first = self.id(GroupIdOp, dimension, like)
        if self._known(EnqueuedLocalSizeOp, dimension) == 1:
            return first
        nominal = self.id(EnqueuedLocalSizeOp, dimension, like)
        base = arith.MuliOp(nominal, first, overflow=NO_WRAP)
        hint(base.result, f"base_{dimension.value}")
        local = self.id(LocalIdOp, dimension, like)
        sum_ = arith.AddiOp(base, local, overflow=NO_WRAP)
        for op in (base, sum_):
            locate(op, like)
            self.sums.append(op)
        return sum_.result

    def _index(self, number: int, like: Operation) -> SSAValue:
        op = arith.ConstantOp(IntegerAttr.from_index_int_value(number))
        locate(op, like)
        hint(op.result, f"c{number}")
        return self.constant(op)


def hoist_ids(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    entry = kernel.body.blocks[0]
    head = _Head(kernel)
    found = [
        op for op in kernel.walk() if isinstance(op, arith.ConstantOp | DimensionOp)
    ]
    for op in found:
        if isinstance(op, DimensionOp):
            value = hint(head.id(type(op), op.dimension.data, op), op.result)
        else:
            value = head.constant(op)
        if value is op.results[0]:
            op.detach()
        else:
            op.results[0].replace_all_uses_with(value)
            Rewriter.erase_op(op)
    ops = (*head.constants.values(), *head.ids, *head.sums)
    Rewriter.insert_op(ops, InsertPoint.at_start(entry))


@dataclass(frozen=True)
class HoistIdsPass(ModulePass):
    """One operation for every id, size and constant; see the module docstring."""

    name = "hoist-ids"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            hoist_ids(kernel)
