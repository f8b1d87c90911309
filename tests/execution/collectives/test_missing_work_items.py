"""What a work-item reads that is not there is undefined, and nothing else is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd

BROADCAST = """
spmd.kernel @k(%x: memref<?xi32>, %y: memref<?xi32>, %from: index) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %r = spmd.broadcast %v from %from across work_group : i32
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize(
    "options", [{"vectorize": False}, {"strategy": "continuations"}]
)
def test_broadcast_of_nobody_ends_no_process(options: dict[str, Any]):
    kernel = spmd.compile(BROADCAST, **options)["k"]
    x = np.arange(100, dtype=np.int32)
    for source in (1 << 40, -1, -(1 << 45), 77):
        kernel(x, np.zeros_like(x), source, global_size=100, group_size=64, threads=1)
    y = np.zeros_like(x)
    kernel(x, y, 35, global_size=100, group_size=64, threads=1)
    assert (y == np.where(x < 64, 35, 99)).all()
