"""The scalar types of the language, and what NumPy and C call them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

Dtype = np.dtype[np.generic]


@dataclass(frozen=True)
class Element:
    """
    One scalar type.

    `code` is its letter in Python's `struct` module, `dtypes` are those of the arrays
    whose elements it may stand for, the first being the one to suggest.
    """

    name: str
    size: int
    code: str
    dtypes: tuple[Dtype, ...]

    @property
    def is_integer(self) -> bool:
        """Whether it is `index` or an integer other than `i1`."""
        return self.name == "index" or (self.name[0] == "i" and self.name != "i1")

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type."""
        return self.name[0] in "fb"


def _element(name: str, size: int, code: str, *dtypes: str) -> Element:
    return Element(name, size, code, tuple(np.dtype(dtype) for dtype in dtypes))


ELEMENTS = {
    element.name: element
    for element in (
        _element("i1", 1, "B", "bool"),
        _element("i8", 1, "B", "int8", "uint8"),
        _element("i16", 2, "H", "int16", "uint16"),
        _element("i32", 4, "I", "int32", "uint32"),
        _element("i64", 8, "Q", "int64", "uint64"),
        _element("index", 8, "Q", "int64", "uint64"),
        _element("f16", 2, "e", "float16"),
        # NumPy has no bfloat16 of its own; `is_bfloat16` knows that of ml_dtypes.
        _element("bf16", 2, "H", "uint16"),
        _element("f32", 4, "f", "float32"),
        _element("f64", 8, "d", "float64"),
    )
}
"""The scalar types of the language by name."""

_FLOATS: dict[type[Attribute], str] = {
    Float16Type: "f16",
    BFloat16Type: "bf16",
    Float32Type: "f32",
    Float64Type: "f64",
}


@cache
def element_of(type_: Attribute) -> Element | None:
    """The scalar type `type_`, or `None` if it is none of the language."""
    if isinstance(type_, IndexType):
        return ELEMENTS["index"]
    if isa(type_, IntegerType):
        return ELEMENTS.get(f"i{type_.width.data}")
    return ELEMENTS.get(_FLOATS.get(type(type_), ""))


def is_bfloat16(dtype: Dtype) -> bool:
    """Whether `dtype` is `ml_dtypes.bfloat16`, which need not be installed."""
    return dtype.name == "bfloat16" and dtype.itemsize == 2 and dtype.isnative


def describe_dtypes(element: Element) -> str:
    """What arrays of `element` may be made of, in words."""
    names = [dtype.name for dtype in element.dtypes]
    if element.name == "bf16":
        names = ["ml_dtypes.bfloat16", "uint16"]
    return " or ".join(names)
