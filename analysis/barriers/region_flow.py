"""In which order a work-group runs the barrier regions of a kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from xdsl.ir import Block, Operation

from spmd.analysis.barriers.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.graphs.bit_vectors import solve_backward
from spmd.analysis.graphs.traversal import NodeT
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.control_flow import RegionBranch
from spmd.dialects.spmd import KernelOp, is_sync

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


def syncs_ahead(
    nodes: Sequence[NodeT],
    successors: Callable[[NodeT], Sequence[NodeT]],
    end_of: Callable[[NodeT], Operation],
) -> Mapping[NodeT, int]:
    """
    The syncs that a work-item can reach next from the beginning of a node, as bits.

    Nodes are regions, or blocks that end at syncs; the syncs are numbered in their order.
    The last bit stands for the end of the kernel.
    """
    syncs = filter(is_sync, map(end_of, nodes))
    bit = {sync: 1 << number for number, sync in enumerate(syncs)}
    the_end = 1 << len(bit)

    def transfer(node: NodeT, after: int) -> int:
        return bit.get(end_of(node), after if successors(node) else the_end)

    return solve_backward(nodes, successors, transfer).before


def why_not_agreed(ahead: Mapping[NodeT, int], targets: Iterable[NodeT]) -> str | None:
    """
    Why work-items could go on at different `targets`, although the kernel is legal.

    All work-items reach the same sync next. If each path leads to syncs of its own, they
    all take the same one.
    """
    seen = 0
    for target in targets:
        if seen & ahead[target]:
            return "work-items that take different paths can meet at the same barrier"
        seen |= ahead[target]
    return None
