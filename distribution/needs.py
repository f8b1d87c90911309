"""Which elements of each array a box of work-groups needs, in one step or several."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from spmd.analysis.footprints.box_bounds import Box
from spmd.analysis.footprints.footprints import Region
from spmd.analysis.footprints.relations import AccessKind
from spmd.distribution.accesses import Accesses, ArrayUse
from spmd.distribution.partitions import Halo, Partition


@dataclass(frozen=True)
class Part:
    """One task: a box of groups, and the elements of each array that it needs."""

    boxes: Sequence[Box]
    """For each step that the task takes."""
    at: tuple[int, ...]
    """The number of the box in each dimension of the launch."""
    regions: Mapping[int, Region]
    """By argument. Empty where nothing is needed."""
    chunks: Mapping[int, Region]
    """By argument: what the task makes."""
    kept: Mapping[int, Sequence[Region]]
    """By argument: the parts of the region whose old elements are needed."""


@dataclass(frozen=True)
class Steps:
    """How many launches one task makes of its box."""

    count: int
    turns: Sequence[int]
    """For each argument: which one's array it gets between two launches."""


class Needs:
    """What the tasks of a launch need."""

    def __init__(
        self,
        accesses: Accesses,
        partition: Mapping[str, Partition],
        limit: int,
        steps: Steps,
    ):
        self._of = accesses
        self._partition = partition
        self._limit = limit
        self.steps = steps

    def part(self, box: Box, at: Sequence[int], chunk: Mapping[int, Region]) -> Part:
        """The task that makes these chunks of the arrays that are written."""
        for array in self._of.written:
            self._check_in_place(array, box, chunk[array.position])
        if self.steps.count > 1:
            return self._several_steps(box, at, chunk)
        regions = dict(chunk)
        for array in self._of.arrays:
            if array.reduction is not None:
                regions[array.position] = tuple(map(range, array.shape))
            elif not array.writes:
                regions[array.position] = self._read_region(array, box, chunk)
        return Part((box,), tuple(at), regions, chunk, self.kept(box, regions))

    def _several_steps(
        self, box: Box, at: Sequence[int], chunk: Mapping[int, Region]
    ) -> Part:
        """
        A part whose earlier steps make, again, what its later ones read around the chunk.

        From the last step back: before it, a step needs what it reads, and what it writes,
        of which data may decide not to write it; the box of the step before are the groups
        that write any of this.
        """
        turns = self.steps.turns
        boxes, needed, regions = [box], chunk, chunk
        for step in reversed(range(self.steps.count)):
            before = {
                array.position: _hull(
                    self._read_region(array, boxes[0], needed),
                    self._of.elements(array, AccessKind.WRITE, boxes[0]).region,
                )
                for array in self._of.arrays
            }
            needed = {turns[p]: region for p, region in before.items()}
            regions = {p: _hull(regions.get(p), before[p]) for p in before}
            if step:
                boxes.insert(0, self._writers(needed))
        for _ in turns:  # Arrays that take turns have one region.
            regions = {p: _hull(r, regions[turns[p]]) for p, r in regions.items()}
        return Part(boxes, tuple(at), regions, chunk, self.kept(boxes[0], regions))

    def kept(
        self, box: Box, regions: Mapping[int, Region]
    ) -> Mapping[int, Sequence[Region]]:
        """What the groups of the first step may read, or leave as it is."""
        kept: dict[int, Sequence[Region]] = {}
        for array in self._of.arrays:
            region = regions[array.position]
            written = None
            if array.writes and not array.reads:
                written = self._of.footprints.overwritten(array.position, box)
            kept[array.position] = (
                [region] if written is None else _around(written, region)
            )
        return kept

    def _writers(self, needed: Mapping[int, Region]) -> Box:
        """The groups that write what is needed."""

        def write(axis: int, groups: range) -> bool:
            box = self._of.along(axis, groups)
            return any(
                region is not None and _overlap(region, needed[array.position])
                for array in self._of.written
                for region in [self._of.elements(array, AccessKind.WRITE, box).region]
            )

        found: list[range] = []
        for axis, count in enumerate(self._of.footprints.groups):
            ends = range(1, count + 1)
            start = bisect_left(ends, True, key=lambda n: write(axis, range(n)))
            after = bisect_left(
                ends, True, key=lambda n: write(axis, range(count - n, count))
            )
            found.append(range(start, count - after))
        x, y, z = found
        return x, y, z

    def _check_in_place(self, array: ArrayUse, box: Box, chunk: Region) -> None:
        for kind in AccessKind:
            found = self._of.elements(array, kind, box)
            if found.region is not None and not _contains(chunk, found.region):
                words = (
                    "other elements" if found.unknown is None else found.unknown.words
                )
                raise self._of.error(
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
        found = self._of.elements(array, AccessKind.READ, box)
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
        raise self._of.error(
            f"expected an array of {len(array.shape)} dimensions that is written, which "
            f"the halo of %{array.name} lies around, got none; use 'replicate'"
        )

    def _check_limit(self, array: ArrayUse, words: str, cause: str) -> None:
        size = prod(array.shape) * array.bytes
        if size > self._limit:
            raise self._of.error(
                f"expected %{array.name} to have at most {self._limit} bytes, since each "
                f"task would get all of it, got {size}: it is read at {words}, because of "
                f"{cause}; allow that with partition={{'{array.name}': 'replicate'}} or a "
                f"larger limit, or promise with partition={{'{array.name}': "
                "spmd.dask.halo(n)} that groups read at most n elements beside those that "
                "they write"
            )


def _hull(*regions: Region | None) -> Region:
    """The least region that contains those that are not empty."""
    full = [each for each in regions if each is not None and all(each)]
    if not full:
        return next(each for each in regions if each is not None)
    return tuple(
        range(min(r.start for r in along), max(r.stop for r in along))
        for along in zip(*full, strict=True)
    )


def _around(inner: Region, outer: Region) -> list[Region]:
    """Regions that have all elements of one that another leaves over, each once."""
    found: list[Region] = []
    for dim, (i, o) in enumerate(zip(inner, outer, strict=True)):
        for part in (range(o.start, i.start), range(i.stop, o.stop)):
            if part:
                found.append((*inner[:dim], part, *outer[dim + 1 :]))
    return found


def _contains(outer: Region, inner: Region) -> bool:
    return all(
        not b or (a.start <= b.start and b.stop <= a.stop)
        for a, b in zip(outer, inner, strict=True)
    )


def _overlap(one: Region, other: Region) -> bool:
    """Whether regions have elements in common."""
    pairs = zip(one, other, strict=True)
    return all(a.start < b.stop and b.start < a.stop for a, b in pairs)


def _text(region: Region) -> str:
    return f"[{', '.join(f'{r.start} to {r.stop - 1}' for r in region)}]"
