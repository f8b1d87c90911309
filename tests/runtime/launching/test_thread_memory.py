"""Memory of a thread is that of one launch at a time."""

from __future__ import annotations

import signal
from typing import Any

import numpy as np
import pytest

import spmd

# What each work-item leaves for another one is read when `flag` is set.
SOURCE = """
spmd.kernel @wait(%t: memref<?xi64, #spmd.memory<local>>, %flag: memref<1xi64>, %y: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %c63 = arith.constant 63 : index
  %zero = arith.constant 0 : i64
  %i = spmd.global_id x
  %v = arith.index_cast %i : index to i64
  memref.store %v, %t[%i] : memref<?xi64, #spmd.memory<local>>
  spmd.barrier
  scf.while : () -> () {
    %old = spmd.atomic_rmw add %zero, %flag[%c0] : memref<1xi64>
    %go_on = arith.cmpi eq, %old, %zero : i64
    scf.condition(%go_on)
  } do {
    scf.yield
  }
  %other = arith.subi %c63, %i : index
  %w = memref.load %t[%other] : memref<?xi64, #spmd.memory<local>>
  memref.store %w, %y[%i] : memref<?xi64>
  spmd.return
}
spmd.kernel @fill(%t: memref<?xi64, #spmd.memory<local>>, %x: memref<?xi64>) {
  %minus = arith.constant -1 : i64
  %i = spmd.local_id x
  %g = spmd.global_id x
  memref.store %minus, %t[%i] : memref<?xi64, #spmd.memory<local>>
  spmd.barrier
  %v = memref.load %t[%i] : memref<?xi64, #spmd.memory<local>>
  memref.store %v, %x[%g] : memref<?xi64>
  spmd.return
}
"""


@pytest.mark.parametrize("size", [64, 1 << 14], ids=["as large", "larger"])
def test_a_signal_handler_may_launch_in_the_midst_of_a_group(size: int):
    program = spmd.compile(SOURCE)
    flag, x, y = (np.zeros(n, np.int64) for n in (1, 64, 64))

    groups: dict[str, Any] = {"global_size": 64, "group_size": 64}
    fill = program["fill"].bind(spmd.local(size), x, **groups)
    wait = program["wait"].bind(spmd.local(64), flag, y, **groups, timeout=60)

    def handler(*_: object) -> None:
        fill()
        flag[0] = 1

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        wait()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    np.testing.assert_array_equal(x, -1)
    np.testing.assert_array_equal(y, np.arange(64)[::-1])
