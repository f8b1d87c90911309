"""Kernels from texts, and run as what they are: functions of Python, once for each work-item."""

# pyright: basic

import builtins
import linecache
import math
from collections.abc import Sequence
from itertools import count, product
from types import FunctionType
from typing import Any

import numpy as np

import spmd
from spmd import PythonKernel, language
from spmd.frontends.python import names

FLOATS = ["float32", "float64"]
INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]


def numbers(dtype: str, n: int = 64) -> np.ndarray:
    """Numbers of all signs, some of them equal, none of them large."""
    values = np.random.default_rng(5).integers(-9, 10, n)
    if dtype.startswith("u"):
        values = abs(values)
    if dtype.startswith("f"):
        return (values * 0.75).astype(dtype)
    return values.astype(dtype)


def _shadowed(
    function: FunctionType, ids: dict[object, object], chosen: dict[str, object]
) -> FunctionType:
    """`function` with other meanings for the names of the language."""
    found = {
        name: ids[value]
        for name, value in function.__globals__.items()
        if isinstance(value, FunctionType) and value in ids
    }
    scope = {"__builtins__": builtins, **function.__globals__, **found, **chosen}
    return FunctionType(
        function.__code__,
        scope,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def run_as_python(
    kernel: PythonKernel, args: Sequence[Any], global_size: Sequence[int]
) -> None:
    """Runs the function for each work-item, one after the other, in groups of one."""
    extents = (*global_size, 1, 1)[:3]
    for z, y, x in product(*(range(n) for n in reversed(extents))):
        at = (x, y, z)
        ids: dict[object, object] = {
            names.global_id: lambda d=0, at=at: at[d],
            names.group_id: lambda d=0, at=at: at[d],
            names.local_id: lambda d=0: 0,
            names.global_size: lambda d=0: extents[d],
            names.local_size: lambda d=0: 1,
            names.private: lambda shape, dtype: np.zeros(shape, dtype),
        }
        with np.errstate(all="ignore"):
            _shadowed(kernel.function, ids, {})(*args)


def expect_as_python(
    kernel: PythonKernel,
    *args: Any,
    global_size: int | tuple[int, ...],
    tolerance: float = 0.0,
) -> None:
    """Compares native code with Python, on copies of the arrays."""
    sizes = global_size if isinstance(global_size, tuple) else (global_size,)
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    got = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    run_as_python(kernel, expected, sizes)
    kernel(
        *got,
        global_size=sizes,
        group_size=(1,) if "local_size" in kernel.function.__code__.co_names else None,
    )
    for want, have in zip(expected, got, strict=True):
        if isinstance(want, np.ndarray):
            np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance)


_counter = count()


def kernel_of(text: str, **names_: object) -> PythonKernel:
    """The kernel `k` of a text, which sees `names_` and all of `spmd.language`."""
    file = f"<test {next(_counter)}>"
    lines = text.splitlines(keepends=True)
    linecache.cache[file] = (len(text), None, lines, file)
    scope = {**vars(language), "np": np, "math": math, "spmd": spmd, **names_}
    exec(compile(text, file, "exec"), scope)
    return scope["k"]
