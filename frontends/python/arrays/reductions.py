"""
`spmd.reduce`: the elements of an array combined into one, or into one for each row.

A long array is cut into chunks of a fixed size, each of which a work-group reduces; their few
results are reduced by one more launch. So the order in which floats are added depends on the
size of the array alone, not on how many threads there are, and no atomics are needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from spmd.frontends.python.arrays.texts import (
    Array,
    function_of,
    global_size,
    index_lines,
    kernel_from,
    memory_order,
    written,
)
from spmd.frontends.python.interpreting.kinds import combiner, kind_of, neutral
from spmd.runtime.arguments.arrays import shared_array
from spmd.runtime.errors import LaunchError

LANES = 128
"""Work-items that share a row: enough for several vectors at once, which hides latency."""
CHUNK = 1 << 15
"""Elements that a work-group reduces."""

_NUMBERS: tuple[type, ...] = (np.generic,)

_OPERATORS = {
    "add": "{} + {}",
    "mul": "{} * {}",
    "min": "np.minimum({}, {})",
    "max": "np.maximum({}, {})",
    "and": "{} & {}",
    "or": "{} | {}",
    "xor": "{} ^ {}",
}
"""How two values are combined, in kernels."""


def reduce(
    combine: Any, array: Any, axis: int | None = None, *, initial: Any = None
) -> Any:
    """
    All elements of `array` combined, or those along `axis`.

    `combine` is what `spmd.language.reduce` takes, or a function of two numbers, whose order
    must not matter, with `initial`, its neutral element. Sums and products have the types
    that those of NumPy have. Two runs give the same bits.

    Raises `LaunchError` for an array without elements unless there is a neutral element.
    """
    given = as_array("spmd.reduce", array)
    kind = kind_of(combine)
    how, start = _combination(combine, kind, given, initial)
    order = memory_order(given)
    x = given.transpose(order)
    if axis is None:
        while x.ndim > 1 and not x.flags.c_contiguous:
            x = _along(how, kind, start, x, x.ndim - 1)
        x = _chunked(how, kind, start, x.reshape(-1))
        return _along(how, kind, start, x, 0)[()]
    d = axis_of("spmd.reduce", axis, given)
    result = _along(how, kind, start, x, order.index(d))
    return result.transpose(np.argsort([each for each in order if each != d]))


def as_array(what: str, given: Any) -> Array:
    """An array of NumPy in the memory of `given`."""
    try:
        array = shared_array(given)
    except ValueError as error:
        raise LaunchError(f"{what}: {error}") from None
    if array is None:
        raise LaunchError(f"{what}: expected an array, got {type(given).__name__}")
    return array


def axis_of(what: str, axis: int, array: Array) -> int:
    """`axis` as a number from 0."""
    try:
        return range(array.ndim)[axis]
    except (IndexError, TypeError):
        raise LaunchError(
            f"{what}: expected an axis of an array with {array.ndim} dimensions, got {axis}"
        ) from None


def start_of(what: str, kind: str, array: Array) -> Any:
    """The neutral element of a kind, in the type that NumPy combines such elements in."""
    function = combiner(kind)
    try:
        dtype = function.reduce(np.ones(1, array.dtype)).dtype
        return neutral(function, dtype.type)
    except (TypeError, ValueError) as error:
        raise LaunchError(f"{what}: {kind} of {array.dtype}: {error}") from None


def combined(kind: str, one: str, other: str) -> str:
    """An expression of a kernel."""
    return _OPERATORS[kind].format(one, other)


def _combination(
    combine: Any, kind: str | None, array: Array, initial: Any
) -> tuple[Any, Any]:
    if kind is None:
        how = function_of(combine, "spmd.reduce")
        if initial is None:
            raise LaunchError(
                "spmd.reduce: expected initial=, the neutral element of "
                f"{getattr(how, '__name__', how)}, got none"
            )
        return how, _typed(initial, array)
    if not array.size and kind in ("min", "max"):
        raise LaunchError(f"spmd.reduce: expected elements for {kind}, got none")
    return None, start_of("spmd.reduce", kind, array)


def _typed(initial: Any, array: Array) -> Any:
    """A neutral element in the type of `array`, if it is a number of Python."""
    if isinstance(initial, _NUMBERS):
        return initial
    try:
        typed = array.dtype.type(initial)
    except (TypeError, ValueError, OverflowError) as error:
        raise LaunchError(f"spmd.reduce: initial: {error}") from None
    if array.dtype.kind in "biu" and typed != initial:
        raise LaunchError(
            f"spmd.reduce: expected initial as a number of {array.dtype}, got {initial}; "
            "a number of NumPy has a type of its own"
        )
    return typed


def _chunked(how: Any, kind: str | None, start: Any, x: Array) -> Array:
    """The results of chunks, if there are several, else the elements themselves."""
    whole = x.size // CHUNK
    if not whole:
        return x
    chunks = _along(how, kind, start, x[: whole * CHUNK].reshape(whole, CHUNK), 1)
    rest = x[whole * CHUNK :]
    if rest.size:
        chunks = np.append(chunks, _along(how, kind, start, rest, 0))
    return _chunked(how, kind, start, chunks)


def _along(how: Any, kind: str | None, start: Any, x: Array, axis: int) -> Array:
    """The elements along `axis` combined: by a work-group, or each by one work-item."""
    outer = (*x.shape[:axis], *x.shape[axis + 1 :])
    out = np.empty(outer, start.dtype)
    if not out.size:
        return out
    together = kind is not None and axis == x.ndim - 1 and x.shape[axis] >= LANES
    sizes = [f"x.shape[{d}]" for d in range(x.ndim) if d != axis]
    lines, index = index_lines(sizes, first=int(together))
    place = index.split(", ") if outer else []

    def more(at: str) -> str:
        element = f"x[{', '.join([*place[:axis], at, *place[axis:]])}]"
        value = f"combine(total, {element})"
        return f"total = {value if kind is None else combined(kind, 'total', element)}"

    lines += [f"n = x.shape[{axis}]", "total = start"]
    if together:
        lines += [
            f"whole = n - n % {LANES}",
            f"for first in range(0, whole, {LANES}):",
            f"    {more('first + local_id(0)')}",
            "if whole + local_id(0) < n:",
            f"    {more('whole + local_id(0)')}",
            f"total = reduce({kind!r}, total)",
            "if local_id(0) == 0:",
        ]
    else:
        lines += ["for j in range(n):", f"    {more('j')}"]
    lines += [f"{'    ' * together}out[{index}] = total"]
    text = written("reduce_along(combine: constexpr, start, x, out)", lines)
    if together:
        size = (LANES, *global_size(outer, first=1))
        run = kernel_from(text, width=64)
        run(how, start, x, out, global_size=size, group_size=(LANES, 1, 1))
    else:
        kernel_from(text)(how, start, x, out, global_size=global_size(outer))
    return out
