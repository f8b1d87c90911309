"""Probes say what holds and what falls short, and check what both sides compute."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.probes.__main__ import asked, main
from benchmarks.probes.probe import (
    BY_HAND,
    HERE,
    SCALAR,
    AnyProbe,
    Form,
    Graph,
    Probe,
    Verdict,
    probes,
)
from benchmarks.systems.system import Missing

PROBES = probes()


class Made(AnyProbe):
    """A probe with a verdict, or what it raises instead."""

    name, shows, limit = "made", "nothing", 1.2

    @property
    def better_form(self) -> str:
        return "none"

    def __init__(self, result: Verdict | Exception):
        self.result = result

    def measure(self, budget: float = 0) -> Verdict:
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (Verdict("12 us", "10 us", 1.2), "holds"),
        (Verdict("13 us", "10 us", 1.3), "falls short"),
        (ArithmeticError("wrong result of made"), "falls short"),
        (Missing("a C compiler"), "skipped"),
    ],
)
def test_verdicts(result: Verdict | Exception, verdict: str):
    assert asked(Made(result), 0)["verdict"] == verdict


def test_every_kernel_is_asked_about():
    used = {
        (probe.folder.name, form.kernel)
        for probe in PROBES.values()
        if isinstance(probe, Probe)
        for form in (probe.ours, probe.better)
        if isinstance(form, Form)
    }
    used |= {
        (probe.folder.name, probe.name)
        for probe in PROBES.values()
        if isinstance(probe, Graph)
    }
    assert used == {(path.parent.name, path.stem) for path in HERE.glob("*/*.mlir")}
    readme = (HERE.parent / "README.md").read_text()
    assert all(f"| `{path.parent.name}` |" in readme for path in HERE.glob("*/*.py"))


def test_limits_are_those_of_the_kind_of_form():
    for probe in PROBES.values():
        if isinstance(probe, Probe) and isinstance(probe.better, Form):
            scalar = probe.better.options.get("vectorize") is False
            assert probe.limit == (SCALAR if scalar else BY_HAND)


@pytest.mark.parametrize("name", ["st2", "F5_6", "fail", "acc"])
def test_a_probe_measures_both_sides(name: str):
    verdict = PROBES[name].measure(budget=0)
    assert verdict.ratio > 0
    assert verdict.ours.split()[0]


def test_wrong_results_are_noticed_on_both_sides():
    probe = PROBES["st2"]
    assert isinstance(probe, Probe)
    with pytest.raises(ArithmeticError, match="wrong result of st2"):
        replace(probe, expect=lambda x, y: x[::2] + 1).measure(0)  # pyright: ignore

    def nothing(x: Any, y: Any) -> Any:
        return lambda: np.copyto(y, 0)

    with pytest.raises(ArithmeticError, match="nothing"):
        replace(probe, better=nothing).measure(0)


@pytest.mark.slow
def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "probes.json"
    arguments = ["F8_[15]", "--budget", "0", "--json", str(path)]
    assert main(arguments) == 0
    assert "2 hold, 0 fall short, 0 skipped" in capsys.readouterr().out
    numbers = json.loads(path.read_text())
    assert numbers["F8_1"]["verdict"] == "holds"
