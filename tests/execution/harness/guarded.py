"""Arrays that end where memory does: code that reads beyond them crashes."""

from __future__ import annotations

import ctypes
import mmap
import sys
import weakref
from typing import Any, cast

import numpy as np

from tests.execution.harness.comparing import Array

PAGE = mmap.PAGESIZE


def guarded(arguments: list[Any]) -> list[Any]:
    """The arguments, with arrays that end where a page does that nobody may touch."""
    if not sys.platform.startswith("linux"):
        return arguments
    arrays = [cast(Array, each) for each in arguments if isinstance(each, np.ndarray)]
    moved: dict[int, Array] = {}
    for each in arrays:
        if each.base is None and each.flags.c_contiguous and each.nbytes:
            moved[id(each)] = _at_end(each)
    if moved.keys() & {id(each.base) for each in arrays}:
        return arguments  # One is a part of another.
    return [moved.get(id(each), each) for each in arguments]


def _at_end(array: Array) -> Array:
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    size = -(-array.nbytes // PAGE) * PAGE
    both = mmap.PROT_READ | mmap.PROT_WRITE
    how = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    length = ctypes.c_size_t(size + PAGE)
    start = libc.mmap(None, length, both, how, -1, ctypes.c_long(0))
    assert start not in (None, ctypes.c_void_p(-1).value), "there is memory"
    assert libc.mprotect(ctypes.c_void_p(start + size), PAGE, 0) == 0
    memory = (ctypes.c_char * array.nbytes).from_address(start + size - array.nbytes)
    weakref.finalize(memory, libc.munmap, ctypes.c_void_p(start), length)
    bytes_ = np.frombuffer(cast(Any, memory), np.uint8)
    found: Array = bytes_.view(array.dtype).reshape(array.shape)
    found[...] = array
    return found


class Guarded:
    """Memory before which and after which nothing may be read."""

    def __init__(self) -> None:
        self._map = mmap.mmap(-1, 3 * PAGE)
        self.memory = np.frombuffer(self._map, np.uint8)[PAGE : 2 * PAGE]
        first = self.memory.ctypes.data
        libc = ctypes.CDLL(None, use_errno=True)
        for page in (first - PAGE, first + PAGE):
            assert libc.mprotect(ctypes.c_void_p(page), PAGE, 0) == 0  # PROT_NONE
