"""In which order a work-group runs the barrier regions of a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Block

from spmd.analysis.barriers.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.graphs.bit_vectors import solve_backward
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.control_flow import RegionBranch
from spmd.dialects.spmd import KernelOp

Flow = Mapping[BarrierRegion, Sequence[BarrierRegion]]
"""Which regions can follow a region, at once or after a sync."""


def region_flow(regions: BarrierRegions) -> Flow:
    """The control flow graph whose nodes are barrier regions."""
    following: dict[BarrierRegion, BarrierRegion] = {}
    first: dict[Block, BarrierRegion] = {}
    last: dict[Block, BarrierRegion] = {}
    for region in regions.regions:
        block = parent_block(region.end)
        if block in last:
            following[last[block]] = region
        else:
            first[block] = region
        last[block] = region

    def after(region: BarrierRegion) -> Sequence[BarrierRegion]:
        op, source = region.end, None
        if region not in following:
            parent = op.parent_op()
            assert parent is not None
            op, source = parent, op.parent_region()
        flow = RegionBranch.of(op)
        if flow is None:
            return (following[region],)
        if isinstance(op, KernelOp):
            return ()
        return [
            following[regions.region_before(op)] if to is None else first[to.block]
            for to in flow.successors(op, source)
        ]

    return {region: after(region) for region in regions.regions}


def syncs_ahead(regions: BarrierRegions, flow: Flow) -> Mapping[BarrierRegion, int]:
    """
    The syncs that a work-item can reach next from the beginning of a region, as bits.

    The last bit stands for the end of the kernel.
    """
    bit = {sync: 1 << number for number, sync in enumerate(regions.syncs)}
    the_end = 1 << len(bit)

    def transfer(region: BarrierRegion, after: int) -> int:
        if not flow[region]:
            return bit.get(region.end, the_end)
        return bit.get(region.end, after)

    return solve_backward(regions.regions, flow.__getitem__, transfer).before


def why_not_agreed(
    flow: Flow, ahead: Mapping[BarrierRegion, int], region: BarrierRegion
) -> str | None:
    """
    Why work-items could take different paths after `region`, although the kernel is legal.

    All work-items reach the same sync next. If each path leads to syncs of its own, they
    all take the same one.
    """
    seen = 0
    for following in flow[region]:
        if seen & ahead[following]:
            return "work-items that take different paths can meet at the same barrier"
        seen |= ahead[following]
    return None
