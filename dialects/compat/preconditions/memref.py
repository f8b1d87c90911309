"""Views that leave what they are of, copies between other shapes, alignment, sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    IntegerType,
    NoneAttr,
)
from xdsl.ir import SSAValue

from spmd.dialects.element_types import memref_type, mixed_numbers, size_in_bytes
from spmd.dialects.interfaces.preconditions import (
    Case,
    Comparison,
    Fault,
    Preconditions,
    Terms,
    below_zero,
    described,
    rank,
)


def _numbers(
    terms: Terms, static: DenseArrayBase[IntegerType], dynamic: Iterable[SSAValue]
) -> list[SSAValue]:
    return [
        terms.index(number) if isinstance(number, int) else number
        for number in mixed_numbers(static, dynamic)
    ]


def _list(values: Sequence[SSAValue]) -> str:
    return f"[{', '.join('{}' for _ in values)}]"


def _span(terms: Terms, size: SSAValue, stride: SSAValue) -> tuple[SSAValue, Case]:
    """How far the last of `size` elements is from the first, and when that is no number."""
    steps = terms.sum(size, terms.index(-1))
    product = arith.MulSIExtendedOp(steps, stride)
    low = terms.add(product)
    sign = terms.add(arith.ShRSIOp(low, terms.index(63)))
    return low, (Comparison("ne", product.high, sign),)


def leaves_source(op: memref.SubviewOp, terms: Terms) -> Sequence[Fault]:
    """Where a part of a memref is not inside, in one of the dimensions."""
    offsets = _numbers(terms, op.static_offsets, op.offsets)
    sizes = _numbers(terms, op.static_sizes, op.sizes)
    strides = _numbers(terms, op.static_strides, op.strides)
    extents = terms.extents(op.source)
    cases: list[Case] = []
    for offset, size, stride, extent in zip(
        offsets, sizes, strides, extents, strict=True
    ):
        some = Comparison("sgt", size, terms.index(0))
        span, too_far = _span(terms, size, stride)
        last = terms.sum(offset, span)
        cases += [
            (below_zero(size, terms),),
            (some, *too_far),
            (some, Comparison("uge", offset, extent)),
            (some, Comparison("uge", last, extent)),
        ]
    words, given = described(op.source, extents)
    message = (
        f"out of bounds: offsets {_list(offsets)}, sizes {_list(sizes)} and strides "
        f"{_list(strides)} of {words}"
    )
    values = (*offsets, *sizes, *strides, *given)
    return [Fault(message, values, tuple(cases))]


def is_not_aligned(op: memref.AssumeAlignmentOp, terms: Terms) -> Sequence[Fault]:
    """Where a memref does not begin where the kernel assumes."""
    alignment = op.alignment.value.data
    pointer = terms.add(memref.ExtractAlignedPointerAsIndexOp.get(op.memref))
    rest = terms.add(arith.AndIOp(pointer, terms.index(alignment - 1)))
    words, sizes = described(op.memref, terms.extents(op.memref))
    message = (
        f"expected memory aligned to {alignment} bytes, got {words} that begins {{}} bytes "
        "after such an address"
    )
    case = (Comparison("ne", rest, terms.index(0)),)
    return [Fault(message, (*sizes, rest), (case,))]


def leaves_memory(op: memref.ReinterpretCastOp, terms: Terms) -> Sequence[Fault]:
    """Where elements are not those of the source, if that tells how many it has."""
    if not isinstance(memref_type(op.source).layout, NoneAttr):
        return ()
    (offset,) = _numbers(terms, op.static_offsets, op.offsets)
    sizes = _numbers(terms, op.static_sizes, op.sizes)
    strides = _numbers(terms, op.static_strides, op.strides)
    extents = terms.extents(op.source)
    elements = terms.product(extents)
    some = tuple(Comparison("sgt", size, terms.index(0)) for size in sizes)
    cases: list[Case] = [(below_zero(size, terms),) for size in sizes]
    low = high = offset
    zero = terms.index(0)
    cases.append((*some, Comparison("uge", offset, elements)))
    for size, stride in zip(sizes, strides, strict=True):
        span, too_far = _span(terms, size, stride)
        cases.append((*some, *too_far))
        low = terms.sum(low, terms.add(arith.MinSIOp(span, zero)))
        high = terms.sum(high, terms.add(arith.MaxSIOp(span, zero)))
        # What goes on from an element does not wrap around to another one.
        cases += [(*some, Comparison("uge", end, elements)) for end in (low, high)]
    words, given = described(op.source, extents)
    message = (
        f"out of bounds: offset {{}}, sizes {_list(sizes)} and strides "
        f"{_list(strides)} of {words}"
    )
    return [Fault(message, (offset, *sizes, *strides, *given), tuple(cases))]


def leaves_bytes(op: memref.ViewOp, terms: Terms) -> Sequence[Fault]:
    """Where the bytes of a memref end before those of a view."""
    extent = terms.extent(op.source, 0)
    shape = memref_type(op.result).get_shape()
    dynamic = iter(op.sizes)
    sizes = [next(dynamic) if n == DYNAMIC_INDEX else terms.index(n) for n in shape]
    bytes_ = size_in_bytes(memref_type(op.result).element_type)
    length, cases = terms.exact_product((*sizes, terms.index(bytes_)))
    end = terms.sum(op.byte_shift, length)
    cases += [(Comparison("ugt", each, extent),) for each in sizes]
    cases += [
        (Comparison("ugt", op.byte_shift, extent),),
        (Comparison("ugt", length, extent),),
        (Comparison("ugt", end, extent),),
    ]
    known = "x".join("{}" if n == DYNAMIC_INDEX else str(n) for n in shape) or "1"
    message = (
        f"out of bounds: a view of {known}x{bytes_} bytes at byte {{}} of {{}} bytes"
    )
    values = (*op.sizes, op.byte_shift, extent)
    return [Fault(message, values, tuple(cases))]


def is_of_other_size(op: memref.CastOp, terms: Terms) -> Sequence[Fault]:
    """Where a memref has not the sizes that the type of a cast says."""
    extents = terms.extents(op.source)
    shape = memref_type(op.dest).get_shape()
    cases = tuple(
        (Comparison("ne", extent, terms.index(size)),)
        for extent, size in zip(extents, shape, strict=True)
        if size != DYNAMIC_INDEX
    )
    sizes = "x".join("?" if size == DYNAMIC_INDEX else str(size) for size in shape)
    words, given = described(op.source, extents)
    return [Fault(f"expected sizes {sizes}, got {words}", given, cases)]


def does_not_split(op: memref.ExpandShapeOp, terms: Terms) -> Sequence[Fault]:
    """Where the product of new sizes is not the size that they stand for."""
    sizes = _numbers(terms, op.static_output_shape, op.output_shape)
    extents = terms.extents(op.src)
    cases: list[Case] = []
    for extent, group in zip(extents, op.reassociation, strict=True):
        parts = [sizes[axis.value.data] for axis in group]
        if len(parts) > 1:
            product, too_large = terms.exact_product(parts)
            cases += [*too_large, (Comparison("ne", product, extent),)]
    words, given = described(op.src, extents)
    message = f"expected sizes that split {words}, got {_list(sizes)}"
    return [Fault(message, (*given, *sizes), tuple(cases))]


def differs_in_shape(op: memref.CopyOp, terms: Terms) -> Sequence[Fault]:
    """Where a copy is between memrefs of different shapes."""
    source, target = terms.extents(op.source), terms.extents(op.destination)
    cases = tuple((Comparison("ne", a, b),) for a, b in zip(source, target))
    (from_, given), (to, wanted) = (
        described(memory, extents)
        for memory, extents in ((op.source, source), (op.destination, target))
    )
    message = f"expected equal shapes, got {from_} and {to}"
    return [Fault(message, (*given, *wanted), cases)]


def has_no_size(op: memref.AllocaOp, terms: Terms) -> Sequence[Fault]:
    """Where a size of an array is negative."""
    cases = tuple((below_zero(size, terms),) for size in op.dynamic_sizes)
    message = f"expected sizes of at least 0, got {_list(op.dynamic_sizes)}"
    return [Fault(message, tuple(op.dynamic_sizes), cases)]


def has_no_dimension(op: memref.DimOp, terms: Terms) -> Sequence[Fault]:
    """Where there is no dimension of a number."""
    dimensions = rank(op.source)
    beyond = Comparison("uge", op.index, terms.index(dimensions))
    message = f"expected a dimension below {dimensions}, got {{}}"
    return [Fault(message, (op.index,), ((beyond,),))]


Preconditions(is_not_aligned).attach(memref.AssumeAlignmentOp)
Preconditions(has_no_size).attach(memref.AllocaOp)
Preconditions(is_of_other_size).attach(memref.CastOp)
Preconditions(differs_in_shape).attach(memref.CopyOp)
Preconditions(has_no_dimension).attach(memref.DimOp)
Preconditions(does_not_split).attach(memref.ExpandShapeOp)
Preconditions(leaves_memory).attach(memref.ReinterpretCastOp)
Preconditions(leaves_source).attach(memref.SubviewOp)
Preconditions(leaves_bytes).attach(memref.ViewOp)
