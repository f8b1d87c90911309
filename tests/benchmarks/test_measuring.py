"""Processes that measure: turns, wrong results, and what is not there."""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks.measuring import turns, worker
from benchmarks.suite.case import benchmarks
from benchmarks.systems import SYSTEMS
from benchmarks.systems.python import Numpy
from benchmarks.systems.system import Missing, OnArrays

ROOT = Path(__file__).resolve().parents[2]


def serve(system: type[OnArrays], lines: str, monkeypatch: pytest.MonkeyPatch):
    """What a worker replies that measures `system` on a small case."""
    small = replace(benchmarks()["launch_100"], fixed={"launches": 3})
    monkeypatch.setattr(worker, "benchmarks", lambda: {"launch_100": small})
    monkeypatch.setitem(SYSTEMS, "tested", system)
    monkeypatch.setattr(sys, "stdin", StringIO(lines))
    replies = StringIO()
    worker.serve("launch_100", "tested", 1, replies)
    return [json.loads(line) for line in replies.getvalue().splitlines()]


class Counts(OnArrays):
    """Does the work of the case `launch_100` in its first `right` runs."""

    right = 10**9
    done = 0

    def compile(self, nonce: int) -> None:
        pass

    def run(self) -> None:
        if self.done < self.right:
            self.arrays["out"] += len(self.case.launches)
        self.done += 1


def test_a_worker_takes_turns(monkeypatch: pytest.MonkeyPatch):
    ready, first, second, last = serve(Counts, "0\n0\n", monkeypatch)
    assert set(ready) == {"cold", "warm", "error"}
    for turn in (first, second):
        assert len(turn["wall"]) == len(turn["processor"]) == worker.FEWEST
        assert min(turn["wall"]) > 0
    assert last == {"error": 0.0}


@pytest.mark.parametrize("right", [0, 1])
def test_a_wrong_result_fails(right: int, monkeypatch: pytest.MonkeyPatch):
    system = type("Wrong", (Counts,), {"right": right})
    *_, last = serve(system, "0\n", monkeypatch)
    assert "wrong result: error" in last["failed"]


def test_what_a_system_cannot_do_is_said(monkeypatch: pytest.MonkeyPatch):
    assert serve(Numpy, "0\n", monkeypatch) == [{"skipped": "no NumPy version"}]


class Absent(Counts):
    """Is not on this machine."""

    @classmethod
    def environment(cls, folder: str, threads: int) -> Mapping[str, str]:
        raise Missing("absent: pip install absent")


def test_what_is_missing_is_said_and_skipped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(SYSTEMS, "absent", Absent)
    (record,) = turns.measure("launch_100", ["absent"], 2)
    assert record.skipped == "absent: pip install absent"
    assert record.seconds is None


def test_a_process_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.0)
    (record,) = turns.measure("launch_100", ["numpy"], 2)
    assert record.failed == "no reply after 0 s"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (("--only", "no_such"), "groups: barriers, divergence, gpu, opencl, pipeline"),
        (("--peers", "no_such"), "expected PEERS= with some of all, none, ablation"),
    ],
)
def test_unknown_names_are_refused(
    option: tuple[str, str], message: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "argv", ["bench", *option])
    with pytest.raises(SystemExit, match=message):
        command.main()


def test_groups_and_patterns():
    assert set(command.chosen("gemm_*,tree_cf")) == {"gemm_f32", "gemm_f64", "tree_cf"}
    assert set(command.chosen("pipeline")) >= {"launch_100", "barrier_regions"}
    assert command.systems("c,ablation")[:3] == ["spmd", "c", "scalar"]


@pytest.mark.slow
def test_the_whole_command(tmp_path: Path):
    subprocess.run(
        [
            *(sys.executable, "-m", "benchmarks", "--out", tmp_path),
            *("--only", "launch_100", "--peers", "scalar"),
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    numbers = json.loads((tmp_path / "results.json").read_text())
    ours, scalar = numbers["records"]
    assert (ours["system"], scalar["system"]) == ("spmd", "scalar")
    assert len(ours["turns"]) == len(scalar["turns"]) == turns.ROUNDS
    assert 0 < ours["warm"] < ours["cold"]
    assert "| launch_100 |" in (tmp_path / "report.md").read_text()
