"""
How many bytes each work-item of well-known kernels takes across barriers.

The numbers are minimal: what is not counted is the same in all work-items or a cheap
function of ids, and lies in a slot or is rematerialized. They may fall, but not rise.
"""

import re
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects import memref

from spmd.dialects.element_types import static_bytes
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import CONTEXT
from spmd.passes.kernels.drop_redundant_barriers import DropRedundantBarriersPass
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.rematerialization.rematerialize_memrefs import RematerializeMemrefsPass
from spmd.passes.rematerialization.rematerialize_strided_values import (
    RematerializeStridedValuesPass,
)
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass, Strategy
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.harness import KERNELS, Launch, Maker, check_native, check_passes
from tests.execution.harness.comparing import Tolerance

FOLDER = KERNELS / "contexts"
ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"
FILECHECK = (
    ROOT / "tests" / "filecheck" / "passes" / "splitting" / "split-at-barriers.mlir"
)
STRATEGIES: tuple[Strategy, ...] = ("fission", "continuations")

BYTES = {
    "bitonic": 0,
    "bodies": 16,  # two sums and the own position
    "fft": 8,  # a complex number between reading and writing
    "histogram": 0,
    "radix": 12,  # the key, and a count between reading and writing
    "reduce_plane": 0,
    "scan": 4,  # the sum so far
    "softmax": 4,  # what goes into one collective after the other
    "stencil": 0,
    "transpose": 0,
}
MORE_BYTES = {
    "barrier_in_nested_loops": 8,
    "barriers/called_twice": 8,
    "barriers/collectives_of_planes": 8,  # what goes into collectives and is needed later
    "barriers/rotate_in_loop": 4,
    "barriers/swap_in_while": 8,
    "function_with_barrier": 4,
    "gemm_tile": 4,
    "private_across_barrier": 16,  # four elements
    "stencil_halo": 4,
    "strided/grid": 8,  # a remainder, but no index with a known step
    "strided/narrow": 8,  # a value, and a sum whose step changes
}
EXAMPLE_BYTES = {
    "01_saxpy": 0,
    "02_black_scholes": 0,
    "03_mandelbrot": 0,
    "04_group_sum": 0,
    "05_gemm": 24,  # six sums
    "06_nbody": 24,  # three sums and the own position
    "07_transpose": 0,
}


def contexts(source: str, strategy: Strategy) -> dict[str, float]:
    """The bytes per work-item of each context; slots, which are one for all, have none."""
    module = parse(SourceText("kernel.mlir", source))
    for step in (
        SpmdInlineCallsPass(),
        RematerializeMemrefsPass(),
        RematerializeStridedValuesPass(),
        HoistIdsPass(),
        DropRedundantBarriersPass(),
        SplitAtBarriersPass(strategy=strategy),
    ):
        step.apply(make_context(), module)
    (kernel,) = (op for op in module.body.block.ops if isinstance(op, KernelOp))
    items = prod(kernel.group_size or (1,))
    found: dict[str, float] = {}
    for number, op in enumerate(kernel.walk()):
        if isinstance(op, memref.AllocaOp) and CONTEXT in op.attributes:
            is_slot = not op.memref.type.get_shape()
            size = 0 if is_slot else static_bytes(op.memref.type) / items
            found[f"{op.memref.name_hint} {number}"] = size
    return found


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", BYTES)
def test_bytes_of_known_kernels(name: str, strategy: Strategy):
    found = contexts((FOLDER / f"{name}.mlir").read_text(), strategy)
    assert sum(found.values()) == BYTES[name], found


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", MORE_BYTES)
def test_bytes_of_kernels_for_any_group_size(name: str, strategy: Strategy):
    found = contexts(next(KERNELS.rglob(f"{name}.mlir")).read_text(), strategy)
    assert sum(found.values()) == MORE_BYTES[name], found


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", EXAMPLE_BYTES)
def test_bytes_of_examples(name: str, strategy: Strategy):
    source = (EXAMPLES / f"{name}.mlir").read_text()
    if "work_group_size" not in source:
        source = re.sub(
            r"(spmd\.kernel @[^{]*?)\{\n",
            r"\1 attributes {work_group_size = array<i64: 64>} {\n",
            source,
            count=1,
        )
    found = contexts(source, strategy)
    assert sum(found.values()) == EXAMPLE_BYTES[name], found


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_blocked_product_of_matrices_keeps_one_array(strategy: Strategy):
    """The thesis on hipSYCL counts 24 arrays before, and its compiler keeps several."""
    (source,) = (
        part
        for part in FILECHECK.read_text().split("// -----")
        if "spmd.kernel @dgemm" in part
    )
    found = contexts(source, strategy)
    assert [size for size in found.values() if size] == [8]


# --- and they compute the right thing ------------------------------------------------


def one(dtype: str, *more: Any) -> Callable[[Maker], list[Any]]:
    return lambda make: [make.random(dtype, make.n), *more]


def many(*dtypes: str) -> Callable[[Maker], list[Any]]:
    return lambda make: [make.random(dtype, make.n) for dtype in dtypes]


def plane(dtype: str, *first: Any) -> Callable[[Maker], list[Any]]:
    return lambda make: [
        *first,
        make.random(dtype, *make.size),
        make.zeros(dtype, *make.size),
    ]


def histogram(make: Maker) -> list[Any]:
    return [3, make.random("i32", 3 * make.n), make.zeros("i32", 16)]


def scan(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.groups)]


def bodies(make: Maker) -> list[Any]:
    arrays = (make.random("f32", make.n) for _ in range(4))
    return [make.groups, 0.125, *arrays]


LINES = Launch((64,), (64,)), Launch((192,), (64,))
PLANES = Launch((8, 8), (8, 8)), Launch((24, 16), (8, 8))
RUNS: dict[str, tuple[Callable[[Maker], list[Any]], tuple[Launch, ...]]] = {
    "bitonic": (one("i32"), LINES),
    "bodies": (bodies, LINES),
    "fft": (many("f32", "f32", "f32", "f32"), LINES),
    "histogram": (histogram, (*LINES, Launch((100,), (64,)))),
    "radix": (lambda make: [9, make.random("i32", make.n)], LINES),
    "reduce_plane": (
        plane("i32"),
        (Launch((16, 4), (16, 4)), Launch((40, 6), (16, 4))),
    ),
    "scan": (scan, (*LINES, Launch((100,), (64,)))),
    "softmax": (
        lambda make: [0.5, make.random("f32", make.n)],
        (*LINES, Launch((100,), (64,))),
    ),
    "stencil": (plane("f32", 3), PLANES),
    "transpose": (
        lambda make: [
            make.random("i32", *make.size),
            make.zeros("i32", *make.size[::-1]),
        ],
        PLANES,
    ),
}
CLOSE = Tolerance(ulps=8, relative=1e-5)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", BYTES)
def test_level_1_in_the_interpreter(name: str, strategy: Strategy):
    arguments, launches = RUNS[name]
    source = (FOLDER / f"{name}.mlir").read_text()
    loops = SpmdToLoopsPass(strategy=strategy)
    check_passes(
        source,
        arguments,
        launches[:1],
        loops,
        tolerance=CLOSE,
        skip=("split-at-barriers",),
    )


@pytest.mark.parametrize("vectorize", [False, True], ids=["scalar", "vectors"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", BYTES)
def test_native(name: str, strategy: Strategy, vectorize: bool):
    arguments, launches = RUNS[name]
    source = (FOLDER / f"{name}.mlir").read_text()
    for launch in launches:
        check_native(
            source,
            arguments,
            launch,
            strategy=strategy,
            vectorize=vectorize,
            tolerance=CLOSE,
        )
