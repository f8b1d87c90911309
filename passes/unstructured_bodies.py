"""
Work-item loops around a kernel body of several blocks without barriers.

The blocks become an `scf.execute_region` in the loops; a return becomes a branch to its
last block.
"""

from __future__ import annotations

from xdsl.dialects import cf, scf
from xdsl.ir import Block, Region

from spmd.analysis.barrier_regions import BarrierRegions
from spmd.dialects.rewriting import locate, replace
from spmd.dialects.spmd import KernelOp, LocalIdOp, ReturnOp
from spmd.passes.work_item_loops import WorkGroup


def wrap_blocks(kernel: KernelOp, regions: BarrierRegions) -> None:
    """Put the blocks of `kernel`, which has no barriers, into work-item loops."""
    group = WorkGroup(kernel)
    nest = group.nest(kernel)
    entry = group.entry
    here = {region.end.parent: region for region in regions.regions}[entry]

    blocks = Region()
    first = Block()
    blocks.add_block(first)
    for op in here.ops:
        op.detach()
        if isinstance(op, LocalIdOp):
            op.result.replace_all_uses_with(nest.ids[op.dimension.data.number])
        else:
            first.add_op(op)
    end = here.end
    end.detach()
    first.add_op(end)

    for block in tuple(kernel.body.blocks)[1:]:
        kernel.body.detach_block(block)
        blocks.add_block(block)
    exit_ = Block([scf.YieldOp()])
    blocks.add_block(exit_)
    for block in blocks.blocks:
        if isinstance(end := block.last_op, ReturnOp):
            replace(end, cf.BranchOp(exit_))

    whole = scf.ExecuteRegionOp((), blocks)
    locate(whole, kernel)
    nest.body.add_op(whole)
    last = ReturnOp()
    locate(last, kernel)
    entry.add_op(last)
    nest.place_before(last)
