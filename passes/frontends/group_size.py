"""How many work-items a group has, if nobody says, by what one of them costs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block

from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.interfaces.cost import cost_class
from spmd.dialects.limits import (
    MAX_SUB_GROUP_SIZE,
    Sizes,
    default_group_size,
)
from spmd.dialects.rewriting import trip_count

_COST_OF_GROUP = 1 << 14
"""A group of work-items that do a lot has as many as cost this together: a few microseconds."""
_MOST = 1 << 10
"""Where calls of groups cost nothing that could be measured any more, beside a stencil."""

UNKNOWN_TRIP_COUNT = 16
"""Of loops inside one work-item, for the size of groups."""


def group_size_by_cost(global_size: Sequence[int], cost: int) -> Sizes:
    """The same for work-items of which each costs `cost`."""
    items = _COST_OF_GROUP // max(cost, 1)
    power = 1 << max(items.bit_length() - 1, 0)
    return default_group_size(global_size, min(max(power, MAX_SUB_GROUP_SIZE), _MOST))


def cost_of(block: Block, unknown: int = UNKNOWN_TRIP_COUNT) -> int:
    """
    What running `block` costs, about: of a branch all sides.

    A loop of which nobody knows how many iterations it has is taken to have `unknown`.
    """
    cost = 0
    for op in block.ops:
        cost += cost_class(op)
        flow = RegionBranch.of(op)
        inner = sum(
            cost_of(each, unknown) for region in op.regions for each in region.blocks
        )
        if flow is not None and flow.runs is Runs.LOOP:
            count = trip_count(op)
            inner *= unknown if count is None else count
        cost += inner
    return cost
