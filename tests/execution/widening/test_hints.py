"""Hints change no result: prefetches in lanes, under masks, past the end of arrays."""

from __future__ import annotations

from typing import Any

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Maker, check_native, check_passes

KERNEL = """
spmd.kernel @gather(%x: memref<?xf32>, %k: memref<?xindex>, %y: memref<?xf32>) {
  %c64 = arith.constant 64 : index
  %i = spmd.global_id x
  %ahead = arith.addi %i, %c64 : index
  memref.prefetch %k[%ahead], read, locality<0>, data : memref<?xindex>
  %m = memref.load %k[%i] {nontemporal = true} : memref<?xindex>
  %forward = arith.cmpi ugt, %m, %i : index
  scf.if %forward {
    memref.prefetch %x[%m], read, locality<3>, data : memref<?xf32>
    memref.prefetch %y[%i], write, locality<3>, data : memref<?xf32>
    %v = memref.load %x[%m] : memref<?xf32>
    memref.store %v, %y[%i] {nontemporal = true} : memref<?xf32>
  }
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    where = make.rng.integers(0, make.n, make.n)
    return [make.random("f32", make.n), where, make.zeros("f32", make.n)]


def test_passes_keep_the_meaning():
    check_passes(KERNEL, arguments, LINES, SpmdToLoopsPass(), VectorizePass(width=4))


def test_native_code():
    for launch in LINES:
        check_native(KERNEL, arguments, launch)
