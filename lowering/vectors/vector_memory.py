"""`vector`: loads, stores and transfers of windows, under masks; gather and scatter."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineMap

from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import line_offset
from spmd.dialects.interfaces.views import underlying_object
from spmd.lowering.masks.masked_access import (
    has_no_masks,
    is_unbounded,
    load_whole,
    store_parts,
)
from spmd.lowering.vectors.narrow_gather import gather_words, gathers_words
from spmd.lowering.vectors.vector import lanes_of, shape_of, splat, strides_of
from spmd.lowering.vectors.vector_permute import look_up, permute, permuted_vector
from spmd.lowering.vectors.vector_window import Window, both
from spmd.lowering.writing.access import Access, Typed, access_hints, alignment_of
from spmd.lowering.writing.addresses import element_address
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import shuffle
from spmd.lowering.writing.registry import emits, emits_named
from spmd.lowering.writing.types import (
    TypeNotLowered,
    element_type,
    like,
    llvm_type,
    scalar_bits,
)

# Windows whose dimensions are the last ones of the memref


def _window(
    writer: FunctionWriter,
    op: Operation,
    array: SSAValue,
    indices: Sequence[SSAValue],
    value: SSAValue,
) -> Window:
    base, shape = writer.memref(array), shape_of(value)
    first = base.layout.rank - len(shape)
    if first < 0:
        raise TypeNotLowered(
            f"expected a memref of at least the rank of {value.type}, got {array.type}"
        )
    at = [writer.get(index) for index in indices]
    dimensions = range(first, base.layout.rank)
    hints = access_hints(writer, op)
    # What the function has allocated is small, and used by this group alone.
    cached = isinstance(underlying_object(array).owner, memref.AllocaOp)
    window = Window(writer, base, at, shape, dimensions, hints, cached=cached)
    alignment = alignment_of(op, window.access.alignment)
    # Launches check where such an array lies; others may come from anywhere, whatever is said.
    if line_offset(array) is not None and window.is_one_row():
        window.access.alignment = alignment
    return window


@emits(vector.LoadOp)
def _load(writer: FunctionWriter, op: vector.LoadOp) -> None:
    array, *indices = op.operands
    result = op.results[0]
    _window(writer, op, array, indices, result).read(result, None, "poison")


@emits(vector.StoreOp)
def _store(writer: FunctionWriter, op: vector.StoreOp) -> None:
    value, array, *indices = op.operands
    _window(writer, op, array, indices, value).write(writer.get(value), None)


@emits(vector.MaskedLoadOp)
def _masked_load(writer: FunctionWriter, op: vector.MaskedLoadOp) -> None:
    array, *indices, mask, pass_thru = op.operands
    result = op.results[0]
    window = _window(writer, op, array, indices, result)
    lanes = writer.get(mask), writer.get(pass_thru)
    module, access = writer.module, window.access
    if (
        window.is_one_row()
        and has_no_masks(module.machine, access)
        and is_unbounded(array)
    ):
        access.define(result, load_whole(module, access, window.start(), *lanes))
    else:
        window.read(result, *lanes)


@emits(vector.MaskedStoreOp)
def _masked_store(writer: FunctionWriter, op: vector.MaskedStoreOp) -> None:
    array, *indices, mask, value = op.operands
    window = _window(writer, op, array, indices, value)
    module, access = writer.module, window.access
    if window.is_one_row() and has_no_masks(module.machine, access):
        lanes = writer.get(mask), writer.get(value)
        writer.emit(store_parts(module, access, window.start(), *lanes))
    else:
        window.write(writer.get(value), writer.get(mask))


# Gather and scatter


def _gathered(
    writer: FunctionWriter,
    op: Operation,
    array: SSAValue,
    offsets: Sequence[SSAValue],
    indices: SSAValue,
) -> tuple[Access, str, Typed]:
    """The access, where index 0 points to, and how many elements from there lanes are."""
    base = writer.memref(array)
    lanes = lanes_of(indices)
    # The offsets may lie outside, if the indices lead back inside.
    start = element_address(writer, base, map(writer.get, offsets), in_bounds=False)
    type_, distances = writer.type_of(indices), writer.get(indices)
    stride = base.strides[-1] if base.strides else "1"
    if stride != "1":
        wide = like("i64", lanes)
        bits = scalar_bits(element_type(indices.type))
        if bits < 64:
            distances = writer.temp(f"sext {type_} {distances} to {wide}")
        type_ = wide
        steps = splat(writer, stride, "i64", lanes)
        distances = writer.temp(f"mul {type_} {distances}, {steps}")
    attribute = op.properties.get("alignment")
    alignment = attribute.value.data if isinstance(attribute, IntegerAttr) else None
    access = Access(writer, base.layout.element, lanes, alignment=alignment)
    return access, start, (type_, distances)


@emits_named("vector.gather")
def _gather(writer: FunctionWriter, op: Operation) -> None:
    array, *offsets, indices, mask, pass_thru = op.operands
    source = permuted_vector(op)
    if source is not None and permute(writer, op, source):
        return
    if look_up(writer, op):
        return
    access, start, distances = _gathered(writer, op, array, offsets, indices)
    lanes = writer.get(mask), writer.get(pass_thru)
    if gathers_words(writer.module.machine, access):
        text = gather_words(writer, access, start, distances, *lanes)
    else:
        text = access.read(access.addresses(start, *distances), *lanes)
    access.define(op.results[0], text)


@emits_named("vector.scatter")
def _scatter(writer: FunctionWriter, op: Operation) -> None:
    array, *offsets, indices, mask, value = op.operands
    access, start, distances = _gathered(writer, op, array, offsets, indices)
    addresses = access.addresses(start, *distances)
    access.write(writer.get(value), addresses, writer.get(mask))


# Transfers


def _dimensions(map_: AffineMap) -> list[int | None]:
    """The dimension of the memref that each dimension of the vector runs along."""
    dimensions: list[int | None] = []
    for result in map_.results:
        match result:
            case AffineDimExpr():
                dimensions.append(result.position)
            case AffineConstantExpr():
                dimensions.append(None)
            case _:
                raise TypeNotLowered(f"expected dimensions or zeros, got {map_}")
    return dimensions


def _transfer(
    writer: FunctionWriter,
    op: vector.TransferReadOp | vector.TransferWriteOp,
    value: SSAValue,
    mask: SSAValue | None,
) -> tuple[Window, str | None]:
    """The window of a transfer, and the mask of the lanes that take part."""
    if not is_memref(op.source.type):
        raise TypeNotLowered(f"expected a memref, got {op.source.type}")
    dimensions = _dimensions(op.permutation_map.data)
    shape = shape_of(value)
    base = writer.memref(op.source)
    at = [writer.get(index) for index in op.indices]
    window = Window(writer, base, at, shape, dimensions)
    checked = [not inside.value.data for inside in op.in_bounds.data]
    lanes = window.bounds(checked)
    if mask is not None:
        lanes = both(writer, window.lanes, lanes, _as_in_vector(writer, window, mask))
    return window, lanes


def _as_in_vector(writer: FunctionWriter, window: Window, mask: SSAValue) -> str:
    """A mask has the dimensions of the memref, in its order and only those in use."""
    used = sorted({d for d in window.dimensions if d is not None})
    strides = dict(zip(used, strides_of(shape_of(mask)), strict=True))
    picks = [0] * window.lanes
    for d, dimension in enumerate(window.dimensions):
        if dimension is None:
            continue
        for lane, at in enumerate(window.coordinates(d)):
            picks[lane] += strides[dimension] * at
    if picks == list(range(lanes_of(mask))):
        return writer.get(mask)
    text = shuffle(writer.type_of(mask), writer.get(mask), "poison", picks)
    return writer.temp(text)


@emits(vector.TransferReadOp)
def _transfer_read(writer: FunctionWriter, op: vector.TransferReadOp) -> None:
    result = op.results[0]
    window, mask = _transfer(writer, op, result, op.mask)
    padding = "poison"
    if mask is not None:
        scalar = llvm_type(element_type(result.type))
        padding = splat(writer, writer.get(op.padding), scalar, window.lanes)
    window.read(result, mask, padding)


@emits(vector.TransferWriteOp)
def _transfer_write(writer: FunctionWriter, op: vector.TransferWriteOp) -> None:
    window, mask = _transfer(writer, op, op.vector, op.mask)
    window.write(writer.get(op.vector), mask)
