"""
What passes decided, said where they decide: typed remarks, as of MLIR's remark engine.

A pass calls `remark` with the class and what goes into it; nothing is made when nobody
listens. The operation of a remark is that of the moment at which it is given: whoever
needs more of it than its identity looks at it at once.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import ParamSpec

from xdsl.dialects import func, memref, scf, vector
from xdsl.ir import Attribute, BlockArgument, Operation

from spmd.dialects.diagnostics import SourceLocation
from spmd.dialects.spmd import KernelOp, SubGroupOp


@dataclass(frozen=True)
class DroppedBarrier:
    """`drop-redundant-barriers` removed a barrier that orders nothing."""

    op: KernelOp
    proof: str
    location: SourceLocation | None


@dataclass(frozen=True)
class Checked:
    """`spmd-insert-checks` put so many checks into a kernel or function."""

    op: KernelOp | func.FuncOp
    inserted: int
    proven: int
    """Those that it needs not."""


@dataclass(frozen=True)
class DefaultSubGroupSize:
    """`choose-sub-group-size` gave a kernel that needs one the default."""

    op: KernelOp


@dataclass(frozen=True)
class ReshapedGroups:
    """`reshape-groups` gave a kernel groups of another size."""

    op: KernelOp
    before: tuple[int, int, int]


@dataclass(frozen=True)
class CopiedByThreads:
    """`spmd-specialize` has each thread update a copy of an array."""

    op: KernelOp
    argument: BlockArgument


@dataclass(frozen=True)
class StreamedStore:
    """`stream-stores` has a store go around the caches."""

    op: vector.StoreOp


@dataclass(frozen=True)
class KeptInGroupMemory:
    """`split-at-barriers` keeps a value or private array across barriers."""

    op: memref.AllocaOp
    reason: str
    type: Attribute
    """Of what one work-item keeps, or in a slot of the group, all of them."""


@dataclass(frozen=True)
class Split:
    """`split-at-barriers` is done with a kernel."""

    op: KernelOp
    barriers: int
    by_fission: bool
    why_not_fission: str | None


@dataclass(frozen=True)
class ClippedLoop:
    """`clip-work-item-loops` made a condition the bound of a loop over work-items."""

    op: scf.ForOp


@dataclass(frozen=True)
class InterchangedLoop:
    """`interchange-loops` put a loop around those over work-items."""

    op: scf.ForOp


@dataclass(frozen=True)
class UnrolledGroupLoop:
    """`unroll-group-loops` wrote out the iterations of a loop around barriers."""

    loop: Operation
    iterations: int


@dataclass(frozen=True)
class PlacedGroupMemory:
    """`place-group-memory` left so many bytes on the stack, and the others in scratch."""

    op: func.FuncOp
    stack_bytes: int
    scratch_bytes: int | None
    """`None`: the launch decides."""


@dataclass(frozen=True)
class FormedSubGroups:
    """`form-sub-groups` made lanes of a loop over work-items, or let it be."""

    op: scf.ForOp | SubGroupOp
    """What runs the loop now: the first sub-group that it became."""
    loop: scf.ForOp
    lanes: int
    """1: it is not vectorized."""
    reason: str | None
    """Why so many; `None`: the kernel has this size, or nothing is to be vectorized."""


@dataclass(frozen=True)
class NotVectorized:
    """`form-sub-groups` met what only becomes loops over work-items, and let it be."""

    op: KernelOp | scf.ParallelOp
    reason: str


@dataclass(frozen=True)
class MaskedDivergence:
    """`mask-divergence` found a branch or loop in which lanes diverge."""

    op: Operation
    group: SubGroupOp
    reason: str


@dataclass(frozen=True)
class Widened:
    """`widen-sub-groups` put vector code in the place of a sub-group."""

    op: SubGroupOp
    code: tuple[Operation, ...]


@dataclass(frozen=True)
class CombinedAccesses:
    """An access is part of accesses to whole vectors now, or of chunks that are loaded."""

    op: Operation
    code: tuple[Operation, ...]


@dataclass(frozen=True)
class Permuted:
    """LLVM IR permutes a vector in registers, instead of a gather."""

    op: Operation


@dataclass(frozen=True)
class MathCall:
    """LLVM IR calls a math function of the lanes of a vector."""

    op: Operation
    is_vector: bool
    """Whether once for all lanes, not for each: there is a vector function."""


Remark = (
    Checked
    | DroppedBarrier
    | DefaultSubGroupSize
    | ReshapedGroups
    | CopiedByThreads
    | StreamedStore
    | KeptInGroupMemory
    | Split
    | ClippedLoop
    | InterchangedLoop
    | UnrolledGroupLoop
    | PlacedGroupMemory
    | FormedSubGroups
    | NotVectorized
    | MaskedDivergence
    | Widened
    | CombinedAccesses
    | Permuted
    | MathCall
)

_Data = ParamSpec("_Data")

_listener: ContextVar[Callable[[Remark], None] | None] = ContextVar(
    "listener", default=None
)


def remark(
    kind: Callable[_Data, Remark], *args: _Data.args, **more: _Data.kwargs
) -> None:
    """Say `kind(*args, **more)` to whoever listens."""
    if (listener := _listener.get()) is not None:
        listener(kind(*args, **more))


def is_listened_to() -> bool:
    """Whether it is worth to look for what there is to say."""
    return _listener.get() is not None


@contextmanager
def listen(listener: Callable[[Remark], None]) -> Generator[None]:
    """Within it, `listener` is called with each remark."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
