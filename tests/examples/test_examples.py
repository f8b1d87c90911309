"""Every example is right for every width, on one thread and several, at any size."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import spmd

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
sys.path.append(str(EXAMPLES))

SCRIPTS = sorted(EXAMPLES.glob("[0-9][0-9]_*.py"))
WITH_KERNEL = [script for script in SCRIPTS if "EXAMPLE = " in script.read_text()]

OPTIONS = [
    {"vectorize": False},
    *({"width": width} for width in (1, 4, 8, 16, 32, 64)),
    pytest.param({"width": "auto"}, marks=pytest.mark.optimized),
]


@cache
def load(script: Path) -> ModuleType:
    spec = util.spec_from_file_location(f"example_{script.stem}", script)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_examples_are_numbered():
    numbers = [f"{n:02}" for n in range(1, len(SCRIPTS) + 1)]
    assert [script.stem[:2] for script in SCRIPTS] == numbers


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("script", WITH_KERNEL, ids=lambda script: script.stem)
def test_example_is_right(script: Path, options: dict[str, Any]):
    example = load(script).EXAMPLE
    kernel: spmd.Kernel = example.compile(**options)
    for size in example.small_sizes:
        launch = example.launch(*size)
        expected = example.expected(launch)
        for threads in (1, 4):
            arguments = launch.copy()
            kernel(*arguments, global_size=launch.global_size, threads=threads)
            example.check(launch, arguments, expected)


@pytest.mark.parametrize("script", WITH_KERNEL, ids=lambda script: script.stem)
def test_twin_in_python_is_right(script: Path):
    example = load(script).EXAMPLE
    if example.module is not None:
        pytest.skip("it is built in Python")
    twin = load(EXAMPLES / "twins.py").TWINS[example.kernel]
    for size in example.small_sizes:
        launch = example.launch(*size)
        arguments = launch.copy()
        twin(*arguments, global_size=launch.global_size)
        example.check(launch, arguments, example.expected(launch))


@pytest.mark.parametrize("script", WITH_KERNEL, ids=lambda script: script.stem)
def test_check_of_an_example_notices_one_wrong_element(script: Path):
    example = load(script).EXAMPLE
    launch = example.launch(*example.small_sizes[-1])
    expected = example.expected(launch)
    for i in launch.outputs:
        arguments = list(example.expected(launch))
        example.check(launch, arguments, expected)
        arguments[i] = arguments[i].copy()
        arguments[i].flat[-1] += 1
        with pytest.raises(AssertionError):
            example.check(launch, arguments, expected)


@pytest.mark.parametrize("size", [1, 7, 100])
def test_stencils_are_right_at_any_size(size: int):
    stencil = load(EXAMPLES / "10_stencil.py")
    program = stencil.compiled(size)
    for threads in (1, 4):
        stencil.check(program, size, threads)


@pytest.mark.parametrize("sizes", [(1, 1, 1), (16, 32, 16), (17, 5, 40), (33, 70, 2)])
def test_kernels_for_gpus_are_right_at_any_size(sizes: tuple[int, int, int]):
    example = load(EXAMPLES / "14_gpu.py")
    program = spmd.compile(example.SOURCE)
    for threads in (1, 4):
        example.check(program, *sizes, threads)


def test_foreign_function_is_right_at_any_size():
    foreign = load(EXAMPLES / "09_foreign_function.py")
    native = foreign.compile_native(foreign.to_llvm(foreign.SOURCE))
    for shape in ((3, 3), (10, 10), (9, 33), (40, 100)):
        heat = np.random.default_rng(0).random(shape, np.float32)
        got, expected = heat.copy(), heat.copy()
        foreign.bind(native, heat, got, 0.1)()
        foreign.with_numpy(heat, expected, 0.1)
        np.testing.assert_array_equal(got, expected)


def test_scripts_print_one_row_and_write_the_ir(tmp_path: Path):
    """Of the cheapest one; `make example` runs them all."""
    script = EXAMPLES / "08_python_kernel.py"
    environment = {**os.environ, "SPMD_EXAMPLES_OUT": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, script],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    header, row = done.stdout.splitlines()
    assert header.startswith("example")
    assert row.startswith("08_python_kernel")
    names = [path.name for path in sorted((tmp_path / "08_python_kernel").iterdir())]
    assert any(name.endswith("-spmd-to-loops.mlir") for name in names)
    assert names[-1].endswith("-spmd-llvm.ll")
