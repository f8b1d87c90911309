"""Barriers and what lives across them, read after the passes that decide about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    MemRefType,
    StringAttr,
    i8,
)
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.diagnostics import source_location
from spmd.dialects.element_types import size_in_bytes, static_bytes
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import EnqueuedLocalSizeOp, KernelOp, LocalAllocOp
from spmd.dialects.spmd.kernel import DROPPED_BARRIERS
from spmd.dialects.spmd.types import is_local
from spmd.dialects.work_groups import CACHE_LINE, CONTEXT, is_group_memory
from spmd.passes.splitting.private_arrays import NOT_INTERLEAVED
from spmd.runtime.explanation.facts import DroppedBarrier, Kept, LocalArray, Place

_ALLOCATIONS = (memref.AllocaOp, memref.AllocOp)
"""What has a size that only the kernel itself computes lies on the heap."""


def dropped_barriers(kernel: KernelOp) -> tuple[DroppedBarrier, ...]:
    """The barriers that `drop-redundant-barriers` has removed from `kernel`."""
    proofs = kernel.attributes.get(DROPPED_BARRIERS)
    if not isinstance(proofs, ArrayAttr):
        return ()
    return tuple(_dropped(text.data) for text in cast(ArrayAttr[StringAttr], proofs))


_PLACED = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): (?P<proof>.*)")


def _dropped(text: str) -> DroppedBarrier:
    """The attribute has the place of the barrier, which is gone, in front of the proof."""
    if (found := _PLACED.fullmatch(text)) is None:
        return DroppedBarrier(text, None)
    place = Place(found["file"], int(found["line"]), int(found["column"]))
    return DroppedBarrier(found["proof"], place)


def local_arrays(kernel: KernelOp) -> tuple[LocalArray, ...]:
    """Local memory: of the kernel itself, and what the launch gives."""
    values: list[SSAValue] = []
    entry = kernel.body.blocks.first
    if entry is not None:
        values += [argument for argument in entry.args if is_local(argument.type)]
    values += [op.results[0] for op in kernel.walk() if isinstance(op, LocalAllocOp)]
    return tuple(map(_local_array, values))


def _local_array(value: SSAValue) -> LocalArray:
    type_ = cast(MemRefType[Attribute], value.type)
    owner = value.owner
    op = owner if isinstance(owner, Operation) else owner.parent_op()
    dynamic = DYNAMIC_INDEX in type_.get_shape()
    return LocalArray(
        value.name_hint,
        str(MemRefType(type_.element_type, type_.shape)),
        None if dynamic else static_bytes(type_),
        None if op is None else Place.of(source_location(op)),
    )


def contexts_and_cells(
    kernel: KernelOp,
) -> tuple[tuple[Kept, ...], tuple[Kept, ...]]:
    """What `split-at-barriers` keeps for each work-item, and for each work-group."""
    contexts: list[Kept] = []
    cells: list[Kept] = []
    dimensions = _dimensions(kernel)
    for op in kernel.walk():
        if not isinstance(op, _ALLOCATIONS) or not is_group_memory(op):
            continue
        why = op.attributes.get(CONTEXT)
        if not isinstance(why, StringAttr):
            continue
        is_cell = not op.memref.type.get_shape() and dimensions > 0
        reason = why.data
        if isinstance(more := op.attributes.get(NOT_INTERLEAVED), StringAttr):
            reason += f"; {more.data}"
        kept = _kept(op, kernel, dimensions, reason, is_cell)
        (cells if is_cell else contexts).append(kept)
    return tuple(contexts), tuple(cells)


def _dimensions(kernel: KernelOp) -> int:
    """The dimensions in which a group can have more than one work-item."""
    size = kernel.group_size
    return 3 if size is None else sum(extent != 1 for extent in size)


def _kept(
    op: memref.AllocaOp | memref.AllocOp,
    kernel: KernelOp,
    dimensions: int,
    reason: str,
    is_cell: bool,
) -> Kept:
    type_ = op.memref.type
    shape = type_.get_shape()
    own = shape[: len(shape) - dimensions]
    size = static_bytes(type_) if is_cell else _bytes_per_work_item(op, kernel)
    is_value = not own and size == size_in_bytes(type_.element_type)
    if is_cell or is_value:
        shown: Attribute = type_.element_type
    else:
        shown = MemRefType(type_.element_type, own or [size or DYNAMIC_INDEX])
    name = op.memref.name_hint
    for suffix in ("_context", "_cell"):
        name = name and name.removesuffix(suffix)
    others = sorted(set(_names(op.memref)) - {name}) if is_value and not is_cell else []
    names = (name, *others) if name else tuple(others)
    return Kept(
        name,
        str(shown),
        size,
        reason,
        names if len(names) > 1 else (),
        Place.of(source_location(op)),
    )


def _names(memory: SSAValue) -> Iterator[str]:
    """What is loaded from a context is called like the value that it keeps."""
    for use in memory.uses:
        op = use.operation
        if isinstance(op, memref.LoadOp) and op.res.name_hint is not None:
            yield op.res.name_hint


def _bytes_per_work_item(
    op: memref.AllocaOp | memref.AllocOp, kernel: KernelOp
) -> int | None:
    type_ = op.memref.type
    shape = type_.get_shape()
    if kernel.group_size is not None:
        x, y, z = kernel.group_size
        static = DYNAMIC_INDEX not in shape
        return static_bytes(type_) // (x * y * z) if static else None
    if type_.element_type == i8 and len(shape) == 1:
        return _known_factor(op.dynamic_sizes[0])
    size = size_in_bytes(type_.element_type)
    for extent in shape[: len(shape) - 3]:
        if extent == DYNAMIC_INDEX:
            return None
        size *= extent
    return size


def _known_factor(product: SSAValue) -> int | None:
    """Bytes per work-item in a product with the enqueued sizes of the group."""
    factors, known = [product], 1
    while factors:
        value = factors.pop()
        if isinstance(value.owner, arith.MuliOp):
            factors += value.owner.operands
        elif (constant := constant_index(value)) is not None:
            known *= constant
        elif not isinstance(value.owner, EnqueuedLocalSizeOp):
            return None
    return known


def stack_bytes(function: func.FuncOp) -> int:
    """Group memory that stays on the stack."""
    return sum(
        -(-static_bytes(op.memref.type) // CACHE_LINE) * CACHE_LINE
        for op in function.walk()
        if isinstance(op, memref.AllocaOp) and is_group_memory(op)
    )


def scratch_bytes(function: func.FuncOp | None) -> int | None:
    """What the function that computes the size of the scratch buffer gives."""
    if function is None:
        return 0
    end = function.body.block.last_op
    return None if end is None else constant_index(end.operands[0])


def total(sizes: Iterator[int | None]) -> int | None:
    """The sum, if all are known."""
    result = 0
    for size in sizes:
        if size is None:
            return None
        result += size
    return result
