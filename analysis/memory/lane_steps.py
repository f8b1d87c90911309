"""
Which element each lane of a gather or scatter accesses, as a sum.

The position in the storage is `constant + steps[lane] + coefficient * value + ...`, where
lane 0 has `constant`. It is read off the arithmetic of the indices, so that accesses whose
sums differ in the constant alone are seen to be neighbours, however they were written.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from spmd.analysis.memory.lane_sums import (
    ZERO,
    LaneSum,
    LaneSums,
    element_width,
    extended,
)
from spmd.dialects.compat.memory import GatherOp, ScatterOp, StepOp
from spmd.dialects.element_types import memref_layout, memref_type
from spmd.dialects.enclosing import is_small
from spmd.dialects.rewriting import splat_number

LONGEST = 32
"""How many operations of an index are looked at; the rest counts as one value."""


@dataclass(frozen=True)
class Stretch:
    """The elements that all lanes of some accesses share the way to, but for a constant."""

    memory: SSAValue

    steps: tuple[int, ...]
    """How far each lane is from the first one, in elements."""

    terms: frozenset[tuple[Hashable, int]]
    """What is the same in all lanes, with coefficients."""

    rows: tuple[SSAValue, ...]
    """The indices along dimensions whose distances are known at run time only."""

    @cached_property
    def step(self) -> int | None:
        """From each lane to the next, if they are equally far from each other."""
        step = self.steps[1]
        equal = all(far == step * lane for lane, far in enumerate(self.steps))
        return step if equal else None

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The lowest and the highest of the steps."""
        return min(self.steps), max(self.steps)

    def meets(self, distance: int) -> bool:
        """Whether accesses whose constants are so far apart have an element in common."""
        return not self._places.isdisjoint(distance + step for step in self.steps)

    @cached_property
    def _places(self) -> frozenset[int]:
        return frozenset(self.steps)


def lane_steps(op: GatherOp | ScatterOp, sums: LaneSums) -> tuple[Stretch, int] | None:
    """
    What `op` accesses, and the constant of its sum; `None` if the steps are not known.

    Distances of two constants of a stretch are exact modulo 2^64, as addresses are.
    """
    layout = memref_layout(memref_type(op.base))
    if layout is None or layout.strides[-1:] != (1,):
        return None
    parts = [*zip(op.offsets, layout.strides, strict=True), (op.indices, 1)]
    # All lanes access elements that exist: their numbers do not wrap around between these.
    exist = is_small(op.base) and splat_number(op.mask) in (1, -1)
    known = ((index, by) for index, by in parts if by is not None)
    total = position(sums, known, exist)
    if total is None or len(total.ahead) == 1:
        return None
    rows = tuple(index for index, by in parts if by is None)
    first = total.ahead[0]
    steps = tuple(ahead - first for ahead in total.ahead)
    return Stretch(op.base, steps, total.terms, rows), first


def position(
    sums: LaneSums, parts: Iterable[tuple[SSAValue, int]], exist: bool = False
) -> LaneSum | None:
    """
    The sum of indices, each times a number, modulo 2^64.

    `exist` says that all lanes access elements of one array, of less than 2^31.
    """
    total = ZERO
    for index, factor in parts:
        found, width = sums.of(index), element_width(index)
        if found is not None and exist and not found.exact and width < 64:
            found = found.opaque("index", width)
        found = found and extended(found, width)
        found = found and total.plus(found, False, factor)
        if found is None:
            return None
        total = found
    return total


def first_offset(op: GatherOp | ScatterOp) -> int | None:
    """What lane 0 adds to the last index of `op`, if it is a constant."""
    found = LaneSums().of(op.indices)
    return None if found is None or found.terms else found.ahead[0]


def is_exact(op: arith.SignlessIntegerBinaryOperationWithOverflow) -> bool:
    """Whether `op` computes what it says, modulo 2^64, as addresses are computed."""
    no_wrap = arith.IntegerOverflowFlag.NSW in op.overflow_flags.data
    return no_wrap or element_width(op.result) == 64


def extends(op: arith.IndexCastOp) -> bool:
    """Whether the result is the number that `op` is given, or the number of a lane."""
    if isinstance(op.input.owner, StepOp):
        return True
    return element_width(op.result) >= element_width(op.input)
