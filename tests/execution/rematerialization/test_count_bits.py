"""Kernels compute the same when loops that clear bits are counted before they run."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.rematerialization.count_bits import CountBitsPass
from tests.execution.harness import (
    LINES,
    Maker,
    check_native_launches,
    check_passes,
)

KERNEL = """
spmd.kernel @bits(%x: memref<?xT>, %y: memref<?xT>, %z: memref<?xT>) {
  %c0 = arith.constant 0 : T
  %c1 = arith.constant 1 : T
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xT>
  %n, %left, %sum = scf.while (%a = %c1, %b = %v, %s = %c0) : (T, T, T) -> (T, T, T) {
    %more = arith.cmpi PREDICATE, %b, %c0 : T
    scf.condition(%more) %a, %b, %s : T, T, T
  } do {
  ^bb0(%a: T, %b: T, %s: T):
    %less = arith.subi %b, %c1 : T
    %next = arith.andi %b, %less : T
    %one_more = arith.addi %a, %c1 : T
    %sum = arith.WHAT %s, %b : T
    scf.yield %one_more, %next, %sum : T, T, T
  }
  %both = arith.addi %n, %left : T
  memref.store %both, %y[%i] : memref<?xT>
  memref.store %sum, %z[%i] : memref<?xT>
  spmd.return
}
"""
"""`WHAT` is made of all that the number becomes."""


@pytest.mark.parametrize("what", ["addi", "xori"])
@pytest.mark.parametrize(
    ("type_", "predicate"),
    [("i8", "ne"), ("i16", "ugt"), ("i32", "ne"), ("i64", "ne"), ("index", "ugt")],
)
def test_ones_are_counted(type_: str, predicate: str, what: str):
    source = KERNEL.replace("PREDICATE", predicate).replace("WHAT", what)
    if what == "addi":  # Nothing asks for the sum, so the loop goes.
        source = source.replace("store %sum", "store %both")
    source = source.replace("xT>", f"x{type_}>").replace(": T", f": {type_}")
    source = source.replace("T, T", f"{type_}, {type_}")
    source = source.replace(", T)", f", {type_})")

    def arguments(make: Maker) -> list[Any]:
        numbers = make.random(type_, make.n)
        numbers[::5] = [0, -1, 1, 0, 4] * (len(numbers[::5]) // 5) + [0] * (
            len(numbers[::5]) % 5
        )
        return [numbers, make.zeros(type_, make.n), make.zeros(type_, make.n)]

    check_passes(source, arguments, LINES[2:4], CountBitsPass())
    passes = (SpmdToLoopsPass(), VectorizePass(width=8))
    check_passes(source, arguments, LINES[3:4], *passes)
    check_native_launches(source, arguments, LINES[1:4])
