"""`make bench` prints a row for each thing that it measures, with the right ratios."""

import json
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

SCRIPT = """
import sys
import run_all

NUMBERS = {
    "side_by_side.py": {"vectorize": 1.0, "loops": 3.0, "numpy": 5.0},
    "cold_compile.py": {"compile": 1.0, "first launch": 2.0},
    "launch_overhead.py": {"bound": 1e-6, "unbound": 2e-6},
    "barriers.py": {"fission": 3.0, "continuations": 5.0, "reduce": 7.0, "C": 11.0},
    "fixed_sizes.py": {"attribute": 1.0, "pass": 2.0, "launch": 4.0, "any size": 9.0},
    "linearity.py": {"vectorize": [2.0, 3.0]},
}
if "no cc" in sys.argv:
    sys.argv.remove("no cc")
    del NUMBERS["barriers.py"]["C"]

def run(script, *arguments):
    print(script, *arguments, file=sys.stderr)
    return NUMBERS[script]

run_all.run = run
run_all.main()
"""

TABLES = """\
One thread, medians of one run
example vectorize loops NumPy loops/vec NumPy/vec
07_transpose 1 s 3 s 5 s 3.00x 5.00x

Cold compile, median of 3 fresh processes, without imports
example spmd.compile first launch
07_transpose 1 s 2 s

A launch of one group, three f32 arrays and one scalar, one thread
bound 1 us
unbound 2 us

Sums of groups of 256, one thread, medians of one run
elements fission continuations reduce C cont/fission fission/C fission/reduce
2^18, fixed size 3 s 5 s 7 s 11 s 1.67x 0.27x 0.43x
2^24, fixed size 3 s 5 s 7 s 11 s 1.67x 0.27x 0.43x
2^18, any size 3 s 5 s 7 s 11 s 1.67x 0.27x 0.43x
2^24, any size 3 s 5 s 7 s 11 s 1.67x 0.27x 0.43x

A fixed size of groups and any size, one thread, medians of one run
example attribute pass launch any size any/launch
07_transpose 1 s 2 s 4 s 9 s 2.25x

Compile time per operation, kernels with barriers of 200 and 5,000 operations
fission 200 5,000 ratio
vectorize 2.0 us 3.0 us 1.50x
continuations 200 5,000 ratio
vectorize 2.0 us 3.0 us 1.50x
"""

RUNS = """\
side_by_side.py 07_transpose
cold_compile.py 07_transpose
cold_compile.py 07_transpose
cold_compile.py 07_transpose
launch_overhead.py
barriers.py 262144 fixed
barriers.py 16777216 fixed
barriers.py 262144 any
barriers.py 16777216 any
fixed_sizes.py 07_transpose
linearity.py fission
linearity.py continuations
"""


def tables(*arguments: str) -> tuple[str, str]:
    """What is printed, with single spaces, and what is run, for made-up numbers."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments, "--only", "07"],
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [" ".join(line.split()) + "\n" for line in done.stdout.splitlines()]
    return "".join(lines).replace("\n \n", "\n\n"), done.stderr


def test_all_tables(tmp_path: Path):
    file = tmp_path / "numbers.json"
    assert tables("--json", str(file)) == (TABLES, RUNS)
    numbers = json.loads(file.read_text())
    assert list(numbers) == [
        *("side-by-side", "cold-compile", "launch-overhead"),
        *("barriers", "fixed-sizes", "linearity"),
    ]
    assert numbers["fixed-sizes"]["07_transpose"]["any size"] == 9
    assert numbers["linearity"]["continuations"]["vectorize"] == [2, 3]
    readme = (BENCHMARKS / "README.md").read_text()
    assert all(f"| `{table}` |" in readme for table in numbers)
    assert readme.count("\n| `") == len(numbers) + 3  # and the columns of barriers


def test_without_a_c_compiler():
    shown, _ = tables("no cc", "--tables", "barriers")
    assert shown.count("3 s 5 s 7 s no cc 1.67x - 0.43x\n") == 4
