"""
Which values of a work-item share a context where sub-CFGs have loops of their own.

A context is written where its value is defined, and read only when a sub-CFG begins. So it
is live from a definition to the last sync after which a sub-CFG needs the value, unless
the value is defined again on the path. What goes into a collective is written before the
sync and read at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Block, SSAValue

from spmd.analysis.barriers.sub_cfgs import SubCfg
from spmd.analysis.contexts.slots import (
    Copy,
    Segment,
    Slot,
    Slots,
    assign_slots,
    slot_of_input,
    slot_of_value,
)
from spmd.analysis.contexts.sub_cfg_needs import SubCfgNeeds
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.control_flow import forwarded
from spmd.dialects.spmd import is_sync


def assign_sub_cfg_slots(
    needs: SubCfgNeeds, sub_cfgs: Sequence[SubCfg]
) -> Slots[Block | SubCfg]:
    """Contexts for what is stored and for what goes into collectives."""
    of_sync = {sub_cfg.sync: sub_cfg for sub_cfg in sub_cfgs}
    slot_of = {value: slot_of_value(value) for value in needs.values.stored}
    inputs = {s: slot_of_input(s) for s in needs.inputs if s in of_sync}
    segments: dict[Block | SubCfg, Segment] = {}
    for block in dict.fromkeys(block for s in sub_cfgs for block in s.blocks):
        end = terminator(block)
        results = (result for op in block.ops if op is not end for result in op.results)
        input_ = inputs.get(end)
        copies = () if input_ is None else ((end.operands[0], input_),)
        segments[block] = Segment((), [*block.args, *results], copies, end, input_)
    for sub_cfg in sub_cfgs:
        segments[sub_cfg] = Segment(needs.values.entered.get(sub_cfg, ()))

    def successors(node: Block | SubCfg) -> Sequence[Block | SubCfg]:
        if isinstance(node, SubCfg):
            return (node.start,)
        end = terminator(node)
        return (of_sync[end],) if is_sync(end) else end.successors

    def forwarded() -> Iterator[Copy]:
        for node, segment in segments.items():
            if isinstance(node, Block):
                yield from _forwarded_by(node, slot_of)
            yield from ()
        for segment in segments.values():
            yield from segment.copies

    return assign_slots(
        [*slot_of.values(), *inputs.values()], segments, successors, forwarded()
    )


def _forwarded_by(block: Block, slot_of: dict[SSAValue, Slot]) -> Iterator[Copy]:
    """The arguments of blocks, with the values that the end of `block` forwards to them."""
    end = terminator(block)
    if is_sync(end):
        return
    for after, values in zip(end.successors, forwarded(end), strict=False):
        for argument, source in zip(after.args, values, strict=True):
            if argument in slot_of:
                yield source.value, slot_of[argument]
