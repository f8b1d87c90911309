"""
The values of the language as Python objects.

An integer of N bits and an `index` (64 bits) is an `int` from 0 to 2**N - 1: its bits
read as an unsigned number. `i1` may also be a `bool`. A float of any width is a Python
`float` that the type can represent. A vector is a flat tuple, row-major. `POISON` stands
for a value that is undefined, in any type.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from struct import pack, unpack
from typing import Any, Final, cast

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute


class Poison:
    """The value of what is undefined; using it where it matters is an error."""

    def __repr__(self) -> str:
        return "poison"


POISON: Final = Poison()


@dataclass(frozen=True)
class Scalar:
    """What the interpreter has to know of an element type."""

    name: str
    bits: int
    is_float: bool
    code: str
    """Format of an element in a `memoryview`; empty if memory cannot hold it."""

    @property
    def size(self) -> int:
        """Bytes of an element in memory."""
        return (self.bits + 7) // 8

    @property
    def mask(self) -> int:
        """All bits of an integer."""
        return (1 << self.bits) - 1

    @property
    def sign(self) -> int:
        """The sign bit of an integer."""
        return 1 << (self.bits - 1)


INTEGER_CODES = {1: "B", 8: "B", 16: "H", 32: "I", 64: "Q"}
FLOATS: dict[type[Attribute], Scalar] = {
    Float16Type: Scalar("f16", 16, True, "H"),
    BFloat16Type: Scalar("bf16", 16, True, "H"),
    Float32Type: Scalar("f32", 32, True, "f"),
    Float64Type: Scalar("f64", 64, True, "d"),
}
INDEX = Scalar("index", 64, False, "Q")
BYTE = Scalar("i8", 8, False, "B")


def scalar_of(type_: Attribute) -> Scalar | None:
    """The element type of a scalar, vector or memref type; `None` if it has no meaning."""
    element = type_
    if isinstance(type_, VectorType | MemRefType):
        element = cast("VectorType[Attribute]", type_).get_element_type()
    if isinstance(element, VectorType):
        element = cast("VectorType[Attribute]", element).get_element_type()
    if isinstance(element, IndexType):
        return INDEX
    if isinstance(element, IntegerType):
        bits = element.bitwidth
        return Scalar(f"i{bits}", bits, False, INTEGER_CODES.get(bits, ""))
    return FLOATS.get(type(element))


def as_vector(type_: Attribute) -> VectorType[Attribute] | None:
    """The type, if it is that of a vector."""
    is_vector = isinstance(type_, VectorType)
    return cast("VectorType[Attribute]", type_) if is_vector else None


def as_memref(type_: Attribute) -> MemRefType[Attribute] | None:
    """The type, if it is that of a memref."""
    is_memref = isinstance(type_, MemRefType)
    return cast("MemRefType[Attribute]", type_) if is_memref else None


def length_of(type_: Attribute) -> int:
    """The number of elements of a vector; one for a scalar."""
    vector = as_vector(type_)
    return 1 if vector is None else math.prod(vector.get_shape())


# --- rounding ------------------------------------------------------------------------

ONE_FLOAT = array("f", [0.0])
"""Writing to it and reading back rounds to f32; compiled code does so inline."""

with np.errstate(invalid="ignore"):  # signalling NaNs become quiet
    _codes = np.arange(1 << 16, dtype=np.uint16)
    F16_VALUES: list[float] = _codes.view(np.float16).astype(np.float64).tolist()
    BF16_VALUES: list[float] = (
        (_codes.astype(np.uint32) << 16).view(np.float32).astype(np.float64).tolist()
    )


def round_f32(value: float) -> float:
    ONE_FLOAT[0] = value
    return ONE_FLOAT[0]


def round_f16(value: float) -> float:
    try:
        return unpack("e", pack("e", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def round_bf16(value: float) -> float:
    if not math.isfinite(value):
        return value
    if abs(value) < 2.0**-126:  # subnormal: a multiple of 2**-133, ties to even
        return math.copysign(round(value * 2.0**133) * 2.0**-133, value)
    bits: int = f64_bits(value)
    bits += (1 << 44) - 1 + ((bits >> 45) & 1)
    rounded: float = f64_of_bits(bits >> 45 << 45)
    return rounded if abs(rounded) < 2.0**128 else math.copysign(math.inf, value)


def round_f64(value: float) -> float:
    return value


ROUND: dict[str, Callable[[float], float]] = {
    "f16": round_f16,
    "bf16": round_bf16,
    "f32": round_f32,
    "f64": round_f64,
}


def nudge_to_odd(value: float, error: float) -> float:
    """
    `value`, the rounded sum of something exact, with its last bit set if it was inexact.

    A value rounded "to odd" can be rounded once more, to a format that is at least two
    bits shorter, without a double rounding.
    """
    if error == 0.0 or not math.isfinite(value):
        return value
    bits: int = f64_bits(value)
    if bits & 1:
        return value
    if value == 0.0:
        return math.copysign(5e-324, error)
    return f64_of_bits(bits + (1 if (error > 0.0) == (value > 0.0) else -1))


def integer_to_float(value: int) -> float:
    """An integer as a double that still rounds correctly to a shorter format."""
    try:
        double = float(value)
    except OverflowError:
        return math.copysign(math.inf, value)
    difference = value - int(double)
    return nudge_to_odd(double, float(difference))


def fma_short(a: float, b: float, c: float) -> float:
    """`a * b + c` for f32 and shorter, to be rounded to that format."""
    product = a * b  # exact: at most 48 bits
    total = product + c
    if not math.isfinite(total):
        return total
    part = total - product
    return nudge_to_odd(total, (product - (total - part)) + (c - part))


def fma_f64(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return c if math.isfinite(a) and math.isfinite(b) else a * b + c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return a * b + c if a == 0.0 or b == 0.0 else 0.0
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


# --- bits ----------------------------------------------------------------------------


def signed(value: int, bits: int) -> int:
    """The number that the bits mean in two's complement."""
    return value - (1 << bits) if value >> (bits - 1) else int(value)


def _in_format(source: str, target: str) -> Callable[[Any], Any]:
    """Reads the bytes of a number that is packed as `source` as a `target`."""
    return lambda number: unpack(target, pack(source, number))[0]


f32_bits = _in_format("f", "I")
f64_bits = _in_format("d", "Q")
f64_of_bits = _in_format("Q", "d")

_f16_bits = _in_format("e", "H")


def f16_bits(value: float) -> int:
    """The bits of a number that f16 can represent; `struct` knows only one NaN."""
    if value == value:
        return _f16_bits(value)
    bits: int = f64_bits(value)
    return bits >> 48 & 0x8000 | 0x7C00 | bits >> 42 & 0x3FF


TO_BITS: dict[str, Callable[[float], int]] = {
    "f16": f16_bits,
    "bf16": lambda value: f32_bits(value) >> 16,
    "f32": f32_bits,
    "f64": f64_bits,
}
FROM_BITS: dict[str, Callable[[int], float]] = {
    "f16": F16_VALUES.__getitem__,
    "bf16": BF16_VALUES.__getitem__,
    "f32": _in_format("I", "f"),
    "f64": f64_of_bits,
}
