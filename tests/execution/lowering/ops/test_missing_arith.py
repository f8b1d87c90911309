"""`arith.index_castui` and `arith.remf`, in all forms of code."""

from __future__ import annotations

from typing import Any

import numpy as np

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import (
    Launch,
    Maker,
    check_native,
    check_passes,
    expected,
)

KERNEL = """
spmd.kernel @both(%a: memref<?xi8>, %f: memref<?xf32>, %x: memref<?xindex>, %y: memref<?xi16>, %z: memref<?xf32>, %s: memref<?xi32>) {
  %i = spmd.global_id x
  %p = memref.load %a[%i] : memref<?xi8>
  %u = arith.index_castui %p : i8 to index
  memref.store %u, %x[%i] : memref<?xindex>
  %w = arith.index_castui %i : index to i16
  memref.store %w, %y[%i] : memref<?xi16>
  // From neighbours come neighbours.
  %back = arith.index_castui %w : i16 to index
  %n = arith.index_castui %back : index to i32
  memref.store %n, %s[%back] : memref<?xi32>
  %g = memref.load %f[%i] : memref<?xf32>
  %c = arith.constant 2.5 : f32
  %r = arith.remf %g, %c : f32
  memref.store %r, %z[%i] : memref<?xf32>
  spmd.return
}
"""
LAUNCH = Launch((37,), (16,))


def arguments(make: Maker) -> list[Any]:
    f = np.linspace(-30, 30, make.n).astype(np.float32)
    f[3], f[5], f[7] = np.inf, np.nan, -0.0
    a = make.random("i8", make.n)
    rest = [make.zeros(t, make.n) for t in ("index", "i16", "f32", "i32")]
    return [a, f, *rest]


def test_native():
    for width in (1, 4, 16):
        check_native(KERNEL, arguments, LAUNCH, width=width)
    check_native(KERNEL, arguments, LAUNCH, vectorize=False)


def test_passes():
    check_passes(KERNEL, arguments, [LAUNCH], SpmdToLoopsPass(), VectorizePass(width=8))


def test_the_interpreter_agrees_with_numpy():
    a, f, x, y, z, _ = expected(KERNEL, arguments, LAUNCH)
    assert (x == a.astype(np.uint8)).all()
    assert (y == np.arange(37)).all()
    with np.errstate(invalid="ignore"):
        assert np.array_equal(z, np.fmod(f, np.float32(2.5)), equal_nan=True)
