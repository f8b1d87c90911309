"""What `scf.forall` is short for does what its numbers say: interpreted, and as native code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import spmd
from spmd.dialects.interfaces.expansion import Expansion
from spmd.passes.frontends.expand_ops import ExpandOpsPass
from spmd.reference import run_function, run_kernel
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

LOOP = """
  scf.forall (%i, %j) = (%low, 1) to (%n, 30) step (2, %step) {
    %was = memref.load %x[%i, %j] : memref<?x?xi32>
    %now = arith.addi %was, %t : i32
    memref.store %now, %x[%i, %j] : memref<?x?xi32>
  }
"""
FUNCTION = f"""
func.func @f(%x: memref<?x?xi32>, %low: index, %n: index, %step: index, %t: i32) {{
  {LOOP}
  func.return
}}
"""
# Each work-item has rows of its own.
KERNEL = f"""
spmd.kernel @f(%x: memref<?x?xi32>, %first: index, %n: index, %step: index, %t: i32) {{
  %c2 = arith.constant 2 : index
  %id = spmd.global_id x
  %low = arith.addi %first, %id : index
  {LOOP}
  spmd.return
}}
"""


def expected(low: int, n: int, step: int) -> NDArray[Any]:
    x = np.zeros((40, 32), np.int32)
    x[low:n:2, 1:30:step] += 7
    return x


@pytest.mark.parametrize(("low", "n", "step"), [(0, 40, 1), (3, 17, 5), (20, 4, 2)])
def test_a_function(low: int, n: int, step: int):
    module = parse(SourceText("forall.mlir", FUNCTION))
    after = module.clone()
    ExpandOpsPass().apply(make_context(), after)
    after.verify()
    assert not any(Expansion.of(op) for op in after.walk())
    runs: list[Callable[..., Any]] = [
        lambda *args: run_function(module, "f", args),
        lambda *args: run_function(after, "f", args),
        spmd.compile(FUNCTION)["f"],
    ]
    for run in runs:
        x = np.zeros((40, 32), np.int32)
        run(x, low, n, step, 7)
        np.testing.assert_array_equal(x, expected(low, n, step))


@pytest.mark.parametrize("width", [1, 8])
def test_one_iteration_after_the_other_in_kernels(width: int):
    module = parse(SourceText("forall.mlir", KERNEL))
    kernel = spmd.compile(module, width=width)["f"]
    want = expected(0, 11, 3) + expected(1, 11, 3)
    x, y = np.zeros((2, 40, 32), np.int32)
    run_kernel(module, "f", (x, 0, 11, 3, 7), global_size=2)
    kernel(y, 0, 11, 3, 7, global_size=2)
    np.testing.assert_array_equal(x, want)
    np.testing.assert_array_equal(y, want)
