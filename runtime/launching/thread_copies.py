"""Whether threads update a copy of an array rather than the array, atomically."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from spmd.runtime.arguments.signature import Signature
from spmd.runtime.arguments.sizes import Range
from spmd.runtime.compiling.made import UpdatedArray
from spmd.runtime.launching.threads import CHUNKS_PER_THREAD, available_threads

MAX_BYTES = 32 << 10
"""Of all copies of a thread, which are on its stack: what a level 1 cache has at least."""

_UPDATES_PER_ELEMENT = 4
"""
As many updates for each element of a copy are worth it.

An atomic update takes 5 ns more than another one. An element of a copy takes 1 ns to fill and to
look at, and an atomic update if it has changed; some work-items may update nothing.
"""


def copied_arrays(
    updated: Sequence[UpdatedArray],
    signature: Signature,
    elements: Sequence[int],
    range_: Range,
    threads: int | None,
) -> tuple[str, ...]:
    """
    Which of the arrays `updated` are worth copies in such a launch, as `spmd-specialize` has it.

    `elements` are those of each array that it binds.
    """
    threads = threads or available_threads()
    chunks = 1 if threads == 1 else min(range_.groups, threads * CHUNKS_PER_THREAD)
    sizes = {
        each.number: (count, count * each.element.size)
        for each, count in zip(signature.arrays, elements, strict=True)
    }
    work_items = prod(range_.global_size)
    # With a loop, a launch is taken to go through the largest of its arrays.
    most = max(work_items, *elements)
    copied: list[str] = []
    left = MAX_BYTES
    for each in sorted(updated, key=lambda each: sizes[each.number]):
        count, bytes_ = sizes[each.number]
        updates = most if each.in_loop else work_items
        if bytes_ <= left and _UPDATES_PER_ELEMENT * count * chunks <= updates:
            left -= bytes_
            copied.append(f"{each.number}={each.kind}")
    return tuple(copied)
