"""
Memory that each thread has for itself: scratch of kernels and local memory.

A thread runs one work-group at a time, so one buffer per thread is enough for all
kernels; it grows to the largest that was asked for and is freed with the thread.
"""

from __future__ import annotations

import threading

import numpy as np

ALIGNMENT = 64
"""The buffer starts at a multiple of this many bytes: a cache line, a vector."""


class _ThreadMemory(threading.local):
    size = 0
    address = 0
    buffer: object = None


_memory = _ThreadMemory()


def thread_memory(size: int) -> int:
    """The address of at least `size` bytes that belong to the calling thread."""
    if size > _memory.size:
        buffer = np.empty(size + ALIGNMENT, np.uint8)
        _memory.buffer = buffer
        _memory.address = -(-buffer.ctypes.data // ALIGNMENT) * ALIGNMENT
        _memory.size = size
    return _memory.address
