"""Kernels from texts, and native code against the function of Python that it comes from."""

# pyright: basic

import linecache
import math
from itertools import count
from typing import Any

import numpy as np

import spmd
from spmd import PythonKernel, language

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


def expect_as_python(
    kernel: PythonKernel,
    *args: Any,
    global_size: int | tuple[int, ...],
    group_size: int | tuple[int, ...] | None = None,
    tolerance: float = 0.0,
) -> None:
    """Compares native code with Python, on copies of the arrays."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    got = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    kernel.interpret(*expected, global_size=global_size, group_size=group_size)
    kernel(*got, global_size=global_size, group_size=group_size)
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
