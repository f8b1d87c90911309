"""The tasks of a plan as a graph of Dask."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import accumulate, product
from typing import Any
from uuid import uuid4

import numpy as np

from spmd.analysis.footprints.footprints import Region
from spmd.dialects.spmd import AtomicKind
from spmd.distribution.accesses import ArrayUse, Chunks
from spmd.distribution.needs import Part
from spmd.distribution.pieces import (
    ArgumentPiece,
    BoxTask,
    PieceLaunch,
    Slices,
    combined,
    slices_of,
)
from spmd.distribution.plan import Plan
from spmd.runtime.arguments.pieces import Array
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


def local_workers() -> int:
    """
    How many tasks run at a time in this process, unless `compute` is told otherwise.

    0 if others run them.
    """
    found = dask_module("dask.base").get_scheduler()
    if found is dask_module("dask.local").get_sync:
        return 1
    if found not in (None, dask_module("dask.threaded").get):
        return 0
    number = dask_module("dask.config").get("num_workers", None)
    return number or dask_module("dask.system").CPU_COUNT


def in_chunks(array: Array, chunks: Chunks) -> Any:
    """An array of Dask whose chunks are parts of this one, where `from_array` would copy."""
    core = dask_module("dask.array.core")
    name = f"spmd-{uuid4().hex}"
    blocks = product(*(range(len(sizes)) for sizes in chunks))
    places = core.slices_from_chunks(chunks)
    graph = {
        (name, *block): array[place]
        for block, place in zip(blocks, places, strict=True)
    }
    return core.Array(graph, name, chunks, dtype=array.dtype)


def view_of(use: ArrayUse, array: Any) -> Array | None:
    """An array as it lies in the memory of this process, if it is there and in one piece."""
    graph = array.__dask_graph__()
    parts = [
        graph[key] for key in dask_module("dask.core").flatten(array.__dask_keys__())
    ]
    if not all(isinstance(part, np.ndarray) for part in parts):
        return None
    places = dask_module("dask.array.core").slices_from_chunks(array.chunks)
    return ArgumentPiece(
        use.position,
        (0,) * array.ndim,
        array.shape,
        array.dtype,
        False,
        use.whole_rows,
        tuple((None, place) for place in places),
    ).view(parts)


class GraphWriter:
    """
    Writes the graph of one launch; its keys begin with `name`.

    Arrays in `into` are the memory of results.
    """

    def __init__(
        self,
        name: str,
        launch: PieceLaunch,
        plan: Plan,
        uses: Sequence[ArrayUse],
        arrays: Mapping[int, Any],
        into: Mapping[str, Array],
    ):
        self.name = name
        self.graph: Graph = {}
        self.results = [u for u in uses if u.position in plan.chunks or u.reduction]
        self._launch, self._plan, self._uses = launch, plan, uses
        self._arrays, self._into = arrays, into
        self._cuts_edges = not local_workers()
        self._cut: dict[tuple[Any, ...], Key] = {}

    def write(self) -> None:
        """All tasks; results are called `name_of` their array."""
        boxes = [
            self._box(number, part) for number, part in enumerate(self._plan.parts)
        ]
        for index, use in enumerate(self.results):
            if use.reduction is not None:
                self._reduce(use, use.reduction, self._own(use, index, boxes))
            elif len(self.results) > 1:
                for part, box in zip(self._plan.parts, boxes, strict=True):
                    key = self._chunk(use, part)
                    self.graph[key] = (operator.getitem, box, index)

    def name_of(self, use: ArrayUse) -> str:
        """What the array is called that a result becomes."""
        return f"{self.name}-{use.name}"

    def _task(self, *key: Any, task: Any) -> Key:
        full = (self.name, *key)
        self.graph[full] = task
        return full

    def _chunk(self, use: ArrayUse, part: Part) -> Key:
        """The key of the chunk that a box writes."""
        axes = self._plan.axes[use.position]
        return (
            self.name_of(use),
            *(0 if axis is None else part.at[axis] for axis in axes),
        )

    def _box(self, number: int, part: Part) -> Key:
        """The task of one box."""
        key: Key = (self.name, "box", number)
        if len(self.results) == 1 and not self.results[0].reduction:
            key = self._chunk(self.results[0], part)
        pieces: list[ArgumentPiece] = []
        parts: list[Key] = []
        for use in self._uses:
            if (region := part.regions.get(use.position)) is None:
                continue
            array = self._arrays[use.position]
            sources: list[tuple[Key, Slices | None, Slices]] = []
            if use.reduction is None:
                for kept in part.kept[use.position]:
                    sources += self._sources(array, kept, region)
            parts += [source for source, _, _ in sources]
            into = self._into.get(use.name)
            if into is not None:
                into = into[slices_of(region)]
            pieces.append(
                ArgumentPiece(
                    use.position,
                    tuple(r.start for r in region),
                    tuple(map(len, region)),
                    array.dtype,
                    use in self.results,
                    use.whole_rows,
                    tuple((inside, place) for _, inside, place in sources),
                    use.reduction,
                    into,
                )
            )
        task = BoxTask(
            self._launch,
            part.boxes,
            pieces,
            [(use.position, _inside(part, use.position)) for use in self.results],
        )
        self.graph[key] = (task, *parts)
        return key

    def _sources(
        self, array: Any, wanted: Region, region: Region
    ) -> Iterator[tuple[Key, Slices | None, Slices]]:
        """The chunks with elements that are wanted: which of theirs, where in a region."""
        for block, inside, place in overlaps(array.chunks, wanted, region):
            key: Key = (array.name, *block)
            if not self._cuts_edges:
                yield key, inside, place
                continue
            sizes = [sizes[b] for sizes, b in zip(array.chunks, block, strict=True)]
            if any(s.start or s.stop < n for s, n in zip(inside, sizes, strict=True)):
                cut = (array.name, block, *((s.start, s.stop) for s in inside))
                if cut not in self._cut:
                    self._cut[cut] = self._task(
                        "cut", len(self._cut), task=(operator.getitem, key, inside)
                    )
                key = self._cut[cut]
            yield key, None, place

    def _own(self, use: ArrayUse, index: int, boxes: Sequence[Key]) -> list[Key]:
        """What each box did to an array."""
        if len(self.results) == 1:
            return list(boxes)
        return [
            self._task("own", use.position, n, task=(operator.getitem, box, index))
            for n, box in enumerate(boxes)
        ]

    def _reduce(self, use: ArrayUse, kind: AtomicKind, level: list[Key]) -> None:
        """What all boxes did to an array, with what it held before, in a tree."""
        array = self._arrays[use.position]
        zeros = (0,) * array.ndim
        level.append((array.name, *zeros))
        count = 0
        while len(level) > 1:
            following: list[Key] = []
            for start in range(0, len(level), FAN_IN):
                several = level[start : start + FAN_IN]
                count += 1
                task = (combined, kind, several)
                following.append(self._task("tree", use.position, count, task=task))
            level = following
        self.graph[(self.name_of(use), *zeros)] = level[0]


def _inside(part: Part, position: int) -> Slices | None:
    """Where the chunk that a task makes lies in its piece, if it is not all of it."""
    chunk, region = part.chunks.get(position), part.regions[position]
    if chunk is None or chunk == region:
        return None
    pairs = zip(chunk, region, strict=True)
    return tuple(slice(c.start - r.start, c.stop - r.start) for c, r in pairs)


def overlaps(
    chunks: Chunks, wanted: Region, region: Region
) -> Iterator[tuple[tuple[int, ...], Slices, Slices]]:
    """The blocks with elements that are wanted: which of theirs, and where in a region."""
    found: list[list[tuple[int, slice, slice]]] = []
    for sizes, along, all_of in zip(chunks, wanted, region, strict=True):
        here: list[tuple[int, slice, slice]] = []
        for block, end in enumerate(accumulate(sizes)):
            start = end - sizes[block]
            low, high = max(start, along.start), min(end, along.stop)
            if low < high:
                inside = slice(low - start, high - start)
                place = slice(low - all_of.start, high - all_of.start)
                here.append((block, inside, place))
        found.append(here)
    for combination in product(*found):
        blocks, inside, places = zip(*combination) if combination else ((), (), ())
        yield blocks, inside, places
