"""
What arrays have: attributes, and functions of one dimension, written as kernels write them.

These have the types and values of Python's and NumPy's. Empty arrays have no extreme.
"""

# pyright: basic, reportAssignmentType=false
# Types are those of the arguments, as in any kernel.

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence
from functools import partial, reduce

import numpy as np

from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.arithmetic import binary
from spmd.frontends.python.expressions.memory import shape
from spmd.frontends.python.source import Function
from spmd.frontends.python.values import Host, Memory, Value, described, integer


@Function
def array_sum(x):
    total = 0
    for v in x:
        total += v
    return total


@Function
def array_sum_of_signed(x):
    total: np.int64 = 0
    for v in x:
        total += np.int64(v)
    return total


@Function
def array_sum_of_unsigned(x):
    total: np.uint64 = 0
    for v in x:
        total += np.uint64(v)
    return total


@Function
def array_sum_of_halves(x):
    total: np.float32 = 0
    for v in x:
        total += v
    return np.float16(total)


@Function
def array_mean(x):
    total = 0.0
    for v in x:
        total += v
    return total / len(x)


@Function
def array_mean_of_halves(x):
    total: np.float32 = 0
    for v in x:
        total += v
    return np.float16(total / len(x))


@Function
def array_min(x):
    least = x[0]
    for v in x:
        if v < least:
            least = v
    return least


@Function
def array_max(x):
    most = x[0]
    for v in x:
        if v > most:
            most = v
    return most


@Function
def array_minimum(x):
    least = x[0]
    for v in x:
        least = np.minimum(least, v)
    return least


@Function
def array_maximum(x):
    most = x[0]
    for v in x:
        most = np.maximum(most, v)
    return most


@Function
def array_argmin(x):
    least, at = x[0], 0
    for i, v in enumerate(x):
        if v < least or (v != v and least == least):
            least, at = v, i
    return at


@Function
def array_argmax(x):
    most, at = x[0], 0
    for i, v in enumerate(x):
        if v > most or (v != v and most == most):
            most, at = v, i
    return at


@Function
def array_any(x):
    for v in x:  # noqa: SIM110, kernels have no generators
        if v:
            return True
    return False


@Function
def array_all(x):
    for v in x:  # noqa: SIM110, kernels have no generators
        if not v:
            return False
    return True


@Function
def array_dot(x, y):
    total = 0
    for a, b in zip(x, y):
        total += a * b
    return total


@Function
def array_dot_of_halves(x, y):
    total: np.float32 = 0
    for a, b in zip(x, y):
        total += np.float32(a) * np.float32(b)
    return np.float16(total)


_SUMS = {
    "i": array_sum_of_signed,
    "b": array_sum_of_signed,
    "u": array_sum_of_unsigned,
    "f": array_sum,
}

_METHODS = ("sum", "mean", "min", "max", "argmin", "argmax", "any", "all", "dot")
"""Methods of arrays, which are functions of NumPy of these names."""

_FUNCTIONS: dict[object, Function] = {
    builtins.sum: array_sum,
    builtins.min: array_min,
    builtins.max: array_max,
    builtins.any: array_any,
    builtins.all: array_all,
    np.mean: array_mean,
    np.min: array_minimum,
    np.max: array_maximum,
    np.argmin: array_argmin,
    np.argmax: array_argmax,
    np.any: array_any,
    np.all: array_all,
    np.dot: array_dot,
}

_OF_HALVES: dict[object, Function] = {
    np.sum: array_sum_of_halves,
    np.mean: array_mean_of_halves,
    np.dot: array_dot_of_halves,
}
"""Of float16, which NumPy adds up in float32."""

# Messages have the names that users wrote.
for _written, _function in (
    *((sum, each) for each in _SUMS.values()),
    *_FUNCTIONS.items(),
    *_OF_HALVES.items(),
):
    _function.name = getattr(_written, "__name__", "")


def attribute(e: Emitter, array: Memory, name: str) -> Value:
    """`array.name`; a method is a function of NumPy whose first argument is known."""
    match name:
        case "shape":
            return shape(e, array)
        case "ndim":
            return integer(len(array.type.shape))
        case "size":
            sizes = shape(e, array).values or (integer(1),)
            return reduce(partial(binary, e, ast.Mult()), sizes)
        case "dtype":
            return Host(np.dtype(array.type.element.name))
        case _ if name in _METHODS:
            return Host(partial(getattr(np, name), array))
        case _:
            e.fail(
                f"expected shape, size, ndim, dtype, {', '.join(_METHODS)} of an array, "
                f"got {name}; write a loop"
            )


def is_written_here(function: Function) -> bool:
    """Whether users never see `function`, so that its places are those of calls."""
    return function.function.__module__ == __name__


def function_of_array(
    e: Emitter, function: object, arguments: Sequence[Value]
) -> Function | None:
    """What `function` is for an array as its first argument, if it is for arrays."""
    arrays = [each for each in arguments if isinstance(each, Memory)]
    if not arrays or arrays[0] is not arguments[0]:
        return None
    element = arrays[0].type.element
    found = _SUMS[element.kind] if function is np.sum else _FUNCTIONS.get(function)
    if found is None:
        return None
    if all(each.type.element.name == "float16" for each in arrays):
        found = _OF_HALVES.get(function, found)
    for array in arrays:
        if len(array.type.shape) != 1:
            e.fail(
                f"expected an array of one dimension for {found.name}, got "
                f"{described(array.type)}; write a loop over its rows"
            )
    return found
