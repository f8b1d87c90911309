"""`spmd.dask.iterate`: a launch after the other, each on what the one before wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any
from uuid import uuid4

import numpy as np

from spmd.distribution.accesses import Chunks
from spmd.distribution.graph import dask_module, local_workers
from spmd.distribution.launch import Launcher, ReadyLaunch
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
    itself. The arrays are persisted after every `steps_at_once` steps, and in the end.
    """
    _check_counts(kernel.name, steps, steps_at_once, steps_per_exchange)
    given: dict[str, Any] = dict(arrays)
    sources = _sources(kernel.name, given, swap)
    workers = local_workers()
    if workers:
        launcher = Launcher(kernel, sources=sources, **options)
        return _in_memory(launcher.prepare(tuple(given.values())), steps, workers)
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


@dataclass(frozen=True)
class _Memory:
    """Where an array of Dask is stored."""

    elements: Array

    def __setitem__(self, place: Any, part: Array) -> None:
        self.elements[place] = part

    def __dask_tokenize__(self) -> str:
        """Dask would ask for a hash of all elements."""
        return uuid4().hex


def _in_memory(ready: ReadyLaunch, steps: int, workers: int) -> dict[str, Any]:
    """The steps as launches of whole arrays, on copies of those that were given."""
    launch, arrays = ready.pieces, ready.arrays
    memory = {n: np.empty(array.shape, array.dtype) for n, array in arrays.items()}
    targets = [_Memory(elements) for elements in memory.values()]
    dask_module("dask.array").store(list(arrays.values()), targets, lock=False)
    args: list[Any] = [memory.get(n, number) for n, number in enumerate(launch.numbers)]
    for step in range(steps):
        if step:
            args = [args[source] for source in launch.turns]
        launch.kernel(
            *args,
            global_size=launch.global_size,
            group_size=launch.group_size,
            threads=launch.threads * workers,
        )
    return {
        use.name: _in_chunks(
            args[use.position],
            ready.plan.chunks.get(use.position, arrays[use.position].chunks),
        )
        for use in ready.changed
    }


def _in_chunks(array: Array, chunks: Chunks) -> Any:
    """An array of Dask whose chunks are parts of this one, where `from_array` would copy."""
    core = dask_module("dask.array.core")
    name = f"spmd-{uuid4().hex}"
    blocks = product(*(range(len(sizes)) for sizes in chunks))
    places = core.slices_from_chunks(chunks)
    graph = {
        (name, *block): array[place]
        for block, place in zip(blocks, places, strict=True)
    }
    return core.Array(graph, name, chunks, meta=array)
