"""
Arrays that are one part of a file at two addresses, because the file was mapped twice.

What is stored at one address changes what lies at the other. LLVM tells arrays apart by their
addresses, also where its code asks at run time, and so no code is right for both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from mmap import mmap
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

Array = np.ndarray[Any, Any]

_ARRAYS: tuple[type, ...] = (np.ndarray,)

MAPS = "/proc/self/maps"
"""What Linux says of the memory of this process; other systems say nothing."""


class _File(NamedTuple):
    """A file that is in memory."""

    name: str
    """Device and inode."""
    before: int
    """What is to be added to an address for the place in the file."""


_FILES: WeakKeyDictionary[mmap, _File | None] = WeakKeyDictionary()


def mapped_twice(
    arrays: Sequence[Array], pairs: Iterable[tuple[int, int]]
) -> tuple[int, int] | None:
    """Which of the `pairs` of arrays may have an element in common at two addresses."""
    below = [None if each.base is None else _memory_below(each) for each in arrays]
    if len({id(each) for each in below if each is not None}) < 2:
        return None
    for i, j in pairs:
        if below[i] is not below[j]:
            first, second = _part(arrays[i], below[i]), _part(arrays[j], below[j])
            if first is None or second is None or first[0] != second[0]:
                continue
            (_, low, high), (_, start, end) = first, second
            if low < end and start < high:
                return i, j
    return None


def _memory_below(array: Array) -> mmap | None:
    """The mapped memory that an array is a part of."""
    below: Any = array.base
    while isinstance(below, _ARRAYS):
        below = below.base
    if isinstance(below, memoryview):
        below = below.obj
    return below if isinstance(below, mmap) else None


def _part(array: Array, memory: mmap | None) -> tuple[str, int, int] | None:
    """The file, and where in it an array in mapped `memory` begins and ends."""
    if memory is None or not array.size:
        return None
    address: int = array.__array_interface__["data"][0]
    if memory not in _FILES:
        _FILES[memory] = _file_at(address)
    if (file := _FILES[memory]) is None:
        return None
    steps = [(n - 1) * s for n, s in zip(array.shape, array.strides, strict=True)]
    first = address + file.before
    low, high = (sum(pick(step, 0) for step in steps) for pick in (min, max))
    return file.name, first + low, first + high + array.itemsize


def _file_at(address: int) -> _File | None:
    try:
        with open(MAPS) as lines:
            for line in lines:
                memory, _, offset, device, inode, *_ = line.split(maxsplit=5)
                start, end = (int(number, 16) for number in memory.split("-"))
                if start <= address < end:
                    before = int(offset, 16) - start
                    return _File(f"{device} {inode}", before) if inode != "0" else None
    except OSError:
        pass
    return None
