"""Local memory whose size a launch gives: `spmd.local(256)`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, SupportsIndex

from spmd.runtime.arguments.sizes import whole_numbers
from spmd.runtime.errors import LaunchError


class LocalMemory(NamedTuple):
    """Stands for an argument in local memory; each work-group gets its own storage."""

    shape: tuple[int, ...]

    def __repr__(self) -> str:
        shape = self.shape
        return f"spmd.local({shape[0] if len(shape) == 1 else shape})"


def local(shape: SupportsIndex | Iterable[SupportsIndex]) -> LocalMemory:
    """
    Local memory of `shape` elements for a kernel argument in `#spmd.memory<local>`.

    The element type is that of the argument; the contents are undefined at the start.
    """
    try:
        extents = whole_numbers(shape)
    except TypeError:
        raise LaunchError(
            f"spmd.local: expected a size or a tuple of sizes, got {shape!r}"
        ) from None
    if any(extent < 0 for extent in extents):
        raise LaunchError(f"spmd.local: expected sizes of at least 0, got {extents}")
    return LocalMemory(extents)
