"""Loads under masks may read what is in the same page; stores touch active lanes alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.lowering.machine import host_machine
from tests.execution.harness.guarded import PAGE, Guarded

SHIFTED = """
spmd.kernel @shifted(%x: memref<?xT>, %on: memref<?xi32>, %y: memref<?xT>, %by: index) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %none = arith.constant 0 : i32
  %n = memref.dim %x, %c0 : memref<?xT>
  %j = arith.addi %i, %by : index
  %low = arith.cmpi sge, %j, %c0 : index
  %high = arith.cmpi slt, %j, %n : index
  %inside = arith.andi %low, %high : i1
  %asked = memref.load %on[%i] : memref<?xi32>
  %is_on = arith.cmpi ne, %asked, %none : i32
  %some = arith.andi %inside, %is_on : i1
  scf.if %some {
    %v = memref.load %x[%j] : memref<?xT>
    memref.store %v, %y[%i] : memref<?xT>
  }
  spmd.return
}
"""

TYPES = [("i8", np.int8), ("i16", np.int16), ("f16", np.float16), ("f32", np.float32)]


@pytest.mark.optimized
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64-v2"])
@pytest.mark.parametrize("width", [1, 4, 16, 64])
@pytest.mark.parametrize(("type_", "dtype"), TYPES)
def test_no_lane_but_the_active_ones(type_: str, dtype: Any, width: int, target: str):
    if target.startswith("x86") and not host_machine().is_x86:
        pytest.skip("for x86-64")
    source = SHIFTED.replace("xT>", f"x{type_}>")
    kernel = spmd.compile(source, width=width, target=target)["shifted"]
    rng = np.random.default_rng(0)
    size, of_x, of_y = np.dtype(dtype).itemsize, Guarded(), Guarded()
    for n, at_end in ((40, False), (70, True), (PAGE // size, True)):
        first = PAGE - n * size if at_end else 0
        x = of_x.memory[first:][: n * size].view(dtype)
        y = of_y.memory[first:][: n * size].view(dtype)
        x[:] = rng.integers(1, 100, n)
        for by in (0, 1, -1, 13, -29):
            for often in (0.05, 0.5, 0.95, 1):
                on = (rng.random(n) < often).astype(np.int32)
                y[:] = -1
                wanted = y.copy()
                j = np.arange(n) + by
                some = (on == 1) & (j >= 0) & (j < n)
                wanted[some] = x[j[some]]
                kernel(x, on, y, by, global_size=n)
                np.testing.assert_array_equal(y, wanted)
