"""`spmd.dask.iterate`: a launch after the other, each on what the one before wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spmd.distribution.graph import Readers, dask_module, shares_memory
from spmd.distribution.launch import Launcher, ReadyLaunch
from spmd.distribution.needs import Steps
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
    step what was written to `new` becomes `old`, and `old` becomes what `new` writes to. What
    is written and not swapped goes on as it is. The edges of chunks are exchanged in each
    step; on threads of this process all chunks lie in one array, and nothing is copied. With
    `steps_per_exchange=4` a task takes four steps: it gets edges four times as wide, and
    makes what lies around its chunk itself. The other options are those of `launch`.

    The arrays are persisted after every `steps_at_once` steps, and in the end.
    """
    _check_counts(kernel.name, steps, steps_at_once, steps_per_exchange)
    given = dict(arrays)
    places = _places(kernel.name, list(given), swap)
    if steps_per_exchange > 1:
        _check_pairs(kernel.name, swap, places)
    persist = dask_module("dask").persist
    launchers: dict[int, Launcher] = {}
    in_place = steps_per_exchange == 1 and shares_memory()
    memory = _Memory(swap) if in_place else None
    made: set[str] = set()
    done = kept = 0
    while True:
        count = min(steps_per_exchange, steps - done)
        if count not in launchers:
            several = Steps(count, places) if count > 1 else Steps()
            launchers[count] = Launcher(kernel, steps=several, **options)
        ready = launchers[count].prepare(tuple(given.values()))
        done += count
        results = ready.launch({}, {}) if memory is None else memory.launch(ready, done)
        made |= {array.name for array in results.values()}
        given |= results
        if done - kept >= steps_at_once or done == steps:
            # Also what is swapped: else the next step would make it once more.
            known = [
                n for n, each in given.items() if getattr(each, "name", "") in made
            ]
            given.update(zip(known, persist(*map(given.get, known)), strict=True))
            kept = done
            if memory is not None:
                memory.settle()
        if done == steps:
            return {name: given[name] for name in ready.written}
        for new, old in swap.items():
            given[new], given[old] = given[old], given[new]


def _check_counts(kernel: str, *counts: Any) -> None:
    if not all(isinstance(each, int) and each >= 1 for each in counts):
        steps, at_once, per_exchange = counts
        raise LaunchError(
            f"{kernel}: expected at least one step, one at once and one per exchange, got "
            f"{steps}, {at_once} and {per_exchange}"
        )


def _check_pairs(
    kernel: str, swap: Mapping[str, str], places: Mapping[int, int]
) -> None:
    """That what changes places within a task does so in pairs."""
    if len(places) < 2 * len(swap):
        raise LaunchError(
            f"{kernel}: expected swap of pairs that share no argument with "
            f"steps_per_exchange, got {dict(swap)}; leave steps_per_exchange= out"
        )


def _places(kernel: str, names: list[str], swap: Mapping[str, str]) -> dict[int, int]:
    """The positions of arguments that change places, in both directions."""
    places: dict[int, int] = {}
    for pair in swap.items():
        for name, other in (pair, pair[::-1]):
            if name not in names:
                raise LaunchError(
                    f"{kernel}: expected swap between arguments ({', '.join(names)}), got "
                    f"{name!r}"
                )
            if other in names:
                places[names.index(name)] = names.index(other)
    return places


class _Memory:
    """
    What steps in this process write to: one array in odd steps, another in even ones.

    The tasks of a step wait for those that read what they overwrite.
    """

    def __init__(self, swap: Mapping[str, str]):
        self._swap = swap
        self._arrays: dict[tuple[str, int], Array] = {}
        self._readers: Readers = {}

    def launch(self, ready: ReadyLaunch, step: int) -> dict[str, Any]:
        """One step; steps are counted."""
        into: dict[str, Array] = {}
        for name, given in ready.written.items():
            if name not in self._swap:
                continue
            key = name, step % 2
            if key not in self._arrays:
                self._arrays[key] = np.empty(given.shape, given.dtype)
            into[name] = self._arrays[key]
        results = ready.launch(into, self._readers)
        for name in into:
            self._readers.pop(ready.written[name].name, None)
            self._readers[results[name].name] = []
        return results

    def settle(self) -> None:
        """All tasks so far are done: nobody has to wait for them."""
        for each in self._readers.values():
            each.clear()
