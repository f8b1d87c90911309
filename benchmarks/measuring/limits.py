"""What the machine can do at most, measured in the same run as the benchmarks."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.measuring.machine import child_environment
from benchmarks.systems.c import c_compiler


def machine_limits(threads: int) -> dict[str, tuple[float, str]]:
    """
    The highest rate and its unit by name; raises `Missing` without a C compiler.

    `fma_*` in GFLOP/s, `stream_*` in GB/s, indexed access to the first-level cache of one
    processor in Gelem/s.
    """
    flags = ("-O3", "-march=native", "-ffast-math", "-fopenmp")
    source = Path(__file__).with_name("limits.c")
    with TemporaryDirectory() as folder:
        program = Path(folder) / "limits"
        subprocess.run([c_compiler(), *flags, source, "-o", program], check=True)
        environment = child_environment(threads, None, {})
        done = subprocess.run(
            [program], env=environment, capture_output=True, text=True, check=True
        )
    rows = (line.split() for line in done.stdout.splitlines())
    return {name: (float(rate), unit) for name, unit, rate in rows}


def bandwidth(limits: Mapping[str, tuple[float, str]]) -> float | None:
    """The highest bandwidth in bytes per second, or None if it was not measured."""
    rates = [rate for name, (rate, _) in limits.items() if name.startswith("stream_")]
    return max(rates) * 1e9 if rates else None


def peak(limits: Mapping[str, tuple[float, str]], *, double: bool) -> float | None:
    """The highest arithmetic rate in operations per second, or None."""
    found = limits.get("fma_f64" if double else "fma_f32")
    return None if found is None else found[0] * 1e9
