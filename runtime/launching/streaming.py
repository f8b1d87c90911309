"""Whether a launch stores more to an array than caches hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from pathlib import Path

from spmd.dialects.limits import LINE_OFFSETS
from spmd.runtime.arguments.arrays import Array
from spmd.runtime.arguments.signature import Signature
from spmd.runtime.arguments.sizes import Range
from spmd.runtime.compiling.made import StoredArray

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

_USUAL = 32 << 20
"""Bytes, where the system does not tell."""

_SHARE = 64 << 20
"""
Bytes that one process keeps in a cache, at most.

What has hundreds of megabytes belongs to dozens of cores. A virtual machine with two of them
is told of 300 MB, of which 32 MB last from one launch to the next, and 64 MB do not. (The C
library takes a quarter of a cache for the share of one thread.)
"""

_STORED_ALONE, _ALL_STORED_ALONE = 4, 96 << 20
"""
Times what such a cache holds, and bytes, up to which it is as fast to store through the caches
where nothing else takes from memory.

Some cores do not load a line that is stored whole (Zen 4); on others a fill of 64 MB takes
2.4 times as long through the caches (Sapphire Rapids). A copy is up to 1.4 times faster around
them as soon as they do not hold it.
"""

_SHORTEST_ROW = 1 << 10
"""Bytes that a group stores one after the other, where groups are not in one row."""


@cache
def largest_cache() -> int:
    """Bytes of the largest cache of this machine, or what a process has of it."""
    sizes: list[int] = []
    for file in _CACHES.glob("index*/size"):
        try:
            text = file.read_text().strip()
            sizes.append(int(text.rstrip("KMG")) * _UNITS.get(text[-1:], 1))
        except (OSError, ValueError):
            continue
    return min(max(sizes, default=_USUAL), _SHARE)


def exceed_caches(arrays: Sequence[Array], positions: Iterable[int]) -> bool:
    """Whether one of the arrays at these positions is more than the caches hold."""
    # Each launch asks that: `any` would take a third of a microsecond.
    for at in positions:  # noqa: SIM110
        if arrays[at].nbytes >= largest_cache():
            return True
    return False


def streamed_arrays(
    stored: Sequence[StoredArray],
    signature: Signature,
    elements: Iterable[int],
    line_offsets: Iterable[int | None],
    range_: Range,
) -> tuple[str, ...]:
    """
    Which of the arrays `stored` are worth streaming in such a launch, as `spmd-specialize` has it.

    `elements` are those of each array that it binds, and `line_offsets` say where in a cache line
    their rows begin, if they are known. Whoever reads later what is stored now finds
    it in no cache either way, if it is more than one holds.
    """
    sizes = {
        each.number: (count, each.element.size)
        for each, count in zip(signature.arrays, elements, strict=True)
    }
    numbers = [each.number for each in signature.arrays]
    begins = dict(zip(numbers, line_offsets, strict=False))
    at_least = largest_cache()
    read = sizes.keys() - {each.number for each in stored}
    if sum(prod(sizes[number]) for number in read) < at_least:
        at_least = min(at_least * _STORED_ALONE, _ALL_STORED_ALONE)
    work_items = prod(range_.global_size)
    in_one_row = work_items == range_.global_size[0]
    found: list[str] = []
    for each in stored:
        count, size = sizes[each.number]
        if not each.in_loop:
            count = min(count, work_items * each.stores)
        if count * size >= at_least and (
            in_one_row or range_.group_size[0] * size >= _SHORTEST_ROW
        ):
            begin = begins.get(each.number)
            known = f"={begin}" if begin in LINE_OFFSETS else ""
            found.append(f"{each.number}{known}")
    return tuple(found)
