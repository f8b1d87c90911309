"""The types of memrefs, and how many bytes their elements take in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

INDEX_BYTES = 8


def memref_type(memory: SSAValue) -> MemRefType[Attribute]:
    """The type of a value that is a memref."""
    type_ = memory.type
    assert isinstance(type_, MemRefType)
    return cast(MemRefType[Attribute], type_)


def mixed_numbers(
    static: DenseArrayBase[IntegerType], dynamic: Iterable[SSAValue]
) -> Iterator[int | SSAValue]:
    """The offsets, sizes or strides of a view, of which some are known at run time only."""
    values = iter(dynamic)
    for number in static.get_values():
        yield next(values) if number == DYNAMIC_INDEX else int(number)


def size_in_bytes(type_: Attribute) -> int:
    """
    The distance in bytes of two neighbouring elements of this type.

    `i1` takes a byte. Vectors lie as arrays of their elements, rounded up to a power of
    two as LLVM does.
    """
    if isinstance(type_, IndexType):
        return INDEX_BYTES
    if isa(type_, IntegerType):
        return -(-type_.width.data // 8)
    if isinstance(type_, AnyFloat):
        return type_.bitwidth // 8
    if isinstance(type_, VectorType):
        vector = cast(VectorType[Attribute], type_)
        size = size_in_bytes(vector.element_type) * prod(vector.get_shape())
        return 1 << (size - 1).bit_length()
    raise AssertionError(f"expected the type of an element of a memref, got {type_}")


def static_bytes(type_: MemRefType[Attribute]) -> int:
    """The bytes of a memref; dynamic extents count as one."""
    extents = (max(extent, 1) for extent in type_.get_shape())
    return size_in_bytes(type_.element_type) * prod(extents)
