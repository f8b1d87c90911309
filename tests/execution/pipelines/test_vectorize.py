"""`vectorize`: the steps one after the other, in two dimensions, on threads."""

from __future__ import annotations

from typing import Literal

import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from spmd.dialects.diagnostics import KernelError
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    PLANES,
    Maker,
    check_native,
    check_native_launches,
    check_passes,
    parsed,
)
from tests.execution.pipelines.vectorize_kernels import CASES

PLANE = """
spmd.kernel @plane(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  %w = memref.load %x[%j, %i] : memref<?x?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  scf.if %positive {
    memref.store %w, %y[%i, %j] : memref<?x?xf32>
  }
  spmd.return
}
"""


def _plane(make: Maker):
    return [make.random("f32", *make.size), make.zeros("f32", *make.size[::-1])]


@pytest.mark.parametrize("width", [1, 4, 32, "auto"])
def test_planes(width: Literal[1, 4, 32, "auto"]):
    for launch in PLANES:
        check_native(PLANE, _plane, launch, width=width, threads=2)


@pytest.mark.parametrize("name", CASES)
def test_the_best_width_computes_what_work_items_do(name: str):
    case = CASES[name]
    for vectorize in (True, False):
        check_native_launches(
            case.source,
            case.arguments,
            LINES,
            vectorize=vectorize,
            tolerance=case.tolerance,
        )


def _loops_of(module: ModuleOp) -> list[str]:
    return [
        str(op.attributes.get("spmd.not_vectorized"))
        for function in module.ops
        if isinstance(function, func.FuncOp)
        for op in function.walk()
        if "spmd.work_items" in op.attributes
    ]


def test_width_one_leaves_every_loop_and_says_so():
    case = CASES["switch"]
    launch = LINES[2]
    module = check_passes(
        case.source,
        case.arguments,
        (launch,),
        SpmdToLoopsPass(),
        VectorizePass(width=1),
    )
    assert '"the width is 1"' in _loops_of(module)


@pytest.mark.parametrize("width", [0, 3, 128, -8])
def test_a_width_that_is_not_allowed(width: int):
    module = parsed(PLANE).clone()
    with pytest.raises(KernelError, match=f"power of two from 1 to 64, got {width}"):
        VectorizePass(width=width).apply(make_context(), module)
