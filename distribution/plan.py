"""
Which boxes of work-groups a launch is made of.

The chunks of the arrays that are written decide: an edge between two chunks becomes the edge
between the groups that write before and after it. Work-groups cannot be cut, so an edge
within what a group writes moves to where the group begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from math import gcd, prod
from typing import Any

from spmd.analysis.footprints.box_bounds import Triple
from spmd.analysis.footprints.footprints import Region
from spmd.analysis.footprints.relations import AccessKind
from spmd.distribution.accesses import Accesses, ArrayUse, Chunks
from spmd.distribution.needs import Needs, Part
from spmd.runtime.errors import LaunchError


@dataclass(frozen=True)
class Plan:
    """The tasks of a launch; `chunks` are those of the arrays that it writes."""

    parts: tuple[Part, ...]
    axes: Mapping[int, Sequence[int | None]]
    """For each written array and dimension: the dimension of the launch that splits it."""
    chunks: Mapping[int, Chunks]
    kept: Mapping[int, Sequence[Region]]
    """By argument: what all groups together may read, or leave as it is."""

    def edges(self, size: Triple, groups: Triple) -> Triple:
        """What divides the numbers of work-items where boxes begin and end within a launch."""
        boxes = [box for part in self.parts for box in part.boxes]
        x, y, z = (
            each
            * gcd(*{n for box in boxes for n in (box[d].start, box[d].stop % count)})
            for d, (each, count) in enumerate(zip(size, groups, strict=True))
        )
        return x, y, z


class Planner:
    """Makes the plan of one launch."""

    def __init__(self, accesses: Accesses, needs: Needs):
        self._of = accesses
        self._needs = needs
        for array in accesses.written:
            self._check_written(array)

    def _check_written(self, array: ArrayUse) -> None:
        kinds = [AccessKind.WRITE, AccessKind.REDUCE]
        for kind in kinds:
            found = self._of.elements(array, kind, self._of.footprints.whole)
            if found.unknown is not None:
                words, cause = found.unknown.words, found.unknown.cause
                raise self._of.error(
                    f"expected to know which elements of %{array.name} each work-group "
                    f"writes, got {words}, because of {cause}; launch the kernel itself on "
                    "the whole array, or let it write to elements that ids and sizes decide"
                )

    def plan(self) -> Plan:
        """The boxes, as the chunks of what is written ask for, else of what is read."""
        edges = self._edges()
        axes: dict[int, Sequence[int | None]] = {}
        chunks: dict[int, Chunks] = {}
        for array in self._of.written:
            axes[array.position], chunks[array.position] = self._split(array, edges)
        for array in self._of.written:
            self._share(array.position, axes)
            self._share(array.position, chunks)
        cuts = [
            [0, *sorted(edges[axis]), count]
            for axis, count in enumerate(self._of.footprints.groups)
        ]
        grid = tuple(len(each) - 1 for each in cuts)
        pieces = [[range(*pair) for pair in pairwise(each)] for each in cuts]
        parts: list[Part] = []
        for numbers in product(*(range(n) for n in reversed(grid))):
            at = numbers[::-1]
            x, y, z = (pieces[axis][number] for axis, number in enumerate(at))
            chunk = {n: _chunk(axes[n], sizes, at) for n, sizes in chunks.items()}
            parts.append(self._needs.part((x, y, z), at, chunk))
        whole = {a.position: tuple(map(range, a.shape)) for a in self._of.arrays}
        kept = self._needs.kept(self._of.footprints.whole, whole)
        return Plan(tuple(parts), axes, chunks, kept)

    def _share(self, position: int, split: dict[int, Any]) -> None:
        """The arrays that take turns with one that is written are split as it is."""
        steps = self._needs.steps
        other = steps.turns[position]
        while steps.count > 1 and other not in split:
            split[other] = split[position]
            other = steps.turns[other]

    def _edges(self) -> list[set[int]]:
        edges: list[set[int]] = [set(), set(), set()]
        drivers = [(a, AccessKind.WRITE) for a in self._of.written]
        if not drivers:
            readers = [a for a in self._of.arrays if a.reads]
            readers.sort(key=lambda a: -prod(a.shape) * a.bytes)
            drivers = [(a, AccessKind.READ) for a in readers[:1]]
        for array, kind in drivers:
            for dim, sizes in enumerate(array.chunks):
                for edge in list(accumulate(sizes))[:-1]:
                    found = self._group_edge(array, kind, dim, edge)
                    if found is not None:
                        axis, groups = found
                        edges[axis].add(groups)
        return edges

    def _group_edge(
        self, array: ArrayUse, kind: AccessKind, dim: int, edge: int
    ) -> tuple[int, int] | None:
        """The dimension of the launch, and the groups before an edge of chunks."""
        for axis, count in enumerate(self._of.footprints.groups):
            low, high = 0, count - 1
            while low < high:
                middle = (low + high + 1) // 2
                before = self._of.elements(
                    array, kind, self._of.along(axis, range(middle))
                ).region
                if before is None or before[dim].stop <= edge:
                    low = middle
                else:
                    high = middle - 1
            if low and (kind is AccessKind.READ or self._is_cut(array, dim, axis, low)):
                return axis, low
        return None

    def _is_cut(self, array: ArrayUse, dim: int, axis: int, groups: int) -> bool:
        """Whether the first groups write before all elements that the others write."""
        count = self._of.footprints.groups[axis]
        before, after = (
            self._of.elements(
                array, AccessKind.WRITE, self._of.along(axis, part)
            ).region
            for part in (range(groups), range(groups, count))
        )
        return before is None or after is None or before[dim].stop <= after[dim].start

    def _split(
        self, array: ArrayUse, edges: Sequence[set[int]]
    ) -> tuple[Sequence[int | None], Chunks]:
        """Which dimension each axis splits, and the chunks of that."""
        axes: list[int | None] = [None] * len(array.shape)
        chunks: list[tuple[int, ...]] = [(size,) for size in array.shape]
        for axis, groups in enumerate(edges):
            if not groups:
                continue
            dim = next(
                (
                    dim
                    for dim, taken in enumerate(axes)
                    if taken is None
                    and (dim == 0 or not array.whole_rows)
                    and all(self._is_cut(array, dim, axis, cut) for cut in groups)
                ),
                None,
            )
            if dim is None:
                raise self._not_split(array, axis)
            axes[dim] = axis
            ends = [0]
            for cut in sorted(groups):
                region = self._of.elements(
                    array, AccessKind.WRITE, self._of.along(axis, range(cut))
                ).region
                ends.append(ends[-1] if region is None else region[dim].stop)
            ends.append(array.shape[dim])
            chunks[dim] = tuple(b - a for a, b in pairwise(ends))
        return axes, tuple(chunks)

    def _not_split(self, array: ArrayUse, axis: int) -> LaunchError:
        name = "xyz"[axis]
        why = (
            "the kernel needs whole rows of it"
            if array.whole_rows and len(array.shape) > 1
            else f"groups at different {name} write elements that are not apart"
        )
        return self._of.error(
            f"expected to split all that is written where the launch is split in dimension "
            f"{name}, got %{array.name}, of which {why}; give the arrays that are written "
            "one chunk in this dimension, with rechunk"
        )


def _chunk(axes: Sequence[int | None], sizes: Chunks, at: Sequence[int]) -> Region:
    """The chunk of an array that the box `at` writes."""
    ranges: list[range] = []
    for axis, along in zip(axes, sizes, strict=True):
        number = 0 if axis is None else at[axis]
        start = sum(along[:number])
        ranges.append(range(start, start + along[number]))
    return tuple(ranges)
