"""Kernels compute the same when sums are computed without their loops."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.rematerialization.solve_recurrences import SolveRecurrencesPass
from tests.execution.harness import (
    LINES,
    Launch,
    Maker,
    check_native_launches,
    check_passes,
)

TYPES = ("i8", "i16", "i32", "i64", "index")
MIXED = [("i8", "i64"), ("index", "i8"), ("i16", "index"), ("i32", "i32")]


def cast(value: str, before: str, after: str) -> str:
    """An operation that makes a number of another type of `value`, which is signed."""
    if before == after:
        zero = f"%zero_{after}"
        return f"arith.addi {value}, {zero} : {after}"
    if "index" in (before, after):
        return f"arith.index_cast {value} : {before} to {after}"
    name = "extsi" if TYPES.index(before) < TYPES.index(after) else "trunci"
    return f"arith.{name} {value} : {before} to {after}"


def sums(counter: str, carried: str, step: int) -> str:
    """
    A kernel whose loops run from and to numbers of the work-item, and carry polynomials.

    These are of degree 1 to 3: of what is carried before, and of the counter as it is and
    multiplied, which wraps in the narrow types.
    """
    zeros = "\n".join(f"  %zero_{t} = arith.constant 0 : {t}" for t in TYPES)
    return f"""
spmd.kernel @sums(%first: memref<?x{counter}>, %last: memref<?x{counter}>,
                  %x: memref<?x{carried}>, %y: memref<?x4x{carried}>) {{
{zeros}
  %step = arith.constant {step} : {counter}
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %gid = spmd.global_id x
  %low = memref.load %first[%gid] : memref<?x{counter}>
  %high = memref.load %last[%gid] : memref<?x{counter}>
  %v = memref.load %x[%gid] : memref<?x{carried}>
  %p, %q, %r, %s = scf.for %i = %low to %high step %step
      iter_args(%a = %v, %b = %v, %c = %v, %d = %v)
      -> ({", ".join([carried] * 4)}){"" if counter == "index" else f" : {counter}"} {{
    %n = {cast("%i", counter, carried)}
    %a1 = arith.addi %a, %v : {carried}
    %b1 = arith.subi %b, %n : {carried}
    %nn = arith.muli %n, %n : {carried}
    %nv = arith.muli %nn, %v : {carried}
    %c1_ = arith.addi %nv, %c : {carried}
    %d1 = arith.addi %d, %b : {carried}
    %d2 = arith.subi %d1, %a1 : {carried}
    scf.yield %a1, %b1, %c1_, %d2 : {", ".join([carried] * 4)}
  }}
  memref.store %p, %y[%gid, %c0] : memref<?x4x{carried}>
  memref.store %q, %y[%gid, %c1] : memref<?x4x{carried}>
  memref.store %r, %y[%gid, %c2] : memref<?x4x{carried}>
  memref.store %s, %y[%gid, %c3] : memref<?x4x{carried}>
  spmd.return
}}
"""


def arguments(counter: str, carried: str) -> Any:
    def make(maker: Maker) -> list[Any]:
        first = maker.integers(counter, -9, 5, maker.n)
        # The narrow type does not have the number of iterations.
        most = 300 if carried == "i8" else 40
        last = maker.integers(counter, -9, most, maker.n)
        x = maker.random(carried, maker.n)
        return [first, last, x, maker.zeros(carried, maker.n, 4)]

    return make


ARGUMENTS = {pair: arguments(*pair) for pair in MIXED}


@pytest.mark.parametrize("step", [1, 4])
@pytest.mark.parametrize(("counter", "carried"), MIXED)
def test_sums_of_all_types_wrap_as_in_the_loop(counter: str, carried: str, step: int):
    source = sums(counter, carried, step)
    module = check_passes(
        source, ARGUMENTS[counter, carried], LINES[1:4:2], SolveRecurrencesPass()
    )
    assert "scf.for" not in str(module)
    check_native_launches(source, ARGUMENTS[counter, carried], LINES)


LARGEST = """
spmd.kernel @largest(%x: memref<?xi8>, %out: memref<?x2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i8
  %v = arith.constant 7 : i32
  %gid = spmd.global_id x
  %n = memref.load %x[%gid] : memref<?xi8>
  %low = arith.constant -128 : i8
  %s, %t = scf.for %i = %low to %n step %one iter_args(%a = %v, %b = %v) -> (i32, i32) : i8 {
    %i32 = arith.extsi %i : i8 to i32
    %a1 = arith.addi %a, %i32 : i32
    %ii = arith.muli %i32, %i32 overflow<nsw> : i32
    %b1 = arith.addi %b, %ii : i32
    scf.yield %a1, %b1 : i32, i32
  }
  memref.store %s, %out[%gid, %c0] : memref<?x2xi32>
  memref.store %t, %out[%gid, %c1] : memref<?x2xi32>
  spmd.return
}
"""


def of_all_numbers(make: Maker) -> list[Any]:
    return [make.random("i8", make.n), make.zeros("i32", make.n, 2)]


def test_more_iterations_than_the_counter_has_positive_numbers():
    module = check_passes(LARGEST, of_all_numbers, LINES[2:4], SolveRecurrencesPass())
    assert "scf.for" not in str(module)
    check_native_launches(LARGEST, of_all_numbers, LINES)


# What is left of the first loop orders work-items; the second is of one around it.
AROUND_BARRIERS = """
spmd.kernel @around(%x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %v = memref.load %x[%gid] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  %end = arith.addi %lid, %c2 : index
  %s = scf.for %i = %c0 to %end step %c1 iter_args(%a = %v) -> (i32) {
    %early = arith.cmpi ult, %i, %c2 : index
    scf.if %early {
      spmd.barrier
      %after = arith.addi %lid, %c1 : index
      %next = arith.remui %after, %size : index
      %w = memref.load %tile[%next] : memref<64xi32, #spmd.memory<local>>
      spmd.barrier
      memref.store %w, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    }
    %t = scf.for %j = %c0 to %i step %c1 iter_args(%b = %zero) -> (i32) {
      %j32 = arith.index_cast %j : index to i32
      %b1 = arith.addi %b, %j32 : i32
      scf.yield %b1 : i32
    }
    %i32 = arith.index_cast %i : index to i32
    %it = arith.muli %i32, %v : i32
    %a1 = arith.addi %a, %it : i32
    scf.yield %a1 : i32
  }
  %mine = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  %sum = arith.addi %mine, %s : i32
  memref.store %sum, %out[%gid] : memref<?xi32>
  spmd.return
}
"""


def one_array(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.zeros("i32", make.n)]


def test_loops_around_barriers_carry_less():
    launches: tuple[Launch, ...] = LINES[1:4]
    module = check_passes(AROUND_BARRIERS, one_array, launches, SolveRecurrencesPass())
    assert str(module).count("scf.for") == 1
    assert "iter_args" not in str(module)
    check_passes(
        AROUND_BARRIERS, one_array, launches, SpmdToLoopsPass(), VectorizePass(4)
    )
    check_native_launches(AROUND_BARRIERS, one_array, LINES)
