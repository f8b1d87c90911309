"""
Removes barriers of the work-group that order nothing.

The attribute `spmd.dropped_barriers` of the kernel says for each of them why it could go.

```mlir
// before
spmd.kernel @k(...) {
  memref.store %v, %tile[%lid] : memref<64xf32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %tile[%lid] : memref<64xf32, #spmd.memory<local>>
// after
spmd.kernel @k(...) attributes {spmd.dropped_barriers = [
    "k.mlir:3:3: each work-item accesses only its own elements of %tile"]} {
  memref.store %v, %tile[%lid] : memref<64xf32, #spmd.memory<local>>
  %w = memref.load %tile[%lid] : memref<64xf32, #spmd.memory<local>>
```

Requires: `hoist-ids`.
Ensures: a legal kernel computes the same; work-items that waited for each other without
exchanging anything do not wait.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.barriers.barrier_regions import find_barrier_regions
from spmd.analysis.barriers.redundant_barriers import RedundantBarriers
from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.diagnostics import source_location
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.remarks import DroppedBarrier, remark
from spmd.dialects.spmd import KernelOp, is_group_barrier
from spmd.dialects.spmd.kernel import DROPPED_BARRIERS, kernels_in


@dataclass(frozen=True)
class DropRedundantBarriersPass(ModulePass):
    """Barriers that order nothing are gone; see the module docstring."""

    name = "drop-redundant-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            drop_redundant_barriers(kernel)


def drop_redundant_barriers(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    if len(kernel.body.blocks) > 1 or not any(map(is_group_barrier, kernel.walk())):
        return
    regions = find_barrier_regions(kernel)
    if not all(map(decisions, regions.carriers)):
        return
    finder = RedundantBarriers(kernel, regions, lambda: analyze_kernel(kernel))
    reasons: list[StringAttr] = []
    for barrier, reason in tuple(finder.find()):
        where = source_location(barrier)
        remark(DroppedBarrier, kernel, reason, where)
        reasons.append(StringAttr(f"{where}: {reason}" if where else reason))
        Rewriter.erase_op(barrier)
    if reasons:
        kernel.attributes[DROPPED_BARRIERS] = ArrayAttr(reasons)
