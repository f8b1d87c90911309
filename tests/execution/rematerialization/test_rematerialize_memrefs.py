"""Memrefs that are chosen at run time are the same ones after a barrier."""

from typing import Any

import pytest

from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.rematerialization.rematerialize_memrefs import RematerializeMemrefsPass
from spmd.passes.splitting.split_at_barriers import Strategy
from tests.execution.harness import (
    KERNELS,
    Arguments,
    Launch,
    Maker,
    check_native_launches,
    check_passes,
)

FOLDER = KERNELS / "chosen_memrefs"
LAUNCHES = tuple(
    Launch((n,), (e,)) for n, e in ((1, 1), (7, 3), (40, 16), (100, 64), (100, 100))
)


def branches(make: Maker) -> list[Any]:
    first, second = (make.random("i32", 2 * make.n) for _ in range(2))
    return [first, second, make.random("i1", make.n)]


def with_trips(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.n % 4]


def rows(make: Maker) -> list[Any]:
    return [make.random("i32", make.n, 8), make.integers("index", 0, 4, 1)]


def many(make: Maker) -> list[Any]:
    return [
        make.random("i32", make.n),
        make.random("i32", make.n),
        make.random("i32", make.n, 2),
        make.integers("index", 0, 5, make.n),
    ]


def flags(make: Maker) -> list[Any]:
    return [make.random("i1", make.n) for _ in range(4)]


def iterations(make: Maker) -> list[Any]:
    first, second = (make.random("i32", make.n) for _ in range(2))
    return [first, second, make.integers("index", 0, 4, make.n)]


def blocks(make: Maker) -> list[Any]:
    return [make.n % 3, make.random("i32", make.n)]


CASES: dict[str, Arguments] = {
    "branches": branches,
    "private_swap": with_trips,
    "local_swap": with_trips,
    "moving_row": rows,
    "many": many,
    "flags": flags,
    "iterations": iterations,
    "blocks": blocks,
}
ONLY_CONTINUATIONS = ("iterations", "blocks")


def strategies(name: str) -> tuple[Strategy, ...]:
    if name in ONLY_CONTINUATIONS:
        return "auto", "continuations"
    return "fission", "continuations"


def source(name: str) -> str:
    return (FOLDER / f"{name}.mlir").read_text()


@pytest.mark.parametrize("name", CASES)
def test_numbers_instead_of_memrefs_mean_the_same(name: str):
    passes = SpmdInlineCallsPass(), RematerializeMemrefsPass()
    check_passes(source(name), CASES[name], LAUNCHES, *passes)


@pytest.mark.parametrize("name", CASES)
def test_level_1_in_the_interpreter(name: str):
    for strategy in strategies(name):
        loops = SpmdToLoopsPass(strategy=strategy)
        check_passes(
            source(name), CASES[name], LAUNCHES, loops, skip=("split-at-barriers",)
        )


@pytest.mark.parametrize("vectorize", [False, True], ids=["scalar", "vectors"])
@pytest.mark.parametrize("name", CASES)
def test_native(name: str, vectorize: bool):
    for strategy in strategies(name):
        check_native_launches(
            source(name),
            CASES[name],
            LAUNCHES,
            strategy=strategy,
            vectorize=vectorize,
        )
