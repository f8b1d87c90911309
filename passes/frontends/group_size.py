"""How many work-items a group has, if nobody says, by what one of them costs."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.ir import Block

from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.interfaces.cost import cost_class
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd import MAX_SUB_GROUP_SIZE

Sizes = tuple[int, int, int]

DEFAULT_GROUP_SIZE = 256
"""Work-items of a group when neither the kernel nor the launch says."""

_ROW = 64
"""The most in x where there are rows: whole rows would leave short groups at their ends."""

_COST_OF_GROUP = 1 << 14
"""A group of work-items that do a lot has as many as cost this together: a few microseconds."""

_UNKNOWN_TRIP_COUNT = 16


def default_group_size(
    global_size: Sequence[int], most: int = DEFAULT_GROUP_SIZE
) -> Sizes:
    """
    The group size for a range of work-items, x first, of at most `most`.

    Code is specialised on it, so it depends on the global size as little as possible:
    not at all in one dimension.
    """
    x, y, z, *_ = (*global_size, 1, 1)  # of a launch there are three
    if y == z == 1:
        return most, 1, 1
    rows, sizes = most, list[int]()
    for extent, limit in zip((x, y, z), (_ROW, most, most), strict=True):
        size = min(limit, rows, 1 << max(extent - 1, 0).bit_length())
        sizes.append(size)
        rows //= size
    return sizes[0], sizes[1], sizes[2]


def group_size_by_cost(global_size: Sequence[int], cost: int) -> Sizes:
    """The same for work-items of which each costs `cost`."""
    items = _COST_OF_GROUP // max(cost, 1)
    power = 1 << max(items.bit_length() - 1, 0)
    return default_group_size(
        global_size, min(max(power, MAX_SUB_GROUP_SIZE), DEFAULT_GROUP_SIZE)
    )


def cost_of(block: Block) -> int:
    """What running `block` costs, about: of a branch all sides, of a loop 16 iterations."""
    cost = 0
    for op in block.ops:
        cost += cost_class(op)
        flow = RegionBranch.of(op)
        inner = sum(cost_of(each) for region in op.regions for each in region.blocks)
        if flow is not None and flow.runs is Runs.LOOP:
            inner *= (
                _trip_count(op) if isinstance(op, scf.ForOp) else _UNKNOWN_TRIP_COUNT
            )
        cost += inner
    return cost


def _trip_count(loop: scf.ForOp) -> int:
    low, high, step = map(constant_index, (loop.lb, loop.ub, loop.step))
    if low is None or high is None or not step:
        return _UNKNOWN_TRIP_COUNT
    return max(0, -((low - high) // step))
