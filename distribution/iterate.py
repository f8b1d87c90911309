"""`spmd.dask.iterate`: a launch after the other, each on what the one before wrote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spmd.distribution.graph import dask_module
from spmd.distribution.launch import launch
from spmd.frontends.python.kernel import PythonKernel
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
    step. The other options are those of `launch`.

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
    written: dict[str, Any] = {}
    for step in range(1, steps + 1):
        written = launch(kernel, *given.values(), **options)
        if step % steps_at_once == 0 or step == steps:
            written = dict(zip(written, persist(*written.values()), strict=True))
        given |= written
        for new, old in swap.items():
            given[new], given[old] = given[old], given[new]
    return written
