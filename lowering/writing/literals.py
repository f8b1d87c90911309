"""Constants as LLVM text."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    BFloat16Type,
    DenseIntOrFPElementsAttr,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
)
from xdsl.ir import Attribute

from spmd.lowering.writing.types import TypeNotLowered, is_float, llvm_type, scalar_bits

AnyFloatType = Float16Type | BFloat16Type | Float32Type | Float64Type


def integer_literal(value: int, type_: Attribute) -> str:
    """An integer of a type: `i1` is `true` or `false`."""
    if llvm_type(type_) == "i1":
        return "true" if value & 1 else "false"
    return str(value)


def bits_of_float(value: float, type_: AnyFloatType) -> int:
    """The bit pattern of `value` rounded to a float type, to nearest, ties to even."""
    try:
        return int.from_bytes(type_.pack([value]), "little")
    except OverflowError:
        return bits_of_float(float("inf") if value > 0 else float("-inf"), type_)


def float_literal_of_bits(bits: int, type_: Attribute) -> str:
    """A float given by its bit pattern."""
    match type_:
        case Float64Type():
            return _double_text(bits)
        case Float32Type():
            return _double_text(_widen_float_bits(bits))
        case Float16Type():
            return f"0xH{bits:04X}"
        case BFloat16Type():
            return str(bits - (bits >> 15 << 16))
        case _:
            raise TypeNotLowered(f"expected f16, bf16, f32 or f64, got {type_}")


def _double_text(bits: int) -> str:
    """Decimal where six digits are exact, which people can read; else hexadecimal."""
    value = struct.unpack("<d", struct.pack("<Q", bits))[0]
    if value == value and abs(value) != float("inf"):
        text = f"{value:e}"
        if float(text) == value:
            return text
    return f"0x{bits:016X}"


def _widen_float_bits(bits: int) -> int:
    """
    The double with the value of a float given by its bits.

    LLVM writes a float as a double. A NaN is widened by hand: a conversion in hardware
    would make a signalling one quiet.
    """
    if bits & 0x7F800000 == 0x7F800000:
        sign, fraction = bits >> 31, bits & 0x7FFFFF
        return sign << 63 | 0x7FF << 52 | fraction << 29
    value = struct.unpack("<f", struct.pack("<I", bits))[0]
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def float_literal(value: float, type_: Attribute) -> str:
    """A float, rounded to its type."""
    if not isinstance(type_, AnyFloatType):
        raise TypeNotLowered(f"expected f16, bf16, f32 or f64, got {type_}")
    return float_literal_of_bits(bits_of_float(value, type_), type_)


def scalar_literal(attr: Attribute) -> str:
    """An integer or float attribute."""
    match attr:
        case IntegerAttr():
            return integer_literal(attr.value.data, attr.type)
        case FloatAttr():
            return float_literal(attr.value.data, attr.type)
        case _:
            raise TypeNotLowered(f"expected a number, got {attr}")


def dense_elements(attr: DenseIntOrFPElementsAttr) -> list[str]:
    """Each element of a dense attribute, row after row."""
    element: Attribute = attr.get_element_type()
    if is_float(element):
        # From the bytes, so that a NaN keeps its payload.
        size = scalar_bits(element) // 8
        data = attr.data.data
        return [
            float_literal_of_bits(
                int.from_bytes(data[at : at + size], "little"), element
            )
            for at in range(0, len(data), size)
        ]
    values: Sequence[int] = [int(value) for value in attr.iter_values()]  # pyright: ignore[reportArgumentType]
    return [integer_literal(value, element) for value in values]


def vector_literal(elements: Sequence[str], scalar: str) -> str:
    """An LLVM vector constant."""
    if len(set(elements)) == 1:
        return splat_literal(elements[0], scalar)
    return f"<{', '.join(f'{scalar} {element}' for element in elements)}>"


def splat_literal(element: str, scalar: str) -> str:
    """An LLVM vector constant whose lanes are all the same."""
    if element in ("zeroinitializer", "poison"):
        return element
    return f"splat ({scalar} {element})"


def constant(element: str, scalar: str, lanes: int | None) -> str:
    """A scalar constant, or a vector of it."""
    return element if lanes is None else splat_literal(element, scalar)


def shuffle(type_: str, a: str, b: str, lanes: Sequence[int]) -> str:
    """The text of a shuffle; -1 is a lane that may be anything."""
    mask = vector_literal(
        [str(lane) if lane >= 0 else "poison" for lane in lanes], "i32"
    )
    return f"shufflevector {type_} {a}, {type_} {b}, <{len(lanes)} x i32> {mask}"
