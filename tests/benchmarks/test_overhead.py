"""What launching and compiling cost is measured, and code that is wrong is noticed."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import spmd
from benchmarks.overhead import launches, stencils
from benchmarks.overhead.stages import STAGES

ROOT = Path(__file__).resolve().parents[2]


def test_launches():
    times = launches.measure(calls=2, repeats=2)
    assert times["bound"] > 0
    assert times["unbound"] > 0


def test_a_launch_that_does_nothing_is_noticed(monkeypatch: pytest.MonkeyPatch):
    class Nothing:
        def __getitem__(self, name: str) -> Any:
            return self

        def bind(self, *a: Any, **k: Any) -> Any:
            return lambda: None

    monkeypatch.setattr(spmd, "compile", lambda source: Nothing())  # pyright: ignore
    with pytest.raises(AssertionError):
        launches.measure(calls=1, repeats=1)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["fission", "continuations"])
def test_time_per_operation_of_each_pass(strategy: str):
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.overhead.linearity", strategy, "2", "5"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    times = json.loads(done.stdout)
    assert {"spmd-to-loops", "split-at-barriers", "vectorize"} <= set(times)
    assert all(len(pair) == 2 and min(pair) > 0 for pair in times.values())


def test_stages_of_a_first_result():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.overhead.stages", "stream_copy"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    shown = done.stdout.splitlines()
    stages = [line.split("  ")[0] for line in shown]
    assert set(STAGES) <= set(stages)


def test_steps_over_chunks():
    pytest.importorskip("dask.array", reason="chunks need xdsl-spmd[dask]")
    chunks = import_module("benchmarks.overhead.chunks")
    times = chunks.measure(64, 3, 1)
    assert set(times) == {
        "single",
        "one array",
        "one array, computed",
        "separate chunks",
        "separate chunks, computed",
    }
    assert all(min(pair) > 0 for pair in times.values())


def test_a_heat_equation_in_three_forms():
    """`measure` compares what they compute."""
    assert all(0 < each < 1 for each in stencils.measure(14, turns=1))
