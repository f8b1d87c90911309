"""Gathers of bytes and of 16 bits, which may read the words around the elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.lowering.machine import host_machine
from tests.execution.harness.guarded import PAGE, Guarded

SOME = """
spmd.kernel @some(%x: memref<?xT>, %at: memref<?xI>, %old: T, %y: memref<?xT>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : I
  %j = memref.load %at[%i] : memref<?xI>
  %is_some = arith.cmpi sge, %j, %c0 : I
  %v = scf.if %is_some -> (T) {
    %k = arith.index_cast %j : I to index
    %w = memref.load %x[%k] : memref<?xT>
    scf.yield %w : T
  } else {
    scf.yield %old : T
  }
  memref.store %v, %y[%i] : memref<?xT>
  spmd.return
}
"""


@pytest.mark.optimized
@pytest.mark.parametrize("target", ["host", "x86-64-v3"])
@pytest.mark.parametrize("width", [1, 8, 16, 64])
@pytest.mark.parametrize("index", ["i32", "i64"])
@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize(
    ("type_", "dtype", "old"),
    [("i8", np.uint8, 7), ("i16", np.uint16, 777), ("f16", np.float16, 0.5)],
)
def test_some_lanes(
    type_: str, dtype: Any, old: Any, every: bool, index: str, width: int, target: str
):
    if target.startswith("x86") and not host_machine().is_x86:
        pytest.skip("for x86-64")
    some = SOME.replace("arith.cmpi sge, %j, %c0 : I", "arith.constant true")
    source = (
        (some if every else SOME)
        .replace("T>", f"{type_}>")
        .replace(": T", f": {type_}")
    )
    source = source.replace("(T)", f"({type_})").replace("xI>", f"x{index}>")
    source = source.replace(": I", f": {index}")
    kernel = spmd.compile(source, width=width, target=target)["some"]
    rng = np.random.default_rng(0)
    size, guarded = np.dtype(dtype).itemsize, Guarded()
    for first, n in ((0, 4), (1, 7), (2, 30), (3, 5), (0, PAGE // size)):
        bytes_ = guarded.memory[first * size :][: n * size]
        if first == 3:  # It ends with the page.
            bytes_ = guarded.memory[PAGE - n * size :]
        x = bytes_.view(dtype)
        x[:] = rng.integers(0, 200, n).astype(dtype)
        at = rng.integers(-n, n, 1000).astype(index.replace("i", "int"))
        at[:2] = 0, n - 1
        if every:
            at = np.abs(at) % n
        y = np.zeros(1000, dtype)
        kernel(x, at, old, y, global_size=1000)
        wanted = x[np.maximum(at, 0)]
        wanted[at < 0] = old
        np.testing.assert_array_equal(y, wanted)
