"""Results as a picture: ratios of times, and the roofline of the machine."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.measuring.limits import bandwidth, peak
from benchmarks.reporting.results import OURS, Results
from benchmarks.reporting.table import TITLES
from benchmarks.systems.system import Missing


def draw(results: Results, path: Path) -> None:
    """Writes a picture to `path`; raises `Missing` without matplotlib."""
    if find_spec("matplotlib") is None:
        raise Missing("matplotlib: pip install 'xdsl-spmd[bench]'")
    import_module("matplotlib").use("Agg")
    pyplot: Any = import_module("matplotlib.pyplot")
    height = 2 + 0.22 * len(results.cases())
    figure, (left, right) = pyplot.subplots(
        1, 2, figsize=(15, max(6, height)), layout="constrained"
    )
    _ratios(left, results)
    _roofline(right, results)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)


def _ratios(axes: Any, results: Results) -> None:
    cases = results.cases()[::-1]
    for system in results.systems():
        ratios = results.ratios(system)
        if system != OURS and ratios:
            rows = [number for number, case in enumerate(cases) if case in ratios]
            values = [ratios[cases[row]] for row in rows]
            axes.plot(values, rows, "o", label=TITLES.get(system, system), alpha=0.8)
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xscale("log")
    axes.set_yticks(range(len(cases)), cases, fontsize=8)
    axes.grid(axis="x", alpha=0.3)
    axes.set_xlabel("our time / theirs: left of the line we are faster")
    axes.legend(loc="lower right")


def _roofline(axes: Any, results: Results) -> None:
    points = {
        case: (work.flops / work.bytes, work.flops)
        for case, work in results.work.items()
        if work.bytes and work.flops
    }
    for system in results.systems():
        measured = [
            (intensity, flops / seconds / 1e9)
            for case, (intensity, flops) in points.items()
            if (seconds := results.seconds(case, system))
        ]
        if measured:
            marker = "o" if system == OURS else "."
            axes.plot(
                *zip(*measured, strict=True), marker, label=TITLES.get(system, system)
            )
    memory = bandwidth(results.limits)
    if memory is not None:
        intensities = [2.0**k for k in range(-7, 8)]
        for name, double in (("f32", False), ("f64", True)):
            top = peak(results.limits, double=double) or 0.0
            roof = [min(memory * i, top) / 1e9 for i in intensities]
            axes.plot(intensities, roof, "-", color="grey", linewidth=1)
            axes.annotate(name, (intensities[-1], roof[-1]))
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.set_xlabel("operations for each byte of memory")
    axes.set_ylabel("GFLOP/s")
    if points:
        axes.legend(loc="upper left")
