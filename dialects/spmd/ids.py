"""Which work-item this is, and how many there are."""

from __future__ import annotations

from abc import ABC

from xdsl.dialects.builtin import IndexType
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from spmd.dialects.spmd.attributes import Dimension, DimensionAttr


class DimensionOp(IRDLOperation, ABC):
    """Base of the ops that ask for an id or a size in one dimension."""

    dimension = prop_def(DimensionAttr)
    result = result_def(IndexType)

    traits = traits_def(Pure())

    def __init__(self, dimension: Dimension | str):
        super().__init__(
            properties={"dimension": DimensionAttr(Dimension(dimension))},
            result_types=[IndexType()],
        )

    @classmethod
    def parse(cls, parser: Parser):
        dimension = parser.parse_str_enum(Dimension)
        attributes = parser.parse_optional_attr_dict()
        op = cls(dimension)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension.data.value}")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class GlobalIdOp(DimensionOp):
    name = "spmd.global_id"


@irdl_op_definition
class LocalIdOp(DimensionOp):
    name = "spmd.local_id"


@irdl_op_definition
class GroupIdOp(DimensionOp):
    name = "spmd.group_id"


@irdl_op_definition
class GlobalSizeOp(DimensionOp):
    name = "spmd.global_size"


@irdl_op_definition
class LocalSizeOp(DimensionOp):
    name = "spmd.local_size"


@irdl_op_definition
class EnqueuedLocalSizeOp(DimensionOp):
    name = "spmd.enqueued_local_size"


@irdl_op_definition
class NumGroupsOp(DimensionOp):
    name = "spmd.num_groups"


class SubGroupQueryOp(IRDLOperation, ABC):
    """Base of the ops that ask for an id or a size of the sub-group."""

    result = result_def(IndexType)

    traits = traits_def(Pure())

    assembly_format = "attr-dict"

    def __init__(self):
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class LaneIdOp(SubGroupQueryOp):
    name = "spmd.lane_id"


@irdl_op_definition
class SubGroupIdOp(SubGroupQueryOp):
    name = "spmd.sub_group_id"


@irdl_op_definition
class SubGroupSizeOp(SubGroupQueryOp):
    name = "spmd.sub_group_size"


@irdl_op_definition
class NumSubGroupsOp(SubGroupQueryOp):
    name = "spmd.num_sub_groups"
