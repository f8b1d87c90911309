"""`spmd.dask.iterate`: a launch after the other, each on what the one before wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from spmd.distribution.graph import Readers, dask_module, shares_memory
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
    **options: Any,
) -> dict[str, Any]:
    """
    Launches a kernel `steps` times; the arrays of Dask that it wrote last, by name.

    `arrays` are its arguments by name, in order. `swap={"new": "old"}`: before each further
    step what was written to `new` becomes `old`, and `old` becomes what `new` writes to. What
    is written and not swapped goes on as it is. The edges of chunks are exchanged in each
    step; on threads of this process all chunks lie in one array, and nothing is copied. The
    other options are those of `launch`.

    The arrays are persisted after every `steps_at_once` steps, and in the end.
    """
    if steps < 1 or steps_at_once < 1:
        raise LaunchError(
            f"{kernel.name}: expected at least one step, and one at once, got {steps} and "
            f"{steps_at_once}"
        )
    given = dict(arrays)
    for pair in swap.items():
        for name in pair:
            if name not in given:
                raise LaunchError(
                    f"{kernel.name}: expected swap between arguments "
                    f"({', '.join(given)}), got {name!r}"
                )
    persist = dask_module("dask").persist
    launcher = Launcher(kernel, **options)
    memory = _Memory(swap) if shares_memory() else None
    written: dict[str, Any] = {}
    made: set[str] = set()
    for step in range(1, steps + 1):
        ready = launcher.prepare(tuple(given.values()))
        written = ready.launch({}, {}) if memory is None else memory.launch(ready, step)
        made |= {array.name for array in written.values()}
        given |= written
        if step % steps_at_once == 0 or step == steps:
            # Also what is swapped: else the next step would make it once more.
            kept = [n for n, each in given.items() if getattr(each, "name", "") in made]
            given.update(zip(kept, persist(*map(given.get, kept)), strict=True))
            written = {name: given[name] for name in written}
            if memory is not None:
                memory.settle()
        for new, old in swap.items():
            given[new], given[old] = given[old], given[new]
    return written


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
