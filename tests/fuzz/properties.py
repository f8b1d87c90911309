"""What must hold for every kernel."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from spmd import CompileError
from spmd.dialects.diagnostics import KernelError
from spmd.passes.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.vectorize import VectorizePass
from tests.analysis.soundness import check_launch
from tests.execution.harness import (
    Maker,
    check_native,
    check_passes,
    check_schedules,
)
from tests.fuzz.programs import Kernel

WIDTHS = (1, 2, 4, 8, 16, 32)


def check(kernel: Kernel, number: int) -> None:
    """Schedules, passes and native code agree; `number` chooses the widths."""
    check_order(kernel)
    check_analysis(kernel)
    check_levels(kernel, WIDTHS[number % len(WIDTHS)])
    check_code(kernel, WIDTHS[(number + 3) % len(WIDTHS)])


@contextmanager
def may_be_refused(kernel: Kernel) -> Generator[None]:
    """Fission refuses, in words, what it cannot do; nothing else may be refused."""
    try:
        yield
    except (KernelError, CompileError) as error:
        words = str(error)
        refused = "to go the same way in all work-items" in words
        scalar = "cannot be written as LLVM IR" in words
        if not (
            (kernel.meets_in_divergent_loops and refused)
            or (kernel.uses_sub_groups and scalar)
        ):
            raise


def check_order(kernel: Kernel) -> None:
    """The order in which work-items take turns does not matter."""
    check_schedules(kernel.source, kernel.arguments, kernel.launch)


def check_analysis(kernel: Kernel) -> None:
    """What the divergence analysis says of the values of work-items is so in a run."""
    arguments = kernel.arguments(Maker(kernel.launch))
    check_launch(kernel.source, arguments, kernel.launch)


def check_levels(kernel: Kernel, width: int) -> None:
    """The interpreter gets the same after every pass."""
    with may_be_refused(kernel):
        check_passes(
            kernel.source,
            kernel.arguments,
            kernel.launch,
            SpmdToLoopsPass(),
            VectorizePass(width=width),
        )


def check_code(kernel: Kernel, width: int) -> None:
    """Native code does the same, as scalar loops and as vectors."""
    with may_be_refused(kernel):
        check_native(kernel.source, kernel.arguments, kernel.launch, vectorize=False)
        check_native(kernel.source, kernel.arguments, kernel.launch, width=width)
