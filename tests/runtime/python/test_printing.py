"""`print` in kernels: native code and the interpreter print what Python does."""

# pyright: basic

import contextlib
import io
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.language import (
    barrier,
    constexpr,
    global_id,
    lane_id,
    local,
    local_id,
    shuffle_xor,
)
from tests.runtime.python.harness import kernel_of

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
def in_texts(x):
    v = x[global_id()]
    print(f"{v} {v!s} {v:.2f}", v)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_a_text_shows_a_number_as_python_has_it(dtype: str):
    x = np.array([0.1, 16.375, 1e-3], dtype)
    want = "".join(f"{v} {v!s} {v:.2f} {v}\n" for v in x).splitlines()
    text = expect_printed_as_python(in_texts, x, global_size=3).splitlines()
    assert [line.split()[0] for line in text] == [line.split()[0] for line in want]


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


def test_many_groups_print_in_order():
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    print(global_id())\n")
    text = printed(lambda: kernel(np.zeros(1), global_size=3000, group_size=2))
    assert text == "".join(f"{n}\n" for n in range(3000))


@pytest.mark.parametrize("dtype", NUMBERS)
def test_every_type(dtype: str):
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    print(x[global_id()])\n")
    if dtype == "bool":
        x = np.array([True, False])
    elif np.dtype(dtype).kind == "f":
        x = np.array([0, -0.0, 0.1, 1e4, 2 / 3, np.inf, -np.inf, np.nan]).astype(dtype)
    else:
        limits = np.iinfo(dtype)
        x = np.array([limits.min, limits.max, 1, 17], dtype)
    expect_printed_as_python(kernel, x, global_size=len(x))


@pytest.mark.parametrize("format_", ["d", "5d", "<5", "05x", "b", "+o", ">9.3f", ".0e"])
def test_formats_of_whole_numbers(format_: str):
    text = f"@spmd.kernel\ndef k(x):\n    i = global_id()\n    print(f'{{x[i]:{format_}}}|')\n"
    expect_printed_as_python(kernel_of(text), np.array([65, -3]), global_size=2)


@pytest.mark.parametrize("format_", ["", ".3f", "+10.2e", "<9.4g", "012.1F", "E"])
def test_formats_of_floats(format_: str):
    text = (
        "@spmd.kernel\ndef k(x):\n    i = global_id()\n"
        f"    print(f'{{i}}: {{x[i]:{format_}}} {{3:04d}} {{x[i]!s}}', flush=True)\n"
    )
    expect_printed_as_python(kernel_of(text), np.array([0.125, -1e20]), global_size=2)


@spmd.kernel(sub_group_size=4, group_size=8)
def in_lock_step(x):
    v = shuffle_xor(x[global_id()], 1)
    if v % 3 != 0:
        print(lane_id(), v)


def test_lanes_print_in_order():
    said = [f"{n % 4} {n ^ 1}\n" for n in range(8) if (n ^ 1) % 3]
    got = printed(lambda: in_lock_step(np.arange(8), global_size=8))
    assert got == "".join(said)


class Broken(io.StringIO):
    """Takes three texts."""

    left = 3

    def write(self, text: str) -> int:
        self.left -= text != ""
        if self.left < 0:
            raise BrokenPipeError("nobody reads")
        return super().write(text)


def test_an_error_of_whoever_writes_ends_the_launch():
    kernel = kernel_of("@spmd.kernel\ndef k(x):\n    print('{:3d}', end='')\n")
    launch = kernel.bind(np.zeros(1), global_size=100, group_size=5)
    stream = Broken()
    with contextlib.redirect_stdout(stream):
        with pytest.raises(BrokenPipeError, match="nobody reads"):
            launch()
        assert stream.getvalue() == "{:3d}" * 3
        stream.left = 1000
        launch()
    assert stream.getvalue() == "{:3d}" * 103


LINES = kernel_of("@spmd.kernel\ndef k(n):\n    print(n, global_id(), n)\n")


def test_ctrl_c_ends_a_launch_that_prints():
    text = io.StringIO()
    launch = LINES.bind(7, global_size=1 << 30, group_size=16, timeout=60)
    timer = threading.Timer(0.2, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with contextlib.redirect_stdout(text), pytest.raises(KeyboardInterrupt):
        launch()
    lines = text.getvalue().splitlines()
    assert lines == [f"7 {i} 7" for i in range(len(lines))]
    assert lines


def test_threads_print_whole_lines():
    text = io.StringIO()
    with contextlib.redirect_stdout(text), ThreadPoolExecutor() as pool:
        list(pool.map(lambda n: LINES(n, global_size=500, group_size=4), range(4)))
    lines = text.getvalue().splitlines()
    assert len(lines) == 2000
    for n in range(4):
        own = [line for line in lines if line.startswith(f"{n} ")]
        assert own == [f"{n} {i} {n}" for i in range(500)]
