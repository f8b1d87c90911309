"""
Which values of a work-item share a context.

Two values can share one if they never hold at the same time. First the values that
control flow forwards are tried with what they are forwarded as, so that no copy is needed;
then contexts of one element type are given to several values.

The code is taken in *segments* without a sync but at their end. A segment reads the
contexts that it needs before it writes any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.contexts.context_cut import why_not_rematerialized
from spmd.analysis.contexts.slot_colouring import InterferenceGraph
from spmd.analysis.graphs.bit_vectors import bits_of, numbers, solve_backward
from spmd.analysis.graphs.traversal import NodeT
from spmd.dialects.enclosing import terminator
from spmd.dialects.spmd import ScanOp


@dataclass(frozen=True, eq=False)
class Slot:
    """One context: group memory with an element for each work-item."""

    type: Attribute
    name: str | None
    op: Operation
    """Where the first value that it holds comes from."""

    reason: str
    """Why that is kept."""

    values: tuple[SSAValue, ...]
    """The names of what it holds."""


Copy = tuple[SSAValue, Slot]
"""A value, and a context that it is written to."""


@dataclass(frozen=True, eq=False)
class Segment:
    """What code without a sync but at its end does with contexts."""

    reads: Iterable[SSAValue] = ()
    """When it begins."""

    defines: Iterable[SSAValue] = ()
    copies: Sequence[Copy] = ()
    """What it writes last."""

    end: Operation | None = None
    input: Slot | None = None
    """What `end` reads, if it is a collective."""


@dataclass(frozen=True)
class Slots(Generic[NodeT]):
    """The contexts of one kernel."""

    slots: tuple[Slot, ...]
    of_value: Mapping[SSAValue, Slot]
    inputs: Mapping[Operation, Slot]
    """What keeps the values that go into a collective."""

    copies: Mapping[NodeT, Sequence[Copy]]
    """What is written at the end of a segment because it does not lie there anyway."""


def assign_slots(
    slots: Sequence[Slot],
    segments: Mapping[NodeT, Segment],
    successors: Callable[[NodeT], Iterable[NodeT]],
    forwarded: Iterable[Copy],
) -> Slots[NodeT]:
    """
    Let as few contexts as is easy to see take the place of one for each value.

    A context is that of the first of the `slots` that share it.
    """
    number = {value: n for n, slot in enumerate(slots) for value in slot.values}
    own = {slot: n for n, slot in enumerate(slots)}
    graph = InterferenceGraph([slot.type for slot in slots])
    facts = {node: _Bits(segment, number, own) for node, segment in segments.items()}
    flow = solve_backward(
        facts, successors, lambda node, after: facts[node].live(after)
    )
    for node, of_segment in facts.items():
        of_segment.interfere(graph, flow.after[node])
    for value, slot in forwarded:
        if value in number:
            graph.coalesce(number[value], own[slot])
    colours = graph.colour()
    first: dict[int, Slot] = {}
    shared = {slot: first.setdefault(colours[n], slot) for slot, n in own.items()}
    of_value = {value: shared[slots[n]] for value, n in number.items()}
    return Slots(
        tuple(first.values()),
        of_value,
        {s.end: shared[s.input] for s in segments.values() if s.end and s.input},
        {
            node: [
                (value, shared[slot])
                for value, slot in segment.copies
                if of_value.get(value) is not shared[slot]
            ]
            for node, segment in segments.items()
        },
    )


class _Bits:
    """A segment, in numbers of contexts."""

    def __init__(
        self, segment: Segment, number: Mapping[SSAValue, int], own: Mapping[Slot, int]
    ):
        def bits(values: Iterable[SSAValue]) -> int:
            return bits_of(number[value] for value in values if value in number)

        self.reads = bits(segment.reads)
        self.defined = bits(segment.defines)
        self.copied = {own[slot]: number.get(value) for value, slot in segment.copies}
        self.written = self.defined | bits_of(self.copied)
        self.results = 0
        """What a scan at the end writes."""

        if isinstance(segment.end, ScanOp):
            self.results = bits((segment.end.result,))
        self.input = 0 if segment.input is None else 1 << own[segment.input]
        self.sources = bits(value for value, _ in segment.copies)

    def live(self, after: int) -> int:
        """What is read later when the segment begins, from that when its end is over."""
        at_end = (after & ~self.results & ~bits_of(self.copied)) | self.sources
        return self.reads | (at_end & ~self.defined)

    def interfere(self, graph: InterferenceGraph, after: int) -> None:
        """Keep what the segment writes out of the contexts of what is live then."""
        for result in numbers(self.results):
            graph.interfere(result, after)
        others = self.written | (after & ~self.results) | self.input
        for number in numbers(self.defined & ~bits_of(self.copied)):
            # A copy may share with what it is a copy of.
            copies = bits_of(n for n, source in self.copied.items() if source == number)
            graph.interfere(number, others & ~copies)
        for number, source in self.copied.items():
            # Unless that changes as well.
            same = 0 if source is None or source in self.copied else 1 << source
            graph.interfere(number, others & ~same)


def slot_of_value(value: SSAValue) -> Slot:
    """A context for a value that its definition writes."""
    owner = value.owner
    if isinstance(owner, Operation):
        op, reason = owner, why_not_rematerialized(owner)
    else:
        op = terminator(owner)
        reason = "comes on several paths and differs between work-items"
    return Slot(value.type, value.name_hint, op, reason, (value,))


def slot_of_input(sync: Operation) -> Slot:
    """A context for what goes into a collective."""
    value = sync.operands[0]
    reason = f"goes into {sync.name} and differs between work-items"
    return Slot(value.type, value.name_hint, sync, reason, ())
