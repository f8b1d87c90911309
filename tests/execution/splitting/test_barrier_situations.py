"""
Every situation that a barrier can be in, however it is compiled, in groups of 1 to 256.

The kernels have linear ids, so that each of them runs in one, two and three dimensions.
Each keeps a value and a private array across its barriers.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest

from spmd.dialects.diagnostics import KernelError
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.reference.check import check_kernel
from spmd.runtime.options import Strategy
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    KERNELS,
    Launch,
    Maker,
    check_native,
    check_schedules,
    kernel_name,
    make,
    parsed,
)

PATHS = {
    path.stem: path for path in (KERNELS / "barriers" / "situations").rglob("*.mlir")
}
PRELUDE = "linear_ids"
NAMES = sorted(set(PATHS) - {PRELUDE})

ONLY_CONTINUATIONS = {
    "collectives_in_uneven_iterations",
    "iterations_of_their_own",
    "uneven_iterations",
    "uneven_iterations_called_twice",
}
"""What fission refuses: barriers that work-items meet at in different iterations."""

GROUPS: dict[int, tuple[tuple[int, ...], ...]] = {
    1: ((1,), (1, 1), (1, 1, 1)),
    3: ((3,), (1, 3), (1, 1, 3)),
    16: ((16,), (8, 2), (4, 2, 2)),
    64: ((64,), (8, 8), (4, 4, 4)),
    100: ((100,), (10, 10), (5, 5, 4)),
    256: ((256,), (32, 8), (16, 4, 4)),
}
"""The shapes of groups, by the number of their work-items."""

SHAPES = [shape for shapes in GROUPS.values() for shape in shapes]


def ragged(shape: tuple[int, ...]) -> Launch:
    """Two groups in each dimension, three in a line, of which the last is partial."""
    whole = 2 if len(shape) == 1 else 1
    size = tuple(whole * extent + (extent + 1) // 2 for extent in shape)
    return Launch(size, shape)


def whole(shape: tuple[int, ...]) -> Launch:
    """Three full groups."""
    return Launch((3 * shape[0], *shape[1:]), shape)


@cache
def source(name: str) -> str:
    texts = [PATHS[part].read_text() for part in (PRELUDE, name)]
    return "".join(texts)


def arguments(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.integers("i32", 0, 9, make.groups)]


def accepted(name: str) -> tuple[Strategy, ...]:
    """The strategies that take the kernel; `auto` is one of them."""
    if name in ONLY_CONTINUATIONS:
        return ("continuations",)
    return ("fission", "continuations")


def level_1(name: str, strategy: Strategy) -> str:
    """The kernel as loops, without the attribute that says why it was not fission."""
    module = parsed(source(name)).clone()
    SpmdToLoopsPass(strategy=strategy).apply(make_context(), module)
    return re.sub(r"spmd.not_split_by_fission = \"[^\"]*\"(, )?", "", str(module))


STRATEGIES = [
    pytest.param(name, strategy, vectorize, id=f"{name}-{strategy}-{how}")
    for number, name in enumerate(NAMES)
    for turn, strategy in enumerate(accepted(name))
    for vectorize, how in ((False, "loops"), (True, "vectorize"))
    if len(accepted(name)) == 1 or (number + turn + vectorize) % 2
]
"""Each kernel meets both strategies, and runs as loops and as vectors."""


@pytest.mark.parametrize("name", NAMES)
def test_the_kernel_is_legal(name: str):
    """Nothing is said against it, and the order of work-items does not matter."""
    for shape in GROUPS[16]:
        launch = ragged(shape)
        module, args = parsed(source(name)), make(arguments, launch)
        report = check_kernel(
            module,
            kernel_name(module),
            args,
            global_size=launch.global_size,
            group_size=launch.group_size,
        )
        assert report, str(report)
        check_schedules(source(name), arguments, launch)


@pytest.mark.parametrize("name", NAMES)
def test_auto_is_fission_wherever_that_is_right(name: str):
    if name in ONLY_CONTINUATIONS:
        with pytest.raises(KernelError, match="strategy=fission cannot split here"):
            level_1(name, "fission")
    assert level_1(name, "auto") == level_1(name, accepted(name)[0])


@pytest.mark.parametrize(("name", "strategy", "vectorize"), STRATEGIES)
def test_one_code_for_groups_of_any_size(
    name: str, strategy: Strategy, vectorize: bool
):
    for shape in SHAPES[NAMES.index(name) % 2 :: 2]:
        check_native(
            source(name),
            arguments,
            ragged(shape),
            strategy=strategy,
            vectorize=vectorize,
            specialize=False,
        )


@pytest.mark.parametrize(("name", "strategy", "vectorize"), STRATEGIES)
def test_code_for_one_size(name: str, strategy: Strategy, vectorize: bool):
    # Each strategy meets one of the shapes, all together meet all.
    number = NAMES.index(name) + 5 * vectorize + 8 * (strategy == "fission")
    shape = SHAPES[number % len(SHAPES)]
    check_native(
        source(name),
        arguments,
        whole(shape) if number % 2 else ragged(shape),
        strategy=strategy,
        vectorize=vectorize,
    )
