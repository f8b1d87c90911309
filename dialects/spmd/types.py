"""
The types that kernels, local memory and collectives can have.

Each rule is a function that says in words why a type is not allowed, or `None` when it
is; verifiers and the runtime share them.
"""

from __future__ import annotations

from math import prod
from typing import TypeGuard

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute

from spmd.dialects.element_types import size_in_bytes
from spmd.dialects.spmd.attributes import GLOBAL, LOCAL

WIDTHS: dict[Attribute, int] = {
    i1: 1,
    i8: 8,
    i16: 16,
    i32: 32,
    i64: 64,
    IndexType(): 64,
}
"""Bits of each of the language's integer types."""

MAX_LOCAL_BYTES = 1 << 20
"""Bytes of local memory of a work-group, of all allocations and arguments together."""

FLOATS: frozenset[Attribute] = frozenset((f16, bf16, f32, f64))
"""The language's floating-point types."""

SCALARS = "index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64"
"""The scalar types of the language, for messages."""


def is_integer(type_: Attribute, *, narrowest: int = 1) -> bool:
    """Whether `type_` is `index` or a signless integer of at least `narrowest` bits."""
    return WIDTHS.get(type_, 0) >= narrowest


def is_float(type_: Attribute) -> bool:
    """Whether `type_` is one of the language's floating-point types."""
    return type_ in FLOATS


def is_scalar(type_: Attribute) -> bool:
    """Whether `type_` is one of the language's scalar types."""
    return is_integer(type_) or is_float(type_)


def is_memref(type_: Attribute) -> TypeGuard[MemRefType[Attribute]]:
    """Whether `type_` is a memref."""
    return isinstance(type_, MemRefType)


def is_local(type_: Attribute) -> TypeGuard[MemRefType[Attribute]]:
    """Whether `type_` is a memref in local memory."""
    return is_memref(type_) and type_.memory_space == LOCAL


def dynamic_dimensions(type_: MemRefType[Attribute]) -> int:
    """How many sizes of `type_` are `?`."""
    return type_.get_shape().count(DYNAMIC_INDEX)


def why_not_scalar(type_: Attribute) -> str | None:
    """Why a value of this type cannot take part in a collective."""
    if is_scalar(type_):
        return None
    return f"expected a value of type {SCALARS}, got {type_}"


def _why_not_elements(type_: MemRefType[Attribute]) -> str | None:
    if is_scalar(type_.element_type):
        return None
    return f"expected a memref of {SCALARS}, got {type_}"


def why_not_local_memory(type_: Attribute) -> str | None:
    """Why `spmd.local_alloc` cannot make memory of this type."""
    if not is_local(type_):
        return f"expected a memref in #spmd.memory<local>, got {type_}"
    if dynamic_dimensions(type_):
        return (
            f"expected a static shape, got {type_}: let the launch give the size "
            "of local memory through a kernel argument"
        )
    if not isinstance(type_.layout, NoneAttr):
        return f"expected the identity layout, got {type_}"
    if (reason := _why_not_elements(type_)) is not None:
        return reason
    size = prod(type_.get_shape()) * size_in_bytes(type_.element_type)
    if size > MAX_LOCAL_BYTES:
        return too_much_local_memory(f"{size} in {type_}")
    return None


def too_much_local_memory(got: object) -> str:
    """The error of a work-group that has more local memory than there is."""
    return (
        f"expected at most {MAX_LOCAL_BYTES} bytes of local memory in a work-group, got "
        f"{got}; use smaller tiles"
    )


def why_not_argument(type_: Attribute) -> str | None:
    """Why a kernel cannot have an argument of this type."""
    if not is_memref(type_):
        if is_scalar(type_):
            return None
        return f"expected {SCALARS}, or a memref of one of these, got {type_}"
    if is_local(type_):
        if not isinstance(type_.layout, NoneAttr):
            return f"expected the identity layout in local memory, got {type_}"
        return _why_not_elements(type_)
    if not isinstance(type_.memory_space, NoneAttr) and type_.memory_space != GLOBAL:
        return (
            "expected a memref in #spmd.memory<global> (or without memory space) or "
            f"#spmd.memory<local>, got {type_}"
        )
    if not isinstance(type_.layout, NoneAttr | StridedLayoutAttr):
        return f"expected the identity layout or a strided one, got {type_}"
    return _why_not_elements(type_)
