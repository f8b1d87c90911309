"""What work-items agree on where they take one path for reasons of their own."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.passes.splitting.split_at_barriers import Strategy

SWITCH = """
spmd.kernel @switch(%numbers: memref<?xindex>, %y: memref<?xi32>) {
  %i = spmd.local_id x
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %number = memref.load %numbers[%i] : memref<?xindex>
  %r = scf.index_switch %number -> i32
  case 3 {
    spmd.barrier
    scf.yield %two : i32
  }
  default {
    spmd.barrier
    scf.yield %one : i32
  }
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("strategy", ["fission", "continuations"])
def test_work_items_agree_on_a_path_and_not_on_its_number(strategy: Strategy):
    kernel = spmd.compile(SWITCH, strategy=strategy, check_barriers=True)["switch"]
    y = np.zeros(8, np.int32)
    for numbers, want in ((np.full(8, 3), 2), (np.arange(10, 18), 1)):
        kernel(numbers, y, global_size=8, group_size=8)
        assert (y == want).all()
    numbers = np.array([0, 1, 2, 4, 5, 3, 6, 7])
    with pytest.raises(spmd.LaunchError, match=r"work-item \(5, 0, 0\)"):
        kernel(numbers, y, global_size=8, group_size=8)
