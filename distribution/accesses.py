"""Which elements of its arrays a launch accesses, as far as splitting it is concerned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from spmd.analysis.footprints.box_bounds import Box
from spmd.analysis.footprints.footprints import Elements, LaunchFootprints
from spmd.analysis.footprints.relations import AccessKind
from spmd.dialects.spmd import AtomicKind
from spmd.runtime.errors import LaunchError

Chunks = tuple[tuple[int, ...], ...]
"""Sizes of chunks, per dimension."""


@dataclass(frozen=True)
class ArrayUse:
    """One array of the launch."""

    position: int
    name: str
    shape: tuple[int, ...]
    chunks: Chunks
    bytes: int
    """Of one element."""
    reads: bool
    writes: bool
    reduction: AtomicKind | None
    """How groups update elements, if they do nothing else to it."""
    whole_rows: bool
    """Whether the kernel needs the inner dimensions of a piece to be those of the array."""


@dataclass(frozen=True)
class Accesses:
    """What the groups of a launch do to its arrays."""

    kernel: str
    footprints: LaunchFootprints
    arrays: Sequence[ArrayUse]

    @property
    def written(self) -> list[ArrayUse]:
        """The arrays that are written, other than by reductions."""
        return [array for array in self.arrays if array.writes]

    def elements(self, array: ArrayUse, kind: AccessKind, box: Box) -> Elements:
        """What the groups of a box access."""
        return self.footprints.elements(array.position, kind, box)

    def along(self, axis: int, groups: range) -> Box:
        """The groups whose ids in dimension `axis` are in a range."""
        x, y, z = (
            groups if axis == d else whole
            for d, whole in enumerate(self.footprints.whole)
        )
        return x, y, z

    def error(self, text: str) -> LaunchError:
        """What to raise for a launch that cannot be split."""
        return LaunchError(f"{self.kernel}: {text}")
