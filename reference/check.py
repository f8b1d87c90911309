"""Runs a kernel, or a host function, while every access to memory and every meeting is watched."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp, Ordering
from spmd.reference.checking.checker import Checker
from spmd.reference.checking.clock import Clock, TimeIsUp
from spmd.reference.checking.findings import Report
from spmd.reference.interpreter import Interpreter, Sizes


def _orders_memory(module: ModuleOp) -> bool:
    """Whether an atomic orders the accesses around it."""
    return any(
        isinstance(op, AtomicRmwOp | AtomicCasOp)
        and op.ordering.data is not Ordering.RELAXED
        for op in module.walk()
    )


def _watched(
    module: ModuleOp, name: str, schedule: str, seed: int
) -> tuple[Interpreter, Checker]:
    """An interpreter, and who watches it."""
    interpreter = Interpreter(module, schedule=schedule, seed=seed)
    program = interpreter.program
    checker = Checker(name, program.sites, ordered=_orders_memory(module))
    program.checker = checker
    program.environment["check"] = checker
    return interpreter, checker


def check_function(
    module: ModuleOp,
    name: str,
    args: Sequence[Any],
    *,
    schedule: str = "in-order",
    seed: int = 0,
    timeout: float | None = None,
) -> Report:
    """
    Run a function of the host with all its launches, in order, and tell what is wrong.

    A fault within a launch names the launch too.
    """
    interpreter, checker = _watched(module, name, schedule, seed)
    with _timed(interpreter, checker, timeout):
        interpreter.run_function(name, args)
    return checker.report


def check_kernel(
    module: ModuleOp,
    name: str,
    args: Sequence[Any],
    *,
    global_size: Sizes,
    group_size: Sizes | None = None,
    sub_group_size: int | None = None,
    schedule: str = "in-order",
    seed: int = 0,
    timeout: float | None = None,
) -> Report:
    """
    Run a kernel (level 0) on NumPy arrays, which are changed, and tell what is wrong.

    A race is found whatever the schedule is; faults that depend on what a racing
    work-item reads may need another one. After `timeout` seconds it is `OutOfTime`.
    """
    interpreter, checker = _watched(module, name, schedule, seed)
    with _timed(interpreter, checker, timeout):
        interpreter.run_kernel(
            name,
            args,
            global_size=global_size,
            group_size=group_size,
            sub_group_size=sub_group_size,
        )
    return checker.report


class OutOfTime(Exception):
    """A run that took too long: how far it came, and what it found until then."""

    def __init__(self, done: int, total: int, report: Report):
        super().__init__(f"{done} of {total} work-items were run")
        self.report = report


@contextmanager
def _timed(
    interpreter: Interpreter, checker: Checker, timeout: float | None
) -> Generator[None]:
    """A run of `interpreter` that somebody waits for, `timeout` seconds at most."""
    interpreter.clock = clock = Clock(checker.report.kernel, timeout)
    try:
        with clock:
            yield
    except TimeIsUp:
        raise OutOfTime(clock.done, clock.total, checker.report) from None
