"""The scalar types of the language, and what NumPy and C call them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

Dtype = np.dtype[np.generic]


class Element(NamedTuple):
    """
    One scalar type.

    `code` is its letter in Python's `struct` module, `dtypes` are those of the arrays
    whose elements it may stand for, the first being the one to suggest.
    """

    name: str
    size: int
    code: str
    dtypes: tuple[Dtype, ...]

    def __reduce__(self) -> tuple[Any, ...]:
        return _element_named, (self.name,)

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


def _element_named(name: str) -> Element:
    return ELEMENTS[name]


def is_bfloat16(dtype: Dtype) -> bool:
    """Whether `dtype` is `ml_dtypes.bfloat16`, which need not be installed."""
    return dtype.name == "bfloat16" and dtype.itemsize == 2 and dtype.isnative


def describe_dtypes(element: Element) -> str:
    """What arrays of `element` may be made of, in words."""
    names = [dtype.name for dtype in element.dtypes]
    if element.name == "bf16":
        names = ["ml_dtypes.bfloat16", "uint16"]
    return " or ".join(names)
