"""The benchmarks run, measure all that they say, and write it as JSON."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def test_all_benchmarks_run_on_one_example(tmp_path: Path):
    numbers = tmp_path / "numbers.json"
    script = BENCHMARKS / "run_all.py"
    done = subprocess.run(
        [sys.executable, script, "--only", "08", "--json", numbers],
        capture_output=True,
        text=True,
        check=True,
    )
    results = json.loads(numbers.read_text())
    example = results["side by side"]["08_python_kernel"]
    assert set(example) == {"vectorize", "loops", "numpy"}
    cold = results["cold compile"]["08_python_kernel"]
    assert 0 < cold["compile"] < cold["first launch"]
    overhead = results["launch overhead"]
    assert 0 < overhead["bound"] < overhead["unbound"]
    assert done.stdout.count("08_python_kernel") == 2
