"""Which values of a work-item share a context where barrier regions have loops of their own."""

from __future__ import annotations

from spmd.analysis.barriers.barrier_regions import BarrierRegion
from spmd.analysis.barriers.region_flow import Flow
from spmd.analysis.contexts.region_needs import RegionNeeds, Variable
from spmd.analysis.contexts.slots import (
    Segment,
    Slot,
    Slots,
    assign_slots,
    slot_of_input,
    slot_of_value,
)
from spmd.dialects.spmd import is_sync


def assign_region_slots(needs: RegionNeeds, flow: Flow) -> Slots[BarrierRegion]:
    """Contexts for what is stored and for the variables."""
    slot_of = {variable: _slot_of_variable(variable) for variable in needs.variables}
    segments: dict[BarrierRegion, Segment] = {}
    for region in needs.regions.regions:
        input_ = needs.inputs.get(region.end)
        segments[region] = Segment(
            reads=needs.entered_by(region),
            defines=[result for op in region.ops for result in op.results],
            copies=[(value, slot_of[v]) for value, v in needs.set_by(region)],
            end=region.end,
            input=None if input_ is None else slot_of[input_],
        )
    return assign_slots(
        [*slot_of.values(), *map(slot_of_value, needs.values.stored)],
        segments,
        flow.__getitem__,
        (copy for segment in segments.values() for copy in segment.copies),
    )


def _slot_of_variable(variable: Variable) -> Slot:
    op = variable.op
    if is_sync(op) and not variable.values:
        return slot_of_input(op)
    reason = f"comes out of {op.name} and differs between work-items"
    return Slot(variable.type, variable.name, op, reason, tuple(variable.values))
