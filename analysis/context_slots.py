"""
Which values of a work-item share a context.

Two values can share one if they never hold at the same time. First the values that
control flow passes on are tried with what they are passed on as, so that no copy is
needed; then contexts of one element type are given to several values.

Regions are taken as a whole: a region reads the contexts it needs before it writes any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue

from spmd.analysis.barrier_regions import BarrierRegion
from spmd.analysis.context_needs import ContextNeeds, Variable
from spmd.analysis.region_flow import region_flow


@dataclass(eq=False)
class Slot:
    """One context: group memory with an element for each work-item."""

    values: list[SSAValue]
    """The values that it holds at one time or another."""


@dataclass(frozen=True)
class ContextSlots:
    """The contexts of one kernel."""

    needs: ContextNeeds
    slots: tuple[Slot, ...]
    _slot_of: Mapping[SSAValue, Slot]

    def slot_of(self, value: SSAValue) -> Slot | None:
        """The context that keeps `value`, if one does."""
        return self._slot_of.get(value)

    def passed_at_end_of(
        self, region: BarrierRegion
    ) -> Iterator[tuple[SSAValue, Slot]]:
        """What `region` writes to contexts last, because control flow passes it on."""
        for source, variable in self.needs.passed_at_end_of(region):
            slot = self._slot_of[variable.values[0]]
            if self._slot_of.get(source) is not slot:
                yield source, slot


def assign_context_slots(needs: ContextNeeds) -> ContextSlots:
    """Let as few contexts as is easy to see hold all values."""
    assigner = _Assigner(needs)
    assigner.coalesce()
    return assigner.share()


class _Assigner:
    """
    Sets of nodes are the bits of an integer.

    A node is a stored value or a variable; `group` tells which nodes are one by now.
    """

    def __init__(self, needs: ContextNeeds):
        self.needs = needs
        self.nodes: list[SSAValue | Variable] = [*needs.variables, *needs.stored]
        self.number: dict[SSAValue, int] = {}
        for number, node in enumerate(self.nodes):
            for value in node.values if isinstance(node, Variable) else (node,):
                self.number[value] = number
        self.group = list(range(len(self.nodes)))
        self.members = [1 << number for number in range(len(self.nodes))]
        self.conflicts = self._find_conflicts()

    def _find_conflicts(self) -> list[int]:
        regions = self.needs.regions.regions
        reads: dict[BarrierRegion, int] = {}
        writes: dict[BarrierRegion, int] = {}
        for region in regions:
            reads[region] = self._bits(self.needs.all_of(region))
            made = (result for op in region.ops for result in op.results)
            writes[region] = self._bits(made) | self._bits(
                variable.values[0]
                for _, variable in self.needs.passed_at_end_of(region)
            )
        live_after = self._find_live(reads, writes)
        conflicts = [0] * len(self.nodes)
        for region in regions:
            written = writes[region]
            others = written | live_after[region]
            for number in _numbers(written):
                conflicts[number] |= others & ~(1 << number)
        for number in range(len(conflicts)):
            for other in _numbers(conflicts[number]):
                conflicts[other] |= 1 << number
        return conflicts

    def _find_live(
        self, reads: dict[BarrierRegion, int], writes: dict[BarrierRegion, int]
    ) -> dict[BarrierRegion, int]:
        """The nodes that some later region reads, after each region."""
        flow = region_flow(self.needs.regions)
        before = dict.fromkeys(flow, 0)
        after = dict.fromkeys(flow, 0)
        changed = True
        while changed:
            changed = False
            for region in reversed(self.needs.regions.regions):
                live = 0
                for following in flow[region]:
                    live |= before[following]
                after[region] = live
                live = reads[region] | (live & ~writes[region])
                if live != before[region]:
                    before[region] = live
                    changed = True
        return after

    def _bits(self, values: Iterable[SSAValue]) -> int:
        bits = 0
        for value in values:
            if (number := self.number.get(value)) is not None:
                bits |= 1 << number
        return bits

    def coalesce(self) -> None:
        """Make one node of a value and of what it is passed on as, where that is right."""
        for region in self.needs.regions.regions:
            for source, variable in self.needs.passed_at_end_of(region):
                number = self.number.get(source)
                if number is not None:
                    self._merge(number, self.number[variable.values[0]])

    def _merge(self, a: int, b: int) -> bool:
        a, b = self.group[a], self.group[b]
        if a == b or self.conflicts[a] & self.members[b]:
            return False
        for number in _numbers(self.members[b]):
            self.group[number] = a
        self.members[a] |= self.members[b]
        self.conflicts[a] |= self.conflicts[b]
        for number in _numbers(self.members[a]):
            self.conflicts[number] = self.conflicts[a]
        return True

    def share(self) -> ContextSlots:
        """Give each group the first context of its type that is free."""
        heads: dict[Attribute, list[int]] = {}
        for number in range(len(self.nodes)):
            head = self.group[number]
            known = heads.setdefault(self._first_value(number).type, [])
            if head in known:
                continue
            for other in known:
                if not self._conflict(head, other):
                    self._merge(other, head)
                    break
            else:
                known.append(head)
        slots: dict[int, Slot] = {}
        slot_of: dict[SSAValue, Slot] = {}
        for value, number in self.number.items():
            slot = slots.setdefault(self.group[number], Slot([]))
            slot.values.append(value)
            slot_of[value] = slot
        return ContextSlots(self.needs, tuple(slots.values()), slot_of)

    def _conflict(self, a: int, b: int) -> bool:
        return bool(self.conflicts[a] & self.members[b])

    def _first_value(self, number: int) -> SSAValue:
        node = self.nodes[number]
        return node.values[0] if isinstance(node, Variable) else node


def _numbers(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
