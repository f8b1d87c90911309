"""Private arrays of dynamic size keep their contents across barriers."""

from typing import Any

import pytest

from spmd.dialects.diagnostics import KernelError
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.splitting.split_at_barriers import Strategy
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    KERNELS,
    Launch,
    Maker,
    check_native,
    check_passes,
    parsed,
)

FOLDER = KERNELS / "dynamic_private"
LAUNCHES = tuple(
    Launch((n,), (e,)) for n, e in ((1, 1), (7, 3), (40, 16), (100, 64), (100, 100))
)

STRATEGIES: dict[str, tuple[Strategy, ...]] = {
    "planes": ("fission", "continuations"),
    "as_value": ("fission", "continuations"),
    "in_loop": ("fission",),
    "late": ("fission",),
}


def arguments(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.n % 5]


def source(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


@pytest.mark.parametrize("name", STRATEGIES)
def test_level_1_in_the_interpreter(name: str):
    for strategy in STRATEGIES[name]:
        loops = SpmdToLoopsPass(strategy=strategy)
        check_passes(
            source(name), arguments, LAUNCHES, loops, skip=("split-at-barriers",)
        )


@pytest.mark.parametrize("vectorize", [False, True], ids=["scalar", "vectors"])
@pytest.mark.parametrize("name", STRATEGIES)
def test_native(name: str, vectorize: bool):
    for strategy in STRATEGIES[name]:
        for launch in LAUNCHES:
            check_native(
                source(name),
                arguments,
                launch,
                strategy=strategy,
                vectorize=vectorize,
            )


def test_continuations_need_the_size_before_the_first_barrier():
    module = parsed(source("in_loop")).clone()
    expected = "a size that is known before the first barrier, got memref<\\?xi1>"
    with pytest.raises(KernelError, match=expected):
        SpmdToLoopsPass(strategy="continuations").apply(make_context(), module)
