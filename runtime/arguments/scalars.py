"""Numbers as kernel arguments: what is accepted, and the C value it becomes."""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from spmd.dialects.limits import MAX_INDEX
from spmd.runtime.arguments.elements import Element

# As tuples of plain classes: narrowing to NumPy's generic ones helps no type checker.
_BOOLS: tuple[type, ...] = (bool, np.bool_)
_INTEGERS: tuple[type, ...] = (int, np.integer)
_REALS: tuple[type, ...] = (float, int, np.generic)
_NOT_REALS: tuple[type, ...] = (np.bool_, np.complexfloating)
_ARRAYS: tuple[type, ...] = (np.ndarray,)

Pack = Callable[[Any], int | float]
"""A number to what `struct` packs for it; `ValueError` with a reason if it cannot be."""

# What rounds to infinity: the largest finite number and half a unit in its last place.
_TOO_LARGE = {
    "f16": 65520.0,
    "bf16": (2 - 2.0**-8) * 2.0**127,
    "f32": (2 - 2.0**-24) * 2.0**127,
    "f64": math.inf,
}


def pack_scalar(element: Element) -> Pack:
    """The function that packs a number as an `element`."""
    if element.name == "i1":
        return _pack_bool
    if element.is_integer:
        if element.name == "index":
            return _pack_integer(64, -MAX_INDEX, MAX_INDEX)
        # Types have no sign, so both the signed and the unsigned numbers are welcome.
        bits = element.size * 8
        return _pack_integer(bits, -(1 << bits - 1), (1 << bits) - 1)
    return _pack_float(element.name)


def _got(value: Any) -> str:
    if isinstance(value, _ARRAYS):
        return f"an array of shape {value.shape}"
    return f"{type(value).__name__} {value!r}"


def _unwrap(value: Any) -> Any:
    """An array without dimensions is a number."""
    return value[()] if isinstance(value, _ARRAYS) and value.ndim == 0 else value


def _pack_bool(value: Any) -> int:
    value = _unwrap(value)
    if isinstance(value, _BOOLS) or (isinstance(value, _INTEGERS) and value in (0, 1)):
        return int(value)
    raise ValueError(f"expected a bool, got {_got(value)}")


def unpacked(element: Element, field: float) -> bool | int | float:
    """The number that stands in a field of this type; integers are signed."""
    if element.name == "i1":
        return field != 0
    if element.name == "bf16":
        return struct.unpack("@f", struct.pack("@I", int(field) << 16))[0]
    # Rounded to the type, or with the sign that the type does not tell.
    code = element.code if element.is_float else element.code.lower()
    return struct.unpack(f"@{code}", struct.pack(f"@{element.code}", field))[0]


def _pack_integer(bits: int, low: int, high: int) -> Pack:
    mask = (1 << bits) - 1

    def pack(value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise ValueError(f"expected a whole number, got {_got(value)}") from None
        if not low <= number <= high:
            raise ValueError(f"expected a number from {low} to {high}, got {number}")
        return number & mask

    return pack


def _pack_float(name: str) -> Pack:
    too_large = _TOO_LARGE[name]
    finish = _bfloat16_bits if name == "bf16" else float

    def pack(value: Any) -> int | float:
        if type(value) is not float:
            value = _unwrap(value)
            if isinstance(value, _NOT_REALS) or not isinstance(value, _REALS):
                raise ValueError(f"expected a number, got {_got(value)}")
            try:
                value = float(value)
            except (TypeError, ValueError, OverflowError):
                raise ValueError(
                    f"expected a number that fits, got {_got(value)}"
                ) from None
        if abs(value) >= too_large and not math.isinf(value):
            raise ValueError(
                f"expected a number smaller than {too_large:.6g} in magnitude, got "
                f"{value!r}"
            )
        return finish(value)

    return pack


def _bfloat16_bits(value: float) -> int:
    """The bits of `value` rounded once, to nearest even, to bfloat16."""
    if math.isfinite(value) and value != 0.0:
        # The unit in the last of 8 binary places, no smaller than the subnormal one.
        unit = max(math.frexp(value)[1] - 8, -133)
        value = math.copysign(math.ldexp(round(math.ldexp(value, -unit)), unit), value)
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return bits >> 16
