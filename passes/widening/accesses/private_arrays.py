"""
The private arrays of all lanes: where they lie, and how large they are.

| the array of a lane is used                  | becomes                                |
| -------------------------------------------- | -------------------------------------- |
| by loads and stores                          | one array, `[e, lane]`                 |
| by any other op                              | a part of a buffer, seen lane by lane  |

What has static sizes stands at the head of the function. A size that differs between lanes
becomes that of the largest.
"""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    NoneAttr,
    i8,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Operation, SSAValue, Use

from spmd.dialects.building import bytes_of, reduction
from spmd.dialects.element_types import memref_type, static_bytes
from spmd.dialects.enclosing import block_of
from spmd.dialects.interfaces.memory import MemoryHint
from spmd.dialects.rewriting import constant_index, hint, named
from spmd.dialects.spmd import MaskedOp
from spmd.dialects.work_groups import CACHE_LINE_ALIGNMENT, aligned_alloca
from spmd.passes.widening.lanes import Active, Uniform
from spmd.passes.widening.state import PrivateArray, Widening

ALIGNMENT = 16
"""Where in the buffer of all lanes the array of one may begin, in bytes."""


def widen_alloca(widening: Widening, op: memref.AllocaOp, active: Active) -> None:
    """Make room for the arrays of all lanes."""
    sizes = [_largest(widening, size, active) for size in op.dynamic_sizes]
    if all(_takes_an_element(use) for use in op.memref.uses):
        new = _by_elements(widening, op, sizes)
    else:
        new = _apart(widening, op, sizes)
    widening.private[op.memref] = new


def is_size_of_private(widening: Widening, op: Operation) -> bool:
    """Whether `op` asks for a size of a private array that loads and stores access."""
    return (
        isinstance(op, memref.DimOp)
        and op.source in widening.private
        and not widening.differs(op.source)
    )


def widen_size(widening: Widening, op: memref.DimOp) -> None:
    """The size of the lane's own array, which may be smaller than that of all lanes."""
    axis = constant_index(op.index)
    shape = memref_type(op.source).get_shape()
    if axis is None or not 0 <= axis < len(shape):
        axis = 0  # there is no such dimension: any number will do
    if shape[axis] != DYNAMIC_INDEX:
        size = widening.constants.number(shape[axis], IndexType())
        widening.lanes[op.result] = Uniform(size)
        return
    extents = iter(widening.private[op.source].extents)
    found = [next(extents) for size in shape[: axis + 1] if size == DYNAMIC_INDEX]
    widening.lanes[op.result] = widening.of(found[-1])


def _takes_an_element(use: Use) -> bool:
    """Whether a use of a private array needs an element or a size, and not the whole."""
    match use.operation:
        case memref.LoadOp():
            return True
        case memref.StoreOp():
            return use.index == 1
        case memref.DimOp(index=index):
            return constant_index(index) is not None
        case user:
            return MemoryHint.of(user) is not None


def _by_elements(
    widening: Widening, op: memref.AllocaOp, sizes: list[SSAValue]
) -> PrivateArray:
    type_ = memref_type(op.memref)
    shape = [*type_.get_shape(), widening.width]
    result = MemRefType(type_.element_type, shape, NoneAttr(), type_.memory_space)
    new = memref.AllocaOp.create(
        operands=sizes,
        result_types=[result],
        properties=op.properties | {"alignment": CACHE_LINE_ALIGNMENT},
        location=op.location,
    )
    hint(new.memref, op.memref)
    if sizes:
        widening.append(new)
    else:
        widening.at_function_head(new)
    together = _is_written_together(op)
    return PrivateArray(
        new.memref, extents=tuple(op.dynamic_sizes), written_together=together
    )


def _is_written_together(op: memref.AllocaOp) -> bool:
    """
    Whether the same lanes take part in all stores to an array.

    The others never write to it, and have nothing to read there.
    """
    under = [
        _masks_between(use.operation, op)
        for use in op.memref.uses
        if isinstance(use.operation, memref.StoreOp)
    ]
    masks = {mask for each in under for mask in each}
    if not masks:
        return True
    if len(masks) > 1 or any(len(each) != 1 for each in under):
        return False
    # A mask of a loop is another one in each iteration, and the array the same.
    block = block_of(next(iter(masks)))
    return block.is_ancestor(op)


def _masks_between(store: Operation, array: memref.AllocaOp) -> list[SSAValue]:
    """The masks that `store` is under and its `array` is not."""
    masks: list[SSAValue] = []
    around = store.parent_op()
    while around is not None and around is not array.parent_op():
        if isinstance(around, MaskedOp):
            masks.append(around.mask)
        around = around.parent_op()
    return masks


def _apart(
    widening: Widening, op: memref.AllocaOp, sizes: list[SSAValue]
) -> PrivateArray:
    constants, type_ = widening.constants, memref_type(op.memref)
    name = named(op.memref, "lanes")
    size = static_bytes(type_)
    if not sizes:
        size = -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        buffer = aligned_alloca(MemRefType(i8, [size * widening.width]))
        hint(buffer.memref, name)
        widening.at_function_head(buffer)
        return PrivateArray(buffer.memref, part=constants.number(size, IndexType()))
    part = bytes_of(widening.append, constants, (constants.index(size), *sizes))
    more = constants.number(ALIGNMENT - 1, IndexType())
    mask = constants.number(-ALIGNMENT, IndexType())
    part = widening.add(arith.AndIOp(widening.add(arith.AddiOp(part, more)), mask))
    width = constants.number(widening.width, IndexType())
    total = widening.add(arith.MuliOp(hint(part, "bytes"), width))
    buffer = widening.add(
        aligned_alloca(MemRefType(i8, [DYNAMIC_INDEX]), [total]), name
    )
    return PrivateArray(buffer, part=part, extents=tuple(op.dynamic_sizes))


def _largest(widening: Widening, size: SSAValue, active: Active) -> SSAValue:
    """The largest that an active lane has of an unsigned number."""
    held = widening.of(size)
    if isinstance(held, Uniform):
        return held.scalar
    if widening.is_uniform(size):
        return widening.once(size, active)
    lanes = widening.in_active(active, widening.vector(held), 0)
    found = reduction(lanes, CombiningKindFlag.MAXUI, size.type)
    return widening.add(found, named(size, "most"))
