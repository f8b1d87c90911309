"""Kernels compute the same with their calls and without."""

from typing import Any

import pytest

import spmd
from spmd.passes.kernels import spmd_inline_calls
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from tests.execution.harness import LINES, Maker, check_passes

KERNEL = """
func.func private @gcd(%a: i32, %b: i32) -> i32 {
  %zero = arith.constant 0 : i32
  cf.br ^test(%a, %b : i32, i32)
^test(%x: i32, %y: i32):
  %done = arith.cmpi eq, %y, %zero : i32
  cf.cond_br %done, ^out, ^step
^step:
  %r = arith.remui %x, %y : i32
  cf.br ^test(%y, %r : i32, i32)
^out:
  func.return %x : i32
}
func.func @both(%a: i32, %b: i32) -> (i32, i32) {
  %g = func.call @gcd(%a, %b) : (i32, i32) -> i32
  %h = func.call @gcd(%g, %a) : (i32, i32) -> i32
  func.return %h, %g : i32, i32
}
spmd.kernel @calls(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %a = memref.load %x[%i] : memref<?xi32>
  %b = memref.load %y[%i] : memref<?xi32>
  %less = arith.cmpi ult, %a, %b : i32
  %r = scf.if %less -> (i32) {
    %p, %q = func.call @both(%a, %b) : (i32, i32) -> (i32, i32)
    %s = arith.muli %p, %q : i32
    scf.yield %s : i32
  } else {
    %p, %q = func.call @both(%b, %a) : (i32, i32) -> (i32, i32)
    %s = arith.subi %p, %q : i32
    scf.yield %s : i32
  }
  memref.store %r, %x[%i] : memref<?xi32>
  spmd.return
}
"""


TWO_CALLS = """
func.func private @twice(%a: f32) -> f32 {
  %b = arith.addf %a, %a : f32
  func.return %b : f32
}
spmd.kernel @k(%x: memref<?xf32>, %a: f32) {
  %i = spmd.global_id x
  %b = func.call @twice(%a) : (f32) -> f32
  %c = func.call @twice(%b) : (f32) -> f32
  memref.store %c, %x[%i] : memref<?xf32>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.integers("i32", 1, 100, make.n), make.integers("i32", 1, 100, make.n)]


def test_functions_of_several_blocks_called_more_than_once():
    module = check_passes(KERNEL, arguments, LINES, SpmdInlineCallsPass())
    assert "func.call" not in str(module.body.block.last_op)


def test_as_many_operations_as_are_allowed(monkeypatch: pytest.MonkeyPatch):
    stages = spmd.compile(TWO_CALLS)["k"].stages
    monkeypatch.setattr(spmd_inline_calls, "MAX_INLINED_OPS", 4)
    assert list(stages())
    monkeypatch.setattr(spmd_inline_calls, "MAX_INLINED_OPS", 3)
    with pytest.raises(spmd.CompileError, match=r"at most 3 operations .* got 4 with"):
        list(stages())
