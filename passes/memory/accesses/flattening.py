"""Arrays seen as one dimension, whatever their layout is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, memref, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    StridedLayoutAttr,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type
from spmd.dialects.rewriting import constant_index


def flattened(
    at: Builder,
    constants: ConstantPool,
    array: SSAValue,
    data: memref.ExtractStridedMetaDataOp,
) -> SSAValue:
    """The memory of `array`, seen as one dimension of stride 1 without an end."""
    type_ = memref_type(array)
    line = MemRefType(
        type_.element_type,
        [DYNAMIC_INDEX],
        StridedLayoutAttr([1], None),
        type_.memory_space,
    )
    unbounded = constants.index((1 << 63) - 1)
    return at.add(
        memref.ReinterpretCastOp.from_dynamic(
            data.base_buffer, [data.offset], [unbounded], [1], line
        ),
        array,
    )


def line_of(
    at: Builder, constants: ConstantPool, base: SSAValue, offsets: Sequence[SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """The memory of `base` as one dimension, and where `offsets` point to in it."""
    if len(offsets) == 1:
        return base, offsets[0]
    data = memref.ExtractStridedMetaDataOp(base)
    at.append(data)
    *outer, position = offsets
    for index, stride in zip(outer, data.strides, strict=False):
        ahead = at.add(arith.MuliOp(index, stride))
        position = at.add(arith.AddiOp(position, ahead), "position")
    return flattened(at, constants, base, data), position


def start_of(at: Builder, indices: SSAValue, position: SSAValue, lane: int) -> SSAValue:
    """Where a lane is in memory of which index 0 is at `position`."""
    start = at.add(vector.ExtractOp(indices, [lane], element_type(indices)), "start")
    if start.type != IndexType():
        start = at.add(arith.IndexCastOp(start, IndexType()), "start")
    if constant_index(position) != 0:
        start = at.add(arith.AddiOp(position, start), "start")
    return start


def element_type(lanes: SSAValue) -> Attribute:
    """Of what `lanes` is a vector."""
    return cast(VectorType[Attribute], lanes.type).element_type
