"""
Makes work-item loops of each kernel, and removes the barriers.

Option `strategy`:

* `fission` makes a loop nest of the code between two barriers and leaves control flow
  around barriers as it is, outside of the work-item loops. That is right if all work-items
  take the same path there; where that is not proved, it is an error.
* `continuations` makes a loop nest of all that work-items can run from one barrier to the
  next, and a loop that runs one after the other. It is right for every legal kernel.
* `auto`, the default, is fission where that is proved right and continuations elsewhere;
  the kernel's attribute `spmd.not_split_by_fission` says why.

Option `check` (`false` by default): what work-items have to agree on is compared among
all of them when the kernel runs. If they do not come to the same barrier or collective, or
give a broadcast different indices, `spmd.fail` ends the launch and names two of them.

```mlir
// before
%tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
%v = memref.load %x[%gid] : memref<?xf32>
memref.store %v, %tile[%lid] : memref<64xf32, #spmd.memory<local>>
spmd.barrier
%w = memref.load %tile[%other] : memref<64xf32, #spmd.memory<local>>
memref.store %w, %x[%gid] : memref<?xf32>

// after
%tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
scf.for %lx = %c0 to %local_size_x step %c1 {
  %gid = arith.addi %base_x, %lx overflow<nsw, nuw> : index
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %v, %tile[%lx] : memref<64xf32, #spmd.memory<local>>
} {spmd.work_items = array<i64: 0>}
scf.for %lx = %c0 to %local_size_x step %c1 {
  %gid = arith.addi %base_x, %lx overflow<nsw, nuw> : index
  %w = memref.load %tile[%other] : memref<64xf32, #spmd.memory<local>>
  memref.store %w, %x[%gid] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}
```

Requires: `structurize-control-flow`, `rematerialize-memrefs`, `hoist-ids`; every call that
reaches a barrier inlined.
Ensures: kernels without barriers and collectives of the work-group and without local ids;
all code that differs between work-items stands in work-item loops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from spmd.analysis.analyses import Analyses
from spmd.analysis.contexts.memref_phis import find_chosen_memrefs
from spmd.dialects.diagnostics import fail
from spmd.dialects.remarks import Split, remark
from spmd.dialects.rewriting import erase_dead_ops
from spmd.dialects.spmd import GlobalIdOp, KernelOp
from spmd.dialects.spmd.kernel import NOT_SPLIT_BY_FISSION, kernels_in
from spmd.passes.collectives.collective_fusion import fuse_collectives
from spmd.passes.splitting.fission import split_by_fission
from spmd.passes.splitting.fission_legality import why_not_fission

Strategy = Literal["auto", "fission", "continuations"]


@dataclass(frozen=True)
class SplitAtBarriersPass(ModulePass):
    """Work-item loops instead of barriers; see the module docstring."""

    name = "split-at-barriers"

    strategy: Strategy = "auto"
    check: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            split_at_barriers(kernel, self.strategy, self.check)


def split_at_barriers(
    kernel: KernelOp, strategy: Strategy = "auto", check: bool = False
) -> None:
    """Do to one kernel what the pass does to all of a module."""
    for op in kernel.walk():
        if isinstance(op, GlobalIdOp):
            fail(op, "expected no spmd.global_id: run hoist-ids before this pass")
    if len(kernel.body.blocks) > 1:
        fail(
            kernel,
            f"expected a kernel body of one block, got {len(kernel.body.blocks)}: run "
            "structurize-control-flow before this pass",
        )
    for place in find_chosen_memrefs(kernel):
        at = place.sources[0].op
        fail(
            at,
            f"expected {at.name} to forward no memref that is used after a barrier: run "
            "rematerialize-memrefs before this pass",
        )
    analyses = Analyses(kernel)
    problem = why_not_fission(analyses)
    if problem is not None and strategy == "fission":
        fail(
            problem.op,
            f"{problem.reason}; strategy=fission cannot split here, "
            "strategy=continuations can",
        )
    barriers = len(tuple(analyses.regions.syncs))
    by_fission = problem is None and (strategy != "continuations" or not barriers)
    if by_fission:
        split_by_fission(analyses, check)
        fuse_collectives(kernel)
    else:
        if problem is not None:
            kernel.attributes[NOT_SPLIT_BY_FISSION] = StringAttr(problem.reason)
        from spmd.passes.splitting.continuations import make_continuations  # rare

        make_continuations(analyses, check)
    erase_dead_ops(kernel.body)
    why_not = None if problem is None else problem.reason
    remark(Split, kernel, barriers, by_fission, why_not)
