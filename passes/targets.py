"""
What code can be made for: what passes and LLVM have to know of a machine.

What a pass makes depends on the target that it is told alone, so that it is the same on
every machine: its default is x86-64 with AVX2, which most servers and desktops have.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from spmd.dialects.diagnostics import KernelError

DEFAULT_TARGET = "x86-64-v3"

HOST = "host"
"""This machine."""


@dataclass(frozen=True)
class Target:
    """A machine."""

    register_bits: int
    """Of vector registers; of those of any length, what all of such machines have."""
    registers: int = 16
    """How many there are."""
    arch: str = "x86_64"
    """LLVM's name of the architecture, and of the CPU and features below."""
    cpu: str = ""
    features: str = ""
    needs: tuple[str, ...] = ()
    """Features without which a machine cannot run the code."""

    @property
    def has_maximum(self) -> bool:
        """Whether its maximum of floats knows NaN and the sign of zero, as `fmax` of Arm."""
        return self.arch == "aarch64"


_AVX2 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_AVX512 = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

TARGETS = {
    "x86-64": Target(128, cpu="x86-64"),
    "x86-64-v2": Target(128, cpu="x86-64-v2", needs=("sse4.2", "popcnt")),
    "x86-64-v3": Target(256, cpu="x86-64-v3", needs=_AVX2),
    "x86-64-v4": Target(
        512,
        registers=32,
        cpu="x86-64-v4",
        features="-prefer-256-bit",
        needs=(*_AVX2, *_AVX512),
    ),
    "neoverse-n1": Target(128, 32, "aarch64", "neoverse-n1"),
    "neoverse-v1": Target(256, 32, "aarch64", "neoverse-v1"),
    "neoverse-v2": Target(128, 32, "aarch64", "neoverse-v2"),
    "rv64gcv": Target(128, 32, "riscv64", "generic-rv64", "+m,+a,+f,+d,+c,+v"),
}


def target_named(name: str | int) -> Target:
    """The target of a name, or with registers of so many bits; else a `KernelError`."""
    if name == HOST:
        return _host()
    if isinstance(name, int) and 64 <= name <= 2048 and not name & (name - 1):
        return Target(name)
    if isinstance(name, str) and name in TARGETS:
        return TARGETS[name]
    raise KernelError(
        f"expected a target that is {', '.join((HOST, *TARGETS))}, or the bits of a vector "
        f"register, a power of two from 64 to 2048, got {name}"
    )


@cache
def _host() -> Target:
    features = _host_features()
    widest = 512 if features.get("avx512f") else 256 if features.get("avx") else 128
    return Target(widest, 32 if widest == 512 else 16)


@cache
def _host_features() -> dict[str, bool]:
    binding: Any = import_module("llvmlite.binding")  # it has no type stubs
    return binding.get_host_cpu_features()


def why_not_here(name: str) -> str | None:
    """Why code for the target of this name cannot run on this machine; `None` if it can."""
    target = TARGETS.get(name)
    if target is None:
        return None
    if (here := platform.machine()) != target.arch:
        return f"a machine of type {target.arch}, this one is {here}"
    features = _host_features()
    missing = [feature for feature in target.needs if not features.get(feature)]
    return f"a machine with {', '.join(missing)}" if missing else None
