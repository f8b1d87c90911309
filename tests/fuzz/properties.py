"""
What must hold for every kernel.

Many kernels find more than many looks at one. So each meets one thing that holds in the
interpreter and one compilation, which its number chooses; of the levels in between it meets
some, and its native code several launches.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import scf

import spmd
from spmd import CompileError
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.spmd import KernelOp
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.splitting.flatten_control_flow import flatten
from spmd.reference.check import check_function, check_kernel
from spmd.reference.checking.findings import Report
from spmd.reference.interpreter import Interpreter
from spmd.runtime.options import Strategy
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    SCHEDULES,
    Launch,
    check_native,
    check_passes,
    check_schedules,
    expected,
    kernel_name,
    make,
    parsed,
)
from tests.execution.harness.comparing import EXACT, assert_same
from tests.fuzz.hosts import SIZE, Host
from tests.fuzz.writing.programs import Kernel

WIDTHS = (1, 2, 4, 8, 16, 32)
STRATEGIES: tuple[Strategy, ...] = ("auto", "continuations")
CHECKS = 4
VARIANTS = CHECKS * len(WIDTHS) * len(STRATEGIES)

LEVEL_TARGETS = ("x86-64-v3", "x86-64-v4", "x86-64")
"""Machines for which the passes make different vectors."""

REFUSALS = (("= memref.alloca(%", "a size that is known before"),)
"""What a kernel contains, and what the compiler may say of it: a private array whose size is
known late."""


def check(kernel: Kernel, number: int) -> None:
    """Work-items in any order, and passes or native code agree; `number` chooses how."""
    width = WIDTHS[number // CHECKS % len(WIDTHS)]
    strategy = STRATEGIES[number // CHECKS // len(WIDTHS) % 2]
    check_interpreted(kernel, number)
    match number % CHECKS:
        case 0:
            target = LEVEL_TARGETS[number // VARIANTS % 3]
            check_levels(kernel, number // CHECKS, width, strategy, target)
        case 1:
            check_code(kernel, width=width, strategy=strategy)
        case 2:
            check_code(kernel, vectorize=False, strategy=strategy)
        case _:
            check_for_alarms(kernel, width, strategy)


def check_meetings(kernel: Kernel, number: int) -> None:
    """
    What must hold for kernels that are all about barriers.

    Native code of a strategy, scalar or vectorized, does what the interpreter does; `auto` is
    fission where that is accepted. `number` chooses the way and the width, whether the code
    is for one work-group size or for any, and whether all control flow becomes blocks first.
    """
    if number % 5 == 4:
        kernel = replace(kernel, source=in_blocks(kernel.source))
    check_interpreted(kernel, number)
    strategy: Strategy = "continuations"
    if number // 3 % 2 and is_for_fission(kernel):
        strategy = "fission"
    width = WIDTHS[number // CHECKS % len(WIDTHS)]
    if number % 3 == 2:
        # With checks in it, fission may be refused where it was not.
        check_for_alarms(kernel, width, STRATEGIES[number // 3 % 2])
    elif number % 3 == 1:
        check_code(kernel, width=width, strategy=strategy, specialize=number % 4 < 2)
    else:
        specialize = number % 4 < 2
        check_code(kernel, vectorize=False, strategy=strategy, specialize=specialize)


STRUCTURED = (scf.IfOp, scf.ForOp, scf.IndexSwitchOp, scf.WhileOp)


def in_blocks(source: str) -> str:
    """The module with no structured control flow in its kernels; functions keep theirs."""
    module = parsed(source).clone()
    for op in module.ops:
        if isinstance(op, KernelOp):
            flatten(op, lambda op: isinstance(op, STRUCTURED))
    return str(module)


SHAPES = (
    *((4, 2), (2, 4), (1, 8), (8, 4), (4, 4, 2), (2, 1, 4), (16, 2), (2, 2, 2), ()),
)
"""The last leaves the choice to the compiler."""

LARGE_SHAPES = ((16, 8), (16, 16), (8, 4, 4))
"""What takes LLVM many times as long, and so comes once in a while."""


def check_shapes(kernel: Kernel, number: int) -> None:
    """Lanes along any dimensions compute what work-items do."""
    part, turn = divmod(number, len(SHAPES) + 1)
    shape = (*SHAPES, LARGE_SHAPES[part % len(LARGE_SHAPES)])[turn]
    options: dict[str, Any] = {"shape": shape} if shape else {}
    specialize, strategy = part % 2 == 0, STRATEGIES[part // 2 % 2]
    check_code(kernel, specialize=specialize, strategy=strategy, **options)


def check_for_alarms(kernel: Kernel, width: int, strategy: Strategy) -> None:
    """
    With checks a legal kernel does the same.

    With those of barriers alone too, which come with the others, where it has any.
    """
    option = "checked"
    meets = any(word in kernel.source for word in ("spmd.barrier", "across work_group"))
    if meets and width in WIDTHS[::3]:
        option = "check_barriers"
    options: dict[str, Any] = {option: True}
    if width == 1:
        check_code(kernel, vectorize=False, strategy=strategy, **options)
    else:
        check_code(kernel, width=width, strategy=strategy, **options)


def check_code(kernel: Kernel, **options: Any) -> None:
    """Native code, compiled with `options`, does what the interpreter does."""
    with may_be_refused(kernel):
        for launch in launches(kernel.launch):
            # Some arguments have the shape of the range.
            args = replace(kernel, launch=launch).arguments
            tolerance = kernel.tolerance
            check_native(kernel.source, args, launch, tolerance=tolerance, **options)


def launches(launch: Launch) -> Iterator[Launch]:
    """A launch, whole groups of the same size, and a part of one."""
    group = launch.group_size
    whole = (2 * group[0], *group[1:])
    part = tuple(max(1, size - 1) for size in group)
    for size in dict.fromkeys((launch.global_size, whole, part)):
        yield Launch(size, group)


def is_for_fission(kernel: Kernel) -> bool:
    """
    Whether fission accepts the kernel, and then `auto` must be the same.

    Without fission, `auto` differs from continuations only by a reason.
    """
    with may_be_refused(kernel):
        try:
            by_fission = level_1(kernel, "fission")
        except KernelError as error:
            if "strategy=fission cannot split here" not in str(error):
                raise
            return False
        if level_1(kernel, "auto") != by_fission:
            raise AssertionError("auto differs from fission, which is accepted")
        return True
    return False


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


def check_interpreted(kernel: Kernel, number: int) -> None:
    """What holds for level 0: one of five, as `number` has it."""
    match number % 5:
        case 3:
            check_watched(kernel)
        case 4:
            check_without_a_barrier(kernel, number // 5)
        case which:
            check_order(kernel, SCHEDULES[which : which + 1])


def check_order(
    kernel: Kernel, schedules: Sequence[tuple[str, int]] = SCHEDULES
) -> None:
    """The order in which work-items take turns does not matter."""
    check_schedules(
        kernel.source, kernel.arguments, kernel.launch, kernel.tolerance, schedules
    )


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


EVERY = 7
"""Of so many passes the fuzzer looks at what one has made."""


def check_levels(
    kernel: Kernel, number: int, width: int, strategy: Strategy, target: str
) -> None:
    """
    The interpreter gets the same after all passes, and after some, as `number` has it.

    If it does not, all are looked at, so that the one at fault has its name in the report.
    """

    def check(only: Callable[[int], bool]) -> None:
        check_passes(
            kernel.source,
            kernel.arguments,
            (kernel.launch,),
            SpmdToLoopsPass(strategy=strategy),
            VectorizePass(width=width, target=target),
            tolerance=kernel.tolerance,
            only=only,
        )

    with may_be_refused(kernel):
        try:
            check(lambda step: step % EVERY == number % EVERY)
        except Exception:
            check(lambda _: True)
            raise


def _host_arguments() -> list[Any]:
    random = np.random.default_rng(1)
    lines = [random.integers(-50, 50, n).astype(np.int32) for n in (SIZE, SIZE - 3)]
    return [*lines, random.integers(-50, 50, (4, 5)).astype(np.int32), 5]


HOST_WIDTHS: tuple[Any, ...] = ("auto", 1, 4, 16)


def check_host(host: Host, number: int) -> None:
    """It has no fault, and does natively, and as loops, what it does in the interpreter."""
    want = _host_arguments()
    report = check_function(parsed(host.source), "host", want)
    assert report, f"a legal host function gives a report:\n{report}"
    want = _host_arguments()
    result = Interpreter(parsed(host.source)).run_function("host", want)
    got = _host_arguments()
    width = HOST_WIDTHS[number // 4 % 4]
    if number % 4 == 0:
        module = parsed(host.source).clone()
        SpmdToLoopsPass().apply(Context(), module)
        if number // 4 % 2:
            VectorizePass(width=width).apply(Context(), module)
        (found,) = Interpreter(module).run_function("host", got)
    else:
        options: dict[str, Any] = {"checked": number % 4 == 1}
        program = spmd.compile(host.source, width=width, **options)
        found = program["host"](*got, threads=1 + number // 16 % 2)
    assert [found] == result, f"expected the result {result}, got {found}"
    assert_same(got[:3], want[:3], EXACT, "host function")
