"""What an expression of a kernel in Python is while it is translated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import FunctionType
from typing import Any, cast

import numpy as np
from xdsl.ir import SSAValue

from spmd.frontends.python.types import (
    FLOAT,
    INT,
    Array,
    Known,
    Scalar,
    Tuple,
    Type,
    type_of_number,
)


@dataclass(frozen=True)
class Constant:
    """A number that is known; `value` is Python's `bool`, `int` or `float`."""

    type: Scalar
    value: Any

    @property
    def low(self) -> int | None:
        """The number that it is neither smaller nor greater than, of integers."""
        return int(self.value) if self.type.is_integer else None

    high = low

    @property
    def host(self) -> Any:
        """The number with its type, as Python and NumPy have it."""
        if self.type.weak or self.type.kind == "b":
            return self.value
        with np.errstate(over="ignore"):
            return np.dtype(self.type.name).type(self.value)


@dataclass(frozen=True)
class Number:
    """A number that a value of IR has, and what is known of it."""

    type: Scalar
    ssa: SSAValue
    low: int | None = None
    """A whole number that it is not smaller than."""

    high: int | None = None
    """One that it is not greater than."""


@dataclass(frozen=True)
class Memory:
    """An array, which a memref stands for; `sizes` are those of a view, where it is made."""

    type: Array
    ssa: SSAValue
    sizes: tuple[Scalars, ...] = ()


@dataclass(frozen=True)
class Items:
    """A tuple."""

    values: tuple[Value, ...]

    @property
    def type(self) -> Tuple:
        """The types of what it holds."""
        return Tuple(tuple(value.type for value in self.values))


@dataclass(frozen=True)
class Host:
    """Something of Python that is no number: a function, a module, a dtype, a text."""

    value: Any

    @property
    def type(self) -> Known:
        """A type of its own."""
        return Known(self.value)


_NUMPY: tuple[type, ...] = (np.generic,)
_FLOATS: tuple[type, ...] = (float, np.floating)

Scalars = Constant | Number
Value = Constant | Number | Memory | Items | Host


def value_of(given: object) -> Value:
    """What an object of Python is in a kernel."""
    if isinstance(given, tuple):
        return Items(tuple(map(value_of, cast("tuple[object, ...]", given))))
    type_ = type_of_number(given)
    if type_ is None:
        return Host(given)
    number: Any = given
    return Constant(type_, number.item() if isinstance(number, _NUMPY) else number)


def exactly(value: Any) -> tuple[object, ...]:
    """A key of what is compiled in: 1 is not True, nor 1.0, in tuples too, nor 0.0 -0.0."""
    kind: object = type(cast(object, value))
    if isinstance(value, tuple):
        return kind, *map(exactly, cast("tuple[object, ...]", value))
    return kind, repr(value) if isinstance(value, _FLOATS) else value


def integer(value: int) -> Constant:
    """A whole number, as it is written."""
    return Constant(INT, value)


def real(value: float) -> Constant:
    """A `float` of Python."""
    return Constant(FLOAT, value)


def in_words(argument: Scalar | Array | Value) -> str:
    """How a kernel is compiled for an argument: for its type, or its value."""
    if isinstance(argument, Constant):
        return f"{argument.type} {argument.value}"
    return str(argument if isinstance(argument, Scalar | Array) else argument.type)


def leaves(value: Value) -> Iterator[Number | Memory | Host | Constant]:
    """What a value consists of, from left to right; only a tuple has several."""
    if isinstance(value, Items):
        for each in value.values:
            yield from leaves(each)
    else:
        yield value


def with_leaves(value: Value, new: Iterator[SSAValue]) -> Value:
    """`value` with the next values of IR in the place of its numbers and arrays."""
    match value:
        case Items(values):
            return Items(tuple(with_leaves(each, new) for each in values))
        case Constant() | Number():
            return Number(value.type, next(new))
        case Memory():
            return Memory(value.type, next(new))
        case Host():
            return value


def described(type_: Type) -> str:
    """A type in words, for messages."""
    if isinstance(type_, Array):
        return f"an array {type_}"
    if isinstance(type_, Known):
        called = isinstance(type_.value, FunctionType | partial)
        return f"a {type_}{', which is not called' if called else ''}"
    return str(type_)
