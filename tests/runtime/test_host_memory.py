"""Memory that host functions allocate: it is freed however they end."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import spmd

TEMPORARY = """
spmd.kernel @spin(%x: memref<?xi8>, %n: index) attributes {work_group_size = array<i64: 1>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%c0] : memref<?xi8>
    %w = arith.xori %v, %v : i8
    memref.store %w, %x[%c0] : memref<?xi8>
  }
  spmd.return
}
func.func private @filled(%size: index) -> memref<?xi8> {
  %c0 = arith.constant 0 : index
  %c4096 = arith.constant 4096 : index
  %one = arith.constant 1 : i8
  %t = memref.alloc(%size) {alignment = 4096 : i64} : memref<?xi8>
  scf.for %i = %c0 to %size step %c4096 {
    memref.store %one, %t[%i] : memref<?xi8>
  }
  func.return %t : memref<?xi8>
}
func.func @temporary(%size: index, %n: index, %passes: i1, %frees: i1) {
  %c1 = arith.constant 1 : index
  %t = func.call @filled(%size) : (index) -> memref<?xi8>
  %u = func.call @filled(%size) : (index) -> memref<?xi8>
  spmd.launch @spin global(%c1) (%t, %n) : memref<?xi8>, index
  cf.assert %passes, "asked to fail"
  scf.if %frees {
    memref.dealloc %t : memref<?xi8>
    memref.dealloc %u : memref<?xi8>
  }
  func.return
}
func.func @frees_twice(%n: index) {
  %t = memref.alloc(%n) : memref<?xi8>
  %u = memref.alloc(%n) : memref<?xi8>
  memref.dealloc %t : memref<?xi8>
  memref.dealloc %t : memref<?xi8>
  func.return
}
func.func @frees_an_argument(%x: memref<?xi8>) {
  memref.dealloc %x : memref<?xi8>
  func.return
}
"""


def resident() -> int:
    """The memory of this process, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize(
    ("n", "passes", "frees"),
    [(1, True, True), (1, True, False), (1, False, True), (1 << 50, True, True)],
    ids=["done", "never freed", "failed", "stopped"],
)
def test_memory_of_a_host_function_is_freed_however_it_ends(
    n: int, passes: bool, frees: bool
):
    temporary = spmd.compile(TEMPORARY)["temporary"]
    temporary(1 << 20, 1, True, True)
    size, before = 32 << 20, resident()
    for _ in range(4):
        with suppress(spmd.LaunchError):
            temporary(size, n, passes, frees, timeout=0.2)
    assert resident() - before < size


def test_memory_is_freed_once_and_only_if_it_was_allocated():
    program = spmd.compile(TEMPORARY)
    for name, given in (
        ("frees_twice", 8),
        ("frees_an_argument", np.zeros(8, np.int8)),
    ):
        with pytest.raises(
            spmd.LaunchError, match=r"expected memory of a memref\.alloc"
        ):
            program[name](given)


def test_work_items_do_not_launch():
    source = (
        TEMPORARY
        + """
func.func private @launches(%x: memref<?xi8>) {
  %c1 = arith.constant 1 : index
  spmd.launch @spin global(%c1) (%x, %c1) : memref<?xi8>, index
  func.return
}
spmd.kernel @calls(%x: memref<?xi8>) {
  func.call @launches(%x) : (memref<?xi8>) -> ()
  spmd.return
}
"""
    )
    message = "'spmd.launch': expected a function of the host around it"
    with pytest.raises(spmd.CompileError, match=message):
        spmd.compile(source)
