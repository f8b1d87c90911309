"""A pass that is a list of smaller passes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.legality.verification import verify_legality


@dataclass(frozen=True)
class PassSequence(ModulePass, ABC):
    """
    Runs `passes()` one after the other, on a module that has to be legal.

    Whoever wants to look at each step (`program.stages()`, `spmd-run --print-after`) runs
    them one by one; the result is the same.
    """

    @abstractmethod
    def passes(self) -> tuple[ModulePass, ...]:
        """The steps, in order."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        verify_legality(op)
        for step in self.passes():
            step.apply(ctx, op)


def flatten(passes: tuple[ModulePass, ...]) -> tuple[ModulePass, ...]:
    """`passes` with each sequence replaced by its steps."""
    flat: list[ModulePass] = []
    for step in passes:
        flat.extend(
            flatten(step.passes()) if isinstance(step, PassSequence) else (step,)
        )
    return tuple(flat)
