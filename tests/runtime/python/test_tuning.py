"""Kernels that choose among configurations by trying them."""

# pyright: basic

import array
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import spmd
from spmd.language import constexpr, global_id
from tests.runtime.python.harness import kernel_of


def work(x, n, times: constexpr = 1):
    i = global_id()
    if i < n:
        v = 0.0
        for _ in range(times * 1000):
            v = v * 0.5 + 1
        x[i] = times + v * 0


def counted(x, n, times: constexpr = 1):
    x[global_id()] += 1


CONFIGS = [{"times": 30}, {"times": 1, "group_size": 32, "width": 8}, {"times": 40}]


def test_the_fastest_is_used_and_arrays_are_restored():
    kernel = spmd.autotune(CONFIGS, key=["n"])(spmd.kernel(work))
    x = np.full(64, 7.0)
    assert kernel.config(x, 64, global_size=64) == CONFIGS[1]
    assert (x == 7).all()
    kernel(x, 64, global_size=64)
    assert (x == 1).all()


def test_arrays_of_others_are_restored():
    kernel = spmd.autotune(CONFIGS, key=["n"])(spmd.kernel(counted))
    x = array.array("d", [7.0] * 64)
    kernel(x, 64, global_size=64)
    assert list(x) == [8.0] * 64


def test_a_search_for_each_key():
    kernel = spmd.autotune(CONFIGS, key="n")(spmd.kernel(work))
    x = np.zeros(64)
    for n in (8, 8, 16, 16):
        kernel(x, n, global_size=64)
    assert len(kernel._chosen) == 2
    kernel(x.astype(np.float32), 8, global_size=64)
    kernel(x, 8, global_size=64, threads=1)
    assert len(kernel._chosen) == 4


def test_the_explanation_is_of_the_fastest():
    kernel = spmd.autotune(CONFIGS, key="n")(spmd.kernel(work))
    text = str(kernel.explain(np.zeros(64), 64, global_size=64))
    assert "32 work-items" in text
    assert "8 lanes: width=8" in text


@spmd.kernel
def neighbours(x, far: constexpr):
    i = global_id()
    x[i] = x[(i + far) % 64]


def test_check_finds_what_is_wrong_in_any_configuration():
    configs = [{"far": 0}, {"far": 1}, {"far": 2}]
    x = np.arange(64)
    report = spmd.autotune(configs)(neighbours).check(x, global_size=64)
    assert not report
    assert "work-item 1 " in str(report)
    assert spmd.autotune(configs[:1])(neighbours).check(x, global_size=lambda c: 64)


PROGRAM = """
import sys
import numpy as np
import spmd
from spmd.language import constexpr, global_id

@spmd.function
def half(v):
    return v * FACTOR + 1

@spmd.autotune([{"times": 30}, {"times": 1}])
@spmd.kernel
def work(x, times: constexpr = 1):
    v = 0.0
    for _ in range(times * 1000):
        v = half(v)
    x[global_id()] = times + v * 0

FACTOR = 0.25 if sys.argv[1] == "other" else 0.5
searched = []
search = work._fastest
work._fastest = lambda *given: searched.append(1) or search(*given)
x = np.zeros(8)
work(x, global_size=8)
assert x[0] == 1
assert bool(searched) == (sys.argv[1] != "again")
"""


def test_another_process_finds_it_in_the_cache(tmp_path: Path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "SPMD_CACHE_DIR": str(tmp_path / "cache")}
    for word in ("first", "again", "other"):
        subprocess.run(
            [sys.executable, str(program), word], env=environment, check=True
        )


def test_sizes_that_depend_on_the_configuration(capsys: pytest.CaptureFixture[str]):
    @spmd.kernel
    def several(x, each: constexpr):
        for k in range(each):
            x[global_id() * each + k] += 1

    configs = [{"each": 2}, {"each": 4}]
    kernel = spmd.autotune(configs, progress=True)(several)
    x = np.zeros(64)
    kernel(x, global_size=lambda config: x.size // config["each"])
    assert (x == 1).all()
    shown = capsys.readouterr().err.splitlines()
    assert len(shown) == 2
    assert shown[0].startswith("tuning several: 1 of 2, {'each': 2}: ")


def test_configurations_that_fail_are_left_out():
    configs = [{"group_size": 1 << 30}, {"group_size": 16}]
    kernel = spmd.autotune(configs)(spmd.kernel(work))
    assert kernel.config(np.zeros(4), 4, global_size=4) == configs[1]
    kernel = spmd.autotune(configs[:1])(spmd.kernel(work))
    with pytest.raises((spmd.LaunchError, spmd.CompileError), match="group"):
        kernel(np.zeros(4), 4, global_size=4)


PLAIN = kernel_of("@spmd.kernel\ndef k(x, n: constexpr):\n    x[0] = n\n")
WRONG = [
    (lambda: spmd.autotune([])(PLAIN), "k: expected configs, got none"),
    (lambda: spmd.autotune([{"m": 1}])(PLAIN), "configs of group_size.*n, got 'm'"),
    (lambda: spmd.autotune([{}], key=["m"])(PLAIN), "which are x, n, got 'm'"),
    (lambda: spmd.autotune([{"width": 3}])(PLAIN), "width"),
    (lambda: spmd.autotune([{}])(work), "expected @spmd.kernel below"),  # type: ignore
    (lambda: spmd.autotune([{"n": 1}])(PLAIN)(), "missing a required argument: 'x'"),
]


@pytest.mark.parametrize(("call", "message"), WRONG)
def test_what_is_wrong(call, message: str):
    with pytest.raises((spmd.CompileError, spmd.LaunchError), match=message):
        call()
