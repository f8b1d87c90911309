"""The meaning of ids, sizes and local memory in a kernel."""

from __future__ import annotations

from spmd.dialects.spmd import (
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    LaneIdOp,
    LocalAllocOp,
    LocalIdOp,
    LocalSizeOp,
    NumGroupsOp,
    NumSubGroupsOp,
    SubGroupIdOp,
    SubGroupQueryOp,
    SubGroupSizeOp,
)
from spmd.reference.compiler import Body, meaning
from spmd.reference.semantics.upstream.memref import element_in_memory, memref_type

PER_DIMENSION: dict[type[DimensionOp], str] = {
    GlobalIdOp: "w.global_id",
    LocalIdOp: "w.local",
    GroupIdOp: "w.group.id",
    GlobalSizeOp: "w.group.global_size",
    LocalSizeOp: "w.group.size",
    EnqueuedLocalSizeOp: "w.group.enqueued",
    NumGroupsOp: "w.group.count",
}


@meaning(*PER_DIMENSION)
def _dimension(body: Body, op: DimensionOp) -> None:
    body.let(op.result, f"{PER_DIMENSION[type(op)]}[{op.dimension.data.index}]")


OF_SUB_GROUP: dict[type[SubGroupQueryOp], str] = {
    LaneIdOp: "w.lane",
    SubGroupIdOp: "w.sub_group",
    SubGroupSizeOp: "w.sub_group_length",
    NumSubGroupsOp: "w.group.sub_groups",
}


@meaning(*OF_SUB_GROUP)
def _sub_group(body: Body, op: SubGroupQueryOp) -> None:
    body.let(op.result, OF_SUB_GROUP[type(op)])


@meaning(LocalAllocOp)
def _local_alloc(body: Body, op: LocalAllocOp) -> None:
    type_ = memref_type(op.memref, op)
    scalar = body.program.bind(element_in_memory(type_, op), "scalar")
    name = op.memref.name_hint or ""
    sizes = type_.get_shape()
    body.let(op.memref, f"w.group.local({body.site(op)}, {sizes}, {scalar}, {name!r})")
