"""
Which lane of which sub-group this is, and how many there are.

| name     | kind   | type    | meaning   |
| -------- | ------ | ------- | --------- |
| `result` | result | `index` | see below |

Errors: an op outside of a kernel or function.

```mlir
spmd.kernel @lanes(%lane: memref<?xindex>, %sub_group: memref<?xindex>, %lanes: memref<?xindex>,
    %sub_groups: memref<?xindex>) {
  %i = spmd.global_id x
  %l = spmd.lane_id
  %s = spmd.sub_group_id
  %n = spmd.sub_group_size
  %k = spmd.num_sub_groups
  memref.store %l, %lane[%i] : memref<?xindex>
  memref.store %s, %sub_group[%i] : memref<?xindex>
  memref.store %n, %lanes[%i] : memref<?xindex>
  memref.store %k, %sub_groups[%i] : memref<?xindex>
  spmd.return
}
// run: global_size = 9, group_size = 6, sub_group_size = 4, lane = [0, 0, 0, 0, 0, 0, 0, 0, 0], sub_group = [0, 0, 0, 0, 0, 0, 0, 0, 0], lanes = [0, 0, 0, 0, 0, 0, 0, 0, 0], sub_groups = [0, 0, 0, 0, 0, 0, 0, 0, 0]
// gives: lane = [0, 1, 2, 3, 0, 1, 0, 1, 2], sub_group = [0, 0, 0, 0, 1, 1, 0, 0, 0], lanes = [4, 4, 4, 4, 2, 2, 3, 3, 3], sub_groups = [2, 2, 2, 2, 2, 2, 1, 1, 1]
```
"""

from __future__ import annotations

from abc import ABC
from math import prod

from xdsl.dialects.builtin import IndexType
from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.traits import AlwaysSpeculatable, NoMemoryEffect

from spmd.dialects.enclosing import enclosing
from spmd.dialects.spmd.ids import Counts, SeesGroup, index_constant
from spmd.dialects.spmd.kernel import KernelOp
from spmd.dialects.spmd.traits import (
    Canonicalizes,
    expect_inside_function,
    replace_keeping_place,
)


class SubGroupQueryOp(IRDLOperation, ABC):
    """
    Base of the ops that ask for an id or a size of the sub-group.

    Between `spmd-to-loops` and `vectorize` they stand in work-item loops without
    depending on the loop's index. So they must not be hoisted: they have no effects, but
    are not speculatable.
    """

    result = result_def(IndexType)

    traits = traits_def(NoMemoryEffect(), Canonicalizes())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[IndexType()])

    def verify_(self) -> None:
        expect_inside_function(self)

    def canonicalize(self, rewriter: PatternRewriter) -> None:
        """
        ```mlir
        // before, in a kernel with work_group_size = array<i64: 8>, sub_group_size = 16 : i64
        %s = spmd.sub_group_id
        %n = spmd.num_sub_groups

        // after
        %s = arith.constant 0 : index
        %n = arith.constant 1 : index
        ```
        """
        kernel = enclosing(self, KernelOp)
        if kernel is None:
            return
        # 0 stands for unknown.
        most = prod(kernel.group_size) if kernel.group_size else 0
        lanes = kernel.sub_group_size.value.data if kernel.sub_group_size else 0
        alone = most == 1 or lanes == 1
        one_sub_group = most == 1 or 0 < most <= lanes
        full = kernel.has_full_groups and most > 0 and lanes > 0
        match self:
            case LaneIdOp() if alone:
                known = 0
            case SubGroupSizeOp() if alone:
                known = 1
            case SubGroupSizeOp() if full and (most % lanes == 0 or most < lanes):
                known = min(most, lanes)
            case SubGroupIdOp() if one_sub_group:
                known = 0
            case NumSubGroupsOp() if one_sub_group:
                known = 1
            case NumSubGroupsOp() if full:
                known = -(-most // lanes)
            case _:
                return
        replace_keeping_place(self, index_constant(known), rewriter)


@irdl_op_definition
class LaneIdOp(SubGroupQueryOp):
    """
    This work-item's place in its sub-group: from 0 to `spmd.sub_group_size` - 1.

    Lanes follow the linear local id.
    """

    name = "spmd.lane_id"


@irdl_op_definition
class SubGroupIdOp(SubGroupQueryOp):
    """
    Which sub-group of the work-group this is: from 0 to `spmd.num_sub_groups` - 1, the same
    in the whole sub-group.
    """

    name = "spmd.sub_group_id"

    traits = traits_def(SeesGroup())


@irdl_op_definition
class SubGroupSizeOp(SubGroupQueryOp):
    """
    How many lanes this sub-group has: from 1 to 64, the same in the whole sub-group.

    It is the actual size: the last sub-group of a group may be smaller than the others,
    and so is the only one of a small group. It counts the lanes that exist, whether or
    not they reach this op.
    """

    name = "spmd.sub_group_size"

    traits = traits_def(Counts(LaneIdOp))


@irdl_op_definition
class NumSubGroupsOp(SubGroupQueryOp):
    """
    How many sub-groups this work-group has: at least 1, the same in the whole group.

    It follows from the actual size of the group.
    """

    name = "spmd.num_sub_groups"

    traits = traits_def(AlwaysSpeculatable(), Counts(SubGroupIdOp), SeesGroup())
