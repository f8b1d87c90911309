"""No analysis is asked for a kernel that has changed since it was made."""

from contextlib import suppress
from typing import Any

import pytest

from spmd.analysis.analyses import Analyses
from spmd.dialects.diagnostics import KernelError
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.splitting import split_at_barriers
from spmd.runtime.errors import CompileError, SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.harness import KERNELS
from tests.execution.harness.running import content

ANALYSES = [name for name, made in vars(Analyses).items() if hasattr(made, "func")]
CHECKED = KERNELS.parent / "filecheck" / "passes" / "splitting"


class Checked(Analyses):
    """Remembers what the kernel was when an analysis was made."""

    def __getattribute__(self, name: str) -> Any:
        result = super().__getattribute__(name)
        if name in ANALYSES:
            now = content(self.kernel)
            made_for = self.__dict__.setdefault("made_for", {})
            assert made_for.setdefault(name, now) == now, f"{name} is stale"
        return result


WAITS = ("spmd.barrier", "work_group")
"""What is split; of other kernels analyses are made once."""


def test_there_are_analyses():
    assert "divergence" in ANALYSES


def test_no_analysis_is_stale(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(split_at_barriers, "Analyses", Checked)
    compiled = 0
    for path in (*sorted(KERNELS.rglob("*.mlir")), *CHECKED.glob("*.mlir")):
        for text in path.read_text().split("// -----"):
            if not any(each in text for each in WAITS):
                continue
            with suppress(KernelError, CompileError):
                module = parse(SourceText(path.name, text))
                SpmdToLoopsPass().apply(make_context(), module)
                compiled += 1
    assert compiled > 80
