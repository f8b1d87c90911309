"""The meaning of ops that look at existing memory in another way."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import prod
from typing import Any, NoReturn, cast

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.diagnostics import fail
from spmd.reference.compiler import Body, as_tuple, helper, meaning, trap
from spmd.reference.memory import MemRef, allocate, fits, row_major, typed
from spmd.reference.scalars import TO_BITS, Scalar
from spmd.reference.semantics.upstream.arith import constant_elements
from spmd.reference.semantics.upstream.memref import (
    element_in_memory,
    memref_type,
    of_elements,
    sizes_text,
)


@helper
def view_like(
    source: MemRef,
    offset: int,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    site: int,
) -> MemRef:
    """Other elements of the same data, all inside."""
    result = source.viewed(offset, sizes, strides)
    if not result.is_inside():
        trap(
            site,
            f"out of bounds: offset {offset}, sizes {sizes} and strides {strides} "
            f"of {source.storage.space} memory of {len(source.data)} elements",
        )
    return result


class Nowhere:
    """The elements of a view that are not there: to access one is an error."""

    def __init__(self, length: int, site: int, message: str):
        self.length = length
        self.why = site, message

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, at: int) -> NoReturn:
        trap(*self.why)

    def __setitem__(self, at: int, value: Any) -> NoReturn:
        trap(*self.why)


UNDEFINED_PLACE = "undefined size, offset or stride"


@helper
def nowhere(source: MemRef, rank: int, site: int) -> MemRef:
    """A view of nobody knows which elements of `source`."""
    data = cast("memoryview[Any]", Nowhere(0, site, UNDEFINED_PLACE))
    none = (0,) * rank
    return MemRef(data, 0, none, none, source.storage, source.base)


def let_view(
    body: Body,
    op: memref.ViewOp | memref.SubviewOp | memref.ReinterpretCastOp,
    numbers: Sequence[SSAValue],
    text: str,
) -> None:
    """Let the result be the view `text`, which depends on `numbers`."""
    type_ = memref_type(op.result, op)
    unknown = [body.use(number) for number in numbers if body.may_be_poison(number)]
    if body.in_lanes and unknown:
        # Inactive lanes may have such a view; nobody may access its elements.
        tests = " or ".join(f"{number} is POISON" for number in unknown)
        lost = (
            f"nowhere({body.use(op.source)}, {type_.get_num_dims()}, {body.site(op)})"
        )
        text = f"{lost} if {tests} else {text}"
    else:
        body.require(numbers, op, "size, offset or stride")
    body.let(op.result, text)


def mixed(body: Body, static: DenseArrayBase[Any], dynamic: Sequence[SSAValue]) -> str:
    """Numbers that are partly attributes, partly operands; negative ones as such."""
    return as_tuple(body.mixed(static.get_values(), dynamic, "signed({}, 64)"))


def kept_dimensions(
    sizes: Sequence[int], result: MemRefType[Attribute], op: Operation
) -> list[int]:
    """The dimensions that a rank-reducing subview keeps: others have size one."""
    shape = result.get_shape()
    kept: list[int] = []
    for dimension, size in enumerate(sizes):
        left = len(sizes) - dimension
        wanted = len(shape) - len(kept)
        if left > wanted and size == 1 and (not wanted or shape[len(kept)] != 1):
            continue
        kept.append(dimension)
    if len(kept) != len(shape):
        fail(op, f"expected sizes {list(sizes)} to be those of {result}")
    return kept


@helper
def subview(
    source: MemRef,
    offsets: tuple[int, ...],
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    kept: tuple[int, ...],
    site: int,
) -> MemRef:
    steps = [a * b for a, b in zip(strides, source.strides, strict=True)]
    return view_like(
        source,
        source.position(offsets),
        tuple(sizes[d] for d in kept),
        tuple(steps[d] for d in kept),
        site,
    )


def _part(body: Body, op: memref.SubviewOp | memref.ReinterpretCastOp) -> str:
    """The source, and the offsets, sizes and strides of a part of it, as arguments."""
    offsets = mixed(body, op.static_offsets, op.offsets)
    sizes = mixed(body, op.static_sizes, op.sizes)
    strides = mixed(body, op.static_strides, op.strides)
    return f"{body.use(op.source)}, {offsets}, {sizes}, {strides}"


@meaning(memref.SubviewOp)
def _subview(body: Body, op: memref.SubviewOp) -> None:
    static = op.static_sizes.get_values()
    kept = tuple(kept_dimensions(static, memref_type(op.result, op), op))
    numbers = (*op.offsets, *op.sizes, *op.strides)
    text = f"subview({_part(body, op)}, {kept}, {body.site(op)})"
    let_view(body, op, numbers, text)


UNBOUNDED = 2**63 - 1
"""The size that stands for "to the end of the memory"."""


@helper
def reinterpreted(
    source: MemRef,
    offsets: tuple[int],
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    site: int,
) -> MemRef:
    """
    As `view_like`; a row of unbounded size ends with the memory, and begins with it.

    Rows of an array with negative strides lie before its first element.
    """
    (offset,) = offsets
    if sizes != (UNBOUNDED,) or strides != (1,):
        return view_like(source, offset, sizes, strides, site)
    rest = (max(0, len(source.data) - offset),)
    row = view_like(source, offset, rest, strides, site)
    row.before = offset
    return row


@meaning(memref.ReinterpretCastOp)
def _reinterpret_cast(body: Body, op: memref.ReinterpretCastOp) -> None:
    numbers = (*op.offsets, *op.sizes, *op.strides)
    let_view(body, op, numbers, f"reinterpreted({_part(body, op)}, {body.site(op)})")


@helper
def checked_cast(
    source: MemRef,
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    site: int,
) -> MemRef:
    """`source`, if it is what the type says (`DYNAMIC_INDEX`: anything)."""
    # The stride of a dimension with at most one element means nothing.
    free = [
        given if size <= 1 else stride
        for stride, given, size in zip(
            strides, source.strides, source.sizes, strict=True
        )
    ]
    same_layout = fits((offset, *free), (source.offset, *source.strides))
    if same_layout and fits(sizes, source.sizes):
        return source
    trap(
        site,
        f"expected sizes {sizes}, strides {strides} and offset {offset}, got "
        f"{source.sizes}, {source.strides} and {source.offset}".replace(
            str(DYNAMIC_INDEX), "?"
        ),
    )


@meaning(memref.CastOp)
def _cast(body: Body, op: memref.CastOp) -> None:
    type_ = memref_type(op.dest, op)
    shape = type_.get_shape()
    if not isinstance(type_.layout, NoneAttr | StridedLayoutAttr):
        fail(op, f"expected an identity or strided layout, got {type_}")
    strides, offset = (
        tuple(DYNAMIC_INDEX if number is None else number for number in numbers)
        for numbers in (type_.get_strides() or (), (type_.get_offset(),))
    )
    body.let(
        op.dest,
        f"checked_cast({body.use(op.source)}, {shape}, {strides}, {offset[0]}, "
        f"{body.site(op)})",
    )


@meaning(memref.MemorySpaceCastOp, memref.AssumeAlignmentOp)
def _same(body: Body, op: Operation) -> None:
    body.names[op.results[0]] = body.use(op.operands[0])


@helper
def view_bytes(
    source: MemRef,
    shift: int,
    sizes: tuple[int, ...],
    scalar: Scalar,
    site: int,
    in_lanes: bool,
) -> MemRef:
    start = source.offset + shift
    length = prod(sizes) * scalar.size
    if start + length <= len(source.data):
        data = typed(source.data[start : start + length], scalar)
    else:
        shape = "x".join(map(str, (*(sizes or (1,)), scalar.size)))
        message = (
            f"out of bounds: a view of {shape} bytes at byte {shift} of "
            f"{source.sizes[0]} bytes"
        )
        if not in_lanes:
            trap(site, message)
        # Inactive lanes may look there.
        data = cast("memoryview[Any]", Nowhere(prod(sizes), site, message))
    base = source.base + start
    return MemRef(data, 0, sizes, row_major(sizes), source.storage, base)


@meaning(memref.ViewOp)
def _view(body: Body, op: memref.ViewOp) -> None:
    type_ = memref_type(op.result, op)
    scalar = body.program.bind(element_in_memory(type_, op), "scalar")
    text = (
        f"view_bytes({body.use(op.source)}, {body.use(op.byte_shift)}, "
        f"{sizes_text(body, type_, op.sizes)}, {scalar}, "
        f"{body.site(op)}, {body.in_lanes})"
    )
    let_view(body, op, (op.byte_shift, *op.sizes), of_elements(type_, text))


def groups_of(op: memref.ExpandShapeOp | memref.CollapseShapeOp) -> list[list[int]]:
    """The dimensions that belong together."""
    return [[index.value.data for index in group] for group in op.reassociation]


@helper
def expand_shape(
    source: MemRef, sizes: tuple[int, ...], groups: list[list[int]], site: int
) -> MemRef:
    strides = [0] * len(sizes)
    for size, stride, group in zip(source.sizes, source.strides, groups, strict=True):
        if prod(sizes[d] for d in group) != size:
            trap(site, f"expected {sizes} to split {source.sizes} as {groups}")
        for dimension in reversed(group):
            strides[dimension] = stride
            stride *= sizes[dimension]
    return view_like(source, source.offset, sizes, tuple(strides), site)


@meaning(memref.ExpandShapeOp)
def _expand_shape(body: Body, op: memref.ExpandShapeOp) -> None:
    body.require(op.output_shape, op, "size")
    sizes = mixed(body, op.static_output_shape, op.output_shape)
    groups = body.program.bind(groups_of(op), "groups")
    body.let(
        op.result,
        f"expand_shape({body.use(op.src)}, {sizes}, {groups}, {body.site(op)})",
    )


@helper
def collapse_shape(source: MemRef, groups: list[list[int]], site: int) -> MemRef:
    sizes: list[int] = []
    strides: list[int] = []
    for group in groups:
        wide = [d for d in group if source.sizes[d] != 1]
        for outer, inner in pairwise(wide):
            if source.strides[outer] != source.strides[inner] * source.sizes[inner]:
                trap(site, f"expected contiguous dimensions {group} of {source.sizes}")
        sizes.append(prod(source.sizes[d] for d in group))
        strides.append(source.strides[wide[-1] if wide else group[-1]] if group else 1)
    return view_like(source, source.offset, tuple(sizes), tuple(strides), site)


@meaning(memref.CollapseShapeOp)
def _collapse_shape(body: Body, op: memref.CollapseShapeOp) -> None:
    groups = body.program.bind(groups_of(op), "groups")
    body.let(
        op.result, f"collapse_shape({body.use(op.src)}, {groups}, {body.site(op)})"
    )


@helper
def base_of(source: MemRef) -> MemRef:
    return source.viewed(0, (), ())


@meaning(memref.ExtractStridedMetaDataOp)
def _metadata(body: Body, op: memref.ExtractStridedMetaDataOp) -> None:
    source = body.use(op.source)
    mask = (1 << 64) - 1
    body.let(op.base_buffer, f"base_of({source})")
    body.let(op.offset, f"{source}.offset & {mask}")
    # xDSL names the second half of the results "strides" as upstream does.
    for dimension, size in enumerate(op.sizes):
        body.let(size, f"{source}.sizes[{dimension}]")
    for dimension, stride in enumerate(op.strides):
        body.let(stride, f"{source}.strides[{dimension}] & {mask}")


@helper
def address_of(memories: dict[int, MemRef], memory: MemRef) -> int:
    """Where the data begins; who comes back with the number finds the memory again."""
    address = memory.storage.address + memory.base
    memories[address] = memory
    return address


@meaning(memref.ExtractAlignedPointerAsIndexOp)
def _pointer(body: Body, op: memref.ExtractAlignedPointerAsIndexOp) -> None:
    source = body.use(op.source)
    body.let(op.aligned_pointer, f"address_of(memories, {source})")


@meaning(memref.GetGlobalOp)
def _get_global(body: Body, op: memref.GetGlobalOp) -> None:
    name = op.name_.string_value()
    program = body.program
    if name not in program.memory:
        symbol = program.symbols.get(name)
        if not isinstance(symbol, memref.GlobalOp):
            fail(op, f"expected the name of a memref.global, got @{name}")
        program.memory[name] = make_global(symbol)
    body.names[op.memref] = program.bind(program.memory[name], "global")


def make_global(op: memref.GlobalOp) -> MemRef:
    """The memory of a global, with its initial value."""
    type_ = op.type
    scalar = element_in_memory(type_, op)
    made = allocate(type_.get_shape(), scalar, "global", op.sym_name.data)
    made.storage.is_fresh = False
    if isinstance(op.initial_value, DenseIntOrFPElementsAttr):
        bits = TO_BITS.get(scalar.name) if scalar.size == 2 else None
        for i, value in enumerate(constant_elements(op.initial_value, scalar)):
            made.data[i] = value if bits is None else bits(value)
    return made
