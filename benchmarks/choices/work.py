"""Every kernel of the benchmarks as work that can be compiled with any options."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np

from benchmarks.outside.case import makers
from benchmarks.probes.probe import Probe, probes
from benchmarks.suite.case import Array, Benchmark, benchmarks
from benchmarks.systems.spmd_system import without
from benchmarks.systems.system import aligned
from benchmarks.tutorials import kernels as tutorials
from benchmarks.tutorials.__main__ import cases as tutorial_cases

Run = Callable[[], object]


class Work(NamedTuple):
    """What a kernel does to arrays that stay where they are."""

    bind: Callable[[Mapping[str, Any]], Run]
    """Compiles the kernel with options, for one thread."""
    restore: Callable[[], None] | None
    """Puts back what the arrays held, where runs change what they read."""


def all_work() -> Iterator[tuple[str, Callable[[], Work]]]:
    """What makes the work of each kernel, by the folder and the name of it."""
    for name, benchmark in benchmarks().items():
        yield f"suite/{name}", lambda benchmark=benchmark: _of_suite(benchmark)
    for name, probe in probes().items():
        if isinstance(probe, Probe):
            yield f"probes/{name}", lambda probe=probe: _of_probe(probe)
    for name, case in tutorial_cases().items():
        kernel = getattr(tutorials, name)
        yield (
            f"tutorials/{name}",
            lambda kernel=kernel, case=case: _of_python(
                kernel, case.arguments, case.sizes, True
            ),
        )
    for name, make in makers().items():
        yield f"outside/{name}", lambda make=make: _of_outside(make(1))


def _of_suite(benchmark: Benchmark) -> Work:
    case = benchmark.case()
    arrays = without()(case, 1)

    def bind(options: Mapping[str, Any]) -> Run:
        system = without(**options)(case, 1)
        system.arrays = arrays.arrays
        system.compile(0)
        return system.run

    return Work(bind, arrays.restore if case.in_place else None)


def _of_probe(probe: Probe) -> Work:
    arguments, restore = _kept(probe.data(np.random.default_rng(0)))

    def bind(options: Mapping[str, Any]) -> Run:
        form = replace(probe.ours, options={**probe.ours.options, **options})
        return form.bind(probe, arguments)

    return Work(bind, restore if probe.in_place else None)


def _of_outside(case: Any) -> Work:
    sizes = {"global_size": case.global_size}
    return _of_python(case.kernel, case.arguments, sizes, case.in_place)


def _of_python(
    kernel: Any, given: tuple[Any, ...], sizes: Mapping[str, Any], in_place: bool
) -> Work:
    arguments, restore = _kept(given)

    def bind(options: Mapping[str, Any]) -> Run:
        return kernel.replaced({}, options).bind(*arguments, **sizes, threads=1)

    return Work(bind, restore if in_place else None)


def _kept(start: Any) -> tuple[list[Any], Callable[[], None]]:
    """Arguments with copies of the arrays, and what makes these equal again."""
    arguments = [
        aligned(cast(Array, each)) if isinstance(each, np.ndarray) else each
        for each in start
    ]

    def restore() -> None:
        for now, first in zip(arguments, start, strict=True):
            if isinstance(first, np.ndarray):
                now[...] = first

    return arguments, restore
