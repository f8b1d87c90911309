"""
Which values of a work-item share a context.

Two values can share one if they never hold at the same time. First the values that
control flow passes on are tried with what they are passed on as, so that no copy is
needed; then contexts of one element type are given to several values.

Regions are taken as a whole: a region reads the contexts it needs before it writes any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import BarrierRegion, is_sync
from spmd.analysis.barriers.forwarded_values import Variable
from spmd.analysis.barriers.region_flow import region_flow
from spmd.analysis.contexts.context_cut import why_not_recomputed
from spmd.analysis.contexts.context_needs import ContextNeeds
from spmd.analysis.contexts.slot_colouring import Sharing
from spmd.analysis.graphs.bit_vectors import bits_of, numbers
from spmd.dialects.spmd import ScanOp


@dataclass(eq=False)
class Slot:
    """One context: group memory with an element for each work-item."""

    type: Attribute
    name: str | None
    op: Operation
    """Where the first value that it holds comes from."""

    reason: str
    """Why that is kept."""

    values: list[SSAValue] = field(default_factory=list[SSAValue])
    """The values that it holds at one time or another."""


@dataclass(frozen=True)
class ContextSlots:
    """The contexts of one kernel."""

    needs: ContextNeeds
    slots: tuple[Slot, ...]
    _slot_of: Mapping[SSAValue | Variable, Slot]

    def slot_of(self, value: SSAValue | Variable) -> Slot | None:
        """The context that keeps `value`, if one does."""
        return self._slot_of.get(value)

    def passed_at_end_of(
        self, region: BarrierRegion
    ) -> Iterator[tuple[SSAValue, Slot]]:
        """What `region` writes to contexts last, because control flow passes it on."""
        for source, variable in self.needs.passed_at_end_of(region):
            slot = self._slot_of[variable]
            if self._slot_of.get(source) is not slot:
                yield source, slot


def assign_context_slots(needs: ContextNeeds) -> ContextSlots:
    """Let as few contexts as is easy to see hold all values."""
    assigner = _Assigner(needs)
    assigner.coalesce()
    return assigner.share()


class _Assigner:
    """A node, by its number, is a stored value or a variable."""

    def __init__(self, needs: ContextNeeds):
        self.needs = needs
        self.nodes: list[SSAValue | Variable] = [*needs.variables, *needs.stored]
        self.number: dict[SSAValue | Variable, int] = {}
        for number, node in enumerate(self.nodes):
            self.number[node] = number
            if isinstance(node, Variable):
                self.number.update(dict.fromkeys(node.values, number))
        self.sharing = Sharing([node.type for node in self.nodes])
        self._find_conflicts()

    def _find_conflicts(self) -> None:
        live = self._find_live()
        for region in self.needs.regions.regions:
            made = self._bits(result for op in region.ops for result in op.results)
            passed: dict[int, int | None] = {}
            for source, variable in self.needs.passed_at_end_of(region):
                passed[self.number[variable]] = self.number.get(source)
            written = made | bits_of(passed)
            others = written | live[region]
            for number in numbers(made & ~bits_of(passed)):
                # A copy may share with what it is a copy of.
                copies = bits_of(n for n, source in passed.items() if source == number)
                self.sharing.separate(number, others & ~copies)
            for number, source in passed.items():
                # Unless that changes as well.
                same = 0 if source is None or source in passed else 1 << source
                self.sharing.separate(number, others & ~same)
            if (output := self._output(region.end)) is not None:
                self.sharing.separate(output, live[region.end])

    def _output(self, end: Operation) -> int | None:
        """The node of the varying result of a collective."""
        return self.number.get(end.result) if isinstance(end, ScanOp) else None

    def _find_live(self) -> dict[BarrierRegion | Operation, int]:
        """The nodes that are read later, after each region and after each collective."""
        flow = region_flow(self.needs.regions)
        reads = {region: self._bits(self.needs.all_of(region)) for region in flow}
        writes = {
            region: self._bits(result for op in region.ops for result in op.results)
            | self._bits(
                variable for _, variable in self.needs.passed_at_end_of(region)
            )
            for region in flow
        }
        before = dict.fromkeys(flow, 0)
        after: dict[BarrierRegion | Operation, int] = {}
        changed = True
        while changed:
            changed = False
            for region in reversed(self.needs.regions.regions):
                live = 0
                for following in flow[region]:
                    live |= before[following]
                after[region.end] = live
                if (output := self._output(region.end)) is not None:
                    live &= ~(1 << output)
                if (variable := self.needs.input_of(region.end)) is not None:
                    live |= 1 << self.number[variable]
                after[region] = live
                live = reads[region] | (live & ~writes[region])
                if live != before[region]:
                    before[region] = live
                    changed = True
        return after

    def _bits(self, values: Iterable[SSAValue | Variable]) -> int:
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
                    self.sharing.merge(number, self.number[variable])

    def share(self) -> ContextSlots:
        """Give each group the first context of its type that is free."""
        place = self.sharing.share()
        slots: dict[int, Slot] = {}
        slot_of: dict[SSAValue | Variable, Slot] = {}
        for node, number in self.number.items():
            head = place[number]
            if head not in slots:
                slots[head] = _new_slot(self.nodes[number])
            slot_of[node] = slots[head]
            if isinstance(node, SSAValue):
                slots[head].values.append(node)
        return ContextSlots(self.needs, tuple(slots.values()), slot_of)


def _new_slot(node: SSAValue | Variable) -> Slot:
    if isinstance(node, Variable):
        goes = "goes into" if is_sync(node.op) and not node.values else "comes out of"
        reason = f"{goes} {node.op.name} and differs between work-items"
        return Slot(node.type, node.name, node.op, reason)
    owner = node.owner
    assert isinstance(owner, Operation), "block arguments are kept as variables"
    return Slot(node.type, node.name_hint, owner, why_not_recomputed(owner))
