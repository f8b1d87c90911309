"""The tasks of a plan as a graph of Dask."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import accumulate, product
from typing import Any

from spmd.analysis.footprints.footprints import Region
from spmd.dialects.spmd import AtomicKind
from spmd.distribution.pieces import Neutral, Parts, PieceLaunch, combined
from spmd.distribution.plan import Chunks, Part, Plan, runs_of
from spmd.runtime.errors import LaunchError

FAN_IN = 8
"""Arrays that one task of a reduction combines."""

Key = tuple[Any, ...]
Graph = dict[Key, Any]


def dask_module(name: str) -> Any:
    """A module of Dask, which is not needed for anything else."""
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        raise LaunchError(
            f"expected the package {error.name} for launches over chunks, got none; "
            "install xdsl-spmd[dask]"
        ) from None


class GraphWriter:
    """Writes the graph of one launch; its keys begin with `name`."""

    def __init__(self, name: str, arrays: Mapping[int, Any]):
        self.name = name
        self.graph: Graph = {}
        self._arrays = arrays
        self._cut: dict[tuple[Any, ...], Key] = {}

    def _task(self, *key: Any, task: Any) -> Key:
        full = (self.name, *key)
        self.graph[full] = task
        return full

    def piece(self, position: int, region: Region) -> Any:
        """What becomes the elements of a region: a key, or parts with their places."""
        array = self._arrays[position]
        sources: list[Key] = []
        places: list[tuple[slice, ...]] = []
        for block, inside, place in _overlaps(array.chunks, region):
            key: Key = (array.name, *block)
            sizes = [sizes[b] for sizes, b in zip(array.chunks, block, strict=True)]
            if any(s.start or s.stop < n for s, n in zip(inside, sizes, strict=True)):
                cut = (position, block, *((s.start, s.stop) for s in inside))
                if cut not in self._cut:
                    self._cut[cut] = self._task(
                        "cut", len(self._cut), task=(operator.getitem, key, inside)
                    )
                key = self._cut[cut]
            sources.append(key)
            places.append(place)
        if len(sources) == 1:
            return sources[0]
        return [Parts(tuple(map(len, region)), tuple(places)), *sources]

    def part(
        self,
        number: int,
        part: Part,
        launch: PieceLaunch,
        groups: Sequence[int],
        neutral: Mapping[int, Neutral],
        written: Sequence[int],
    ) -> Key:
        """The task of one box."""
        starts: list[tuple[int, ...] | None] = []
        pieces: list[Any] = []
        for position in range(len(launch.numbers)):
            region = part.regions.get(position)
            if region is None:
                starts.append(None)
                pieces.append(None)
                continue
            starts.append(tuple(r.start for r in region))
            if position in neutral:
                pieces.append(neutral[position])
            elif all(region):
                pieces.append(self.piece(position, region))
            else:
                dtype = self._arrays[position].dtype
                pieces.append(Neutral(AtomicKind.ADD, tuple(map(len, region)), dtype))
        runs = runs_of(part.box, groups)
        return self._task(
            "box", number, task=(launch, runs, starts, list(written), pieces)
        )

    def result(
        self, position: int, index: int, plan: Plan, boxes: Sequence[Key], name: str
    ) -> None:
        """The chunks of an array that is written."""
        for chunk in product(*(range(len(sizes)) for sizes in plan.chunks[position])):
            at = [0, 0, 0]
            for axis, number in zip(plan.axes[position], chunk, strict=True):
                if axis is not None:
                    at[axis] = number
            box = (at[2] * plan.grid[1] + at[1]) * plan.grid[0] + at[0]
            self.graph[(name, *chunk)] = (operator.getitem, boxes[box], index)

    def reduced(
        self,
        position: int,
        index: int,
        kind: AtomicKind,
        boxes: Sequence[Key],
        name: str,
    ) -> None:
        """What all boxes did to an array, with what it held before, in a tree."""
        array = self._arrays[position]
        level: list[Any] = [
            self._task("own", position, n, task=(operator.getitem, box, index))
            for n, box in enumerate(boxes)
        ]
        level.append((array.name, *([0] * array.ndim)))
        count = 0
        while len(level) > 1:
            following: list[Any] = []
            for start in range(0, len(level), FAN_IN):
                several = level[start : start + FAN_IN]
                count += 1
                task = (combined, kind, several)
                following.append(self._task("tree", position, count, task=task))
            level = following
        self.graph[(name, *([0] * len(array.shape)))] = level[0]


def _overlaps(
    chunks: Chunks, region: Region
) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...], tuple[slice, ...]]]:
    """The blocks that have elements of a region: which of theirs, and where they go."""
    found: list[list[tuple[int, slice, slice]]] = []
    for sizes, wanted in zip(chunks, region, strict=True):
        here: list[tuple[int, slice, slice]] = []
        for block, end in enumerate(accumulate(sizes)):
            start = end - sizes[block]
            low, high = max(start, wanted.start), min(end, wanted.stop)
            if low < high:
                inside = slice(low - start, high - start)
                place = slice(low - wanted.start, high - wanted.start)
                here.append((block, inside, place))
        found.append(here)
    for combination in product(*found):
        blocks, inside, places = zip(*combination) if combination else ((), (), ())
        yield blocks, inside, places
