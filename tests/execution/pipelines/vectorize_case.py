"""What a kernel that tests `vectorize` is called with."""

from __future__ import annotations

from typing import Any, NamedTuple

from xdsl.passes import ModulePass

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.choices.vector_width import Width
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import LINES, Arguments, Maker, check_passes
from tests.execution.harness.comparing import EXACT, Tolerance


class Case(NamedTuple):
    """A kernel and what to call it with."""

    source: str
    arguments: Arguments
    tolerance: Tolerance = EXACT

    def check_in_lanes(self, width: Width, *passes: ModulePass) -> None:
        """Sub-groups of a width compute what work-items do, after each of the passes."""
        check_passes(
            self.source,
            self.arguments,
            LINES,
            SpmdToLoopsPass(),
            FormSubGroupsPass(width=width),
            *passes,
            tolerance=self.tolerance,
        )


class Cases(dict[str, Case]):
    """Kernels by name."""

    def add(
        self,
        name: str,
        source: str,
        arguments: Arguments,
        tolerance: Tolerance = EXACT,
    ) -> None:
        assert name not in self, f"two kernels are called {name}"
        self[name] = Case(source, arguments, tolerance)


def floats(make: Maker) -> list[Any]:
    """Small whole numbers, and zeros."""
    return [make.integers("f32", -8, 9, make.n), make.zeros("f32", make.n)]


def counts(make: Maker) -> list[Any]:
    """Numbers of turns, some negative, and zeros."""
    return [make.integers("i32", -3, 12, make.n), make.zeros("i32", make.n)]
