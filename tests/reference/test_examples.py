"""The examples, at reduced sizes, are free of faults, and right, in the interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.test_examples import WITH_KERNEL, load

SIZES: dict[str, tuple[int, ...]] = {
    "01_saxpy": (300,),
    "02_black_scholes": (100,),
    "03_mandelbrot": (20, 9, 30),
    "04_group_sum": (700,),
    "05_gemm": (70, 65, 20),
    "06_nbody": (260,),
    "07_transpose": (260, 40),
}


@pytest.mark.parametrize("script", WITH_KERNEL, ids=lambda script: script.stem)
def test_example_has_no_fault(script: Path):
    example = load(script).EXAMPLE
    launch = example.launch(*SIZES.get(script.stem, ()))
    if script.stem not in SIZES:
        launch = example.launch(*min(example.small_sizes))
    arguments = launch.copy()
    report = example.compile().check(*arguments, global_size=launch.global_size)
    assert report, str(report)
    example.check(launch, arguments, example.expected(launch))
