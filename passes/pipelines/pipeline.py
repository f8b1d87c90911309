"""A pass that is a list of smaller passes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass, fields, replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.legality.verification import verify_legality
from spmd.dialects.interfaces.expansion import expand_all


@dataclass(frozen=True)
class PassSequence(ModulePass, ABC):
    """
    Runs `passes()` one after the other, on a module that has to be legal when what is short
    for other ops has become these.

    Whoever wants to look at each step (`program.stages()`, `spmd-run --print-after`) runs
    them one by one; the result is the same.
    """

    @abstractmethod
    def passes(self) -> tuple[ModulePass, ...]:
        """The steps, in order."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_all(op)
        verify_legality(op)
        for step in self.passes():
            step.apply(ctx, op)


def left_out(
    passes: tuple[ModulePass, ...], names: Collection[str]
) -> tuple[ModulePass, ...]:
    """
    The steps of `passes` without those of `names`: to see what each is worth.

    `some-pass` is left out, and of `some-pass.option` this option is off.
    Raises `ValueError` for a name that is neither.
    """
    steps: list[ModulePass] = []
    known = set[str]()
    for step in flatten(passes):
        switches = {
            f"{step.name}.{field.name}": field.name
            for field in fields(step)
            if getattr(step, field.name) is True
        }
        known |= {step.name, *switches}
        if step.name not in names:
            off = {switches[name]: False for name in names if name in switches}
            steps.append(replace(step, **off))
    if unknown := set(names) - known:
        raise ValueError(
            f"expected passes and their options, {', '.join(sorted(known))}, got "
            f"{', '.join(sorted(unknown))}"
        )
    return tuple(steps)


def flatten(passes: tuple[ModulePass, ...]) -> tuple[ModulePass, ...]:
    """`passes` with each sequence replaced by its steps."""
    flat: list[ModulePass] = []
    for step in passes:
        flat.extend(
            flatten(step.passes()) if isinstance(step, PassSequence) else (step,)
        )
    return tuple(flat)
