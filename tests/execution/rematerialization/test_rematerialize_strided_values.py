"""Values with a known difference between work-items are what they were."""

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.rematerialization.rematerialize_strided_values import (
    RematerializeStridedValuesPass,
)
from spmd.passes.splitting.split_at_barriers import Strategy
from tests.execution.harness import (
    KERNELS,
    PLANES,
    Arguments,
    Launch,
    Maker,
    check_native,
    check_passes,
)

FOLDER = KERNELS / "strided"
LINES = tuple(
    Launch((n,), (e,)) for n, e in ((1, 1), (6, 3), (48, 16), (128, 64), (200, 100))
)


def grid(make: Maker) -> list[Any]:
    return [3, make.random("i32", 3 * make.n)]


def narrow(make: Maker) -> list[Any]:
    return [5, make.random("i32", make.n), make.zeros("i32", make.n)]


def iterations(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.integers("index", 0, 4, make.n)]


def plane(make: Maker) -> list[Any]:
    return [make.random("i1", 1), make.random("i32", make.n)]


CASES: dict[str, tuple[Arguments, tuple[Launch, ...], tuple[Strategy, ...]]] = {
    "grid": (grid, LINES, ("fission", "continuations")),
    "narrow": (narrow, LINES, ("fission", "continuations")),
    "iterations": (iterations, LINES, ("continuations",)),
    "planes": (plane, PLANES, ("fission", "continuations")),
}


def source(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


@pytest.mark.parametrize("name", CASES)
def test_a_sum_means_the_same(name: str):
    arguments, launches, _ = CASES[name]
    check_passes(source(name), arguments, launches, RematerializeStridedValuesPass())


@pytest.mark.parametrize("name", CASES)
def test_level_1_in_the_interpreter(name: str):
    arguments, launches, strategies = CASES[name]
    for strategy in strategies:
        loops = SpmdToLoopsPass(strategy=strategy)
        check_passes(
            source(name), arguments, launches[:3], loops, skip=("split-at-barriers",)
        )


@pytest.mark.parametrize("vectorize", [False, True], ids=["scalar", "vectors"])
@pytest.mark.parametrize("name", CASES)
def test_native(name: str, vectorize: bool):
    arguments, launches, strategies = CASES[name]
    for strategy in strategies:
        for launch in launches:
            check_native(
                source(name),
                arguments,
                launch,
                strategy=strategy,
                vectorize=vectorize,
            )
