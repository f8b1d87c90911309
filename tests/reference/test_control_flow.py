"""Loops, branches and blocks of the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from spmd.dialects.diagnostics import KernelError
from spmd.reference import UndefinedBehavior
from tests.reference.functions import call


@pytest.mark.parametrize(
    ("low", "high", "step", "expected"),
    [
        (0, 10, 3, [0, 3, 6, 9]),
        (-5, 3, 4, [-5, -1]),
        (3, 3, 1, []),
        (5, -5, 1, []),
        ((1 << 62), (1 << 62) + 3, 2, [1 << 62, (1 << 62) + 2]),
    ],
)
def test_bounds_of_loops_are_signed(
    low: int, high: int, step: int, expected: list[int]
):
    source = """
func.func @f(%low: index, %high: index, %step: index, %out: memref<8xindex>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = scf.for %i = %low to %high step %step iter_args(%k = %c0) -> (index) {
    memref.store %i, %out[%k] : memref<8xindex>
    %next = arith.addi %k, %c1 : index
    scf.yield %next : index
  }
  func.return %n : index
}
"""
    out = np.zeros(8, np.int64)
    assert call(source, low, high, step, out) == [len(expected)]
    assert out[: len(expected)].tolist() == expected


def test_a_step_must_be_positive():
    source = """
func.func @f(%step: index) {
  %c0 = arith.constant 0 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %step {
  }
  func.return
}
"""
    with pytest.raises(UndefinedBehavior, match="positive step, got 0"):
        call(source, 0)


def test_values_carried_by_loops_are_assigned_at_once():
    source = """
func.func @f(%n: index, %x: i32, %y: i32) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (i32, i32) {
    scf.yield %q, %p : i32, i32
  }
  func.return %a, %b : i32, i32
}
"""
    assert call(source, 3, 1, 2) == [2, 1]
    assert call(source, 0, 1, 2) == [1, 2]


def test_while_passes_other_values_on_than_it_carries():
    source = """
func.func @f(%start: i32) -> (i32, i64) {
  %one = arith.constant 1 : i32
  %r, %s = scf.while (%a = %start) : (i32) -> (i32, i64) {
    %two = arith.constant 2 : i32
    %more = arith.cmpi sgt, %a, %one : i32
    %b = arith.muli %a, %two : i32
    %wide = arith.extsi %b : i32 to i64
    scf.condition(%more) %b, %wide : i32, i64
  } do {
  ^bb0(%b: i32, %wide: i64):
    %six = arith.constant 6 : i32
    %c = arith.subi %b, %six : i32
    scf.yield %c : i32
  }
  func.return %r, %s : i32, i64
}
"""
    assert call(source, 5) == [-4, -4]  # 5, 4, 2, -2: 2 * -2
    assert call(source, 0) == [0, 0]


def test_index_switch_takes_negative_cases_and_the_default():
    source = """
func.func @f(%k: index) -> i32 {
  %r = scf.index_switch %k -> i32
  case -1 {
    %a = arith.constant 10 : i32
    scf.yield %a : i32
  }
  case 4 {
    %a = arith.constant 20 : i32
    scf.yield %a : i32
  }
  default {
    %a = arith.constant 30 : i32
    scf.yield %a : i32
  }
  func.return %r : i32
}
"""
    assert [call(source, k)[0] for k in (-1, 4, 0)] == [10, 20, 30]


def test_blocks_with_swapped_arguments_and_a_switch():
    source = """
func.func @f(%n: i32, %x: i32, %y: i32) -> i32 {
  %one = arith.constant 1 : i32
  cf.br ^loop(%n, %x, %y : i32, i32, i32)
^loop(%k: i32, %a: i32, %b: i32):
  cf.switch %k : i32, [
    default: ^more,
    0: ^done(%a : i32),
    7: ^done(%b : i32)
  ]
^more:
  %next = arith.subi %k, %one : i32
  cf.br ^loop(%next, %b, %a : i32, i32, i32)
^done(%r: i32):
  func.return %r : i32
}
"""
    assert call(source, 0, 1, 2) == [1]
    assert call(source, 3, 1, 2) == [2]
    assert call(source, 8, 1, 2) == [1]  # one swap, then case 7 takes the second


def test_parallel_loops_reduce():
    source = """
func.func @f(%n: index, %m: index) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = "scf.parallel"(%c0, %c0, %n, %m, %c1, %c1, %c0)
      <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
  ^bb0(%i: index, %j: index):
    %p = arith.muli %i, %j : index
    scf.reduce(%p : index) {
    ^bb0(%a: index, %b: index):
      %s = arith.addi %a, %b : index
      scf.reduce.return %s : index
    }
  }) : (index, index, index, index, index, index, index) -> index
  func.return %r : index
}
"""
    assert call(source, 3, 4) == [sum(i * j for i in range(3) for j in range(4))]


def test_functions_may_be_recursive_where_nobody_waits():
    source = """
func.func @f(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %stop = arith.cmpi sle, %n, %zero : i32
  %r = scf.if %stop -> (i32) {
    scf.yield %one : i32
  } else {
    %m = arith.subi %n, %one : i32
    %rest = func.call @f(%m) : (i32) -> i32
    %p = arith.muli %n, %rest : i32
    scf.yield %p : i32
  }
  func.return %r : i32
}
"""
    assert call(source, 6) == [720]


def test_assertions_stop_with_their_message_and_place():
    source = """
func.func @f(%ok: i1) {
  cf.assert %ok, "not today"
  func.return
}
"""
    call(source, True)
    with pytest.raises(UndefinedBehavior, match=r"kernel\.mlir:3:3: .*not today"):
        call(source, False)


def test_undefined_values_may_travel_but_not_decide():
    source = """
func.func @f(%amount: i32, %take: i1) -> i32 {
  %one = arith.constant 1 : i32
  %shifted = arith.shli %one, %amount : i32
  %sum = arith.addi %shifted, %one : i32
  %r = arith.select %take, %sum, %one : i32
  func.return %r : i32
}
func.func @g(%amount: i32) {
  %one = arith.constant 1 : i32
  %shifted = arith.shli %one, %amount : i32
  %odd = arith.cmpi eq, %shifted, %one : i32
  scf.if %odd {
  }
  func.return
}
"""
    assert call(source, 40, False) == [1]
    assert call(source, 4, True) == [17]
    with pytest.raises(UndefinedBehavior, match="undefined condition"):
        call(source, 40, name="g")


def nest(depth: int) -> str:
    """Loops around each other, each of two iterations."""
    head = "\n".join(f"scf.for %i{d} = %c0 to %c2 step %c1 {{" for d in range(depth))
    return f"""
func.func @f(%x: memref<1xi32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i32
  {head}
  %v = memref.load %x[%c0] : memref<1xi32>
  %w = arith.addi %v, %one : i32
  memref.store %w, %x[%c0] : memref<1xi32>
  {"}" * depth}
  func.return
}}
"""


def test_deeply_nested_loops():
    x = np.zeros(1, np.int32)
    call(nest(9), x)
    assert x[0] == 1 << 9
    with pytest.raises(KernelError, match="at most 20 loops"):
        call(nest(25), x)
