"""
Kernels over arrays of any number of dimensions, which are written as texts.

A kernel has its dimensions in its text: the last one of an array is x of the launch, the one
before y, and all others are z.
"""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from functools import cache
from types import FunctionType
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from spmd.frontends.python import names
from spmd.frontends.python.decorators import kernel
from spmd.frontends.python.kernel import PythonKernel
from spmd.frontends.python.source import Function, is_of_numpy
from spmd.runtime.errors import LaunchError

Array = NDArray[Any]
_ARRAYS: tuple[type, ...] = (np.ndarray,)


def is_array(given: Any) -> TypeGuard[Array]:
    """Whether this is an array of NumPy."""
    return isinstance(given, _ARRAYS)


@cache
def kernel_from(text: str, **options: Any) -> PythonKernel:
    """The kernel that a text defines, which sees all names of `spmd.language` and `np`."""
    name = text[len("def ") : text.index("(")]
    # Errors in it are ours; those in functions of users have places of their own.
    file = f"<spmd.{name} {hash(text):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {**vars(names), "np": np}
    exec(compile(text, file, "exec"), scope)
    return kernel(**options)(scope[name])


def index_lines(sizes: Sequence[str], first: int = 0) -> tuple[list[str], str]:
    """
    Lines that compute the index of a work-item in an array, and the index.

    `sizes` are those of the dimensions, and `first` is the dimension of the launch that runs
    along the last of them.
    """
    rank = len(sizes)
    lines: list[str] = []
    for place, d in enumerate(reversed(range(rank)), first):
        if place < 2 or d == 0:
            whole = f"global_id({place})" if place <= 2 else "rest"
            lines.append(f"i{d} = {whole}")
        elif place == 2:
            lines += [f"rest = global_id(2) // ({sizes[d]})"]
            lines += [f"i{d} = global_id(2) % ({sizes[d]})"]
        else:
            lines += [f"i{d} = rest % ({sizes[d]})", f"rest = rest // ({sizes[d]})"]
    return lines, ", ".join(f"i{d}" for d in range(rank)) or "()"


def global_size(shape: Sequence[int], first: int = 0) -> tuple[int, ...]:
    """The work-items that `index_lines` makes indices of, from dimension `first` on."""
    sizes = [*reversed(shape)]
    direct = 3 - first
    if len(sizes) > direct:
        sizes[direct - 1 :] = [int(np.prod(sizes[direct - 1 :]))]
    return tuple(sizes) or (1,)


def memory_order(array: Array) -> list[int]:
    """The dimensions from the one with the largest steps in memory to that with the smallest."""
    return sorted(range(array.ndim), key=lambda d: -abs(array.strides[d]))


def written(head: str, lines: Sequence[str]) -> str:
    """The text of a function."""
    return f"def {head}:\n" + "".join(f"    {line}\n" for line in lines)


def function_of(given: Any, what: str) -> Any:
    """What a kernel calls: a function of NumPy or the language, or one of a user, marked."""
    if isinstance(given, FunctionType) and not is_of_numpy(given):
        found = given.__dict__.get(_MARKED)
        if found is None:
            found = given.__dict__[_MARKED] = Function(given)
        return found
    if callable(given):
        return given
    raise LaunchError(
        f"{what}: expected a function, got {type(given).__name__} {given!r}"
    )


_MARKED = "__spmd_function__"


def apart(array: Array, out: Array) -> Array:
    """`array`, or a copy of it where `out` has its memory for other elements."""
    same = [(x.__array_interface__["data"], x.strides, x.dtype) for x in (array, out)]
    is_apart = not np.may_share_memory(array, out)
    return array if is_apart or same[0] == same[1] else array.copy()


def output(what: str, out: Any, shape: tuple[int, ...], dtype: Any) -> Array:
    """The array for results: `out` if it was given and has the right shape."""
    if out is None:
        return np.empty(shape, dtype)
    if not is_array(out) or out.shape != shape:
        got = getattr(out, "shape", type(out).__name__)
        raise LaunchError(
            f"{what}: expected out as an array of shape {shape}, got {got}"
        )
    return out
