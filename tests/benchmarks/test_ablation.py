"""With single techniques left out the code is another one, and still right."""

from typing import Any, cast

import pytest

import spmd
from benchmarks.measuring.worker import check
from benchmarks.suite.case import benchmarks
from benchmarks.systems import WITHOUT
from benchmarks.systems.spmd_system import Spmd
from spmd.passes.pipelines.pipeline import left_out
from spmd.runtime.options import CompileOptions

SHOWN_BY = {
    "scalar": "mandelbrot",
    "continuations": "reduction_f32",
    "any-size": "reduction_f32",
    "width-4": "mandelbrot",
    "width-8": "mandelbrot",
    "width-16": "nbody",
    "no-skip": "layer_norm",
    "linear": "naive_gemm",
    "no-clip": "reduction_f32",
    "all-barriers": "barrier_exit",
    "checked": "xsbench",
}
"""A case that each of them changes."""

BENCHMARKS = benchmarks()


def code(case: str, options: dict[str, Any]) -> str:
    """The IR of the kernel of a case, as a launch compiles it."""
    made = BENCHMARKS[case].case(small=True)
    launch = made.launches[0]
    kernel = spmd.compile(made.mlir_text(), **options).kernels[launch.kernel]
    stages = dict(kernel.stages(group_size=launch.group_size))
    return list(stages.values())[-2]


def test_every_one_is_tested_and_described():
    assert list(SHOWN_BY) == list(WITHOUT)


@pytest.mark.parametrize("name", WITHOUT)
def test_another_code_with_the_same_result(name: str):
    kind = cast("type[Spmd]", WITHOUT[name])
    assert code(SHOWN_BY[name], kind.options) != code(SHOWN_BY[name], {})
    system = kind(BENCHMARKS[SHOWN_BY[name]].case(small=True), threads=1)
    system.compile(0)
    system.run()
    check(system)


def test_unknown_names_are_refused():
    passes = CompileOptions().passes()
    known = r"check-barriers, .*, mask-divergence, mask-divergence\.keep_uniform, "
    with pytest.raises(
        ValueError, match=rf"options, .*{known}.*, got mask-divergence\.width$"
    ):
        left_out(passes, ("mask-divergence.width",))


def test_users_are_not_told():
    with pytest.raises(spmd.CompileError) as error:
        spmd.compile("", nonsense=1)
    assert "without" not in str(error.value)
