"""
Every kernel of `kernels/cases/`, compiled, against the interpreter.

Widths, numbers of threads and ranges are spread over the kernels: each kernel meets a few
of them, all kernels together meet all. `SPMD_ALL_WIDTHS=1` takes the whole product.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import product

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.options import Width
from tests.execution.cases import CASES, Case
from tests.execution.harness import (
    KERNELS,
    Launch,
    check_native,
    check_native_launches,
    check_passes,
    check_schedules,
)

WIDTHS: tuple[Width, ...] = (1, 4, 8, 16, 32, 64, "auto")
EVERYTHING = os.environ.get("SPMD_ALL_WIDTHS") == "1"


def few(number: int, case: Case) -> Iterator[tuple[Width, int, Launch]]:
    """Width, threads and range for a case: some of each, or all."""
    if EVERYTHING:
        yield from product(WIDTHS, (1, 4), case.launches)
        return
    for turn, launch in enumerate(case.launches):
        at = number + 3 * turn
        yield WIDTHS[at % len(WIDTHS)], (1, 4)[turn % 2], launch


def each(*, widths: bool) -> list[object]:
    return [
        pytest.param(
            case,
            *given,
            id="-".join(map(str, (case, *(given if widths else given[2:])))),
        )
        for number, case in enumerate(CASES)
        for given in few(number, case)
    ]


def test_there_is_a_case_for_every_kernel():
    assert sorted(case.name for case in CASES) == sorted(
        path.stem for path in (KERNELS / "cases").rglob("*.mlir")
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_order_of_work_items_does_not_matter(case: Case):
    for launch in case.launches:
        check_schedules(case.source, case.arguments, launch)


@pytest.mark.optimized
@pytest.mark.parametrize(("case", "width", "threads", "launch"), each(widths=True))
def test_native_code_does_the_same(
    case: Case, width: Width, threads: int, launch: Launch
):
    check_native(
        case.source,
        case.arguments,
        launch,
        width=width,
        threads=threads,
        tolerance=case.tolerance,
    )


@pytest.mark.parametrize("case", CASES, ids=str)
def test_scalar_native_code_does_the_same(case: Case):
    check_native_launches(
        case.source,
        case.arguments,
        case.launches,
        vectorize=False,
        tolerance=case.tolerance,
    )


@pytest.mark.parametrize("number", range(len(CASES)), ids=[c.name for c in CASES])
def test_every_pass_keeps_the_meaning(number: int):
    case = CASES[number]
    width = (1, 2, 4, 8, 16, 32)[number % 6]
    check_passes(
        case.source,
        case.arguments,
        case.launches[-2:],
        SpmdToLoopsPass(),
        VectorizePass(width=width),
        tolerance=case.tolerance,
    )
