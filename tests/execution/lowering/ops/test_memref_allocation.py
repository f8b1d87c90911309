"""Memory from the stack and from the heap: sizes, loops, and what there is not."""

from __future__ import annotations

import resource

import numpy as np
import pytest

from spmd.runtime.launching.record import LaunchRecord
from tests.execution.lowering.native_functions import NativeFunctions

MEGABYTE = 1 << 20


def peak() -> int:
    """The most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


BLOCKS = """
func.func @f(%n: index, %size: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  cf.br ^head(%c0, %c0 : index, index)
^head(%i: index, %sum: index):
  %a = memref.alloca(%size) : memref<?xindex>
  scf.for %k = %c0 to %size step %c1 {
    memref.store %i, %a[%k] : memref<?xindex>
  }
  %j = arith.remui %i, %size : index
  %v = memref.load %a[%j] : memref<?xindex>
  %next_sum = arith.addi %sum, %v : index
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %next, %n : index
  cf.cond_br %more, ^head(%next, %next_sum : index, index), ^end
^end:
  func.return %next_sum : index
}"""


def test_memory_does_not_grow_in_a_loop_of_blocks():
    functions = NativeFunctions(BLOCKS)
    before = peak()
    n = 2000
    assert functions("f", n, MEGABYTE // 8) == n * (n - 1) // 2
    assert peak() - before < 100 * MEGABYTE


CARRIED = """
func.func @f(%n: index, %m: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> (index) {
    %start = memref.alloca() : memref<1xindex>
    memref.store %i, %start[%c0] : memref<1xindex>
    %last = scf.for %j = %c0 to %m step %c1 iter_args(%p = %start)
        -> (memref<1xindex>) {
      %new = memref.alloca() : memref<1xindex>
      %old = memref.load %p[%c0] : memref<1xindex>
      %sum = arith.addi %old, %c1 : index
      memref.store %sum, %new[%c0] : memref<1xindex>
      scf.yield %new : memref<1xindex>
    }
    %v = memref.load %last[%c0] : memref<1xindex>
    %u = arith.addi %t, %v : index
    scf.yield %u : index
  }
  func.return %total : index
}"""


def test_arrays_that_a_loop_carries_are_freed_after_it():
    functions = NativeFunctions(CARRIED)
    before = peak()
    n, m = 100, 100_000
    assert functions("f", n, m) == n * (n - 1) // 2 + n * m
    # One execution of the inner loop has 10 MB, all of them have a gigabyte.
    assert peak() - before < 100 * MEGABYTE


YIELDED = """
func.func @f(%n: index, %c: i1) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %total = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> (index) {
    %m = scf.if %c -> (memref<500xindex>) {
      %a = memref.alloca() : memref<500xindex>
      scf.yield %a : memref<500xindex>
    } else {
      %b = memref.alloca() : memref<500xindex>
      scf.yield %b : memref<500xindex>
    }
    memref.store %i, %m[%c1] : memref<500xindex>
    %v = memref.load %m[%c1] : memref<500xindex>
    %u = arith.addi %t, %v : index
    scf.yield %u : index
  }
  func.return %total : index
}"""


@pytest.mark.parametrize("condition", [False, True])
def test_an_array_that_leaves_a_branch_stays_on_the_stack(condition: bool):
    functions = NativeFunctions(YIELDED)
    assert "spmd.heap" not in functions.llvm_ir
    n = 100_000
    assert functions("f", n, condition) == n * (n - 1) // 2


SIZED = """
func.func @f(%n: index, %m: index, %i: index) -> index {
  %a = memref.alloca(%n, %m) : memref<?x?xindex>
  memref.store %n, %a[%i, %i] : memref<?x?xindex>
  %v = memref.load %a[%i, %i] : memref<?x?xindex>
  func.return %v : index
}"""


@pytest.mark.parametrize(
    ("n", "m", "message"),
    [
        (1 << 40, 1 << 10, str(1 << 53)),
        (1 << 31, 1 << 30, str(1 << 62)),
        # What wraps to nothing, or to a little.
        (1 << 32, 1 << 32, str(1 << 62)),
        ((1 << 61) + 1, 1, str(1 << 62)),
        (-1, 1, str(1 << 62)),
    ],
)
def test_memory_that_there_is_not_is_reported(n: int, m: int, message: str):
    functions = NativeFunctions(SIZED, assertions="report")
    failed = LaunchRecord()
    functions("f", n, m, 0, failed=failed)
    assert failed.take() == (
        f"<unknown>:3:8: expected {message} bytes of memory for memref.alloca, the system "
        "does not give more"
    )
    assert functions("f", 3, 5, 2, failed=failed) == 3
    assert failed.take() is None


STRIDED = """
func.func @f(%n: index, %i: index) -> index {
  %c1 = arith.constant 1 : index
  %a = memref.alloca(%n) : memref<?x2xindex, strided<[1000000, 3], offset: 7>>
  memref.store %i, %a[%i, %c1] : memref<?x2xindex, strided<[1000000, 3], offset: 7>>
  %v = memref.load %a[%i, %c1] : memref<?x2xindex, strided<[1000000, 3], offset: 7>>
  func.return %v : index
}"""


def test_strided_memory_reaches_to_its_last_element():
    functions = NativeFunctions(STRIDED, assertions="report")
    failed = LaunchRecord()
    assert functions("f", 4, 3, failed=failed) == 3
    assert failed.take() is None
    functions("f", 1 << 45, 3, failed=failed)
    assert "expected 4611686018427387904 bytes" in (failed.take() or "")


def test_large_arrays_of_fixed_size():
    functions = NativeFunctions("""
      func.func @f(%x: memref<3000000xi64>, %i: index) -> i64 {
        %a = memref.alloca() : memref<3000000xi64>
        %b = memref.alloca() {alignment = 4096 : i64} : memref<3000000xi64>
        memref.copy %x, %a : memref<3000000xi64> to memref<3000000xi64>
        memref.copy %a, %b : memref<3000000xi64> to memref<3000000xi64>
        %v = memref.load %b[%i] : memref<3000000xi64>
        func.return %v : i64
      }""")
    assert functions("f", np.arange(3_000_000), 2_999_999) == 2_999_999
