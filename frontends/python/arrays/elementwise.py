"""`spmd.map` and `spmd.stencil`: a function of each element, or of its neighbourhood."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spmd.frontends.python.arrays.texts import (
    Array,
    apart,
    function_of,
    global_size,
    index_lines,
    is_array,
    kernel_from,
    memory_order,
    output,
    written,
)
from spmd.frontends.python.types import Scalar
from spmd.frontends.python.values import described
from spmd.runtime.arguments.arrays import shared_array
from spmd.runtime.arguments.sizes import whole_numbers
from spmd.runtime.errors import CompileError, LaunchError


def map(function: Any, *arrays: Any, out: Any = None) -> Array:
    """
    `function` of the elements of `arrays`, which are broadcast against each other.

    `function` is one of Python, of numbers, as in `docs/python.md`, or one of NumPy.
    Arguments may be numbers, too. The result has the type that `function` gives; with `out`,
    it is stored there and converted, as NumPy does it.
    """
    called = function_of(function, "spmd.map")
    given = [_argument("spmd.map", each) for each in arrays]
    shape = _broadcast("spmd.map", [*given, out])
    result = output("spmd.map", out, shape, None)
    values = [_over(each, shape) for each in given]
    values = [apart(each, result) if is_array(each) else each for each in values]
    if out is None:
        result = np.empty(shape, _dtype_of(called, values, _element_texts(values)))
    if result.size:
        flat = _flattened([result, *values])
        _launch_map(called, *flat)
    return result


def _argument(what: str, given: Any) -> Any:
    try:
        array = shared_array(given)
    except ValueError as error:
        raise LaunchError(f"{what}: {error}") from None
    return given if array is None else array


def _broadcast(what: str, given: Sequence[Any]) -> tuple[int, ...]:
    shapes = [each.shape for each in given if is_array(each)]
    if not shapes:
        raise LaunchError(f"{what}: expected an array at least, got none")
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError as error:
        raise LaunchError(f"{what}: {error}") from None


def _over(each: Any, shape: tuple[int, ...]) -> Any:
    return np.broadcast_to(each, shape) if is_array(each) else each


def _flattened(values: Sequence[Any]) -> list[Any]:
    """The same elements, in the order of memory; with one dimension if that is possible."""
    arrays = [each for each in values if is_array(each)]
    order = memory_order(arrays[-1])
    if not all(each.transpose(order).flags.c_contiguous for each in arrays):
        return [each.transpose(order) if is_array(each) else each for each in values]
    return [
        each.transpose(order).reshape(-1) if is_array(each) else each for each in values
    ]


def _element_texts(values: Sequence[Any], index: str = "") -> list[str]:
    return [
        f"x{k}[{index or ', '.join('0' * each.ndim) or '()'}]"
        if is_array(each)
        else f"x{k}"
        for k, each in enumerate(values)
    ]


def _names(values: Sequence[Any]) -> str:
    return "".join(f", x{k}" for k in range(len(values)))


def _launch_map(function: Any, out: Array, *values: Any) -> None:
    lines, index = index_lines([f"out.shape[{d}]" for d in range(out.ndim)])
    call = f"function({', '.join(_element_texts(values, index))})"
    text = written(
        f"map(function: constexpr, out{_names(values)})",
        [*lines, f"out[{index}] = {call}"],
    )
    kernel_from(text)(function, out, *values, global_size=global_size(out.shape))


def _dtype_of(function: Any, values: Sequence[Any], arguments: Sequence[str]) -> Any:
    """The type of what `function` gives for such values."""
    text = written(
        f"map(function: constexpr{_names(values)})",
        [f"result = function({', '.join(arguments)})"],
    )
    type_ = kernel_from(text).type_of("result", function, *values)
    if not isinstance(type_, Scalar):
        raise CompileError(
            f"expected a function that gives a number, got {described(type_)}"
        )
    return np.dtype(type_.name)


def stencil(
    function: Any, *arrays: Any, margin: int | Sequence[int] = 1, out: Any = None
) -> Array:
    """
    `function` of the neighbourhood of each element of the first array that has one.

    `function` gets all `arrays` and the index of the element, a number for each dimension:

    ```python
    def average(u, i, j):
        return (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1]) / 4

    spmd.stencil(average, u)
    ```

    Elements nearer to an edge than `margin`, a number or one for each dimension, are copied.
    """
    called = function_of(function, "spmd.stencil")
    given = [_argument("spmd.stencil", each) for each in arrays]
    if not given or not is_array(given[0]) or not given[0].ndim:
        raise LaunchError("spmd.stencil: expected an array with dimensions first")
    source: Array = given[0]
    margins = _margins(margin, source.ndim)
    result = output("spmd.stencil", out, source.shape, source.dtype)
    if np.may_share_memory(result, source):
        raise LaunchError(
            "spmd.stencil: expected out in other memory than the array, whose elements "
            "are still needed"
        )
    inner = tuple(
        slice(m, max(n - m, m)) for m, n in zip(margins, source.shape, strict=True)
    )
    for d, part in enumerate(inner):
        for edge in (slice(None, part.start), slice(part.stop, None)):
            at = (*[slice(None)] * d, edge)
            result[at] = source[at]
    if (size := result[inner]).size:
        lines, index = index_lines(
            [f"out.shape[{d}] - {2 * m}" for d, m in enumerate(margins)]
        )
        lines += [f"i{d} += {m}" for d, m in enumerate(margins) if m]
        parameters = "".join(f", x{k}" for k in range(len(given)))
        call = f"function({parameters[2:]}, {index})"
        text = written(
            f"stencil(function: constexpr, out{parameters})",
            [*lines, f"out[{index}] = {call}"],
        )
        kernel_from(text)(called, result, *given, global_size=global_size(size.shape))
    return result


def _margins(margin: int | Sequence[int], rank: int) -> tuple[int, ...]:
    try:
        margins = whole_numbers(margin)
        margins *= 1 if np.ndim(margin) else rank
        if len(margins) == rank and all(each >= 0 for each in margins):
            return margins
    except TypeError:
        pass
    raise LaunchError(
        f"spmd.stencil: expected a margin of 0 or more, or {rank} of them, got {margin}"
    )
