"""What must hold for every kernel."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from typing import Any

from spmd import CompileError
from spmd.dialects.diagnostics import KernelError
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.reference.check import check_kernel
from spmd.reference.checking.findings import Report
from spmd.runtime.options import Strategy
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    check_native,
    check_passes,
    check_schedules,
    expected,
    kernel_name,
    make,
    parsed,
)
from tests.execution.harness.comparing import assert_same
from tests.fuzz.blocks import in_blocks
from tests.fuzz.programs import Kernel

WIDTHS = (1, 2, 4, 8, 16, 32)
STRATEGIES: tuple[Strategy, ...] = ("auto", "continuations")
VARIANTS = len(WIDTHS) * len(STRATEGIES)

REFUSALS = (("= memref.alloca(%", "a size that is known before"),)
"""What a kernel contains, and what the compiler may say of it: a private array whose size is
known late."""


def check(kernel: Kernel, number: int) -> None:
    """Schedules, passes and native code agree; `number` chooses widths and strategy."""
    width, strategy = (
        WIDTHS[number % len(WIDTHS)],
        STRATEGIES[number // len(WIDTHS) % 2],
    )
    check_order(kernel)
    check_watched(kernel)
    check_without_a_barrier(kernel, number)
    check_levels(kernel, width, strategy)
    # Code of another width and strategy than the levels.
    width, strategy = WIDTHS[(number + 3) % len(WIDTHS)], STRATEGIES[number % 2]
    check_code(kernel, width, strategy)
    check_for_alarms(kernel, number)


def check_meetings(kernel: Kernel, number: int) -> None:
    """
    What must hold for kernels that are all about barriers.

    Native code of each strategy, scalar and vectorized, does what the interpreter does;
    `auto` is fission where that is accepted. `number` chooses the width, whether the code
    is for one work-group size or for any, and whether all control flow becomes blocks first.
    """
    if number % 5 == 4:
        kernel = replace(kernel, source=in_blocks(kernel.source))
    check_order(kernel)
    check_watched(kernel)
    strategies: list[Strategy] = ["continuations"]
    with may_be_refused(kernel):
        try:
            by_fission = level_1(kernel, "fission")
        except KernelError as error:
            if "strategy=fission cannot split here" not in str(error):
                raise
        else:
            strategies.append("fission")
            if level_1(kernel, "auto") != by_fission:
                raise AssertionError("auto differs from fission, which is accepted")
    # Without fission, auto differs from continuations only by a reason.
    for strategy, vectorize in product(strategies, (False, True)):
        with may_be_refused(kernel):
            check_native(
                kernel.source,
                kernel.arguments,
                kernel.launch,
                width=WIDTHS[number % len(WIDTHS)] if vectorize else "auto",
                strategy=strategy,
                vectorize=vectorize,
                specialize=number % 4 < 2,
                tolerance=kernel.tolerance,
            )
    check_for_alarms(kernel, number)


SHAPES = (
    *((4, 2), (2, 4), (1, 8), (8, 4), (4, 4, 2), (2, 1, 4), (16, 2), (2, 2, 2)),
    *((16, 8), (16, 16), (8, 4, 4)),
)


def check_shapes(kernel: Kernel, number: int) -> None:
    """Lanes along any dimensions compute what work-items do."""
    with may_be_refused(kernel):
        for shape in (SHAPES[number % len(SHAPES)], SHAPES[number // 3 % len(SHAPES)]):
            check_native(
                kernel.source,
                kernel.arguments,
                kernel.launch,
                shape=shape,
                specialize=number % 2 == 0,
                strategy=STRATEGIES[number // 2 % 2],
                tolerance=kernel.tolerance,
            )
        check_native(
            kernel.source, kernel.arguments, kernel.launch, tolerance=kernel.tolerance
        )


def check_for_alarms(kernel: Kernel, number: int) -> None:
    """
    With checks a legal kernel does the same.

    With those of barriers alone too, which come with the others, where it has any.
    """
    options = ["checked"]
    if any(word in kernel.source for word in ("spmd.barrier", "across work_group")):
        options.append("check_barriers")
    for shift, option in enumerate(options):
        variant = number + shift
        vectorize = variant % 3 > 0
        checks: dict[str, Any] = {option: True}
        with may_be_refused(kernel):
            check_native(
                kernel.source,
                kernel.arguments,
                kernel.launch,
                width=WIDTHS[(variant + 1) % len(WIDTHS)] if vectorize else "auto",
                strategy=STRATEGIES[variant // 2 % 2],
                vectorize=vectorize,
                tolerance=kernel.tolerance,
                **checks,
            )


def level_1(kernel: Kernel, strategy: Strategy) -> str:
    """The text of the kernel as loops."""
    module = parsed(kernel.source).clone()
    SpmdToLoopsPass(strategy=strategy).apply(make_context(), module)
    return str(module)


@contextmanager
def may_be_refused(kernel: Kernel) -> Generator[None]:
    """A few ops are refused in some places, in words; nothing else is."""
    try:
        yield
    except (KernelError, CompileError) as error:
        if not any(
            op in kernel.source and words in str(error) for op, words in REFUSALS
        ):
            raise


def check_order(kernel: Kernel) -> None:
    """The order in which work-items take turns does not matter."""
    check_schedules(kernel.source, kernel.arguments, kernel.launch, kernel.tolerance)


def watch(source: str, kernel: Kernel) -> tuple[Report, list[Any]]:
    """What the checker says, and the arguments after the run."""
    args = make(kernel.arguments, kernel.launch)
    module = parsed(source)
    sizes = kernel.launch.global_size, kernel.launch.group_size
    report = check_kernel(
        module, kernel_name(module), args, global_size=sizes[0], group_size=sizes[1]
    )
    return report, args


def check_watched(kernel: Kernel) -> None:
    """The checker has nothing to say about a legal kernel, and changes nothing."""
    report, args = watch(kernel.source, kernel)
    if not report:
        raise AssertionError(f"a legal kernel gives a report:\n{report}")
    want = expected(kernel.source, kernel.arguments, kernel.launch)
    assert_same(args, want, kernel.tolerance, "watched")


def check_without_a_barrier(kernel: Kernel, number: int) -> None:
    """If the checker finds nothing, the order of work-items does not matter."""
    lines = kernel.source.split("\n")
    barriers = [i for i, line in enumerate(lines) if line.strip() == "spmd.barrier"]
    if not barriers:
        return
    del lines[barriers[number % len(barriers)]]
    source = "\n".join(lines)
    report, _ = watch(source, kernel)
    if report:
        check_schedules(source, kernel.arguments, kernel.launch, kernel.tolerance)


def check_levels(kernel: Kernel, width: int, strategy: Strategy = "auto") -> None:
    """The interpreter gets the same after every pass."""
    with may_be_refused(kernel):
        check_passes(
            kernel.source,
            kernel.arguments,
            (kernel.launch,),
            SpmdToLoopsPass(strategy=strategy),
            VectorizePass(width=width),
            tolerance=kernel.tolerance,
        )


def check_code(kernel: Kernel, width: int, strategy: Strategy = "auto") -> None:
    """Native code does the same, as scalar loops and as vectors."""
    for vectorize in (False, True):
        with may_be_refused(kernel):
            check_native(
                kernel.source,
                kernel.arguments,
                kernel.launch,
                width=width if vectorize else "auto",
                strategy=strategy,
                vectorize=vectorize,
                tolerance=kernel.tolerance,
            )
