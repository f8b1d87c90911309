"""`spmd.dask.iterate`: a launch after the other, each on what the one before wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np

from spmd.distribution.graph import (
    Key,
    dask_module,
    in_chunks,
    local_workers,
    overlaps,
    view_of,
)
from spmd.distribution.launch import Launcher, ReadyLaunch
from spmd.distribution.pieces import Slices, part_of, slices_of
from spmd.frontends.python.kernel import PythonKernel
from spmd.runtime.arguments.pieces import Array
from spmd.runtime.errors import LaunchError
from spmd.runtime.host_function import HostFunction
from spmd.runtime.kernel import Kernel

STEPS_AT_ONCE = 8
"""Steps in one graph; then the arrays are computed, and the graph forgotten."""


def iterate(
    kernel: Kernel | HostFunction | PythonKernel,
    steps: int,
    arrays: Mapping[str, Any],
    *,
    swap: Mapping[str, str],
    steps_at_once: int = STEPS_AT_ONCE,
    steps_per_exchange: int = 1,
    **options: Any,
) -> dict[str, Any]:
    """
    Launches a kernel `steps` times; the arrays of Dask that it wrote last, by name.

    `arrays` are its arguments by name, in order. `swap={"new": "old"}`: before each further
    step what was written to `new` becomes `old`, and `old` becomes what `new` writes to;
    `swap={"new": "now", "now": "before"}` lets three take turns. What is written and not
    swapped goes on as it is. The other options are those of `launch`.

    Chunks of one process lie in one memory, where the steps are launches of whole arrays. On
    a cluster the edges of chunks are exchanged in each step, or with `steps_per_exchange=4`
    in each fourth: a task gets edges four times as wide, and makes what lies around its chunk
    itself. The arrays are persisted after every `steps_at_once` steps, and in the end; in one
    process so many steps are one task.
    """
    _check_counts(kernel.name, steps, steps_at_once, steps_per_exchange)
    given: dict[str, Any] = dict(arrays)
    sources = _sources(kernel.name, given, swap)
    workers = local_workers()
    if workers:
        launcher = Launcher(kernel, sources=sources, **options)
        ready = launcher.prepare(tuple(given.values()))
        return _in_memory(ready, steps, steps_at_once, workers)
    persist = dask_module("dask").persist
    launchers: dict[int, Launcher] = {}
    made: set[str] = set()
    done = kept = 0
    while True:
        count = min(steps_per_exchange, steps - done)
        if count not in launchers:
            launchers[count] = Launcher(kernel, steps=count, sources=sources, **options)
        ready = launchers[count].prepare(tuple(given.values()))
        done += count
        results = ready.launch({})
        made |= {array.name for array in results.values()}
        given |= results
        if done - kept >= steps_at_once or done == steps:
            # Also what is swapped: else the next step would make it once more.
            known = [
                n for n, each in given.items() if getattr(each, "name", "") in made
            ]
            given.update(zip(known, persist(*map(given.get, known)), strict=True))
            kept = done
        if done == steps:
            return {use.name: given[use.name] for use in ready.changed}
        given = {name: given[sources.get(name, name)] for name in given}


def _check_counts(kernel: str, *counts: Any) -> None:
    if not all(isinstance(each, int) and each >= 1 for each in counts):
        steps, at_once, per_exchange = counts
        raise LaunchError(
            f"{kernel}: expected at least one step, one at once and one per exchange, got "
            f"{steps}, {at_once} and {per_exchange}"
        )


def _sources(
    kernel: str, names: Iterable[str], swap: Mapping[str, str]
) -> dict[str, str]:
    """Of each argument that changes: whose array it gets before the next step."""
    for name in (*swap, *swap.values()):
        if name not in names:
            raise LaunchError(
                f"{kernel}: expected swap between arguments ({', '.join(names)}), got "
                f"{name!r}"
            )
    sources = {old: new for new, old in swap.items()}
    if len(sources) < len(swap):
        raise LaunchError(
            f"{kernel}: expected swap that gives each argument one array, got {dict(swap)}"
        )
    for first in swap.keys() - sources.keys():
        last = first
        while last in swap:
            last = swap[last]
        sources[first] = last
    return sources


def _in_memory(
    ready: ReadyLaunch, steps: int, steps_at_once: int, workers: int
) -> dict[str, Any]:
    """The steps as launches of whole arrays."""
    launches = _WholeLaunches(ready, workers)
    graph: dict[int, Any] = {}
    for start in range(0, steps, steps_at_once):
        taken = range(start, min(start + steps_at_once, steps))
        before = [len(graph) - 1] if graph else []
        graph[len(graph)] = (partial(launches.take, taken), *before)
    dask_module("dask.local").get_sync(graph, len(graph) - 1)
    return {
        use.name: in_chunks(
            launches.args[use.position],
            ready.plan.chunks.get(use.position, ready.arrays[use.position].chunks),
        )
        for use in ready.changed
    }


class _WholeLaunches:
    """Launches of whole arrays, which leave those that were given as they are."""

    def __init__(self, ready: ReadyLaunch, workers: int):
        self._launch, self._kept = ready.pieces, ready.plan.kept
        self._changed = [use.position for use in ready.changed]
        self._threads = ready.pieces.threads * workers
        self.args: list[Any] = list(ready.pieces.numbers)
        name, tasks = f"spmd-{uuid4().hex}", dict[Key, Any]()
        for use in ready.uses:
            array = ready.arrays[use.position]
            found = view_of(use, array)
            if found is None:
                found = np.empty(array.shape, array.dtype)
                whole = tuple(map(range, array.shape))
                for region in self._kept[use.position]:
                    for block, inside, place in overlaps(array.chunks, region, whole):
                        task = partial(_put, found, inside, place), (array.name, *block)
                        tasks[name, len(tasks)] = task
            self.args[use.position] = found
        if tasks:
            graph = dask_module("dask.highlevelgraph").HighLevelGraph.from_collections(
                name, tasks, dependencies=list(ready.arrays.values())
            )
            dask_module("dask.base").compute_as_if_collection(
                dask_module("dask.array").Array, graph, list(tasks)
            )

    def take(self, steps: range, *_before: None) -> None:
        """These steps of all; those before are done."""
        launch = self._launch
        for step in steps:
            if step:
                self.args = [self.args[source] for source in launch.turns]
            for position in self._changed:
                self._own(position)
            launch.kernel(
                *self.args,
                global_size=launch.global_size,
                group_size=launch.group_size,
                threads=self._threads,
            )

    def _own(self, position: int) -> None:
        """Makes memory for what a step writes in place of what was given."""
        given = self.args[position]
        if given.flags.writeable:
            return
        self.args[position] = made = np.empty(given.shape, given.dtype)
        for region in self._kept[position]:
            place = slices_of(region)
            made[place] = given[place]


def _put(memory: Array, inside: Slices, place: Slices, chunk: Any) -> None:
    memory[place] = part_of(chunk, inside, place)
