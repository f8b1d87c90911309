"""
What code can be made for: what passes and LLVM have to know of a machine, and prices there.

What a pass makes depends on the target that it is told alone, so that it is the same on
every machine: its default is x86-64 with AVX2, which most servers and desktops have.

Every choice between forms of code weighs them with the numbers of this file. Prices are
cycles of one core; those with `measured` were measured on a Zen 5 by `python -m
benchmarks.choices.prices`, which prints what this machine says beside them. The other
numbers are set such that `python -m benchmarks.choices` regrets least.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from typing import Any

from spmd.dialects.diagnostics import KernelError
from spmd.dialects.interfaces.cost import CostClass

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
    masked_load: int = 128
    """Bits of the smallest elements with masked loads as fast as others; see `loads_whole`, too."""
    masked_store: int = 128
    """The same of stores; of all machines with AVX2 those of AMD take some twenty cycles."""
    gather: float = 1.4
    """Per lane, measured: with AVX-512, with AVX2, and where lanes are loaded one by one."""

    @property
    def has_maximum(self) -> bool:
        """Whether its maximum of floats knows NaN and the sign of zero, as `fmax` of Arm."""
        return self.arch == "aarch64"

    @property
    def converts_one_by_one(self) -> bool:
        """Whether floats and integers of 64 bits are converted in scalar registers."""
        return self.arch == "x86_64" and self.register_bits < 512

    @property
    def loads_whole(self) -> bool:
        """Whether vectors of arguments are loaded as a whole where there is no masked load."""
        return self.arch == "x86_64"

    @property
    def has_mask_registers(self) -> bool:
        """Whether which lanes are active takes no registers from what they compute."""
        return self.arch == "riscv64" or (
            self.arch == "x86_64" and self.register_bits >= 512
        )

    @property
    def gathers_narrow(self) -> bool:
        """Whether elements of 8 and 16 bits are gathered under masks; x86 gathers words instead."""
        return self.has_mask_registers

    @property
    def shuffles_two(self) -> bool:
        """Whether one instruction takes any elements of two registers, or loads every n-th."""
        return self.loads_every_nth or self.register_bits >= 512

    @property
    def loads_every_nth(self) -> bool:
        """Whether one instruction loads every second to fourth element (Arm: `ld4`)."""
        return self.arch != "x86_64"


_AVX2 = ("avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_AVX512 = ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")

TARGETS = {
    "x86-64": Target(128, cpu="x86-64"),
    "x86-64-v2": Target(128, cpu="x86-64-v2", needs=("sse4.2", "popcnt")),
    "x86-64-v3": Target(256, cpu="x86-64-v3", needs=_AVX2, masked_load=32, gather=1.7),
    "x86-64-v4": Target(
        512,
        registers=32,
        cpu="x86-64-v4",
        features="-prefer-256-bit",
        needs=(*_AVX2, *_AVX512),
        masked_load=8,
        masked_store=8,
        gather=1.2,
    ),
    "neoverse-n1": Target(128, 32, "aarch64", "neoverse-n1"),
    "neoverse-v1": Target(256, 32, "aarch64", "neoverse-v1"),
    "neoverse-v2": Target(128, 32, "aarch64", "neoverse-v2"),
    "rv64gcv": Target(
        128,
        32,
        "riscv64",
        "generic-rv64",
        "+m,+a,+f,+d,+c,+v",
        masked_load=8,
        masked_store=8,
    ),
}


# What operations cost.

SCALAR = {
    CostClass.FREE: 0,
    CostClass.SIMPLE: 0.3,
    CostClass.CONSTANT_DIVISION: 1,
    CostClass.MEMORY: 0.5,
    CostClass.SLOW: 4,
    CostClass.LIBRARY: 20,
    CostClass.ATOMIC: 28,
    CostClass.INTEGER_DIVISION: 8,
}
"""One operation, among others that do not wait for it; measured. A core begins several."""

LANES = {
    CostClass.FREE: 0,
    CostClass.SIMPLE: 0.7,
    CostClass.CONSTANT_DIVISION: 3,
    CostClass.MEMORY: 1,
    CostClass.SLOW: 3,
    CostClass.LIBRARY: 20,
    CostClass.ATOMIC: 28,
    CostClass.INTEGER_DIVISION: 13,
}
"""One operation on a register, whatever its length; measured. A simple one takes half of
this, and there are as many again on masks."""

LATENCY = {
    CostClass.FREE: 0,
    CostClass.SIMPLE: 1,
    CostClass.CONSTANT_DIVISION: 4,
    CostClass.MEMORY: 18,
    CostClass.SLOW: 13,
    CostClass.LIBRARY: 40,
    CostClass.ATOMIC: 20,
    CostClass.INTEGER_DIVISION: 12,
}
"""
From an operand to the result, of integers: A. Fog, Instruction tables, 2025.

What follows pointers, or searches, finds its elements in the second cache at best.
"""

OWN_LATENCY = 5
"""The same of a load from memory of the work-item, or of its group: from the first cache."""

FLOAT_LATENCY = 4
"""The same of a simple operation on floats."""

SUMS_AT_ONCE = 8
"""So many registers of floats are added to while one addition takes: two in each of its cycles."""

AHEAD = 64
"""Of how much work a core begins parts while it waits for others, in cycles without waiting:
it keeps 224 to 512 operations in mind, and begins four in a cycle."""

MISPREDICTION = 15
"""A branch that went the other way: A. Fog, The microarchitecture of x86 CPUs, 2025."""

SCATTER = 1.5
"""Per lane, on every target; measured."""

EQUAL_STEPS = 0.6
"""Times as much from memory of the group where the next lane is a known step away, as no lane
is asked for its address. Measured on a Zen 4: 0.3 with AVX-512, 0.5 with AVX2, 0.7 without."""

NARROW = 0.2
"""More, per lane, for elements of less than 32 bits, which no machine gathers; measured."""

TESTED = 2.5
"""Per lane, to find out whether it is active, where a machine has no masks for an access;
measured."""

FAR_GATHER = 3
"""Per lane, from memory beyond the group's where scalar code would walk with equal steps:
prefetchers learn from loads, and nothing from gathers. Measured on rows of matrices."""

STORE = 0.8
"""A store of scalar code, of which a core finishes one or two in a cycle; measured."""

FAR_LINE, LINES = 1.5, 32
"""What a load of scalar code costs beside, in a loop of at least so many iterations that
goes to another cache line in each: these are gone when the next work-item comes."""

FAR = 4096
"""Bytes from a row to the next one with which no prefetcher helps: a page."""

STORED_ROW = 1024
"""Bytes of a row that a group stores as a whole in 0.5 to 0.9 of the time that parts of several rows
take in turns, as far as memory. Measured on a Zen 4; of 64 bytes they take 1.5 times as long."""

LOADED_FIRST = 1 / 32
"""What scalar code takes more for each bit that it stores to an array beyond the caches: its line
is loaded first, where vectors go around the caches. Measured on a Zen 4: a cycle for a float."""

AGAIN = 4
"""Operations that may be computed again in each iteration, for each access that goes along
memory then: as many as hide in the time that one to a far line takes."""

MOVED = 1
"""A value from a lane to scalar code, or back; measured."""

STRIDED = 1.4
"""A register of each n-th element, times n: n loads, and shuffles; measured."""

UNDER_MASK = 2
"""More of these n where elements get masks from their lanes."""

ROWS = 4
"""A register that rows of lanes are put together to, after they were asked."""

LONGEST_STEP = 8
"""Of lanes whose elements are loaded with all between them; in elements, as LLVM's."""

TRANSPOSED = 6
"""A register of columns of a tile, which shuffles make of its rows."""

# What is assumed.

LOOP_TRIPS = 8
"""How often a loop runs, of which nothing is known."""

# Which shape lanes have: prices are numbers of instructions there.

SHAPE_MARGIN = 0.85
"""What part of the cost of lanes along x another shape may have at most."""

GROUP_MARGIN = 0.95
"""The same of groups of another shape, which cost nothing else."""

MOVE = 2
"""What an access of a whole register costs: the second cache gives half of one a cycle."""

CHUNKED = 0.5
"""What a shuffle of chunks costs in place of such an access, and the end of their strip."""

OPERAND = 0.5
"""What an access of one element costs: mostly nothing, as an operand of what takes it."""

TILE_MARGIN = 0.75
"""What part of what loops load a tile may load at most."""

ROW, LINE, NEAR_LINE = 12, 8, 2
"""What each stretch of contiguous memory costs a group, each cache line of it that the group is
the first to access, and each that the row of groups before it has accessed: it lies in the second
cache. Measured on stencils, in and beyond the cache, by groups of several shapes."""

APART = 0.01
"""How much longer a loop runs for each step along x, y or z from the first lane to the last,
where neighbours in all of these leave it at similar times, as in pictures. Measured on Mandelbrot
sets: 0.014 for one of few pixels, 0.002 for one of many."""

CACHE_LINE_BITS = 512

SUB_GROUP = 1
"""What each sub-group costs beside its body, in simple instructions; most of it overlaps."""

# How many registers a value fills.

REGISTERS, REGISTERS_AT_CALLS, REGISTERS_AT_GATHERS, REGISTERS_AT_SEARCHES = 4, 2, 1, 8
"""They hide latency, and share masks and loops; calls work register by register, and gathers
lane by lane, which counts in loops in loops that lanes leave one by one. Searches wait for each
gather before the next one, and the more of them at a time the better."""

STREAMED_AT_ONCE, STREAMED_IN_ALL = 2048, 4096
"""Bits of an array that go around the caches before those of another one, and of all such arrays
in one turn. Measured on a Zen 4: with AVX2 a copy of half as many at once takes 1.2 times as
long, and what fills four arrays with twice as many in all 1.6 to 1.9 times, with AVX-512 as well."""

LONGEST_VISIT = 8192
"""Bits of an array that lanes access before they go on far away, where registers hold what comes
of it: sums over a launch's steps took 1.3 to 2 times as long in visits half as long, measured on
a Zen 4 beyond the second cache. Longer ones win little there, and lose in it."""

ROWS_AT_ONCE = 8
"""Lines of the first cache for addresses that differ by a multiple of 4096: so many rows of a
matrix, each of which a lane goes along, are there at once. Cores of today have 8 to 12."""

# Which branches are skipped where no lane takes them.

SKIP_ABOVE = 30
"""One that costs more than so many simple operations."""

SKIP_IDS_ABOVE = 3
"""The same where only ids are compared: then whole sub-groups take the same path."""

SELECT_UP_TO = 4
"""Simple operations on each side of a branch between integers that cost less than it."""


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


def _host() -> Target:
    features = _host_features()
    widest = 512 if features.get("avx512f") else 256 if features.get("avx") else 128
    like = TARGETS[{512: "x86-64-v4", 256: "x86-64-v3"}.get(widest, "x86-64-v2")]
    return replace(like, arch="x86_64", cpu="", features="", needs=())


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
