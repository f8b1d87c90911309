"""What a kernel relies on is held against launches from host functions, too."""

from __future__ import annotations

import numpy as np
import pytest

import spmd

RELIES = """
spmd.kernel @counts(%n: index, %x: memref<?xi32>) {
  %i = spmd.global_id x
  %v = arith.index_cast %n : index to i32
  memref.store %v, %x[%i] : memref<?xi32>
  spmd.return
}
spmd.kernel @aligned(%n: index, %x: memref<?xi32>) {
  %c1 = arith.constant 1 : i32
  %i = spmd.global_id x
  %a = memref.assume_alignment %x, 64 : memref<?xi32>
  memref.store %c1, %a[%i] : memref<?xi32>
  spmd.return
}
spmd.kernel @few(%n: index, %x: memref<?xi32> {spmd.small}) {
  %c1 = arith.constant 1 : i32
  %i = spmd.global_id x
  memref.store %c1, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @run(%n: i64, %x: memref<?xi32>) {
  %m = arith.index_cast %n : i64 to index
  %c8 = arith.constant 8 : index
  spmd.launch @KERNEL global(%c8) of(%c8) (%m, %x) : index, memref<?xi32>
  func.return
}
"""


@pytest.mark.parametrize(
    ("kernel", "n", "start", "stop", "words"),
    [
        ("counts", 2**62 + 1, 0, 8, r"argument 0 \(%n\): expected a number from -4611"),
        (
            "aligned",
            0,
            1,
            9,
            r"argument 1 \(%x\): expected an array at a multiple of 64",
        ),
        ("few", 0, 0, 0, "expected an array of 1 to .* elements for argument 1"),
    ],
)
def test_launches_of_host_functions_hold_what_kernels_rely_on(
    kernel: str, n: int, start: int, stop: int, words: str
):
    memory = np.zeros(64, np.int32)
    first = -memory.ctypes.data % 64 // memory.itemsize
    run = spmd.compile(RELIES.replace("KERNEL", kernel))["run"]
    x = memory[first:]
    run(-(2**62), x)
    with pytest.raises(spmd.LaunchError, match=words):
        run(n, x[start:stop])


@pytest.mark.parametrize("size", [-1, 2**48 + 1])
def test_sizes_that_no_array_has(size: int):
    run = spmd.compile("""
spmd.kernel @fill(%x: memref<?xi32>) {
  %c1 = arith.constant 1 : i32
  %i = spmd.global_id x
  memref.store %c1, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @run(%n: i64, %x: memref<?xi32>) {
  %c8 = arith.constant 8 : index
  %m = arith.index_cast %n : i64 to index
  %y = memref.reinterpret_cast %x to offset: [0], sizes: [%m], strides: [1]
    : memref<?xi32> to memref<?xi32>
  spmd.launch @fill global(%c8) of(%c8) (%y) : memref<?xi32>
  func.return
}
""")["run"]
    x = np.zeros(8, np.int32)
    run(8, x)
    assert x.all()
    with pytest.raises(
        spmd.LaunchError, match=r"\(%x\): expected sizes from 0 to 281474976710656"
    ):
        run(size, x)
