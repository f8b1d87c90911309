"""
Group memory for the values that live across a sync, and what they are called in a nest.

A value that all work-items agree on has one element, any other an element per work-item
(a context), which several values may share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.contexts.needs import Needs
from spmd.analysis.contexts.slots import Slot, Slots
from spmd.dialects.building import Builder, Rematerializer
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import named
from spmd.dialects.spmd import LocalIdOp
from spmd.passes.work_item_loops.building import (
    WorkGroup,
    WorkItemNest,
    explain,
    load,
    store,
)


@dataclass(frozen=True)
class KeptValues:
    """Where values are while work-items wait for each other."""

    needs: Needs[Any]
    slots: Slots[Any]
    uniform: Mapping[SSAValue, SSAValue]
    """Group-uniform slots."""

    contexts: Mapping[SSAValue, SSAValue]
    """The arrays that keep values for each work-item."""

    array_of: Mapping[Slot, SSAValue]

    @staticmethod
    def allocate(
        group: WorkGroup, needs: Needs[Any], slots: Slots[Any], why_uniform: str
    ) -> KeptValues:
        """Make group memory at the head of the kernel."""
        uniform: dict[SSAValue, SSAValue] = {}
        for value in needs.uniform:
            like = value.owner
            if isinstance(like, Block):
                like = terminator(like)
            slot = group.uniform_slot(value.type, named(value, "slot"), like)
            uniform[value] = explain(slot, why_uniform)
        array_of: dict[Slot, SSAValue] = {}
        for slot in slots.slots:
            name = slot.name and f"{slot.name}_context"
            array = group.array(slot.type, name, slot.op)
            array_of[slot] = explain(array, slot.reason)
        contexts = {value: array_of[slot] for value, slot in slots.of_value.items()}
        return KeptValues(needs, slots, uniform, contexts, array_of)

    def input_of(self, collective: Operation) -> SSAValue | None:
        """The array with the varying values that go into a collective."""
        slot = self.slots.inputs.get(collective)
        return None if slot is None else self.array_of[slot]

    def store(
        self,
        value: SSAValue,
        new: SSAValue,
        nest: WorkItemNest,
        body: Block,
        like: Operation,
    ) -> None:
        """Keep `value`, which is `new` at the end of `body`, where it is needed later."""
        if (slot := self.uniform.get(value)) is not None:
            body.add_op(store(new, slot, (), like))
        if (context := self.contexts.get(value)) is not None:
            body.add_op(store(new, context, nest.indices, like))

    def store_copies(
        self,
        place: object,
        find: Callable[[SSAValue], SSAValue],
        nest: WorkItemNest,
        body: Block,
        like: Operation,
    ) -> None:
        """Keep what is forwarded where `place` ends."""
        for value, slot in self.slots.copies.get(place, ()):
            body.add_op(store(find(value), self.array_of[slot], nest.indices, like))


class EntryValues(Rematerializer):
    """
    What values from elsewhere are called where one nest of work-item loops begins.

    `known` names those that are there already; the others are loaded or rematerialized at
    the end of the body of the nest, when they are asked for.
    """

    def __init__(
        self,
        kept: KeptValues,
        nest: WorkItemNest,
        known: Callable[[SSAValue], SSAValue | None],
    ):
        super().__init__(Builder.at_end(nest.body), self._find)
        self.kept = kept
        self.nest = nest
        self._elsewhere = known

    def _find(self, value: SSAValue) -> SSAValue | None:
        if isinstance(owner := value.owner, LocalIdOp):
            return self.nest.ids[owner.dimension.data.number]
        if (known := self._elsewhere(value)) is not None:
            return known
        if (context := self.kept.contexts.get(value)) is not None:
            op = load(context, self.nest.indices, value)
            self.nest.body.add_op(op)
            return op.res
        return None if value in self.kept.needs.rematerialized else value
