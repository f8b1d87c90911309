"""A benchmark that measures wrong code says so, whichever of its forms it is."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"

FORMS = """
import itertools
import spmd
{imports}

class Nothing:
    # Code that leaves all arrays as they are.
    def __init__(self, *a, **k): self.kernels = self
    def __getitem__(self, name): return self
    def __call__(self, *a, **k): pass
    def bind(self, *a, **k): return self

right = spmd.compile

def found(wrong):
    numbers = itertools.count()
    def compile(*a, **k):
        number = next(numbers)
        return Nothing() if number == wrong else right(*a, **k)
    spmd.compile = compile
    try:
        {measure}
    except AssertionError:
        return True
    assert next(numbers) == wrong, "not compiled, or not checked"
    return False

print(sum(itertools.takewhile(bool, map(found, itertools.count()))))
"""

C = """
import barriers
barriers.C = barriers.C.replace("out[group] = tile[0]", "{instead}")
barriers.measure(1000, fixed=True, budget=0)
"""


def run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=BENCHMARKS,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "measure", "forms"),
    [
        ("side_by_side", "measure('08_python_kernel', budget=0)", 2),
        ("barriers", "measure(1000, fixed=False, budget=0)", 3),
        ("fixed_sizes", "measure('07_transpose', small=True, budget=0)", 4),
        ("launch_overhead", "measure(calls=1, repeats=1)", 1),
        ("cold_compile", "measure('08_python_kernel')", 1),
    ],
)
def test_each_form_is_checked(name: str, measure: str, forms: int):
    script = FORMS.format(imports=f"import {name}", measure=f"{name}.{measure}")
    done = run(script)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == forms


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
@pytest.mark.parametrize("instead", ["out[group] = tile[0] + 1", ""])
def test_what_c_computes_is_checked(instead: str):
    done = run(C.format(instead=instead))
    assert done.returncode != 0
    assert "AssertionError" in done.stderr
