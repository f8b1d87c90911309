"""An assertion that fails is a `LaunchError`, and the process lives."""

from __future__ import annotations

import numpy as np
import pytest

import spmd

SOURCE = """
spmd.kernel @double(%x: memref<?xi32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %ok = arith.cmpi sge, %v, %c0 : i32
  cf.assert %ok, "expected no negative number"
  %w = arith.addi %v, %v : i32
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}
spmd.kernel @meet(%x: memref<?xi32>, %tile: memref<?xi32, #spmd.memory<local>>) {
  %i = spmd.global_id x
  %l = spmd.local_id x
  %c0 = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l] : memref<?xi32, #spmd.memory<local>>
  spmd.barrier
  %ok = arith.cmpi sge, %v, %c0 : i32
  cf.assert %ok, "expected no negative number"
  memref.store %c0, %x[%i] : memref<?xi32>
  spmd.return
}
func.func @host(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xi32>
  spmd.launch @double global(%n) of(%c64) (%x) : memref<?xi32>
  func.return
}
"""


@pytest.mark.parametrize("vectorize", [True, False])
@pytest.mark.parametrize(("n", "threads"), [(5, 1), (5, None), (30_000, 4)])
def test_a_failed_assertion_ends_the_launch(
    n: int, threads: int | None, vectorize: bool
):
    x = np.ones(n, np.int32)
    double = spmd.compile(SOURCE, vectorize=vectorize).kernels["double"]
    launch = double.bind(x, global_size=n, threads=threads)
    launch()
    x[n // 2] = -1
    for _ in range(2):
        with pytest.raises(spmd.LaunchError) as caught:
            launch()
        assert str(caught.value) == (
            "double: an assertion failed: <string>:7:3: expected no negative number; "
            "what it stored to %x stays"
        )
    x[:] = 1
    launch()
    assert (x == 2).all()


def test_a_failed_assertion_after_a_barrier():
    meet = spmd.compile(SOURCE).kernels["meet"]
    x = np.ones(100, np.int32)
    x[50] = -1
    with pytest.raises(spmd.LaunchError, match="meet: an assertion failed"):
        meet(x, spmd.local(16), global_size=100, group_size=16)


def test_a_failed_assertion_ends_the_host_function():
    host = spmd.compile(SOURCE).host_functions["host"]
    x = np.ones(100, np.int32)
    host(x)
    x[3] = -1
    with pytest.raises(spmd.LaunchError) as caught:
        host(x)
    assert str(caught.value) == (
        "host: the launch at <string>:28:3: double: an assertion failed: <string>:7:3: "
        "expected no negative number; what it stored to %x stays"
    )
