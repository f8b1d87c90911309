"""`memref`: ops that give another view of memory; all of them are arithmetic on descriptors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, IntegerType
from xdsl.dialects.utils import get_dynamic_index_list
from xdsl.ir import Operation, SSAValue

from spmd.dialects.element_types import MemRefLayout
from spmd.lowering.ops.memref import contiguous_strides, new_memref, sizes_of
from spmd.lowering.writing.addresses import add, is_literal, multiply
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import TypeNotLowered, layout_of


def _mixed(
    writer: FunctionWriter,
    static: DenseArrayBase[IntegerType],
    dynamic: Sequence[SSAValue],
) -> tuple[str, ...]:
    """Operands of which some are constants in an attribute."""
    numbers = get_dynamic_index_list(static.get_values(), dynamic, DYNAMIC_INDEX)
    return tuple(str(n) if isinstance(n, int) else writer.get(n) for n in numbers)


@emits(memref.CastOp, memref.MemorySpaceCastOp)
def _cast(writer: FunctionWriter, op: Operation) -> None:
    layout_of(op.operands[0].type)
    layout_of(op.results[0].type)
    writer.set_memref(op.results[0], writer.memref(op.operands[0]))


@emits(memref.AssumeAlignmentOp)
def _assume_alignment(writer: FunctionWriter, op: memref.AssumeAlignmentOp) -> None:
    source = writer.memref(op.operands[0])
    alignment = op.alignment.value.data
    writer.module.declare("llvm.assume", "void", ["i1"])
    writer.emit(
        f"call void @llvm.assume(i1 true) "
        f'[ "align"(ptr {source.aligned}, i64 {alignment}) ]'
    )
    writer.set_memref(op.results[0], source)


@emits(memref.RankOp)
def _rank(writer: FunctionWriter, op: memref.RankOp) -> None:
    writer.set(op.results[0], str(layout_of(op.operands[0].type).rank))


@emits(memref.DimOp)
def _dim(writer: FunctionWriter, op: memref.DimOp) -> None:
    layout_of(op.operands[0].type)
    sizes = writer.memref(op.operands[0]).sizes
    index = writer.get(op.operands[1])
    result = op.results[0]
    if is_literal(index):
        known = 0 <= int(index) < len(sizes)
        writer.set(result, sizes[int(index)] if known else "poison")
        return
    chosen = "poison"
    for number, size in enumerate(sizes):
        here = writer.temp(f"icmp eq i64 {index}, {number}")
        chosen = writer.temp(f"select i1 {here}, i64 {size}, i64 {chosen}")
    writer.set(result, chosen)


@emits(memref.SubviewOp)
def _subview(writer: FunctionWriter, op: memref.SubviewOp) -> None:
    source = writer.memref(op.source)
    offsets = _mixed(writer, op.static_offsets, op.offsets)
    sizes = _mixed(writer, op.static_sizes, op.sizes)
    steps = _mixed(writer, op.static_strides, op.strides)
    offset = source.offset
    for index, stride in zip(offsets, source.strides, strict=True):
        offset = add(writer, offset, multiply(writer, index, stride))
    strides = [
        multiply(writer, step, stride)
        for step, stride in zip(steps, source.strides, strict=True)
    ]
    result = op.results[0]
    kept = kept_dimensions(layout_of(result.type), sizes, strides)
    if kept is None:
        raise TypeNotLowered(
            f"expected sizes {', '.join(sizes)} without some of the ones among them to "
            f"give {result.type}"
        )
    writer.set_memref(
        result,
        replace(
            source,
            offset=offset,
            sizes=tuple(sizes[d] for d in kept),
            strides=tuple(strides[d] for d in kept),
        ),
    )


def kept_dimensions(
    layout: MemRefLayout, sizes: Sequence[str], strides: Sequence[str]
) -> list[int] | None:
    """
    The dimensions of a subview that its type keeps; `None` if there is no such choice.

    A type may leave out dimensions of size one. Which one of several is told by the
    strides, or does not matter.
    """

    def agrees(known: int | None, operand: str) -> bool:
        return known is None or not is_literal(operand) or int(operand) == known

    def choose(d: int, k: int) -> list[int] | None:
        if d == len(sizes):
            return [] if k == layout.rank else None
        if (
            k < layout.rank
            and agrees(layout.sizes[k], sizes[d])
            and agrees(layout.strides[k], strides[d])
            and (rest := choose(d + 1, k + 1)) is not None
        ):
            return [d, *rest]
        return choose(d + 1, k) if sizes[d] == "1" else None

    return choose(0, 0)


@emits(memref.ViewOp)
def _view(writer: FunctionWriter, op: memref.ViewOp) -> None:
    source = writer.memref(op.operands[0])
    result = op.results[0]
    shift = add(writer, source.offset, writer.get(op.operands[1]))
    data = source.aligned
    if shift != "0":
        hint = result.name_hint or "t"
        text = f"getelementptr i8, ptr {source.aligned}, i64 {shift}"
        data = writer.temp(text, f"{hint}.data")
    sizes = sizes_of(writer, result.type, op.operands[2:])
    strides, _ = contiguous_strides(writer, sizes)
    new_memref(writer, result, source.allocated, data, sizes, strides)


@emits(memref.ReinterpretCastOp)
def _reinterpret_cast(writer: FunctionWriter, op: memref.ReinterpretCastOp) -> None:
    result = op.results[0]
    (offset,) = _mixed(writer, op.static_offsets, op.offsets)
    writer.set_memref(
        result,
        replace(
            writer.memref(op.source),
            offset=offset,
            sizes=_mixed(writer, op.static_sizes, op.sizes),
            strides=_mixed(writer, op.static_strides, op.strides),
        ),
    )


def _groups(op: memref.ExpandShapeOp | memref.CollapseShapeOp) -> list[list[int]]:
    """The dimensions of the larger shape that make up each of the smaller one."""
    return [[number.value.data for number in group] for group in op.reassociation]


@emits(memref.ExpandShapeOp)
def _expand_shape(writer: FunctionWriter, op: memref.ExpandShapeOp) -> None:
    source = writer.memref(op.src)
    result = op.results[0]
    sizes = _mixed(writer, op.static_output_shape, op.output_shape)
    strides = ["1"] * len(sizes)
    for stride, group in zip(source.strides, _groups(op), strict=False):
        for d in reversed(group):
            strides[d] = stride
            stride = multiply(writer, stride, sizes[d])
    writer.set_memref(result, replace(source, sizes=sizes, strides=tuple(strides)))


@emits(memref.CollapseShapeOp)
def _collapse_shape(writer: FunctionWriter, op: memref.CollapseShapeOp) -> None:
    source = writer.memref(op.src)
    result = op.results[0]
    sizes: list[str] = []
    strides: list[str] = []
    for group in _groups(op) if layout_of(result.type).rank else []:
        size = "1"
        for d in group:
            size = multiply(writer, size, source.sizes[d])
        sizes.append(size)
        # A dimension of size one may have any stride.
        wide = [d for d in group if source.sizes[d] != "1"]
        strides.append(source.strides[(wide or group)[-1]])
    writer.set_memref(
        result, replace(source, sizes=tuple(sizes), strides=tuple(strides))
    )


@emits(memref.ExtractStridedMetaDataOp)
def _extract_strided_metadata(
    writer: FunctionWriter, op: memref.ExtractStridedMetaDataOp
) -> None:
    source = writer.memref(op.source)
    buffer = replace(source, offset="0", sizes=(), strides=())
    writer.set_memref(op.base_buffer, buffer)
    numbers = (source.offset, *source.sizes, *source.strides)
    for result, number in zip(op.results[1:], numbers, strict=True):
        writer.set(result, number)


@emits(memref.ExtractAlignedPointerAsIndexOp)
def _extract_pointer(
    writer: FunctionWriter, op: memref.ExtractAlignedPointerAsIndexOp
) -> None:
    pointer = writer.memref(op.operands[0]).aligned
    writer.define(op.results[0], f"ptrtoint ptr {pointer} to i64")
