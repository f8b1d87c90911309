"""Arrays of one file that is in memory at two addresses."""

from __future__ import annotations

from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spmd
from spmd.runtime.arguments import mapped_files
from spmd.runtime.arguments.mapped_files import mapped_twice

pytestmark = pytest.mark.skipif(
    not Path(mapped_files.MAPS).exists(), reason="the system says nothing of its memory"
)


def twice(first: Any, second: Any) -> bool:
    return mapped_twice([first, second], [(0, 1)]) is not None


@pytest.fixture
def maps(tmp_path: Path) -> tuple[Any, Any]:
    """All of a file, and its second half from a page on that is not the first."""
    name = tmp_path / "x"
    whole = np.memmap(name, np.float32, "w+", shape=(4096,))
    return whole, np.memmap(name, np.float32, "r+", offset=8192)


def test_parts_of_a_file_that_is_mapped_twice(maps: tuple[Any, Any]):
    whole, half = maps
    assert twice(whole, half)
    assert not twice(whole[:2048], half)
    assert twice(whole[2047:2049], half)
    assert not twice(whole[2048:2049], half[1:])
    assert not twice(whole[:2048][::-1], half[::-1])
    assert twice(whole[:2049][::-1], np.asarray(half)[::-1])
    assert not twice(whole, half[:0])
    # At one address, NumPy knows.
    assert not twice(whole, whole[1:])
    assert not twice(whole, np.ones(4096, np.float32))


def test_other_files_are_other_memory(maps: tuple[Any, Any], tmp_path: Path):
    other = np.memmap(tmp_path / "y", np.float32, "w+", shape=(4096,))
    assert not twice(maps[0], other)


def test_shared_memory_that_is_attached_twice():
    one = SharedMemory(create=True, size=4096)
    try:
        other = SharedMemory(one.name)
        x, y = (np.ndarray(1024, np.float32, each.buf) for each in (one, other))
        assert twice(x, y)
        assert not twice(x[:512], y[512:])
        del x, y
        other.close()
    finally:
        one.close()
        one.unlink()


def test_a_launch_refuses_what_it_writes_at_two_addresses(maps: tuple[Any, Any]):
    k = spmd.compile("""
    spmd.kernel @k(%a: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
      %i = spmd.global_id x
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
      spmd.return
    }""")["k"]
    whole, half = maps
    free = np.zeros(2048, np.float32)
    k(free, half, whole[:2048], global_size=2048)
    k(whole, half, free, global_size=2048)
    with pytest.raises(spmd.LaunchError, match=r"mapped twice for .*%x.* and .*%y"):
        k(free, half, whole, global_size=2048)
    with pytest.raises(spmd.LaunchError, match=r"mapped twice for .*%a.* and .*%y"):
        k(half, free, whole, global_size=2048)
