"""
Groups of gathers and scatters in one block that together access whole stretches of memory.

Legality as in Nuzman, Rosen, Zaks, "Auto-Vectorization of Interleaved Data for SIMD", PLDI
2006, and LLVM's `InterleavedAccessInfo`: the loads of a group are done at the first one, the
stores at the last one, so nothing in between may touch what they do. Other accesses with
the same steps do not, if none of their lanes has an element of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.memory.accesses import NOTHING, Accesses, accesses_of, may_overlap
from spmd.analysis.memory.lane_steps import Stretch, lane_steps
from spmd.analysis.memory.lane_sums import LaneSums
from spmd.dialects.compat.memory import GatherOp, ScatterOp

MOST_OPEN = 16
"""How many groups wait for members at a time."""


@dataclass
class InterleavedGroup:
    """Accesses to one stretch under one mask, in the order of the program."""

    stretch: Stretch
    mask: SSAValue
    kind: type[GatherOp | ScatterOp]
    members: list[tuple[int, GatherOp | ScatterOp]] = field(
        default_factory=list[tuple[int, GatherOp | ScatterOp]]
    )
    """With the constant of each."""

    stored: set[int] = field(default_factory=set[int])
    """What is stored after the first of the loads: the constants of that."""

    @property
    def is_load(self) -> bool:
        return self.kind is GatherOp

    @property
    def size(self) -> int:
        """How many elements there are from the lowest to the highest."""
        constants = [constant for constant, _ in self.members]
        low, high = self.stretch.ends
        return high - low + max(constants) - min(constants) + 1

    def places(self, constant: int) -> list[int]:
        """Which of them the lanes of a member have."""
        lowest = min(each for each, _ in self.members) + self.stretch.ends[0]
        return [constant + step - lowest for step in self.stretch.steps]

    def meets(self, constants: Iterable[int], constant: int) -> bool:
        """Whether one of the accesses with `constants` has elements of that with `constant`."""
        return any(self.stretch.meets(constant - each) for each in constants)

    def is_touched(self, constant: int) -> bool:
        """Whether a member has elements of the access with this constant."""
        return self.meets((each for each, _ in self.members), constant)

    def parts(self) -> Iterator[InterleavedGroup]:
        """Groups of members that lie less than a step apart, or all lanes of one."""
        rest = sorted(self.members, key=lambda member: member[0])
        low, high = self.stretch.ends
        reach = abs(self.stretch.step or high + 1 - low)
        while rest:
            end = rest[0][0] + reach
            part = [member for member in self.members if rest[0][0] <= member[0] < end]
            yield InterleavedGroup(self.stretch, self.mask, self.kind, part)
            rest = [member for member in rest if member[0] >= end]


def interleaved_groups(block: Block) -> Iterator[InterleavedGroup]:
    """All gathers and scatters with known steps in `block`, in groups of one or more."""
    waiting: dict[object, InterleavedGroup] = {}
    sums = LaneSums()
    for op in block.ops:
        member = lane_steps(op, sums) if isinstance(op, GatherOp | ScatterOp) else None
        touched = accesses_of(op) if not op.regions else Accesses(unknown=True)
        if touched == NOTHING:
            continue
        for key, group in [*waiting.items()]:
            if _ends(group, op, touched, member):
                yield from waiting.pop(key).parts()
        if member is None:
            continue
        assert isinstance(op, GatherOp | ScatterOp)
        stretch, constant = member
        key = (stretch, op.mask, type(op))
        group = waiting.get(key)
        if group is None:
            group = waiting[key] = InterleavedGroup(stretch, op.mask, type(op))
            group.stored |= _still_stored(waiting.values(), stretch)
        group.members.append((constant, op))
        if len(waiting) > MOST_OPEN:
            yield from waiting.pop(next(iter(waiting))).parts()
    for group in waiting.values():
        yield from group.parts()


def _still_stored(groups: Iterable[InterleavedGroup], stretch: Stretch) -> set[int]:
    """What may be stored later than it was: that must not be loaded earlier."""
    return {
        constant
        for group in groups
        if group.stretch == stretch and not group.is_load
        for constant, _ in group.members
    }


def _ends(
    group: InterleavedGroup,
    op: Operation,
    touched: Accesses,
    member: tuple[Stretch, int] | None,
) -> bool:
    """Whether what comes after `op`, or `op` itself, cannot join `group`."""
    if touched.unknown:
        return True
    writes = touched.writes
    if member is not None and member[0] == group.stretch:
        constant = member[1]
        if group.is_load:
            if writes:
                group.stored.add(constant)
            return not writes and group.meets(group.stored, constant)
        return group.is_touched(constant)
    memories = writes if group.is_load else (*writes, *touched.reads)
    return any(may_overlap(memory, group.stretch.memory) for memory in memories)
