"""What must hold of an op so that it means anything, where xDSL does not check it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation

from spmd.dialects.diagnostics import fail
from spmd.dialects.interfaces.interface import OpInterface


@dataclass(frozen=True)
class Legality(OpInterface):
    """The op is legal if `why_illegal` has no reason: "expected X, got Y"."""

    why_illegal: Callable[[Any], str | None]


@dataclass(frozen=True)
class HostOnly(OpInterface):
    """Only the host executes the op; work-items were expected to do something else."""

    expected: str

    @classmethod
    def verify_for_work_items(cls, op: Operation) -> None:
        """Fail on an `op` that work-items come to, if they cannot execute it."""
        if (host := cls.of(op)) is not None:
            fail(op, f"'{op.name}': expected {host.expected}, got '{op.name}'")
