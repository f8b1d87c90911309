"""
What is known of a kernel that was compiled; `docs/explain.md` describes it as JSON.

Sizes are in bytes; `None` says that they depend on the launch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from spmd.dialects.diagnostics import SourceLocation


@dataclass(frozen=True)
class Place:
    """File, line and column (from 1) in the source."""

    file: str
    line: int
    column: int

    @classmethod
    def of(cls, location: SourceLocation | None) -> Place | None:
        return None if location is None else cls(*location)


@dataclass(frozen=True)
class DroppedBarrier:
    """A barrier that orders nothing, and the proof of that."""

    proof: str
    place: Place | None


@dataclass(frozen=True)
class Checks:
    """Checks of what can be undefined, in checked code."""

    inserted: int
    proven: int
    """Those that it needs not."""


@dataclass(frozen=True)
class Kept:
    """Memory for a value that lives across barriers."""

    name: str | None
    type: str
    bytes: int | None
    """Of one work-item; in a slot, of the group."""
    reason: str
    values: tuple[str, ...]
    """The values that share it, if it is known to keep more than one."""
    place: Place | None


@dataclass(frozen=True)
class LocalArray:
    """An array in local memory."""

    name: str | None
    type: str
    bytes: int | None
    place: Place | None


@dataclass(frozen=True)
class Divergence:
    """A branch or loop in which the lanes of a sub-group part."""

    op: str
    reason: str
    place: Place | None


AccessKind = Literal[
    "reversed", "strided", "transposed", "gather", "scatter", "lane by lane"
]


@dataclass(frozen=True)
class CostlyAccess:
    """An access to memory that is more than one vector load or store."""

    kind: AccessKind
    reason: str
    masked: bool
    place: Place | None


@dataclass(frozen=True)
class MathCalls:
    """Math functions that are calls."""

    op: str
    count: int
    becomes: Literal["a vector function", "a call per lane"]


@dataclass(frozen=True)
class Accesses:
    """How often the code for one sub-group accesses memory that is no context."""

    uniform: int = 0
    contiguous: int = 0
    reversed: int = 0
    strided: int = 0
    transposed: int = 0
    gather: int = 0
    scatter: int = 0
    lane_by_lane: int = 0
    masked: int = 0
    """Of these, for lanes that may be inactive."""


@dataclass(frozen=True)
class Loop:
    """A loop over work-items."""

    lines: tuple[int, int] | None
    """The first and the last line of its code."""
    lanes: int
    """1: it runs work-item by work-item."""
    why_lanes: str
    clipped: bool
    """Whether a condition on ids became its bound."""
    around: Place | None
    """The loop of a work-item that goes around all of them, if one does."""
    divergent: tuple[Divergence, ...]
    accesses: Accesses
    costly: tuple[CostlyAccess, ...]
    math: tuple[MathCalls, ...]

    @property
    def is_good(self) -> bool:
        """Whether there is nothing to say but how many lanes it has."""
        per_lane = any(call.becomes == "a call per lane" for call in self.math)
        return self.lanes > 1 and not (self.divergent or self.costly or per_lane)


@dataclass(frozen=True)
class UnrolledLoop:
    """A loop around barriers whose iterations are written out."""

    place: Place | None
    iterations: int


Strategy = Literal["fission", "continuations"]


@dataclass(frozen=True)
class KernelFacts:
    """What became of one kernel."""

    name: str
    place: Place | None
    group_size: tuple[int, int, int] | None
    """`None`: the launch decides."""
    asked_group_size: tuple[int, int, int] | None
    """What the kernel or the launch asked for, if no work-item can tell."""
    full_groups: bool
    """Whether this is the code for full groups only."""
    sub_group_size: int | None
    """The size that the kernel sees; `None` if it cannot see any."""
    barriers: int
    """Barriers and collectives of the work-group that are left."""
    strategy: Strategy | None
    """How it was split at them, if there are any."""
    why_not_fission: str | None
    dropped_barriers: tuple[DroppedBarrier, ...]
    checks: Checks | None
    """`None`: nothing is checked."""
    contexts: tuple[Kept, ...]
    context_bytes: int | None
    """All contexts of one work-item."""
    slots: tuple[Kept, ...]
    local_arrays: tuple[LocalArray, ...]
    local_bytes: int | None
    """Of one work-group."""
    stack_bytes: int
    """Group memory on the stack: of local arrays, contexts and slots together."""
    scratch_bytes: int | None
    """The same in the scratch buffer of a thread."""
    loops: tuple[Loop, ...]
    unrolled: tuple[UnrolledLoop, ...] = ()
    differences: tuple[str, ...] = ()
    """What is otherwise in the code for groups that are not full."""
    thread_copies: tuple[str, ...] = ()
    """Arrays of which each thread updates a copy, in launches where that is worth it."""
    streamed: tuple[str, ...] = ()
    """Arrays that are stored to around the caches."""
    footprints: tuple[str, ...] = ()
    """Which elements of its arrays a box of work-groups accesses."""


@dataclass(frozen=True)
class SerialLoop:
    """A parallel loop that runs one iteration after the other."""

    place: Place | None
    reason: str


@dataclass(frozen=True)
class FunctionFacts:
    """What became of the parallel loops of one host function."""

    name: str
    place: Place | None
    launches: tuple[str, ...]
    """The kernels that it launches, directly or not."""
    loops: tuple[Loop, ...]
    """Those that it runs itself, in lanes if it is worth it."""
    serial: tuple[SerialLoop, ...]
