"""The types of values in a kernel written in Python: what they are and how they meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
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

from spmd.dialects.spmd import LOCAL


@dataclass(frozen=True)
class Scalar:
    """
    A type of numbers.

    `int` and `float` are Python's: 64 bits wide, and they take the type of the NumPy
    number that they meet (NEP 50 calls them weak). `int` is of type `index` in IR.
    """

    name: str
    ir: Attribute
    kind: Literal["b", "i", "u", "f"]
    bits: int
    weak: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def written(self) -> str:
        """How a kernel names it."""
        return self.name if self.weak or self.kind == "b" else f"np.{self.name}"

    @property
    def is_integer(self) -> bool:
        """Whether it has whole numbers; `bool` has none."""
        return self.kind in "iu"


BOOL = Scalar("bool", i1, "b", 1)
INT = Scalar("int", IndexType(), "i", 64, weak=True)
FLOAT = Scalar("float", f64, "f", 64, weak=True)
INT64 = Scalar("int64", i64, "i", 64)
UINT64 = Scalar("uint64", i64, "u", 64)
FLOAT32 = Scalar("float32", f32, "f", 32)
FLOAT64 = Scalar("float64", f64, "f", 64)
BFLOAT16 = Scalar("bfloat16", bf16, "f", 16)

SCALARS = {
    each.name: each
    for each in (
        BOOL,
        Scalar("int8", i8, "i", 8),
        Scalar("int16", i16, "i", 16),
        Scalar("int32", i32, "i", 32),
        INT64,
        Scalar("uint8", i8, "u", 8),
        Scalar("uint16", i16, "u", 16),
        Scalar("uint32", i32, "u", 32),
        UINT64,
        Scalar("float16", f16, "f", 16),
        BFLOAT16,
        FLOAT32,
        FLOAT64,
    )
}
"""The types of NumPy's numbers, by the names of their dtypes."""

_NUMPY: tuple[type, ...] = (np.generic,)
_WHOLE: tuple[type, ...] = (int, np.integer)
_PYTHON: dict[type, Scalar] = {bool: BOOL, int: INT, float: FLOAT}


@dataclass(frozen=True)
class Array:
    """An array: `None` stands for a size that is known at run time only."""

    element: Scalar
    shape: tuple[int | None, ...]
    space: Literal["global", "local", "private", "constant"] = "global"
    layout: StridedLayoutAttr | None = None
    """Of an array that is not known to be contiguous."""
    argument: MemRefType[Attribute] | None = field(default=None, compare=False)
    """The type of the argument that it is, which knows more; types of variables do not."""

    def __str__(self) -> str:
        sizes = ", ".join(":" if size is None else str(size) for size in self.shape)
        return f"{self.element}[{sizes}]"

    @property
    def ir(self) -> MemRefType[Attribute]:
        """The type of the memref that it is."""
        shape = [DYNAMIC_INDEX if size is None else size for size in self.shape]
        space = LOCAL if self.space == "local" else NoneAttr()
        return MemRefType(self.element.ir, shape, self.layout or NoneAttr(), space)


@dataclass(frozen=True)
class Tuple:
    """A tuple of values that each have a type."""

    items: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.items))})"


@dataclass(frozen=True)
class Known:
    """Something of Python that there is one of: a function, a module, a text."""

    value: object

    def __str__(self) -> str:
        what, value = type(self.value).__name__, self.value
        if isinstance(value, partial):
            what, value = "method", cast("partial[object]", value).func
        return f"{what} {getattr(value, '__name__', value)}"


Type = Scalar | Array | Tuple | Known


def scalar_of(described: object) -> Scalar | None:
    """
    The type that `int`, `np.float32`, `np.dtype("float32")` or "float32" stands for.

    `None` if it is none of the language's.
    """
    if isinstance(described, Scalar):
        return described
    if isinstance(described, type) and described in _PYTHON:
        return _PYTHON[described]
    is_number = isinstance(described, type) and issubclass(described, np.generic)
    if not is_number and not isinstance(described, np.dtype | str):
        return None
    try:
        dtype = np.dtype(described)  # pyright: ignore[reportArgumentType, reportCallIssue]
    except TypeError:
        return None
    return SCALARS.get(dtype.name)


def type_of_number(value: object) -> Scalar | None:
    """The type of a number of Python or NumPy."""
    if isinstance(value, _NUMPY):
        return SCALARS.get(cast(Any, value).dtype.name)
    return _PYTHON.get(type(value))


MOST_KNOWN = 16
"""Elements of a point, a pixel or a small matrix, whose sizes are compiled in, and of such a step."""

_LINE = ((None,), None)


def known_layout(
    array: NDArray[Any],
) -> tuple[tuple[int | None, ...], tuple[int | None, ...] | None]:
    """
    What is compiled in of an array's sizes, and of its strides if it is not contiguous.

    How many numbers a point or a pixel has is part of what the kernel is; a launch decides how many
    points there are. So sizes are known of the last dimensions that have few elements together,
    but never of the first one, and short strides.
    """
    contiguous = array.flags.c_contiguous
    if contiguous and array.ndim == 1:
        return _LINE  # Each launch asks that.
    shape, count = array.shape, 1
    known = len(shape)
    while known > 1 and 0 < (count := count * shape[known - 1]) <= MOST_KNOWN:
        known -= 1
    sizes = (None,) * known + shape[known:]
    if contiguous:
        return sizes, None
    steps = (divmod(stride, array.itemsize or 1) for stride in array.strides)
    strides = (
        step if not rest and abs(step) <= MOST_KNOWN else None for step, rest in steps
    )
    return sizes, tuple(strides)


def array_type(array: NDArray[Any]) -> Array | None:
    """The type that an array has as an argument, if kernels have its elements."""
    if (element := SCALARS.get(array.dtype.name)) is None:
        return None
    rank, (sizes, strides) = array.ndim, known_layout(array)
    if strides is None:
        known = Array(element, sizes)
        return Array(element, (None,) * rank, argument=known.ir)
    known = Array(element, sizes, layout=StridedLayoutAttr(strides))
    layout = StridedLayoutAttr([1 if stride == 1 else None for stride in strides])
    return Array(element, (None,) * rank, layout=layout, argument=known.ir)


def promote(one: Scalar, other: Scalar) -> Scalar | None:
    """
    The type that arithmetic on both is done in, as NumPy 2 decides (NEP 50).

    `None` if there is none: 64-bit integers with and without sign, say, which NumPy
    would make floats.
    """
    if one == other:
        return one
    both = ((one, other), (other, one))
    for first, second in both:
        if first == BOOL or (first == INT and second != BOOL):
            return second
    for first, second in both:
        if first == FLOAT:
            return second if second.kind == "f" else FLOAT64
        if first == BFLOAT16:
            return _with_bfloat16(second)
    found = np.promote_types(one.name, other.name)
    if found.kind == "f" and one.is_integer and other.is_integer:
        return None
    return SCALARS[found.name]


def _with_bfloat16(other: Scalar) -> Scalar | None:
    if other.kind != "f":
        return None
    return other if other.bits > 16 else FLOAT32


def join(one: Type, other: Type) -> Type | None:
    """
    The type of a variable that is given values of both types, if it can have one.

    Python's `int` becomes whatever number it meets, its `float` any float; other types
    do not change by themselves.
    """
    if one == other:
        return one
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        for first, second in ((one, other), (other, one)):
            if (first == INT and second != BOOL) or (
                first == FLOAT and second.kind == "f"
            ):
                return second
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        return _join_tuples(one.items, other.items)
    return None


def _join_tuples(one: Sequence[Type], other: Sequence[Type]) -> Tuple | None:
    if len(one) != len(other):
        return None
    items = [join(first, second) for first, second in zip(one, other, strict=True)]
    known = [item for item in items if item is not None]
    return Tuple(tuple(known)) if len(known) == len(items) else None


def limits(type_: Scalar) -> tuple[int, int]:
    """The smallest and the largest number of an integer type."""
    if type_.kind == "u":
        return 0, (1 << type_.bits) - 1
    return -(1 << type_.bits - 1), (1 << type_.bits - 1) - 1


def why_not(type_: object, value: Any) -> str | None:
    """Why a type that a parameter is annotated with cannot have a whole number."""
    # Types of IR have no sign, and so take more than those of Python.
    if not isinstance(type_, Scalar) or not type_.is_integer:
        return None
    if not isinstance(value, _WHOLE):
        return None
    low, high = limits(type_)
    if low <= value <= high:
        return None
    return f"expected a number from {low} to {high} for {type_}, got {value}"


_ARRAYS: tuple[type, ...] = (np.ndarray,)


def no_argument(value: Any) -> str:
    """What is wrong with an argument that has no type, and what helps."""
    got = f"{type(value).__name__} {value!r}"
    advice = "what is compiled in by its value is annotated constexpr"
    if isinstance(value, _ARRAYS):
        got = f"an array of {value.dtype}"
        if value.dtype.kind == "c":
            advice = "x.view(x.real.dtype) has the two parts of complex numbers"
        elif value.dtype.names:
            advice = f"a field of it is an array, as in x[{value.dtype.names[0]!r}]"
    elif isinstance(value, str):
        advice = "np.frombuffer(text.encode(), np.uint8) makes an array of a text"
    elif isinstance(value, list | tuple):
        advice = f"np.array(...) makes one of a {got.split()[0]}, or {advice}"
    return (
        f"expected a number, or an array of {', '.join(SCALARS)}, got {got}; {advice}"
    )
