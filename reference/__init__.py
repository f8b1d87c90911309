"""
The reference interpreter: it defines what programs at levels 0 to 3 mean.

It shares no code with the passes, the analyses and the lowering that it judges.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from spmd.reference.errors import ArgumentError, UndefinedBehavior

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from spmd.reference.interpreter import Sizes


def run_kernel(
    module: ModuleOp,
    name: str,
    args: Sequence[Any],
    *,
    global_size: Sizes,
    group_size: Sizes | None = None,
    sub_group_size: int | None = None,
    schedule: str = "in-order",
    seed: int = 0,
) -> None:
    """Run a kernel (level 0) on NumPy arrays, which are changed in place."""
    from spmd.reference.interpreter import Interpreter

    Interpreter(module, schedule=schedule, seed=seed).run_kernel(
        name,
        args,
        global_size=global_size,
        group_size=group_size,
        sub_group_size=sub_group_size,
    )


def run_work_groups(
    module: ModuleOp,
    name: str,
    args: Sequence[Any],
    *,
    global_size: Sizes,
    group_size: Sizes | None = None,
    schedule: str = "in-order",
    seed: int = 0,
) -> None:
    """Run a work-group function (levels 1 and up) for every group of the range."""
    from spmd.reference.interpreter import Interpreter

    Interpreter(module, schedule=schedule, seed=seed).run_work_groups(
        name, args, global_size=global_size, group_size=group_size
    )


def run_function(module: ModuleOp, name: str, args: Sequence[Any]) -> list[Any]:
    """Call a plain `func.func`; returns its results."""
    from spmd.reference.interpreter import Interpreter

    return Interpreter(module).run_function(name, args)


__all__ = [
    "ArgumentError",
    "UndefinedBehavior",
    "run_function",
    "run_kernel",
    "run_work_groups",
]
