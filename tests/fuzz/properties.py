"""What must hold for every kernel."""

from __future__ import annotations

from spmd.passes.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.vectorize import VectorizePass
from tests.execution.harness import check_native, check_passes, check_schedules
from tests.fuzz.programs import Kernel

WIDTHS = (1, 2, 4, 8, 16, 32)


def check(kernel: Kernel, number: int) -> None:
    """Schedules, passes and native code agree; `number` chooses the widths."""
    check_order(kernel)
    check_levels(kernel, WIDTHS[number % len(WIDTHS)])
    check_code(kernel, WIDTHS[(number + 3) % len(WIDTHS)])


def check_order(kernel: Kernel) -> None:
    check_schedules(kernel.source, kernel.arguments, kernel.launch)


def check_levels(kernel: Kernel, width: int) -> None:
    check_passes(
        kernel.source,
        kernel.arguments,
        kernel.launch,
        SpmdToLoopsPass(),
        VectorizePass(width=width),
    )


def check_code(kernel: Kernel, width: int) -> None:
    check_native(kernel.source, kernel.arguments, kernel.launch, vectorize=False)
    check_native(kernel.source, kernel.arguments, kernel.launch, width=width)
