"""Views that lie within what they are of, and have the sizes and strides they say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import prod
from typing import cast

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    MemRefType,
    UnrankedMemRefType,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.traits import SymbolTable
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.element_types import MemRefLayout, memref_layout, static_numbers
from spmd.dialects.interfaces.memory import why_no_element
from spmd.dialects.names import RUNNER_PRINT
from spmd.dialects.rewriting import constant_index

_Memref = MemRefType[Attribute]
_Size = int | None
"""A size, stride or offset; `None` if it is only known when the program runs."""


def _ranked(value: SSAValue) -> _Memref:
    return cast(_Memref, value.type)


def _static(values: DenseArrayBase[IntegerType]) -> tuple[_Size, ...]:
    return static_numbers(map(int, values.get_values()))


def _layout(type_: _Memref) -> MemRefLayout:
    layout = memref_layout(type_)
    assert layout is not None, "refused by _why_other_memory"
    return layout


def _contradict(known: Iterable[_Size], said: Iterable[_Size]) -> bool:
    """Whether a type says a number that is another one, or not known."""
    return any(
        there is not None and here != there
        for here, there in zip(known, said, strict=True)
    )


def _times(a: _Size, b: _Size) -> _Size:
    return None if a is None or b is None else a * b


def _why_other_memory(source: _Memref, result: _Memref) -> str | None:
    if source.element_type != result.element_type:
        return f"expected elements of type {source.element_type}, got {result}"
    if source.memory_space != result.memory_space:
        return f"expected the memory space of {source}, got {result}"
    for type_ in (source, result):
        if memref_layout(type_) is None:
            return f"expected a layout with a stride for each dimension, got {type_}"
    return None


def _why_not_type(
    result: _Memref, sizes: Sequence[_Size], strides: Sequence[_Size], offset: _Size
) -> str | None:
    """Why a view of these numbers has not the type `result`."""
    layout = _layout(result)
    if len(sizes) != layout.rank:
        return f"expected a result of {len(sizes)} dimensions, got {result}"
    if _contradict(sizes, layout.sizes):
        return f"expected a result of size {_shape(sizes)}, got {result}"
    if _contradict(strides, layout.strides):
        return f"expected strides {_list(strides)} in the result, got {result}"
    if _contradict([offset], [layout.offset]):
        return f"expected offset {_list([offset])} in the result, got {result}"
    return None


def _shape(sizes: Iterable[_Size]) -> str:
    return "x".join("?" if size is None else str(size) for size in sizes)


def _list(numbers: Iterable[_Size]) -> str:
    return f"[{', '.join('?' if n is None else str(n) for n in numbers)}]"


def _takes_any_rank(op: Operation) -> bool:
    """Such as `gpu.host_register`, which comes to nothing, and functions of MLIR's runner."""
    if isinstance(op, func.CallOp):
        return RUNNER_PRINT.fullmatch(op.callee.root_reference.data) is not None
    return op.dialect_name() == "gpu"


def why_no_cast(op: memref.CastOp) -> str | None:
    """Why one of the types of `memref.cast` cannot be the other."""
    if isinstance(op.dest.type, UnrankedMemRefType) and all(
        _takes_any_rank(use.operation) for use in op.dest.uses
    ):
        return None
    for value in (op.source, op.dest):
        if not isinstance(value.type, MemRefType):
            return (
                f"expected a memref with a rank, got {value.type}, which only ops of gpu "
                "and functions as printMemrefF32 take; spmd.print shows numbers"
            )
    source, result = _ranked(op.source), _ranked(op.dest)
    if (why := _why_other_memory(source, result)) is not None:
        return why

    one, other = _layout(source), _layout(result)
    if one.rank != other.rank:
        return f"expected as many dimensions as {source} has, got {result}"
    if _differ(one.sizes, other.sizes):
        return f"expected sizes that {source} may have, got {result}"
    if _differ((one.offset, *one.strides), (other.offset, *other.strides)):
        return f"expected a layout that {source} may have, got {result}"
    return None


def _differ(ones: Iterable[_Size], others: Iterable[_Size]) -> bool:
    """Whether two types say different numbers."""
    pairs = zip(ones, others, strict=True)
    return any(a != b and None not in (a, b) for a, b in pairs)


def why_no_dimension(op: memref.DimOp) -> str | None:
    """Why there is no such dimension; one that is not constant is not looked at."""
    if isinstance(op.source.type, UnrankedMemRefType):
        return "expected a memref with a rank, got one without"
    index, rank = constant_index(op.index), _ranked(op.source).get_num_dims()
    if index is None or 0 <= index < rank:
        return None
    return f"expected a dimension below {rank} of {op.source.type}, got {index}"


def why_no_subview(op: memref.SubviewOp) -> str | None:
    """Why a subview is not within its source, or not of the type of its result."""
    source, result = _ranked(op.source), _ranked(op.result)
    offsets, sizes, strides = map(
        _static, (op.static_offsets, op.static_sizes, op.static_strides)
    )
    rank = source.get_num_dims()
    for name, numbers in (("offset", offsets), ("size", sizes), ("stride", strides)):
        if len(numbers) != rank:
            return f"expected {rank} {name}s for {source}, got {len(numbers)}"
    if (why := _why_other_memory(source, result)) is not None:
        return why
    layout = _layout(source)
    for extent, first, size, step in zip(
        layout.sizes, offsets, sizes, strides, strict=True
    ):
        if any(number is not None and number < 0 for number in (first, size)):
            return "expected offsets and sizes that are not negative"
        if extent is None or first is None or not size:
            continue
        last = first if step is None else first + (size - 1) * step
        if not 0 <= last < extent or first >= extent:
            return f"expected a part of {source}, got elements {first} to {last}"
    start = layout.offset
    for first, stride in zip(offsets, layout.strides, strict=True):
        moved = _times(first, stride)
        start = None if start is None or moved is None else start + moved
    steps = list(map(_times, layout.strides, strides))
    return _why_not_some(result, sizes, steps, start)


def _why_not_some(
    result: _Memref, sizes: Sequence[_Size], strides: Sequence[_Size], offset: _Size
) -> str | None:
    """The same, where the result may leave out some dimensions of size 1."""
    units = [i for i, size in enumerate(sizes) if size == 1]
    left_out = max(len(sizes) - result.get_num_dims(), 0)
    first = None
    for dropped in combinations(units, left_out):
        kept = [i for i in range(len(sizes)) if i not in dropped]
        why = _why_not_type(
            result, [sizes[i] for i in kept], [strides[i] for i in kept], offset
        )
        if why is None:
            return None
        first = first or why
    return first or f"expected a result of size {_shape(sizes)}, got {result}"


def _groups(op: memref.ExpandShapeOp | memref.CollapseShapeOp) -> list[list[int]]:
    return [[index.value.data for index in group] for group in op.reassociation]


def _why_not_groups(groups: Sequence[Sequence[int]], few: int, many: int) -> str | None:
    dimensions = [index for group in groups for index in group]
    if len(groups) != few or dimensions != list(range(many)) or not all(groups):
        return (
            f"expected {few} groups of the dimensions 0 to {many - 1} in order, got "
            f"{[list(group) for group in groups]}"
        )
    return None


def why_no_expansion(op: memref.ExpandShapeOp) -> str | None:
    """Why the dimensions of a memref are not those of the result, multiplied."""
    source, result = _ranked(op.src), _ranked(op.result)
    groups = _groups(op)
    if (
        why := _why_not_groups(groups, source.get_num_dims(), result.get_num_dims())
        or _why_other_memory(source, result)
    ) is not None:
        return why
    sizes = _static(op.static_output_shape)
    if len(sizes) != result.get_num_dims() or sizes.count(None) != len(op.output_shape):
        return f"expected a size for each dimension of {result}, got {_shape(sizes)}"
    strides: list[_Size] = []
    layout = _layout(source)
    pairs = zip(groups, layout.sizes, layout.strides, strict=True)
    for group, extent, stride in pairs:
        parts = [sizes[i] for i in group]
        known = prod(part for part in parts if part is not None)
        if extent is not None and (
            known != extent if None not in parts else not known or extent % known
        ):
            return f"expected sizes whose product is {extent}, got {_shape(parts)}"
        inner: list[_Size] = [stride]
        for part in reversed(parts[1:]):
            inner.append(_times(inner[-1], part))
        strides += reversed(inner)
    return _why_not_type(result, sizes, strides, layout.offset)


def why_no_collapse(op: memref.CollapseShapeOp) -> str | None:
    """Why dimensions of a memref are not one dimension of the result."""
    source, result = _ranked(op.src), _ranked(op.result)
    groups = _groups(op)
    if (
        why := _why_not_groups(groups, result.get_num_dims(), source.get_num_dims())
        or _why_other_memory(source, result)
    ) is not None:
        return why
    sizes: list[_Size] = []
    strides: list[_Size] = []
    layout = _layout(source)
    extents, own = layout.sizes, layout.strides
    for group in groups:
        size: _Size = 1
        for i in group:
            size = _times(size, extents[i])
        wide = [i for i in group if extents[i] != 1] or group
        for outer, inner in pairwise(wide):
            step = _times(own[inner], extents[inner])
            if None not in (step, own[outer]) and own[outer] != step:
                return f"expected dimensions {group} to follow each other, got {source}"
        sizes.append(size)
        strides.append(own[wide[-1]])
    return _why_not_type(result, sizes, strides, layout.offset)


def why_no_reinterpretation(op: memref.ReinterpretCastOp) -> str | None:
    """Why the numbers of `memref.reinterpret_cast` are not those of its result."""
    source, result = _ranked(op.source), _ranked(op.result)
    offsets, strides = _static(op.static_offsets), _static(op.static_strides)
    if len(offsets) != 1 or len(strides) != result.get_num_dims():
        return (
            f"expected one offset and {result.get_num_dims()} strides, got "
            f"{len(offsets)} and {len(strides)}"
        )
    return _why_other_memory(source, result) or _why_not_type(
        result, _static(op.static_sizes), strides, offsets[0]
    )


def why_no_view(op: memref.ViewOp) -> str | None:
    """Why a view is not within its bytes, as far as they are known."""
    shift = constant_index(op.byte_shift)
    return "expected a byte shift of at least 0" if (shift or 0) < 0 else None


def why_no_private_memory(op: memref.AllocaOp) -> str | None:
    """Why there is no memory of such a layout."""
    if op.symbol_operands:
        return "expected no symbols, got a layout that is a map with symbols"
    type_ = _ranked(op.memref)
    if any(size < 0 and size != DYNAMIC_INDEX for size in type_.get_shape()):
        return f"expected sizes that are not negative, got {type_}"
    return None


def why_no_global(op: memref.GlobalOp) -> str | None:
    """Why the initial value is not one of the type of the global."""
    value, type_ = op.initial_value, op.type
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    if _shape_of(value.type) != _shape_of(type_):
        return f"expected an initial value for {type_}, got one of type {value.type}"
    return None


def _shape_of(type_: Attribute) -> tuple[Attribute, tuple[int, ...]]:
    shape = getattr(type_, "get_shape")()
    return get_element_type_or_self(type_), tuple(shape)


def why_no_such_global(op: memref.GetGlobalOp) -> str | None:
    """Why a global is not there, or of another type."""
    found = SymbolTable.lookup_symbol(op, op.name_)
    if not isinstance(found, memref.GlobalOp):
        return f"expected the name of a memref.global, got {op.name_}"
    if found.type != op.memref.type:
        return f"expected the type {found.type} of the global, got {op.memref.type}"
    return None


def why_no_atomic_update(op: memref.AtomicRMWOp) -> str | None:
    """Why an element is not named by its indices."""
    return why_no_element(op.memref, op.indices)


def why_not_aligned(op: memref.AssumeAlignmentOp) -> str | None:
    """Why the bytes are no alignment."""
    bytes_ = op.alignment.value.data
    return f"expected a power of two, got {bytes_}" if bytes_ & (bytes_ - 1) else None


def why_no_metadata(op: memref.ExtractStridedMetaDataOp) -> str | None:
    """Why there are not as many sizes and strides as dimensions."""
    source, base = _ranked(op.source), _ranked(op.base_buffer)
    rank = source.get_num_dims()
    if len(op.sizes) != rank or len(op.strides) != rank:
        return f"expected {rank} sizes and strides of {source}, got {len(op.sizes)}"
    if base.get_num_dims():
        return f"expected a base without dimensions, got {base}"
    return _why_other_memory(source, base)
