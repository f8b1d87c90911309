"""`reuse-loaded-values`: what was loaded is what another load would find."""

from __future__ import annotations

from typing import Any

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.reuse_loaded_values import ReuseLoadedValuesPass
from tests.execution.harness import LINES, Maker, check_native, check_passes

KERNEL = """
spmd.kernel @reuse(%x: memref<?x7xi32>, %y: memref<?xi32>, %k: memref<?xi32>, %z: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c2 = arith.constant 2 : i32
  %none = arith.constant 0 : i32
  %i = spmd.global_id x
  %first = memref.load %x[%i, %c0] : memref<?x7xi32>
  // The smallest of a row and its place, loaded where it is kept.
  %best, %at = scf.for %j = %c0 to %c6 step %c1 iter_args(%b = %first, %a = %none) -> (i32, i32) {
    %next = arith.addi %j, %c1 : index
    %v = memref.load %x[%i, %next] : memref<?x7xi32>
    %less = arith.cmpi slt, %v, %b : i32
    %p, %q = scf.if %less -> (i32, i32) {
      %again = arith.addi %c1, %j : index
      %w = memref.load %x[%i, %again] : memref<?x7xi32>
      %place = arith.index_cast %j : index to i32
      scf.yield %w, %place : i32, i32
    } else {
      scf.yield %b, %a : i32, i32
    }
    scf.yield %p, %q : i32, i32
  }
  // Stores between loads: always, on one path, in earlier iterations, through another name.
  %old = memref.load %y[%i] : memref<?xi32>
  %even = arith.cmpi slt, %at, %c2 : i32
  scf.if %even {
    %old_1 = memref.load %y[%i] : memref<?xi32>
    %sum = arith.addi %old_1, %best : i32
    memref.store %sum, %y[%i] : memref<?xi32>
    %new = memref.load %y[%i] : memref<?xi32>
    %one = memref.load %k[%i] : memref<?xi32>
    %more = arith.addi %new, %one : i32
    memref.store %more, %z[%i] : memref<?xi32>
  } else {
    %two = memref.load %k[%i] : memref<?xi32>
    memref.store %two, %z[%i] : memref<?xi32>
  }
  %kept = memref.load %y[%i] : memref<?xi32>
  %times = memref.load %k[%i] : memref<?xi32>
  %n = arith.index_cast %times : i32 to index
  scf.for %step = %c0 to %n step %c1 {
    %now = memref.load %y[%i] : memref<?xi32>
    %times_1 = memref.load %k[%i] : memref<?xi32>
    %more = arith.addi %now, %times_1 : i32
    memref.store %more, %y[%i] : memref<?xi32>
    %then = memref.load %y[%i] : memref<?xi32>
    %seen = memref.load %z[%i] : memref<?xi32>
    %both = arith.addi %then, %seen : i32
    memref.store %both, %z[%i] : memref<?xi32>
  }
  %end = memref.load %y[%i] : memref<?xi32>
  %all = arith.subi %end, %kept : i32
  %total = arith.addi %all, %old : i32
  memref.store %total, %x[%i, %c6] : memref<?x7xi32>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [
        make.random("i32", make.n, 7),
        make.random("i32", make.n),
        make.integers("i32", 0, 5, make.n),
        make.random("i32", make.n),
    ]


def test_the_pass_keeps_the_meaning():
    check_passes(KERNEL, arguments, LINES, SpmdToLoopsPass(), ReuseLoadedValuesPass())


def test_lanes_keep_the_meaning():
    check_passes(KERNEL, arguments, LINES, SpmdToLoopsPass(), VectorizePass(width=4))


def test_native_code():
    for launch in LINES:
        check_native(KERNEL, arguments, launch)
