"""Host functions compute the same natively as in the reference interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import parse
from tests.execution.work_item_loops.launch_kernels import (
    SIZES,
    STRIDED,
    rotate_and_plane,
)

HOST = """
func.func private @every_other(%w: index, %h: index, %z: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %n = memref.dim %z, %c0 : memref<?xi32>
  %half = arith.divui %n, %c2 : index
  %v = memref.subview %z[1] [%half] [2] : memref<?xi32> to memref<?xi32, strided<[2], offset: 1>>
  %d = "memref.cast"(%v) : (memref<?xi32, strided<[2], offset: 1>>)
    -> memref<?xi32, strided<[?], offset: ?>>
  spmd.launch @plane global(%w, %h) of(%c2, %c3) (%w, %d)
    : index, memref<?xi32, strided<[?], offset: ?>>
  func.return
}
func.func @host(%n: index, %e: index, %w: index, %h: index,
    %x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) -> (index, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %g = arith.divui %n, %e : index
  scf.for %i = %c0 to %g step %c1 {
    spmd.launch @rotate global(%n) of(%e) (%i, %x, %y, local(%e))
      : index, memref<?xi32>, memref<?xi32>, memref<?x2xi32, #spmd.memory<local>>
    spmd.launch @rotate groups(%g) of(%e) (%c1, %y, %x, local(%e))
      : index, memref<?xi32>, memref<?xi32>, memref<?x2xi32, #spmd.memory<local>>
  }
  func.call @every_other(%w, %h, %z) : (index, index, memref<?xi32>) -> ()
  %first = memref.load %z[%c1] : memref<?xi32>
  func.return %g, %first : index, i32
}
"""

TYPES = """
spmd.kernel @k(%p: i1, %a: i8, %b: i16, %c: i32, %d: i64, %i: index, %e: f16, %f: bf16,
    %g: f32, %h: f64, %flags: memref<?xi1>, %ints: memref<2x?xi64>, %floats: memref<4xf64>) {
  %x = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  memref.store %p, %flags[%x] : memref<?xi1>
  %a64 = arith.extsi %a : i8 to i64
  %b64 = arith.extsi %b : i16 to i64
  %c64 = arith.extsi %c : i32 to i64
  %i64 = arith.index_cast %i : index to i64
  memref.store %a64, %ints[%c0, %c0] : memref<2x?xi64>
  memref.store %b64, %ints[%c0, %c1] : memref<2x?xi64>
  memref.store %c64, %ints[%c0, %c2] : memref<2x?xi64>
  memref.store %d, %ints[%c1, %c0] : memref<2x?xi64>
  memref.store %i64, %ints[%c1, %c1] : memref<2x?xi64>
  %e64 = arith.extf %e : f16 to f64
  %f64 = arith.extf %f : bf16 to f64
  %g64 = arith.extf %g : f32 to f64
  memref.store %e64, %floats[%c0] : memref<4xf64>
  memref.store %f64, %floats[%c1] : memref<4xf64>
  memref.store %g64, %floats[%c2] : memref<4xf64>
  memref.store %h, %floats[%c3] : memref<4xf64>
  spmd.return
}
func.func @host(%p: i1, %a: i8, %b: i16, %c: i32, %d: i64, %i: index, %e: f16, %f: bf16,
    %g: f32, %h: f64, %flags: memref<?xi1>, %ints: memref<2x?xi64>, %floats: memref<4xf64>)
    -> (i1, i8, i16, i32, i64, index, f16, bf16, f32, f64) {
  %c1 = arith.constant 1 : index
  spmd.launch @k groups(%c1) of(%c1)
    (%p, %a, %b, %c, %d, %i, %e, %f, %g, %h, %flags, %ints, %floats)
    : i1, i8, i16, i32, i64, index, f16, bf16, f32, f64, memref<?xi1>, memref<2x?xi64>,
      memref<4xf64>
  func.return %p, %a, %b, %c, %d, %i, %e, %f, %g, %h
    : i1, i8, i16, i32, i64, index, f16, bf16, f32, f64
}
"""


def compare(source: str, arguments: list[Any], **options: Any) -> None:
    """Runs `@host` natively and in the interpreter, on copies of the arguments."""

    def copies() -> list[Any]:
        return [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]

    want, got = copies(), copies()
    results = run_function(parse(SourceText("kernel.mlir", source)), "host", want)
    returned = spmd.compile(source).host_functions["host"](*got, **options)
    assert list(returned) == results
    for a, b in zip(got, want, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("threads", [None, 3])
@pytest.mark.parametrize(("n", "e"), SIZES)
@pytest.mark.parametrize("fixed", [False, True])
def test_launches_of_a_host_function(n: int, e: int, fixed: bool, threads: int | None):
    kernels = rotate_and_plane(e if fixed else None, STRIDED)
    rng = np.random.default_rng(n)
    arrays = [rng.integers(-99, 99, 48).astype(np.int32) for _ in range(3)]
    compare(kernels + HOST, [n, e, 5, 4, *arrays], threads=threads)


def test_arguments_and_results_of_every_type():
    numbers = [True, -5, -300, -70000, -(1 << 40), 1 << 50, 0.5, -1.5, 0.1, 0.1]
    numbers[8] = float(np.float32(0.1))
    arrays = [np.zeros(2, np.bool_), np.zeros((2, 3), np.int64), np.zeros(4)]
    compare(TYPES, [*numbers, *arrays])
