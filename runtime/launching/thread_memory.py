"""
Memory that each thread has for itself: scratch of kernels and local memory.

A thread runs one work-group at a time, and one buffer per thread, the largest that was asked
for, is enough for all kernels. Only a signal handler may launch in the midst of a group: the
buffer is taken then, and that launch makes one of its own.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np

ALIGNMENT = 64
"""The buffer starts at a multiple of this many bytes: a cache line, a vector."""


class Buffer(NamedTuple):
    """Bytes in memory."""

    size: int
    address: int
    keep: object


_NONE = Buffer(0, 0, None)


class _ThreadMemory(threading.local):
    left = _NONE
    """What nobody has taken."""


_memory = _ThreadMemory()


def take(size: int) -> Buffer:
    """At least `size` bytes for the calling thread, until they are put back."""
    found, _memory.left = _memory.left, _NONE
    if size <= found.size:
        return found
    made = np.empty(size + ALIGNMENT, np.uint8)
    return Buffer(size, -(-made.ctypes.data // ALIGNMENT) * ALIGNMENT, made)


def put_back(buffer: Buffer) -> None:
    """Leave a buffer to the next launch of the thread."""
    _memory.left = buffer
