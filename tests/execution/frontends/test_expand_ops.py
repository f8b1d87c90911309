"""What `scf.forall` and `vector.print` are short for: interpreted, and as native code."""

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


PRINTS = """
spmd.kernel @f(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %pair = vector.broadcast %v : f32 to vector<2xf32>
  vector.print %pair : vector<2xf32>
  spmd.return
}
func.func @main(%x: memref<?xf32>, %d: bf16, %n: index) {
  %c2 = arith.constant 2 : index
  %a = arith.constant dense<[[1.5, -2.0], [0.25, 3.0]]> : vector<2x2xf32>
  %b = arith.constant 7 : i8
  %c = arith.constant dense<[true, false]> : vector<2xi1>
  %e = arith.constant dense<-3> : vector<33xi64>
  %z = vector.broadcast %b : i8 to vector<i8>
  vector.print %a : vector<2x2xf32>
  vector.print %b : i8
  vector.print %c : vector<2xi1>
  vector.print %d : bf16
  vector.print %e : vector<33xi64>
  vector.print %n : index
  vector.print %z : vector<i8>
  spmd.launch @f global(%c2) of(%c2) (%x) : memref<?xf32>
  func.return
}
"""
PRINTED = f"""\
( ( 1.5, -2 ), ( 0.25, 3 ) )
7
( 1, 0 )
-1.5
( {", ".join(["-3"] * 33)} )
9
( 7 )
( 0.5, 0.5 )
( 4, 4 )
"""


def test_vectors_are_printed_as_by_the_runner_of_mlir(
    capsys: pytest.CaptureFixture[str],
):
    x = np.array([0.5, 4], np.float32)
    spmd.compile(PRINTS, width=2)["main"](x, -1.5, 9)
    assert capsys.readouterr().out == PRINTED
    run_function(parse(SourceText("prints.mlir", PRINTS)), "main", [x, -1.5, 9])
    assert capsys.readouterr().out == PRINTED
