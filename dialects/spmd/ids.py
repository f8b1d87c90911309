"""
Which work-item this is, and how many there are.

| name        | kind      | type            | meaning                                  |
| ----------- | --------- | --------------- | ---------------------------------------- |
| `dimension` | attribute | `x`, `y` or `z` | the dimension                            |
| `result`    | result    | `index`         | see below; the same as long as a work-item runs |

Dimensions that a launch does not name have size 1.

Errors: an op outside of a kernel or function.

```mlir
spmd.kernel @range(%global_ids: memref<?xindex>, %local_ids: memref<?xindex>,
    %group_ids: memref<?xindex>, %sizes: memref<?xindex>, %items: memref<index>,
    %full: memref<index>, %groups: memref<index>) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %g = spmd.group_id x
  %s = spmd.local_size x
  %n = spmd.global_size x
  %f = spmd.enqueued_local_size x
  %k = spmd.num_groups x
  memref.store %i, %global_ids[%i] : memref<?xindex>
  memref.store %l, %local_ids[%i] : memref<?xindex>
  memref.store %g, %group_ids[%i] : memref<?xindex>
  memref.store %s, %sizes[%i] : memref<?xindex>
  memref.store %n, %items[] : memref<index>
  memref.store %f, %full[] : memref<index>
  memref.store %k, %groups[] : memref<index>
  spmd.return
}
// run: global_size = 5, group_size = 2, global_ids = [0, 0, 0, 0, 0], local_ids = [0, 0, 0, 0, 0], group_ids = [0, 0, 0, 0, 0], sizes = [0, 0, 0, 0, 0], items = 0, full = 0, groups = 0
// gives: global_ids = [0, 1, 2, 3, 4], local_ids = [0, 1, 0, 1, 0], group_ids = [0, 0, 1, 1, 2], sizes = [2, 2, 2, 2, 1], items = 5, full = 2, groups = 3
```
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import OpTrait, Pure

from spmd.dialects.assembly_format import Keyword
from spmd.dialects.enclosing import enclosing
from spmd.dialects.interfaces.interface import OpInterface
from spmd.dialects.spmd.kernel import KernelOp
from spmd.dialects.spmd.traits import (
    Canonicalizes,
    expect_inside_function,
    replace_keeping_place,
)
from spmd.dialects.spmd.types import Dimension, DimensionAttr


@dataclass(frozen=True)
class Counts(OpInterface):
    """The op says how many values an id can have, which are smaller."""

    ids: type[Operation]


class SeesGroup(OpTrait):
    """What the op gives depends on which work-items are a work-group."""


def index_constant(value: int) -> ConstantOp:
    """`value` as a constant of type `index`."""
    return ConstantOp(IntegerAttr(value, IndexType()))


class DimensionOp(IRDLOperation, ABC):
    """Base of the ops that ask for an id or a size in one dimension."""

    dimension = prop_def(DimensionAttr)
    result = result_def(IndexType)

    traits = traits_def(Pure(), Canonicalizes())

    custom_directives = (Keyword,)
    assembly_format = "custom<Keyword>($dimension) attr-dict"

    def __init__(self, dimension: Dimension | str):
        super().__init__(
            properties={"dimension": DimensionAttr(Dimension(dimension))},
            result_types=[IndexType()],
        )

    def verify_(self) -> None:
        expect_inside_function(self)

    def canonicalize(self, rewriter: PatternRewriter) -> None:
        """
        A group may be smaller than `work_group_size`: only sizes of 1, and all sizes under
        `spmd.full_groups`, are exact.

        ```mlir
        // before, in a kernel with work_group_size = array<i64: 64>
        %y = spmd.local_id y
        %n = spmd.enqueued_local_size x
        %g = spmd.global_id z

        // after
        %y = arith.constant 0 : index
        %n = arith.constant 64 : index
        %g = spmd.group_id z
        ```
        """
        kernel = enclosing(self, KernelOp)
        if kernel is None or kernel.group_size is None:
            return
        dimension = self.dimension.data
        size = kernel.group_size[dimension.number]
        exact = size == 1 or kernel.has_full_groups
        match self:
            case EnqueuedLocalSizeOp():
                new = index_constant(size)
            case LocalSizeOp() if exact:
                new = index_constant(size)
            case LocalIdOp() if size == 1:
                new = index_constant(0)
            case GlobalIdOp() if size == 1:
                new = GroupIdOp(dimension)
            case NumGroupsOp() if size == 1:
                new = GlobalSizeOp(dimension)
            case _:
                return
        replace_keeping_place(self, new, rewriter)


@irdl_op_definition
class GlobalIdOp(DimensionOp):
    """
    This work-item's place in the whole range: from 0 to `spmd.global_size` - 1.

    It is `enqueued_local_size * group_id + local_id`.
    """

    name = "spmd.global_id"


@irdl_op_definition
class LocalIdOp(DimensionOp):
    """
    This work-item's place in its work-group: from 0 to `spmd.local_size` - 1.

    The linear local id is `x + X * (y + Y * z)` with the actual sizes X and Y of this
    group.
    """

    name = "spmd.local_id"

    traits = traits_def(SeesGroup())


@irdl_op_definition
class GroupIdOp(DimensionOp):
    """Which work-group this is: from 0 to `spmd.num_groups` - 1, the same in all of it."""

    name = "spmd.group_id"

    traits = traits_def(SeesGroup())


@irdl_op_definition
class GlobalSizeOp(DimensionOp):
    """How many work-items there are: at least 1, the same in all work-items."""

    name = "spmd.global_size"

    traits = traits_def(Counts(GlobalIdOp))


@irdl_op_definition
class LocalSizeOp(DimensionOp):
    """
    How many work-items this work-group has: from 1 to `spmd.enqueued_local_size`, the same
    in the whole group.

    It is the actual size: the last group of a dimension is smaller if the global size is
    no multiple of the group size.
    """

    name = "spmd.local_size"

    traits = traits_def(Counts(LocalIdOp), SeesGroup())


@irdl_op_definition
class EnqueuedLocalSizeOp(DimensionOp):
    """
    How many work-items a full work-group has, the same in all work-items.

    It is the nominal size: that of the kernel's `work_group_size`, or of the launch.
    """

    name = "spmd.enqueued_local_size"

    traits = traits_def(Counts(LocalIdOp), SeesGroup())


@irdl_op_definition
class NumGroupsOp(DimensionOp):
    """
    How many work-groups there are, the same in all work-items.

    It is the global size by the nominal group size, rounded up.
    """

    name = "spmd.num_groups"

    traits = traits_def(Counts(GroupIdOp), SeesGroup())
