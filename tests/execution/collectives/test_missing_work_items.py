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


OF_SUB_GROUPS = BROADCAST.replace("across work_group", "across sub_group").replace(
    "{\n",
    "attributes {work_group_size = array<i64: 16>, sub_group_size = 8 : i64} {\n",
    1,
)


@pytest.mark.parametrize("source", [0, 3, 4, 5, 7, 8, 63, 64, 67, -1])
def test_checked_code_says_who_is_not_there(source: int):
    """The second sub-group of 13 work-items has 5."""
    x = np.arange(13, dtype=np.int32)
    for text, items, who in ((OF_SUB_GROUPS, 5, "lane"), (BROADCAST, 13, "work-item")):
        kernel = spmd.compile(text, checked=True)["k"]
        if 0 <= source < items:
            kernel(x, np.zeros_like(x), source, global_size=13, group_size=16)
            continue
        with pytest.raises(
            spmd.LaunchError, match=f"a value from {who} {source}, which is not there"
        ):
            kernel(x, np.zeros_like(x), source, global_size=13, group_size=16)


LANE_OF_ITS_OWN = OF_SUB_GROUPS.replace("from %from", "from %own").replace(
    "  %r =", "  %l = spmd.lane_id\n  %own = arith.minui %l, %from : index\n  %r ="
)


def test_checked_code_says_who_asks_for_another():
    kernel = spmd.compile(LANE_OF_ITS_OWN, checked=True)["k"]
    x = np.arange(16, dtype=np.int32)
    kernel(x, np.zeros_like(x), 0, global_size=16)
    with pytest.raises(
        spmd.LaunchError, match="a value from lane 0, where others ask for lane 2"
    ):
        kernel(x, np.zeros_like(x), 2, global_size=16)
