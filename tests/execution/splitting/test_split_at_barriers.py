"""Kernels split at barriers compute what their work-items compute."""

import zlib
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.dialects.diagnostics import KernelError
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.splitting.split_at_barriers import Strategy
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.harness import (
    KERNELS,
    LINES,
    PLANES,
    Arguments,
    Launch,
    Maker,
    check_native_launches,
    check_passes,
)

FOLDERS = ("barriers", "continuations")

MORE_LINES = (*LINES, Launch((300,), (256,)), Launch((100,), (100,)))


def launches_of(
    name: str, launches: tuple[Launch, ...], fixed: bool
) -> tuple[Launch, ...]:
    """Those of one kernel; of a fixed size there is one, and of all kernels all of them."""
    if fixed:
        number = zlib.crc32(name.encode()) % len(launches)
        return launches[number : number + 1]
    return launches


def one_array(make: Maker) -> list[Any]:
    return [make.random("i32", make.n)]


def with_trips(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.range("index", 4) + make.n % 4]


def two_arrays(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.random("i32", make.n)]


def two_with_trips(make: Maker) -> list[Any]:
    return [*two_arrays(make), make.range("index", 4) + make.n % 3]


def per_group(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.range("i32", make.groups + 1)]


def bits(make: Maker) -> list[Any]:
    return [
        make.random("i32", make.n),
        make.random("i1", make.n),
        make.random("i1", make.n),
    ]


def plane(make: Maker) -> list[Any]:
    width = make.launch.global_size[0]
    return [width, make.random("i32", make.n), make.zeros("i32", make.n)]


def with_local(make: Maker) -> list[Any]:
    import spmd

    return [make.random("i32", make.n), spmd.local(256)]


def rows(make: Maker) -> list[Any]:
    return [
        make.random("i32", make.n),
        make.random("i1", make.n),
        make.zeros("i32", make.n, 9),
    ]


def quads(make: Maker) -> list[Any]:
    return [make.random("i32", make.n, 4), make.zeros("i32", make.n)]


def bounded(make: Maker) -> list[Any]:
    return [make.n - 1, make.random("i32", make.n)]


CASES: list[tuple[str, Arguments, tuple[Launch, ...]]] = [
    ("rotate_in_loop", with_trips, MORE_LINES),
    ("swap_in_while", two_with_trips, MORE_LINES),
    ("branches", per_group, MORE_LINES),
    ("if_without_else", per_group, MORE_LINES),
    ("uniform_read_after_write", two_arrays, MORE_LINES),
    ("private_arrays", two_arrays, MORE_LINES),
    ("planes", plane, PLANES),
    ("collectives", rows, MORE_LINES),
    ("collectives_of_planes", plane, PLANES),
    ("agreed", per_group, MORE_LINES),
    ("called_twice", with_local, MORE_LINES),
    ("flags", bits, MORE_LINES),
    ("blocks", bounded, MORE_LINES),
    ("vectors", quads, MORE_LINES),
    ("several_exits", per_group, MORE_LINES),
    ("blocks_in_function", with_local, MORE_LINES),
]


def iterations(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.random("i32", make.n)]


ONLY_CONTINUATIONS: list[tuple[str, Arguments, tuple[Launch, ...]]] = [
    ("uneven_trips", one_array, MORE_LINES),
    ("different_iterations", iterations, MORE_LINES),
    ("iterations_between", iterations, MORE_LINES),
]
"""What fission cannot do, or would do wrong."""


def source(name: str, launch: Launch, fixed: bool) -> str:
    paths = (KERNELS / folder / f"{name}.mlir" for folder in FOLDERS)
    text = next(path for path in paths if path.exists()).read_text()
    if not fixed:
        return text
    # The same kernel with its work-group size as attribute.
    head, _, body = text.partition("spmd.kernel @")
    signature, brace, rest = body.partition(") {\n")
    sizes = ", ".join(map(str, launch.group_size))
    attribute = f") attributes {{work_group_size = array<i64: {sizes}>}} {{\n"
    assert brace
    return head + "spmd.kernel @" + signature + attribute + rest


@pytest.mark.parametrize("strategy", ["fission", "continuations"])
@pytest.mark.parametrize("fixed", [False, True], ids=["any-size", "fixed-size"])
@pytest.mark.parametrize(
    ("name", "arguments", "launches"), CASES, ids=[case[0] for case in CASES]
)
def test_level_1_in_the_interpreter(
    name: str,
    arguments: Arguments,
    launches: tuple[Launch, ...],
    fixed: bool,
    strategy: Strategy,
):
    met = launches_of(name, launches, fixed)
    check_passes(
        source(name, met[0], fixed),
        arguments,
        met,
        SpmdToLoopsPass(strategy=strategy),
        skip=("split-at-barriers",),
    )


@pytest.mark.parametrize("strategy", ["fission", "continuations"])
@pytest.mark.parametrize("fixed", [False, True], ids=["any-size", "fixed-size"])
@pytest.mark.parametrize(
    ("name", "arguments", "launches"), CASES, ids=[case[0] for case in CASES]
)
def test_native(
    name: str,
    arguments: Arguments,
    launches: tuple[Launch, ...],
    fixed: bool,
    strategy: Strategy,
):
    met = launches_of(name, launches, fixed)
    check_native_launches(
        source(name, met[0], fixed),
        arguments,
        met,
        strategy=strategy,
        vectorize=False,
    )


@pytest.mark.parametrize("fixed", [False, True], ids=["any-size", "fixed-size"])
@pytest.mark.parametrize(
    ("name", "arguments", "launches"),
    ONLY_CONTINUATIONS,
    ids=[case[0] for case in ONLY_CONTINUATIONS],
)
def test_only_continuations(
    name: str, arguments: Arguments, launches: tuple[Launch, ...], fixed: bool
):
    met = launches_of(name, launches, fixed)
    text = source(name, met[0], fixed)
    check_passes(text, arguments, met, SpmdToLoopsPass(), skip=("split-at-barriers",))
    check_native_launches(text, arguments, met, vectorize=False)


@pytest.mark.parametrize("name", [case[0] for case in ONLY_CONTINUATIONS])
def test_fission_says_what_it_cannot_do(name: str):
    module = parse(SourceText("kernel.mlir", source(name, LINES[0], False)))
    with pytest.raises(KernelError, match="strategy=fission"):
        SpmdToLoopsPass(strategy="fission").apply(make_context(), module)


GUARDED = """
spmd.kernel @guarded(%x: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %false = arith.constant false
  %size = memref.dim %x, %c0 : memref<?xf32>
  %i = spmd.global_id x
  %in = arith.cmpi ult, %n, %size : index
  %far = arith.cmpi ugt, %i, %size : index
  %ok = arith.ori %in, %far : i1
  GUARD
  %v = memref.load %x[%n] : memref<?xf32>
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}
"""
FAILS = """%wrong = arith.cmpi eq, %ok, %false : i1
  scf.if %wrong {
    spmd.fail "not inside"
  }"""


@pytest.mark.parametrize("guard", ['cf.assert %ok, "not inside"', FAILS])
@pytest.mark.parametrize("strategy", ["fission", "continuations"])
@pytest.mark.parametrize("vectorize", [False, True])
def test_what_work_items_check_comes_before_what_they_read(
    guard: str, strategy: Strategy, vectorize: bool
):
    """Even if it is the same for all of them."""
    source = GUARDED.replace("GUARD", guard)
    kernel = spmd.compile(source, strategy=strategy, vectorize=vectorize)["guarded"]
    x, y = np.ones(8, np.float32), np.zeros(8, np.float32)
    with pytest.raises(spmd.LaunchError, match="not inside"):
        kernel(x, y, 1 << 40, global_size=8)
    kernel(x, y, 7, global_size=8)
    assert y.tolist() == [1] * 8
