"""Private arrays that no stack has room for, and those that no machine has room for."""

from __future__ import annotations

import resource
from typing import Any

import numpy as np
import pytest

import spmd

N = 2_500_000
"""20 MB of i64: more than the stack of any thread."""

USE = """
  %i = spmd.global_id x
  %a = memref.alloca({size}) : memref<{n}xi64>
  %v = arith.index_cast %i : index to i64
  %k = arith.muli %i, %step : index
  %w = arith.addi %v, %v : i64
  memref.store %v, %a[%i] : memref<{n}xi64>
  memref.store %w, %a[%k] : memref<{n}xi64>
{between}
  %back = memref.load %a[%i] : memref<{n}xi64>
  %more = memref.load %a[%k] : memref<{n}xi64>
  %sum = arith.addi %back, %more : i64
  memref.store %sum, %y[%i] : memref<?xi64>
"""

KERNEL = "spmd.kernel @large(%y: memref<?xi64>, %n: index, %step: index) {{{}  spmd.return\n}}"


EXCHANGE = """
  %group = spmd.group_id x
  %enqueued = spmd.enqueued_local_size x
  %first = arith.muli %group, %enqueued : index
  memref.store %v, %y[%i] : memref<?xi64>
  spmd.barrier
  %there = memref.load %y[%first] : memref<?xi64>
  memref.store %there, %a[%k] : memref<{n}xi64>
  memref.store %w, %a[%k] : memref<{n}xi64>
  spmd.barrier"""
"""Barriers that are needed."""


def source(dynamic: bool, barrier: bool) -> str:
    """A kernel with a large private array."""
    size, n = ("%n", "?") if dynamic else ("", str(N))
    between = EXCHANGE.format(n=n) if barrier else ""
    return KERNEL.format(USE.format(size=size, n=n, between=between))


@pytest.mark.parametrize("dynamic", [False, True], ids=["fixed", "sized"])
@pytest.mark.parametrize("barrier", [False, True], ids=["loop", "barrier"])
@pytest.mark.parametrize(
    "options",
    [{"vectorize": False}, {"width": 4}, {"width": 4, "strategy": "continuations"}],
    ids=str,
)
@pytest.mark.parametrize("threads", [1, 3])
def test_20_megabytes_in_each_work_item(
    dynamic: bool, barrier: bool, options: dict[str, Any], threads: int
):
    kernel = spmd.compile(source(dynamic, barrier), **options)["large"]
    y = np.zeros(22, np.int64)
    kernel(y, N, 100_000, global_size=22, group_size=8, threads=threads)
    first = np.arange(22)
    # Work-item 0 stores twice to one place.
    np.testing.assert_array_equal(y, first * 3)


@pytest.mark.parametrize("barrier", [False, True], ids=["loop", "barrier"])
@pytest.mark.parametrize("options", [{"vectorize": False}, {"width": 8}], ids=str)
@pytest.mark.parametrize("size", [1 << 50, 1 << 61, (1 << 61) + 1, 1 << 58, -1])
def test_memory_that_no_machine_has_is_an_error(
    barrier: bool, options: dict[str, Any], size: int
):
    kernel = spmd.compile(source(True, barrier), **options)["large"]
    y = np.zeros(16, np.int64)
    with pytest.raises(
        spmd.LaunchError, match=r"^large: .*expected \d{15,} bytes of memory"
    ):
        kernel(y, size, 1, global_size=16, group_size=8, threads=2)
    kernel(y, 100, 2, global_size=16, group_size=8, threads=2)
    assert y[5] == 15


SHARED = """
spmd.kernel @shared(%y: memref<?xi64>, %n: index) {
  %i = spmd.local_id x
  %a = memref.alloca() : memref<134217728xi64>
  %v = arith.index_cast %i : index to i64
  memref.store %v, %a[%n] : memref<134217728xi64>
  memref.store %v, %y[%i] : memref<?xi64>
  spmd.barrier
  %u = memref.load %y[%n] : memref<?xi64>
  spmd.barrier
  %w = memref.load %a[%n] : memref<134217728xi64>
  %sum = arith.addi %u, %w : i64
  memref.store %sum, %y[%i] : memref<?xi64>
  spmd.return
}"""


def test_memory_of_a_group_that_no_machine_has_is_an_error():
    kernel = spmd.compile(SHARED)["shared"]
    with pytest.raises(
        spmd.LaunchError,
        match=r"^shared: expected 17592186044416 bytes of memory for each thread",
    ):
        kernel(np.zeros(16384, np.int64), 0, global_size=16384, group_size=16384)


@pytest.mark.parametrize("barrier", [False, True], ids=["loop", "barrier"])
def test_memory_is_given_back_also_when_a_launch_ends_early(barrier: bool):
    stop = '\n  %fine = arith.cmpi ult, %i, %step : index\n  cf.assert %fine, "late"\n'
    text = source(True, barrier).replace("  %back", stop + "  %back")
    kernel = spmd.compile(text, width=4)["large"]
    y = np.zeros(64, np.int64)

    def launch(step: int) -> None:
        kernel(y, N, step, global_size=64, group_size=8)

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

    with pytest.raises(spmd.LaunchError, match="late"):
        launch(5)
    before = peak()
    for _ in range(200):
        with pytest.raises(spmd.LaunchError, match="late"):
            launch(5)
    launch(64)
    assert peak() - before < 200
