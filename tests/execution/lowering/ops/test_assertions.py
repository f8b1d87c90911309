"""`cf.assert`: what happens when it fails, in functions, in calls and in kernels."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from spmd.lowering.ops.assertions import functions_that_may_fail
from spmd.runtime.launching.record import LaunchRecord
from tests.execution.lowering.entries.test_entry import SIZES, run
from tests.execution.lowering.native_functions import NativeFunctions, parse_module

ABORT = """
from tests.execution.lowering.native_functions import NativeFunctions
functions = NativeFunctions('''
  func.func @f(%x: i32) -> i32 {
    %c3 = arith.constant 3 : i32
    %ok = arith.cmpi slt, %x, %c3 : i32
    cf.assert %ok, "expected x below three"
    func.return %x : i32
  }''')
print(functions("f", 2), flush=True)
functions("f", 5)
print("not reached")
"""


def test_an_assertion_that_fails_ends_the_process():
    run = subprocess.run(
        [sys.executable, "-c", ABORT], capture_output=True, text=True, check=False
    )
    assert run.returncode == -6
    assert run.stdout == "2\n"
    assert "expected x below three" in run.stderr


CALLS = """builtin.module {
  func.func private @check(%x: i32, %out: memref<?xi32>) -> i32 {
    %c3 = arith.constant 3 : i32
    %c0 = arith.constant 0 : index
    %ok = arith.cmpi slt, %x, %c3 : i32
    cf.assert %ok, "expected x below three"
    memref.store %x, %out[%c0] : memref<?xi32>
    func.return %x : i32
  }
  func.func private @twice(%x: i32, %out: memref<?xi32>) -> (i32, i32) {
    %y = func.call @check(%x, %out) : (i32, memref<?xi32>) -> i32
    func.return %y, %y : i32, i32
  }
  func.func @f(%x: i32, %n: index, %out: memref<?xi32>) -> i32 {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant 0 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
      %k = arith.index_cast %i : index to i32
      %z = arith.addi %x, %k : i32
      %a, %b = func.call @twice(%z, %out) : (i32, memref<?xi32>) -> (i32, i32)
      %t = arith.addi %s, %b : i32
      memref.store %k, %out[%c1] : memref<?xi32>
      scf.yield %t : i32
    }
    func.return %sum : i32
  }
  func.func @safe(%x: i32) -> i32 { func.return %x : i32 }
}"""


def test_functions_that_may_fail():
    module = parse_module(CALLS)
    assert functions_that_may_fail(module, ()) == {"check", "twice", "f"}


def test_every_caller_returns_when_an_assertion_fails():
    functions = NativeFunctions(CALLS, assertions="report")
    out, failed = np.full(2, -1, np.int32), LaunchRecord()
    assert functions("f", 0, 3, out, failed=failed) == 3
    assert (failed.take(), out.tolist()) == (None, [2, 2])
    out[:] = -1
    functions("f", 1, 5, out, failed=failed)
    assert failed.take() == "an assertion failed: <unknown>:6:5: expected x below three"
    # Iterations 0 and 1 have run, and of iteration 2 nothing after the assertion.
    assert out.tolist() == [2, 1]
    assert functions("safe", 7) == 7


@pytest.mark.parametrize("versions", [1, 2])
def test_a_kernel_reports_and_starts_no_more_groups(versions: int):
    def kernel(name: str) -> str:
        return f"""
      func.func @{name}(%x: memref<?xi32>, %bad: index, {SIZES}) attributes {{
          spmd.work_group_function}} {{
        %ok = arith.cmpi ne, %gx, %bad : index
        cf.assert %ok, "expected another group"
        %one = arith.constant 1 : i32
        memref.store %one, %x[%gx] : memref<?xi32>
        func.return
      }}"""

    names = ["k", "k.full"][:versions]
    text = f"builtin.module {{ {''.join(map(kernel, names))} }}"
    functions = NativeFunctions(text, assertions="report")
    x, failed = np.zeros(10, np.int32), LaunchRecord()
    sizes = ((2, 1, 1), (19, 1, 1))
    run(functions, [x, 20], *sizes, (0, 10), failed=failed)
    assert (failed.take(), x.tolist()) == (None, [1] * 10)
    for bad in (6, 9):
        x[:] = 0
        failed.clear()
        run(functions, [x, bad], *sizes, (0, 10), failed=failed)
        assert failed.stopped
        assert x.tolist() == [1] * bad + [0] * (10 - bad)
    # As it is for other threads once one has failed.
    x[:] = 0
    run(functions, [x, 20], *sizes, (0, 10), failed=failed)
    assert not x.any()
    assert failed.take() == "an assertion failed: <unknown>:5:9: expected another group"
