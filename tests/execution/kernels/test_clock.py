"""A clock goes on, for everybody who reads it, wherever they stand."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.runtime.options import Strategy

SOURCE = """
spmd.kernel @clock(%start: memref<?xi64>, %end: memref<?xi64>) attributes {work_group_size = array<i64: 16>} {
  %c3 = arith.constant 3 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %odd = arith.remui %l, %c3 : index
  %some = arith.cmpi eq, %odd, %c3 : index
  %few = arith.cmpi ult, %l, %c3 : index
  %before = spmd.clock
  memref.store %before, %start[%i] : memref<?xi64>
  spmd.barrier
  %after = scf.if %few -> (i64) {
    %now = spmd.clock
    scf.yield %now : i64
  } else {
    %now = scf.if %some -> (i64) {
      %never = arith.constant -1 : i64
      scf.yield %never : i64
    } else {
      %then = spmd.clock
      scf.yield %then : i64
    }
    scf.yield %now : i64
  }
  memref.store %after, %end[%i] : memref<?xi64>
  spmd.return
}
"""


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("width", [1, 4, 16])
@pytest.mark.parametrize("strategy", ["fission", "continuations"])
def test_time_goes_on(strategy: Strategy, width: int, checked: bool):
    kernel = spmd.compile(SOURCE, strategy=strategy, width=width)["clock"]
    start, end = np.zeros((2, 40), np.int64)
    run = kernel.check if checked else kernel
    run(start, end, global_size=40)
    groups = [slice(0, 16), slice(16, 32), slice(32, 40)]
    for group in groups:
        assert (start[group] > 0).all()
        # The barrier parts them.
        assert end[group].min() > start[group].max()


def test_lanes_read_together():
    kernel = spmd.compile(SOURCE, width=16)["clock"]
    start, end = np.zeros((2, 16), np.int64)
    kernel(start, end, global_size=16)
    assert len(set(start)) == 1
    assert len(set(end)) == 2
