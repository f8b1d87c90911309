"""
Which boxes of work-groups a launch is made of, and which elements each of them needs.

The chunks of the arrays that are written decide: an edge between two chunks becomes the edge
between the groups that write before and after it. Work-groups cannot be cut, so an edge
within what a group writes moves to where the group begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from math import prod

from spmd.analysis.footprints.box_bounds import Box
from spmd.analysis.footprints.footprints import LaunchFootprints, Region
from spmd.analysis.footprints.relations import AccessKind
from spmd.dialects.spmd import AtomicKind
from spmd.distribution.partitions import Halo, Partition
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
class Part:
    """One task: a box of groups, and the elements of each array that it needs."""

    box: Box
    at: tuple[int, ...]
    """The number of the box in each dimension of the launch."""
    regions: Mapping[int, Region]
    """By argument; of arrays that are written, the chunk. Empty where nothing is needed."""
    overwritten: frozenset[int]
    """Arguments of which all elements of the region are written, and none is read before."""


@dataclass(frozen=True)
class Plan:
    """The tasks of a launch; `chunks` are those of the arrays that it writes."""

    parts: tuple[Part, ...]
    axes: Mapping[int, Sequence[int | None]]
    """For each written array and dimension: the dimension of the launch that splits it."""
    chunks: Mapping[int, Chunks]


class Planner:
    """Makes the plan of one launch."""

    def __init__(
        self,
        kernel: str,
        footprints: LaunchFootprints,
        arrays: Sequence[ArrayUse],
        partition: Mapping[str, Partition],
        limit: int,
    ):
        self._kernel = kernel
        self._footprints = footprints
        self._arrays = arrays
        self._partition = partition
        self._limit = limit
        self._written = [a for a in arrays if a.writes]
        for array in self._written:
            self._check_written(array)

    def _error(self, text: str) -> LaunchError:
        return LaunchError(f"{self._kernel}: {text}")

    def _check_written(self, array: ArrayUse) -> None:
        kinds = [AccessKind.WRITE, AccessKind.REDUCE]
        for kind in kinds:
            found = self._elements(array, kind, self._footprints.whole)
            if found.unknown is not None:
                words, cause = found.unknown.words, found.unknown.cause
                raise self._error(
                    f"expected to know which elements of %{array.name} each work-group "
                    f"writes, got {words}, because of {cause}; launch the kernel itself on "
                    "the whole array, or let it write to elements that ids and sizes decide"
                )

    def _elements(self, array: ArrayUse, kind: AccessKind, box: Box):
        return self._footprints.elements(array.position, kind, box)

    def _along(self, axis: int, groups: range) -> Box:
        x, y, z = (
            groups if axis == d else whole
            for d, whole in enumerate(self._footprints.whole)
        )
        return x, y, z

    # --- boxes -------------------------------------------------------------------------

    def plan(self) -> Plan:
        """The boxes, as the chunks of what is written ask for, else of what is read."""
        edges = self._edges()
        axes: dict[int, Sequence[int | None]] = {}
        chunks: dict[int, Chunks] = {}
        for array in self._written:
            axes[array.position], chunks[array.position] = self._split(array, edges)
        cuts = [
            [0, *sorted(edges[axis]), count]
            for axis, count in enumerate(self._footprints.groups)
        ]
        grid = tuple(len(each) - 1 for each in cuts)
        pieces = [[range(*pair) for pair in pairwise(each)] for each in cuts]
        parts: list[Part] = []
        for numbers in product(*(range(n) for n in reversed(grid))):
            at = numbers[::-1]
            x, y, z = (pieces[axis][number] for axis, number in enumerate(at))
            parts.append(self._part((x, y, z), at, axes, chunks))
        return Plan(tuple(parts), axes, chunks)

    def _edges(self) -> list[set[int]]:
        edges: list[set[int]] = [set(), set(), set()]
        drivers = [(a, AccessKind.WRITE) for a in self._written]
        if not drivers:
            readers = [a for a in self._arrays if a.reads]
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
        for axis, count in enumerate(self._footprints.groups):
            low, high = 0, count - 1
            while low < high:
                middle = (low + high + 1) // 2
                before = self._elements(
                    array, kind, self._along(axis, range(middle))
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
        count = self._footprints.groups[axis]
        before, after = (
            self._elements(array, AccessKind.WRITE, self._along(axis, part)).region
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
                region = self._elements(
                    array, AccessKind.WRITE, self._along(axis, range(cut))
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
        return self._error(
            f"expected to split all that is written where the launch is split in dimension "
            f"{name}, got %{array.name}, of which {why}; give the arrays that are written "
            "one chunk in this dimension, with rechunk"
        )

    # --- what a box needs ----------------------------------------------------------------

    def _part(
        self,
        box: Box,
        at: Sequence[int],
        axes: Mapping[int, Sequence[int | None]],
        chunks: Mapping[int, Chunks],
    ) -> Part:
        regions: dict[int, Region] = {}
        for array in self._written:
            sizes = chunks[array.position]
            ranges: list[range] = []
            for dim, axis in enumerate(axes[array.position]):
                number = 0 if axis is None else at[axis]
                start = sum(sizes[dim][:number])
                ranges.append(range(start, start + sizes[dim][number]))
            regions[array.position] = tuple(ranges)
        for array in self._arrays:
            if array.reduction is not None:
                regions[array.position] = tuple(map(range, array.shape))
            elif array.writes:
                self._check_in_place(array, box, regions[array.position])
            else:
                regions[array.position] = self._read_region(array, box, regions)
        overwritten = frozenset(
            array.position
            for array in self._written
            if not array.reads
            and self._footprints.writes_all(
                array.position, box, regions[array.position]
            )
        )
        return Part(box, tuple(at), regions, overwritten)

    def _check_in_place(self, array: ArrayUse, box: Box, chunk: Region) -> None:
        for kind in AccessKind:
            found = self._elements(array, kind, box)
            if found.region is not None and not _contains(chunk, found.region):
                words = (
                    "other elements" if found.unknown is None else found.unknown.words
                )
                raise self._error(
                    f"expected work-groups to read of %{array.name} only what they write "
                    f"themselves, got {words} from {_text(found.region)} beside "
                    f"{_text(chunk)}; write to another array, and read this one"
                )

    def _read_region(
        self, array: ArrayUse, box: Box, written: Mapping[int, Region]
    ) -> Region:
        whole = tuple(map(range, array.shape))
        given = self._partition.get(array.name)
        if given == "replicate":
            return whole
        if isinstance(given, Halo):
            return self._grown(array, given, written)
        found = self._elements(array, AccessKind.READ, box)
        if found.unknown is not None:
            self._check_limit(array, found.unknown.words, found.unknown.cause)
        region = found.region
        if region is None:
            return tuple(range(0) for _ in array.shape)
        if array.whole_rows:
            return (*region[:1], *whole[1:])
        return region

    def _grown(
        self, array: ArrayUse, given: Halo, written: Mapping[int, Region]
    ) -> Region:
        for chunk in written.values():
            if len(chunk) == len(array.shape):
                return tuple(
                    range(
                        max(0, c.start - given.before), min(size, c.stop + given.after)
                    )
                    if dim == 0 or not array.whole_rows
                    else range(size)
                    for dim, (c, size) in enumerate(
                        zip(chunk, array.shape, strict=True)
                    )
                )
        raise self._error(
            f"expected an array of {len(array.shape)} dimensions that is written, which "
            f"the halo of %{array.name} lies around, got none; use 'replicate'"
        )

    def _check_limit(self, array: ArrayUse, words: str, cause: str) -> None:
        size = prod(array.shape) * array.bytes
        if size > self._limit:
            raise self._error(
                f"expected %{array.name} to have at most {self._limit} bytes, since each "
                f"task would get all of it, got {size}: it is read at {words}, because of "
                f"{cause}; allow that with partition={{'{array.name}': 'replicate'}} or a "
                f"larger limit, or promise with partition={{'{array.name}': "
                "spmd.dask.halo(n)} that groups read at most n elements beside those that "
                "they write"
            )


def _contains(outer: Region, inner: Region) -> bool:
    return all(
        not b or (a.start <= b.start and b.stop <= a.stop)
        for a, b in zip(outer, inner, strict=True)
    )


def _text(region: Region) -> str:
    return f"[{', '.join(f'{r.start} to {r.stop - 1}' for r in region)}]"
