"""Kernels compute the same when loops that count themselves are counted."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.rematerialization.uplift_while_to_for import UpliftWhileToForPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    LINES,
    Maker,
    check_native_launches,
    check_passes,
    parsed,
)

KERNEL = """
spmd.kernel @sums(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xT>) {
  %cstart = arith.constant START : T
  %cstep = arith.constant STEP : T
  %climit = arith.constant 9 : i32
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %some = arith.remsi %v, %climit : i32
  %n = CAST
  %before = arith.addi %n, %cstart : T
  %begin = arith.minsi %before, %cstart : T
  %last, %sum, %same = scf.while (%k = %begin, %s = %zero) : (T, i32) -> (T, i32, i32) {
    %more = arith.cmpi slt, %k, %n : T
    scf.condition(%more) %k, %s, %some : T, i32, i32
  } do {
  ^bb0(%k: T, %s: i32, %o: i32):
    %plus = arith.addi %s, %o : i32
    %turned = arith.xori %plus, %climit : i32
    %next = arith.addi %k, %cstep : T
    scf.yield %next, %turned : T, i32
  }
  %all = arith.addi %sum, %same : i32
  memref.store %all, %y[%i] : memref<?xi32>
  memref.store %last, %z[%i] : memref<?xT>
  spmd.return
}
"""
CASTS = {
    "i8": "arith.trunci %some : i32 to i8",
    "i32": "arith.addi %some, %zero : i32",
    "i64": "arith.extsi %some : i32 to i64",
    "index": "arith.index_cast %some : i32 to index",
}


@pytest.mark.parametrize("start", [0, -3, 5])
@pytest.mark.parametrize("step", [1, 3])
@pytest.mark.parametrize("type_", CASTS)
def test_loops_that_count_themselves(type_: str, step: int, start: int):
    text = KERNEL.replace("CAST", CASTS[type_]).replace("STEP", str(step))
    text = text.replace("START", str(start)).replace("xT>", f"x{type_}>")
    text = text.replace(": T", f": {type_}").replace("(T,", f"({type_},")

    def arguments(make: Maker) -> list[Any]:
        arrays = [make.random("i32", make.n), make.zeros("i32", make.n)]
        return [*arrays, make.zeros(type_, make.n)]

    check_passes(text, arguments, LINES[2:4], UpliftWhileToForPass())
    passes = (SpmdToLoopsPass(), VectorizePass(width=8))
    check_passes(text, arguments, LINES[3:4], *passes)
    check_native_launches(text, arguments, LINES[1:4])


def test_ends_that_are_sums_of_sums():
    """Each is looked at once, however many other sums it is in."""
    sums = [f"%e{k + 1} = arith.addi %e{k}, %e{k} : T" for k in range(60)]
    text = KERNEL.replace("CAST", CASTS["i64"]).replace("STEP", "1")
    text = text.replace(
        "    %more =", "\n".join(["%e0 = arith.addi %n, %n : T", *sums, "%more ="])
    )
    text = text.replace("START", "0").replace("xT>", "xi64>")
    text = text.replace(": T", ": i64").replace("(T,", "(i64,")
    module = parsed(text).clone()
    UpliftWhileToForPass().apply(make_context(), module)
    assert "scf.for" in str(module)
