"""
Memory of the interpreter: storages (one allocation each) and memrefs that look at them.

NumPy arrays are not copied: a storage is a window on the array's own bytes. Memory of
the program's own starts filled with ones (NaN as a float, -1 as an integer), so that a
read of what was never written shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, product
from math import prod
from operator import mul
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DYNAMIC_INDEX

from spmd.reference.errors import ArgumentError
from spmd.reference.scalars import Scalar

_fresh_address = count(1 << 48, 1 << 40)


@dataclass(eq=False, slots=True)
class Storage:
    """One allocation: its bytes, and where it lies."""

    bytes: memoryview[Any]
    address: int
    space: str
    name: str = ""
    is_fresh: bool = False
    """Whether it starts without contents, since the program allocates it."""
    shadow: Any = None


@dataclass(eq=False, slots=True)
class MemRef:
    """
    A view of a storage: `data[offset + sum(index * stride)]` are its elements.

    `base` is the distance in bytes of `data[0]` from the start of the storage.
    """

    data: memoryview[Any]
    offset: int
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    storage: Storage
    base: int = 0
    before: int = 0
    """How many elements before the first one an index may reach, below 0."""

    def viewed(
        self, offset: int, sizes: Sequence[int], strides: Sequence[int]
    ) -> MemRef:
        """Other elements of the same data."""
        shape = tuple(sizes), tuple(strides)
        return MemRef(self.data, offset, *shape, self.storage, self.base)

    def position(self, indices: Sequence[int]) -> int:
        """Where in `data` the element at the indices lies."""
        return self.offset + sum(map(mul, indices, self.strides))

    def is_inside(self) -> bool:
        """Whether every element lies in the storage."""
        low = high = self.offset
        for size, stride in zip(self.sizes, self.strides, strict=True):
            if size == 0:
                return True
            low += min(0, (size - 1) * stride)
            high += max(0, (size - 1) * stride)
        return low >= 0 and high < len(self.data)

    def positions(self) -> list[int]:
        """Where in `data` the elements lie, row-major."""
        return [self.position(index) for index in product(*map(range, self.sizes))]


def fits(shape: Sequence[int], sizes: Sequence[int]) -> bool:
    """Whether the sizes are those of a shape, which may leave some open."""
    return len(shape) == len(sizes) and all(
        want in (size, DYNAMIC_INDEX) for want, size in zip(shape, sizes, strict=True)
    )


def row_major(sizes: Sequence[int]) -> tuple[int, ...]:
    """Strides of an identity layout."""
    strides: list[int] = []
    step = 1
    for size in reversed(sizes):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def typed(raw: memoryview[Any], scalar: Scalar) -> memoryview[Any]:
    """Bytes as elements."""
    return cast(Any, raw).cast(scalar.code)


def allocate(
    sizes: Sequence[int], scalar: Scalar, space: str, name: str = ""
) -> MemRef:
    """Fresh memory with undefined contents; a `MemoryError` if there is not so much."""
    sizes = tuple(sizes)
    length = prod(sizes) * scalar.size
    raw = memoryview(bytearray(b"\xff") * length)
    storage = Storage(raw, next(_fresh_address), space, name, is_fresh=True)
    return MemRef(typed(raw, scalar), 0, sizes, row_major(sizes), storage)


def window(array: NDArray[Any], scalar: Scalar, space: str, name: str) -> MemRef:
    """A memref on the elements of `array`, whatever its strides."""
    item = scalar.size
    strides: list[int] = []
    for stride in array.strides:
        if stride % item:
            raise ArgumentError(
                f"expected {name} with strides that are multiples of the {item} bytes "
                f"of {scalar.name}, got {array.strides}"
            )
        strides.append(stride // item)
    sizes = tuple(int(size) for size in array.shape)
    if array.size == 0:
        empty = memoryview(bytearray())
        storage = Storage(empty, next(_fresh_address), space, name)
        return MemRef(typed(empty, scalar), 0, sizes, tuple(strides), storage)
    steps = [(n - 1) * s for n, s in zip(sizes, strides, strict=True)]
    low = sum(min(0, step) for step in steps)
    high = sum(max(0, step) for step in steps)
    # Indexing an array without dimensions gives a copy, reshaping it a view.
    first = (
        array[tuple(slice(None, None, -1 if s < 0 else 1) for s in strides)]
        if array.ndim
        else array.reshape(1)
    )
    flat = np.lib.stride_tricks.as_strided(
        first.view(f"u{item}"),
        shape=(high - low + 1,),
        strides=(item,),
        writeable=bool(array.flags.writeable),
    )
    raw = memoryview(cast(Any, flat)).cast("B")
    storage = Storage(raw, int(flat.ctypes.data), space, name)
    return MemRef(typed(raw, scalar), -low, sizes, tuple(strides), storage)
