"""Arrays seen as one dimension, whatever their layout is."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, StridedLayoutAttr
from xdsl.ir import SSAValue

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type


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
