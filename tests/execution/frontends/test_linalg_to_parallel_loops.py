"""What `linalg` means, by NumPy: in the interpreter, and as native code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.linalg.abstract_ops import LinalgStructuredOperation

import spmd
from spmd.passes.frontends.linalg_to_parallel_loops import LinalgToParallelLoopsPass
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

SOURCE = """
func.func @mm(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>) {
  linalg.matmul ins(%a, %b : memref<?x?xf32>, memref<?x?xf32>) outs(%c : memref<?x?xf32>)
  func.return
}
func.func @conv(%x: memref<66xf32>, %w: memref<3xf32>, %y: memref<64xf32>) {
  linalg.generic {indexing_maps = [affine_map<(i, k) -> (i + k)>, affine_map<(i, k) -> (k)>, affine_map<(i, k) -> (i)>], iterator_types = ["parallel", "reduction"]} ins(%x, %w : memref<66xf32>, memref<3xf32>) outs(%y : memref<64xf32>) {
  ^bb0(%p: f32, %q: f32, %r: f32):
    %m = arith.mulf %p, %q : f32
    %s = arith.addf %r, %m : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @ids(%y: memref<?x?xi32>, %v: i32) {
  linalg.fill ins(%v : i32) outs(%y : memref<?x?xi32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]} outs(%y : memref<?x?xi32>) {
  ^bb0(%r: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %j : index
    %l = arith.index_cast %k : index to i32
    %s = arith.addi %l, %r : i32
    linalg.yield %s : i32
  }
  func.return
}
func.func @total(%x: memref<?xf32>, %y: memref<f32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%x: memref<?xf32>) outs(%y : memref<f32>) {
  ^bb0(%p: f32, %r: f32):
    %s = arith.addf %r, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @sums(%x: memref<?x?xf32>, %y: memref<?xf32>) {
  linalg.generic {indexing_maps = [affine_map<(k, i) -> (k, i)>, affine_map<(k, i) -> (i)>], iterator_types = ["reduction", "parallel"]} ins(%x: memref<?x?xf32>) outs(%y : memref<?xf32>) {
  ^bb0(%p: f32, %r: f32):
    %s = arith.addf %r, %p : f32
    linalg.yield %s : f32
  }
  func.return
}
func.func @spread(%x: memref<?xf32>, %y: memref<?x?xf32>) {
  linalg.broadcast ins(%x : memref<?xf32>) outs(%y : memref<?x?xf32>) dimensions = [0]
  func.return
}
func.func @greatest(%x: memref<?x?xi32>, %y: memref<?xi32>) {
  linalg.reduce ins(%x : memref<?x?xi32>) outs(%y : memref<?xi32>) dimensions = [1]
  (%p: i32, %r: i32) {
    %s = arith.maxsi %p, %r : i32
    linalg.yield %s : i32
  }
  func.return
}
func.func @mixed(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %z: memref<?x?xf32>) {
  linalg.sub ins(%x, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%z : memref<?x?xf32>)
  linalg.max ins(%z, %x : memref<?x?xf32>, memref<?x?xf32>) outs(%z : memref<?x?xf32>)
  linalg.mul ins(%z, %y : memref<?x?xf32>, memref<?x?xf32>) outs(%z : memref<?x?xf32>)
  linalg.sqrt ins(%z : memref<?x?xf32>) outs(%z : memref<?x?xf32>)
  func.return
}
func.func @turned(%x: memref<?x?xf32>, %y: memref<?x?xf32>) {
  linalg.transpose ins(%x : memref<?x?xf32>) outs(%y : memref<?x?xf32>) permutation = [1, 0]
  func.return
}
func.func @mapped(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?x?xf32>) {
  linalg.map { arith.subf } ins(%x, %z : memref<?x?xf32>, memref<?x?xf32>) outs(%z : memref<?x?xf32>)
  linalg.map ins(%x : memref<?x?xf32>) outs(%z : memref<?x?xf32>)
    (%p: f32, %q: f32) {
      %r = arith.mulf %p, %q : f32
      linalg.yield %r : f32
    }
  linalg.reduce { arith.subf } ins(%z : memref<?x?xf32>) outs(%y : memref<?xf32>) dimensions = [0]
  func.return
}
func.func @scan(%x: memref<?xi32>, %y: memref<?xi32>) {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["reduction"]} ins(%x: memref<?xi32>) outs(%y : memref<?xi32>) {
  ^bb0(%p: i32, %r: i32):
    %s = arith.addi %r, %p : i32
    linalg.yield %s : i32
  }
  func.return
}
"""

Arrays = Sequence[Any]


def mm(a: Any, b: Any, c: Any) -> None:
    c += a @ b


def conv(x: Any, w: Any, y: Any) -> None:
    y += np.correlate(x, w)


def ids(y: Any, v: int) -> None:
    y[:] = v + np.outer(*map(np.arange, y.shape))


def total(x: Any, y: Any) -> None:
    y += x.sum()


def sums(x: Any, y: Any) -> None:
    y += x.sum(axis=0)


def scan(x: Any, y: Any) -> None:
    y += x


def spread(x: Any, y: Any) -> None:
    y[:] = x


def greatest(x: Any, y: Any) -> None:
    y[:] = np.maximum(y, x.max(axis=1))


def mixed(x: Any, y: Any, z: Any) -> None:
    z[:] = np.sqrt(np.maximum(x - y, x) * y)


def turned(x: Any, y: Any) -> None:
    y[:] = x.T


def mapped(x: Any, y: Any, z: Any) -> None:
    z[:] = x * (x - z)
    y -= z.sum(axis=0)


def floats(*shape: int) -> Any:
    return np.random.default_rng(shape).integers(0, 8, shape).astype(np.float32)


CASES: list[tuple[Callable[..., None], Arrays]] = [
    (mm, (floats(5, 7), floats(7, 9), floats(5, 9))),
    (mm, (floats(5, 0), floats(0, 9), floats(5, 9))),
    (mm, (floats(1, 3), floats(3, 70), floats(1, 70))),
    (conv, (floats(66), floats(3), floats(64))),
    (ids, (np.zeros((4, 6), np.int32), 7)),
    (total, (floats(100), floats())),
    (sums, (floats(8, 30), floats(30))),
    (spread, (floats(9), floats(5, 9))),
    (greatest, (floats(5, 9).astype(np.int32), np.full(5, 6, np.int32))),
    (mixed, (floats(5, 9), floats(5, 9), floats(5, 9))),
    (turned, (floats(5, 9), floats(9, 5))),
    (mapped, (floats(5, 9), floats(9), floats(5, 9))),
    (scan, (np.arange(9, dtype=np.int32), np.arange(9, dtype=np.int32))),
]


@pytest.mark.parametrize(("function", "arrays"), CASES)
def test_linalg_is_what_numpy_says(function: Callable[..., None], arrays: Arrays):
    def copies() -> list[Any]:
        return [
            each.copy() if isinstance(each, np.ndarray) else each for each in arrays
        ]

    want, interpreted, native = copies(), copies(), copies()
    function(*want)
    module = parse(SourceText("linalg.mlir", SOURCE))
    LinalgToParallelLoopsPass().apply(make_context(), module)
    module.verify()
    assert not any(isinstance(op, LinalgStructuredOperation) for op in module.walk())
    run_function(module, function.__name__, interpreted)
    spmd.compile(SOURCE)[function.__name__](*native)
    for got in (interpreted, native):
        for a, b in zip(got, want, strict=True):
            np.testing.assert_array_equal(a, b)
