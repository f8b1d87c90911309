"""The benchmarks run, measure all that they say, and write it as JSON."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.mark.slow
def test_the_benchmarks_of_examples_run_on_one_of_them(tmp_path: Path):
    numbers = tmp_path / "numbers.json"
    script = BENCHMARKS / "run_all.py"
    done = subprocess.run(
        [
            *(sys.executable, script, "--only", "08", "--json", numbers),
            *("--tables", "side-by-side", "cold-compile", "launch-overhead"),
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(numbers.read_text())
    example = results["side-by-side"]["08_python_kernel"]
    assert set(example) == {"vectorize", "loops", "numpy"}
    cold = results["cold-compile"]["08_python_kernel"]
    assert 0 < cold["compile"] < cold["first launch"]
    overhead = results["launch-overhead"]
    assert 0 < overhead["bound"] < overhead["unbound"]
    assert done.stdout.count("08_python_kernel") == 2


def numbers_of(script: str, *arguments: str) -> dict[str, Any]:
    """What a benchmark prints."""
    done = subprocess.run(
        [sys.executable, BENCHMARKS / script, *arguments],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("size", ["fixed", "any"])
def test_sums_of_groups_in_all_forms(size: str):
    times = numbers_of("barriers.py", "1000", size)
    forms = ["fission", "continuations", "reduce"]
    assert list(times) == forms + (["C"] if shutil.which("cc") else [])
    assert all(seconds > 0 for seconds in times.values())


def test_sums_of_groups_without_a_c_compiler(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / "barriers.py", "1000", "fixed"],
        capture_output=True,
        check=True,
        env={**os.environ, "PATH": str(tmp_path)},
    )
    assert list(json.loads(done.stdout)) == ["fission", "continuations", "reduce"]


def test_each_way_to_give_a_size():
    times = numbers_of("fixed_sizes.py", "07_transpose", "small")
    assert list(times) == ["attribute", "pass", "launch", "any size"]


@pytest.mark.parametrize("strategy", ["fission", "continuations"])
def test_time_per_operation_of_each_pass(strategy: str):
    times = numbers_of("linearity.py", strategy, "2", "5")
    assert {"spmd-to-loops", "split-at-barriers", "vectorize"} <= set(times)
    assert all(len(pair) == 2 and min(pair) > 0 for pair in times.values())
