"""
The attributes that name dimensions, memory, scopes and kinds; the types that kernels, local
memory and collectives can have, and how collectives combine two values of them.

Each rule is a function that says in words why a type is not allowed, or `None` when it
is; verifiers and the runtime share them.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Never, TypeAlias, TypeGuard, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    UnitAttr,
    VectorType,
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
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.assembly_format import BracketedKeyword
from spmd.dialects.element_types import (
    is_memref,
    is_vector,
    memref_layout,
    size_in_bytes,
)
from spmd.dialects.limits import (
    LINE_OFFSETS,
    MAX_EXTENT,
    MAX_LOCAL_BYTES,
    too_much_local_memory,
)
from spmd.dialects.names import STREAMED


class Dimension(StrEnum):
    """A dimension of the range of work-items; x varies fastest."""

    X = "x"
    Y = "y"
    Z = "z"

    @property
    def number(self) -> int:
        """0 for x, 1 for y, 2 for z."""
        return "xyz".find(self.value)

    # Hides a method of `str` that makes no sense for a dimension.
    index = number  # pyright: ignore[reportAssignmentType, reportIncompatibleMethodOverride]


class Memory(StrEnum):
    """Who shares a piece of memory: all work-items, a work-group, or nobody."""

    GLOBAL = "global"
    LOCAL = "local"
    PRIVATE = "private"


class Scope(StrEnum):
    """The work-items that take part in a barrier or a collective."""

    WORK_GROUP = "work_group"
    SUB_GROUP = "sub_group"


@irdl_attr_definition
class DimensionAttr(BracketedKeyword, EnumAttribute[Dimension]):
    """`#spmd.dimension<x>`; ops print the bare keyword."""

    name = "spmd.dimension"


@irdl_attr_definition
class MemoryAttr(BracketedKeyword, EnumAttribute[Memory]):
    """
    A memory space, as in `memref<16xf32, #spmd.memory<local>>`.

    A memref without a memory space lies in global memory (`memref.alloca`: private).
    """

    name = "spmd.memory"


@irdl_attr_definition
class ScopeAttr(BracketedKeyword, EnumAttribute[Scope]):
    """`#spmd.scope<work_group>`; ops print the bare keyword."""

    name = "spmd.scope"


LOCAL = MemoryAttr(Memory.LOCAL)
GLOBAL = MemoryAttr(Memory.GLOBAL)
PRIVATE = MemoryAttr(Memory.PRIVATE)


WIDTHS: dict[Attribute, int] = {
    i1: 1,
    i8: 8,
    i16: 16,
    i32: 32,
    i64: 64,
    IndexType(): 64,
}
"""Bits of each of the language's integer types."""

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


def has_vectors(type_: Attribute) -> TypeGuard[MemRefType[VectorType[Attribute]]]:
    """Whether `type_` is a memref of vectors that are rows of scalars in memory."""
    if not is_memref(type_) or not is_vector(type_.element_type):
        return False
    vector = type_.element_type
    rows = vector.get_num_dims() == 1 and not vector.get_num_scalable_dims()
    return rows and is_scalar(vector.element_type) and vector.element_type != i1


def has_arrays_of_vectors(op: Operation) -> bool:
    """Whether `op` makes an array of vectors, or begins with one as an argument."""
    arguments = (
        op.regions[0].blocks[0].args if op.regions and op.regions[0].blocks else ()
    )
    return any(has_vectors(value.type) for value in (*op.results, *arguments))


def _why_not_elements(type_: MemRefType[Attribute]) -> str | None:
    if is_scalar(type_.element_type) or has_vectors(type_):
        return None
    return (
        f"expected a memref of {SCALARS}, or of vectors as vector<4xf32>, got {type_}"
    )


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


def why_not_argument(type_: Attribute) -> str | None:
    """Why a kernel cannot have an argument of this type."""
    if not is_memref(type_):
        if is_scalar(type_):
            return None
        return f"expected {SCALARS}, or a memref of one of these, got {type_}"
    if any(size > MAX_EXTENT for size in type_.get_shape()):
        return f"expected sizes of at most {MAX_EXTENT}, got {type_}"
    if is_local(type_):
        if not isinstance(type_.layout, NoneAttr):
            return f"expected the identity layout in local memory, got {type_}"
        return _why_not_elements(type_)
    if not isinstance(type_.memory_space, NoneAttr) and type_.memory_space != GLOBAL:
        return (
            "expected a memref in #spmd.memory<global> (or without memory space) or "
            f"#spmd.memory<local>, got {type_}"
        )
    if memref_layout(type_) is None:
        return (
            "expected the identity layout, or a strided one with a stride for each "
            f"dimension, got {type_}"
        )
    return _why_not_elements(type_)


def why_not_promised(name: str, value: Attribute, type_: Attribute) -> str | None:
    """Why an argument of this type cannot have one of `names.PROMISES`."""
    wanted: list[Attribute] = [UnitAttr()]
    places = ""
    if name == STREAMED:
        wanted += [IntegerAttr(place, i64) for place in LINE_OFFSETS]
        numbers = ", ".join(map(str, LINE_OFFSETS))
        places = f" or with where in a cache line rows begin ({numbers} : i64)"
    if value not in wanted:
        return f"expected {name} without a value{places}, got {value}"
    return None if is_memref(type_) else f"expected {name} on a memref, got {type_}"


Neutral: TypeAlias = IntegerAttr[IntegerType | IndexType] | FloatAttr[AnyFloat]


class Kind(StrEnum):
    """How two values become one; each kind is associative and commutative."""

    ADD = "add"
    MUL = "mul"
    MIN = "min"
    MAX = "max"
    MINUI = "minui"
    MAXUI = "maxui"
    AND = "and"
    OR = "or"
    XOR = "xor"

    @classmethod
    def _missing_(cls, value: object) -> Never:
        # Ops that combine take it first, before what they combine.
        raise ValueError(f"expected a kind of {', '.join(cls)}, got {value}")

    @property
    def is_idempotent(self) -> bool:
        """Whether a value combined with itself is that value."""
        return self not in (Kind.ADD, Kind.MUL, Kind.XOR)


@irdl_attr_definition
class KindAttr(BracketedKeyword, EnumAttribute[Kind]):
    """`#spmd.kind<add>`; ops print the bare keyword."""

    name = "spmd.kind"


INTEGERS_OR_FLOATS = "an integer of 8 to 64 bits, index or a float"
INTEGERS = "an integer of 8 to 64 bits or index"
INTEGERS_AND_I1 = "an integer or index"

_BITWISE = (Kind.AND, Kind.OR, Kind.XOR)
_UNSIGNED = (Kind.MINUI, Kind.MAXUI)


def why_not_kind(kind: Kind, type_: Attribute) -> str | None:
    """Why values of this type cannot be combined by `kind`."""
    if kind in _BITWISE:
        allowed, wanted = is_integer(type_), INTEGERS_AND_I1
    elif kind in _UNSIGNED:
        allowed, wanted = is_integer(type_, narrowest=8), INTEGERS
    else:
        allowed = is_integer(type_, narrowest=8) or is_float(type_)
        wanted = INTEGERS_OR_FLOATS
    if allowed:
        return None
    return f"expected {wanted} for {kind}, got {type_}"


def _neutral_integer(kind: Kind, width: int) -> int:
    match kind:
        case Kind.ADD | Kind.OR | Kind.XOR | Kind.MAXUI:
            return 0
        case Kind.MUL:
            return 1
        case Kind.AND | Kind.MINUI:
            return -1
        case Kind.MIN:
            return 2 ** (width - 1) - 1
        case Kind.MAX:
            return -(2 ** (width - 1))


_NEUTRAL_FLOAT = {
    Kind.ADD: 0.0,
    Kind.MUL: 1.0,
    Kind.MIN: float("inf"),
    Kind.MAX: float("-inf"),
}


def neutral_element(kind: Kind, type_: Attribute) -> Neutral:
    """
    The value that changes nothing when it is combined by `kind`.

    The first work-item of an exclusive scan gets it. For `add` of floats it is +0.0, which
    changes -0.0. `why_not_kind` must allow the type.
    """
    if is_float(type_):
        return FloatAttr(_NEUTRAL_FLOAT[kind], cast(AnyFloat, type_))
    value = _neutral_integer(kind, WIDTHS[type_])
    return IntegerAttr(value, cast(IntegerType | IndexType, type_))


_OPS: dict[Kind, tuple[Callable[..., Operation], ...]] = {
    Kind.ADD: (arith.AddiOp, arith.AddfOp),
    Kind.MUL: (arith.MuliOp, arith.MulfOp),
    Kind.MIN: (arith.MinSIOp, arith.MinimumfOp),
    Kind.MAX: (arith.MaxSIOp, arith.MaximumfOp),
    Kind.MINUI: (arith.MinUIOp,),
    Kind.MAXUI: (arith.MaxUIOp,),
    Kind.AND: (arith.AndIOp,),
    Kind.OR: (arith.OrIOp,),
    Kind.XOR: (arith.XOrIOp,),
}
"""The ops that combine two integers, and two floats."""


_KINDS = {op: kind for kind, ops in _OPS.items() for op in ops}


def kind_of(op: Operation) -> Kind | None:
    """The kind by which the `arith` op combines its operands."""
    return _KINDS.get(type(op))


def combine(
    kind: Kind, lhs: SSAValue | Operation, rhs: SSAValue | Operation
) -> Operation:
    """The `arith` op that combines two scalars or vectors by `kind`."""
    element = get_element_type_or_self(SSAValue.get(lhs).type)
    return _OPS[kind][is_float(element)](lhs, rhs)
