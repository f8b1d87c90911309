"""From NumPy arrays and Python numbers to values of the interpreter, and back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerAttr, MemRefType, NoneAttr
from xdsl.ir import Attribute, BlockArgument

from spmd.dialects.spmd import LOCAL
from spmd.reference.errors import ArgumentError
from spmd.reference.memory import MemRef, allocate, fits, window
from spmd.reference.scalars import (
    POISON,
    ROUND,
    Scalar,
    as_memref,
    as_vector,
    scalar_of,
    signed,
)

LOWERED_LOCAL_SPACE = 3


def is_local(type_: Attribute) -> bool:
    """Whether a memref lies in local memory, at level 0 or after."""
    memref = as_memref(type_)
    if memref is None:
        return False
    space = memref.memory_space
    if isinstance(space, IntegerAttr):
        return space.value.data == LOWERED_LOCAL_SPACE
    return space == LOCAL


def name_of(parameter: BlockArgument) -> str:
    return parameter.name_hint or f"#{parameter.index}"


def bind_arguments(
    parameters: Sequence[BlockArgument], args: Sequence[Any]
) -> list[Any]:
    """Values for the parameters; local memory is left for `bind_local`."""
    if len(args) != len(parameters):
        raise ArgumentError(f"expected {len(parameters)} arguments, got {len(args)}")
    return [
        _bind(parameter.type, arg, f"argument {name_of(parameter)}")
        for parameter, arg in zip(parameters, args, strict=True)
    ]


def _bind(type_: Attribute, arg: Any, name: str) -> Any:
    scalar = scalar_of(type_)
    if scalar is None:
        raise ArgumentError(
            f"expected {name} of a type that can be passed, got {type_}"
        )
    memref = as_memref(type_)
    if memref is not None:
        if isinstance(arg, MemRef):
            return arg
        if is_local(memref) and not isinstance(arg, np.ndarray):
            return _local_sizes(memref, arg, name)
        return _bind_array(memref, scalar, arg, name)
    if as_vector(type_) is not None:
        return tuple(_bind_number(scalar, x, name) for x in np.asarray(arg).ravel())
    return _bind_number(scalar, arg, name)


def _bind_number(scalar: Scalar, arg: Any, name: str) -> Any:
    try:
        if scalar.is_float:
            return ROUND[scalar.name](float(arg))
        number = int(arg)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"expected {name} of type {scalar.name}, got {arg}"
        ) from None
    if not -scalar.sign <= number <= scalar.mask:
        raise ArgumentError(f"expected {name} in the range of {scalar.name}, got {arg}")
    return number & scalar.mask


def _local_sizes(type_: MemRefType[Attribute], arg: Any, name: str) -> tuple[int, ...]:
    shape = getattr(arg, "shape", arg)
    sizes = (shape,) if isinstance(shape, int) else tuple(map(int, shape))
    if not fits(type_.get_shape(), sizes):
        raise ArgumentError(f"expected sizes of {type_} for {name}, got {sizes}")
    return sizes


def _fits(scalar: Scalar, array: NDArray[Any]) -> bool:
    dtype = array.dtype
    if not dtype.isnative or dtype.itemsize != scalar.size:
        return False
    if scalar.name == "bf16":
        return dtype.name in ("bfloat16", "uint16")
    if scalar.is_float:
        return dtype.kind == "f"
    return dtype.kind in ("b" if scalar.bits == 1 else "iu") or (
        scalar.bits in (1, 8) and dtype.kind in "bu"
    )


def _bind_array(
    type_: MemRefType[Attribute], scalar: Scalar, arg: Any, name: str
) -> MemRef:
    if not isinstance(arg, np.ndarray):
        raise ArgumentError(f"expected an array for {name}, got {type(arg).__name__}")
    array = cast("NDArray[Any]", arg)
    if not _fits(scalar, array):
        raise ArgumentError(f"expected elements of {scalar.name}, got {array.dtype}")
    if not fits(type_.get_shape(), array.shape):
        raise ArgumentError(f"expected {name} to be a {type_}, got shape {array.shape}")
    if isinstance(type_.layout, NoneAttr) and not array.flags.c_contiguous:
        raise ArgumentError(f"expected {name} to be contiguous, as {type_} is")
    return window(array, scalar, "global", name.removeprefix("argument "))


def bind_local(parameters: Sequence[BlockArgument], bound: Sequence[Any]) -> list[Any]:
    """The arguments for one group, with local memory of its own."""
    values: list[Any] = []
    for parameter, value in zip(parameters, bound, strict=True):
        if as_memref(parameter.type) is not None and isinstance(value, tuple):
            scalar = scalar_of(parameter.type)
            assert scalar is not None
            sizes = cast("tuple[int, ...]", value)
            value = allocate(sizes, scalar, "local", name_of(parameter))
        values.append(value)
    return values


def result_values(types: Sequence[Attribute], values: Sequence[Any]) -> list[Any]:
    """What a function returned, as Python numbers, lists and NumPy arrays."""
    results: list[Any] = []
    for type_, value in zip(types, values, strict=True):
        scalar = scalar_of(type_)
        if isinstance(value, MemRef):
            results.append(np.array([value.data[i] for i in value.positions()]))
        elif scalar is None or value is POISON:
            results.append(value)
        elif isinstance(value, tuple):
            elements = cast("tuple[Any, ...]", value)
            results.append([_number(scalar, x) for x in elements])
        else:
            results.append(_number(scalar, value))
    return results


def _number(scalar: Scalar, value: Any) -> Any:
    if value is POISON:
        return math.nan if scalar.is_float else POISON
    if scalar.is_float:
        return value
    return bool(value) if scalar.bits == 1 else signed(value, scalar.bits)
