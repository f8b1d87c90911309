"""
How types of level 4 are written in LLVM IR.

| type | LLVM | in memory |
| --- | --- | --- |
| `i1` | `i1` | `i8`, 0 or 1 |
| `iN`, `index` | `iN`, `i64` | the same |
| `f16 f32 f64` | `half float double` | the same |
| `bf16` | `i16`, its bits | the same |
| `vector<4x8xf32>` | `<32 x float>` (row after row) | the same |
| `memref<...>` | a descriptor: see `memref_value.py` | none |

A vector of any rank is one flat LLVM vector, so that an elementwise op needs no loop.

On CPUs with AVX512-BF16, LLVM moves a `bfloat` by an instruction that makes subnormals 0,
and ends the process over some masked accesses to vectors of it.
"""

from __future__ import annotations

from math import prod
from typing import TypeGuard

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i1,
)
from xdsl.ir import Attribute

from spmd.dialects.element_types import (
    MemRefLayout,
    is_memref,
    is_vector,
    memref_layout,
)

INDEX_BITS = 64
"""`index` is as wide as a pointer, on every target there is for now."""

_FLOAT_TEXT: dict[type[Attribute], str] = {
    Float16Type: "half",
    BFloat16Type: "i16",
    Float32Type: "float",
    Float64Type: "double",
}

_MANGLED = {"half": "f16", "float": "f32", "double": "f64"}


class TypeNotLowered(Exception):
    """A type that has no LLVM form here; the caller knows the op and reports it."""


def is_integer(type_: Attribute) -> TypeGuard[IntegerType]:
    """Whether a type is an integer, `index` not counted."""
    return isinstance(type_, IntegerType)


def is_float(scalar: Attribute) -> bool:
    """Whether `scalar` is one of the four float types."""
    return type(scalar) in _FLOAT_TEXT


def scalar_bits(scalar: Attribute) -> int:
    """The width of an integer, `index` or float type."""
    if is_integer(scalar):
        return scalar.width.data
    if isinstance(scalar, IndexType):
        return INDEX_BITS
    if isinstance(scalar, AnyFloat) and is_float(scalar):
        return scalar.bitwidth
    raise TypeNotLowered(f"expected an integer, index or float type, got {scalar}")


def element_type(type_: Attribute) -> Attribute:
    """The scalar of a vector type; any other type is its own element."""
    if is_vector(type_):
        return type_.element_type
    return type_


def lane_count(type_: Attribute) -> int | None:
    """How many elements a vector type has; `None` for a scalar."""
    if is_vector(type_):
        return prod(type_.get_shape())
    return None


LOCAL_MEMORY_SPACE = 3
"""What level 1 makes of `#spmd.memory<local>`. In LLVM all memory is one space."""


def is_local_memory(type_: MemRefType[Attribute]) -> bool:
    """Whether memory belongs to a work-group, at level 1 and after it."""
    space = type_.memory_space
    return isinstance(space, IntegerAttr) and space.value.data == LOCAL_MEMORY_SPACE


def llvm_type(type_: Attribute) -> str:
    """The LLVM text of a scalar or vector type."""
    if is_integer(type_):
        return f"i{type_.width.data}"
    if isinstance(type_, IndexType):
        return f"i{INDEX_BITS}"
    if (text := _FLOAT_TEXT.get(type(type_))) is not None:
        return text
    if is_vector(type_):
        if any(scalable.value.data for scalable in type_.scalable_dims):
            raise TypeNotLowered(f"expected a vector of fixed size, got {type_}")
        return like(llvm_type(type_.element_type), prod(type_.get_shape()))
    raise TypeNotLowered(
        "expected an integer, index, f16, bf16, f32, f64, a vector of one of them or a "
        f"memref, got {type_}"
    )


def like(scalar: str, lanes: int | None) -> str:
    """An LLVM scalar type, or a vector of it."""
    return scalar if lanes is None else f"<{lanes} x {scalar}>"


def storage_type(element: Attribute) -> str:
    """The LLVM text of one element of a memref: a byte for `i1`."""
    if element == i1:
        return "i8"
    return llvm_type(element)


def storage_bytes(element: Attribute) -> int:
    """How far two neighbouring elements of a memref are apart."""
    if is_vector(element):
        bits = prod(element.get_shape()) * scalar_bits(element.element_type)
    else:
        bits = scalar_bits(element)
    # LLVM rounds the size of an odd integer or vector up to a power of two.
    return max(1, 1 << (-(-bits // 8) - 1).bit_length())


def natural_alignment(element: Attribute) -> int:
    """The alignment that may be assumed of an array of `element`s made by anyone."""
    return storage_bytes(element_type(element))


def mangled(text: str) -> str:
    """How an LLVM type is written in the name of an intrinsic: `<4 x float>` is `v4f32`."""
    if text.startswith("<"):
        lanes, _, scalar = text[1:-1].partition(" x ")
        return f"v{lanes}{mangled(scalar)}"
    if text == "ptr":
        return "p0"
    return _MANGLED.get(text, text)


def layout_of(type_: Attribute) -> MemRefLayout:
    """What the type of a memref says of its descriptor."""
    if not is_memref(type_):
        raise TypeNotLowered(f"expected a memref with a rank, got {type_}")
    layout = memref_layout(type_)
    if layout is None:
        raise TypeNotLowered(
            f"expected a memref with an identity or strided layout, got {type_}"
        )
    return layout
