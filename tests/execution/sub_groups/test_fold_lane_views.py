"""`fold-lane-views`: an element is the same one, through a view or not."""

from __future__ import annotations

from typing import Any

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Maker, check_native, check_passes

KERNEL = """
spmd.kernel @views(%x: memref<?x6xf32>, %y: memref<?x6xf32>, %z: memref<?x6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  // Every second element of a row, the first dimension left out.
  %row = memref.subview %x[%i, 1] [1, 2] [1, %c2] : memref<?x6xf32> to memref<2xf32, strided<[?], offset: ?>>
  %any = memref.cast %row : memref<2xf32, strided<[?], offset: ?>> to memref<?xf32, strided<[?], offset: ?>>
  %v = memref.load %any[%c1] : memref<?xf32, strided<[?], offset: ?>>
  // The same memory again, from its start.
  %at = arith.muli %i, %c6 : index
  %line = memref.reinterpret_cast %any to offset: [%at], sizes: [6], strides: [1] : memref<?xf32, strided<[?], offset: ?>> to memref<6xf32, strided<[1], offset: ?>>
  %w = memref.load %line[%c0] : memref<6xf32, strided<[1], offset: ?>>
  // Parts of private arrays, one of them chosen.
  %a = memref.alloca() : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  %high = memref.subview %a[2] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 2>>
  memref.store %v, %high[%c1] : memref<2xf32, strided<[1], offset: 2>>
  memref.store %w, %high[%c0] : memref<2xf32, strided<[1], offset: 2>>
  memref.store %w, %b[%c2] : memref<4xf32>
  %falls = arith.cmpf ogt, %v, %w : f32
  %c = arith.select %falls, %a, %b : memref<4xf32>
  %u = memref.load %c[%c2] : memref<4xf32>
  // A row of one of two matrices.
  %rises = arith.cmpf ogt, %u, %zero : f32
  %to = arith.select %rises, %y, %z : memref<?x6xf32>
  %part = memref.subview %to[%i, 2] [1, 3] [1, 1] : memref<?x6xf32> to memref<1x3xf32, strided<[6, 1], offset: ?>>
  memref.store %v, %part[%c0, %c2] : memref<1x3xf32, strided<[6, 1], offset: ?>>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.random("f32", make.n, 6) for _ in range(3)]


def test_passes_keep_the_meaning():
    check_passes(KERNEL, arguments, LINES, SpmdToLoopsPass(), VectorizePass(width=4))


def test_native_code():
    for launch in LINES:
        check_native(KERNEL, arguments, launch)
