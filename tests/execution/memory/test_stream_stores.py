"""Stores around the caches store the same, at any address, with rests and on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from tests.execution.harness import LINES, Maker, check_native, check_passes

KERNEL = """
spmd.kernel @twice(%x: memref<?x{0}>, %y: memref<?x{0}> {{spmd.streamed}}) {{
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?x{0}>
  %w = arith.add{1} %v, %v : {0}
  memref.store %w, %y[%i] : memref<?x{0}>
  spmd.return
}}
"""
DTYPES = {
    "i8": np.int8,
    "f16": np.float16,
    "i32": np.int32,
    "f32": np.float32,
    "f64": np.float64,
}


def kernel(type_: str) -> str:
    return KERNEL.format(type_, type_[0])


@pytest.mark.parametrize("type_", DTYPES)
def test_every_pass(type_: str):
    def arguments(make: Maker) -> list[Any]:
        return [make.random(type_, make.n), make.zeros(type_, make.n)]

    check_passes(
        kernel(type_), arguments, LINES, SpmdToLoopsPass(), VectorizePass(width=8)
    )
    for launch in LINES:
        check_native(kernel(type_), arguments, launch)


PLACES = [0, 16, 32, 48]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("type_", DTYPES)
def test_every_pass_where_rows_lie_in_lines(type_: str, place: int):
    def arguments(make: Maker) -> list[Any]:
        memory = make.zeros("i8", make.n * 8 + 128)
        size = np.dtype(DTYPES[type_]).itemsize
        first = -memory.ctypes.data % 64 + place
        y = memory[first : first + make.n * size].view(DTYPES[type_])
        return [make.random(type_, make.n), y]

    text = kernel(type_).replace("streamed}", f"streamed = {place} : i64}}")
    check_passes(text, arguments, LINES, SpmdToLoopsPass(), VectorizePass(width=32))
    for launch in LINES:
        check_native(text, arguments, launch)


@pytest.mark.optimized
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("offset", [0, 1, 3, 4, 16])
@pytest.mark.parametrize("type_", DTYPES)
def test_any_address(type_: str, offset: int, threads: int):
    n, dtype = 5000, np.dtype(DTYPES[type_])
    room = np.zeros(n + 64, dtype)
    x = np.random.default_rng(1).integers(0, 50, n).astype(dtype)
    twice = spmd.compile(kernel(type_))["twice"]
    twice(x, room[offset : offset + n], global_size=n, group_size=256, threads=threads)
    assert_array_equal(room[offset : offset + n], x + x)
    assert not room[:offset].any()
    assert not room[offset + n :].any()


ALIGNED = """
func.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) attributes {spmd.host_function} {
  %c0 = arith.constant 0 : index
  %v = vector.load %x[%c0] {alignment = 64 : i64} : memref<?xf32>, vector<16xf32>
  vector.store %v, %y[%c0] {alignment = 64 : i64, nontemporal = true} : memref<?xf32>, vector<16xf32>
  func.return
}
"""


@pytest.mark.optimized
def test_what_is_said_of_an_array_from_anywhere_is_not_relied_on():
    x, y = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    for first in range(4):
        spmd.compile(ALIGNED)["copy"](x[first:], y[first:])
        assert_array_equal(y[first : first + 16], x[first : first + 16])
