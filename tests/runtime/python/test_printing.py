"""`print` in kernels: native code and the interpreter print what Python does."""

# pyright: basic

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np

import spmd
from spmd.language import (
    barrier,
    constexpr,
    global_id,
    local,
    local_id,
)

NUMBERS = ["bool", *(f"{k}int{n}" for k in ("", "u") for n in (8, 16, 32, 64))]
NUMBERS += ["float16", "float32", "float64"]


def printed(function: Callable[[], object]) -> str:
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        function()
    return text.getvalue()


def expect_printed_as_python(kernel: spmd.PythonKernel, *args: Any, **sizes: Any):
    """All three print the same; what that is."""
    want = printed(lambda: kernel.interpret(*args, **sizes))
    assert printed(lambda: kernel(*args, **sizes)) == want
    assert printed(lambda: kernel.check(*args, **sizes)) == want
    return want


@spmd.kernel
def around_a_barrier(x, name: constexpr):
    i = global_id()
    tile = local(4, np.float32)
    tile[local_id()] = x[i]
    print("first", i, name, "{a|b} 100%")
    barrier()
    if i % 3 != 1:
        print(i, tile[local_id() ^ 1], sep=": ", end=";\n")
    for j in range(i % 2):
        print((i, j), x.shape, (i + 1,), end="")
    print()


def test_work_items_print_one_after_the_other():
    x = np.arange(8, dtype=np.float32) / 3
    text = expect_printed_as_python(
        around_a_barrier, x, "k", global_size=8, group_size=4
    )
    assert text.startswith("first 0 k {a|b} 100%\nfirst 1 k {a|b} 100%\n")
