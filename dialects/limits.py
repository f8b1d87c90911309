"""How large launches and their memory may be, on every machine, and what nobody says of them."""

from __future__ import annotations

from collections.abc import Sequence

Sizes = tuple[int, int, int]
"""Of a group or a launch: x, y, z."""

SMALL_ARRAY = 1 << 30
"""Elements of an array whose indices need 32 bits, also in lanes that do not exist."""

FEW_ITEMS = 1 << 30
"""Work-items of a launch whose ids need 32 bits, also of lanes that do not exist."""

MAX_EXTENT = 1 << 48
"""
Work-items of a launch, all dimensions together, and elements of an array in each dimension.

Arrays of memory have fewer; those of one element, over and over, may have more.
"""

MAX_INDEX = 1 << 62
"""
How far from 0 an `index` may be that a launch passes to a kernel.

So a counter below it may be advanced by any size of a launch without wrapping.
"""

MAX_GROUP_SIZE = 1 << 14
"""Work-items of a work-group, all dimensions together."""

MAX_SUB_GROUP_SIZE = 64
"""The largest number of lanes of a sub-group that kernels can see."""

MAX_LANES = 256
"""The largest number of lanes in lock step: a tile of work-items that registers hold."""

MAX_LOCAL_BYTES = 1 << 20
"""Bytes of local memory of a work-group, of all allocations and arguments together."""

CACHE_LINE = 64
"""Bytes; what belongs to a work-group starts at one."""

LINE_OFFSETS = range(0, CACHE_LINE, 16)
"""Where in a cache line, in bytes, arrays begin that malloc aligns for any type of C."""

DEFAULT_GROUP_SIZE = 256
"""Work-items of a group when neither the kernel nor the launch says."""

_ROW = 64
"""The most in x where there are rows: whole rows would leave short groups at their ends."""


def too_much_local_memory(got: object) -> str:
    """The error of a work-group that has more local memory than there is."""
    return (
        f"expected at most {MAX_LOCAL_BYTES} bytes of local memory in a work-group, got "
        f"{got}; use smaller tiles"
    )


def default_group_size(
    global_size: Sequence[int], most: int = DEFAULT_GROUP_SIZE
) -> Sizes:
    """
    The group size for a range of work-items, x first, of at most `most`.

    Code is specialised on it, so it depends on the global size as little as possible:
    not at all in one dimension.
    """
    x, y, z, *_ = (*global_size, 1, 1)  # of a launch there are three
    if y == z == 1:
        return most, 1, 1
    rows, sizes = most, list[int]()
    for extent, limit in zip((x, y, z), (_ROW, most, most), strict=True):
        size = min(limit, rows, 1 << max(extent - 1, 0).bit_length())
        sizes.append(size)
        rows //= size
    return sizes[0], sizes[1], sizes[2]
