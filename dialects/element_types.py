"""What the types of memrefs fix, and how many bytes their elements take in memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import TypeGuard, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    DenseArrayBase,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    VectorType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.hints import isa

INDEX_BYTES = 8


def is_memref(type_: Attribute) -> TypeGuard[MemRefType[Attribute]]:
    """Whether a type is a memref with a rank."""
    # `isa` of xDSL makes a constraint of the type each time, which takes a hundred times as long.
    return isinstance(type_, MemRefType)


def is_vector(type_: Attribute) -> TypeGuard[VectorType[Attribute]]:
    """Whether a type is a vector."""
    return isinstance(type_, VectorType)


@dataclass(frozen=True)
class MemRefLayout:
    """What the type of a memref fixes, in elements; `None` is known at run time only."""

    element: Attribute
    offset: int | None
    sizes: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    is_identity: bool
    """Whether the elements lie row after row without gaps, from the first address on."""

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.sizes)

    @property
    def is_never_negative(self) -> bool:
        """Whether no element can lie before the first address."""
        return self.is_identity or all(
            number is not None and number >= 0
            for number in (self.offset, *self.strides)
        )


def memref_layout(type_: MemRefType[Attribute]) -> MemRefLayout | None:
    """What `type_` fixes; `None` if it has no stride for each dimension (a map, say)."""
    sizes, strides = static_numbers(type_.get_shape()), type_.get_strides()
    if strides is None or len(strides) != len(sizes):
        return None
    is_identity = isinstance(type_.layout, NoneAttr)
    return MemRefLayout(
        type_.element_type, type_.get_offset(), sizes, tuple(strides), is_identity
    )


def static_numbers(numbers: Iterable[int]) -> tuple[int | None, ...]:
    """Offsets, sizes or strides as attributes write them."""
    return tuple(None if number == DYNAMIC_INDEX else number for number in numbers)


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


@cache
def vector_type(element: Attribute, lanes: int) -> VectorType[Attribute]:
    """
    The type of vectors of so many elements.

    It is the same object each time: xDSL verifies an attribute whenever it is made, and there
    are few types for many vectors.
    """
    return VectorType(element, [lanes])


def has_size(type_: Attribute) -> bool:
    """Whether it is known how elements of this type lie in memory."""
    if isinstance(type_, VectorType):
        type_ = cast(VectorType[Attribute], type_).element_type
    return isinstance(type_, IndexType | IntegerType | AnyFloat)


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


def storage_type(type_: Attribute) -> Attribute:
    """
    The type of an element that keeps a number of this type, alone or in a vector.

    Vectors of other integers than those of whole bytes lie differently in memory.
    """
    if not isa(type_, IntegerType):
        return type_
    return IntegerType(max(8, 1 << (type_.width.data - 1).bit_length()))


def static_bytes(type_: MemRefType[Attribute]) -> int:
    """The bytes of a memref; dynamic extents count as one."""
    extents = (max(extent, 1) for extent in type_.get_shape())
    return size_in_bytes(type_.element_type) * prod(extents)
