"""
Replaces collectives of a value that all work-items have anyway.

Any, all, broadcast and shuffle of such a value give the value itself; so do a reduce and
an inclusive scan by `min max minui maxui and or`. A work-group reduce by `add` of an
integer multiplies by the size of the group.

```mlir
// before
%g = spmd.group_id x
%top = spmd.reduce max %g across work_group : index
%all = spmd.reduce add %g across work_group : index

// after; %top is %g
%g = spmd.group_id x
%n = spmd.local_size x
%all = arith.muli %g, %n : index        // and by the sizes in y and z
```

Work-items may reach a collective of the work-group in different iterations of a loop, each
with the value of its own. A value of a loop is therefore only folded where all
work-items go around together.

A kernel all of whose sub-group operations are replaced need not have sub-groups at all,
so `spmd-to-loops` chooses their size afterwards; and checks barriers before, because
a collective that not all work-items reach is an error with any value.

Requires: nothing beyond verified IR. Functions are left alone: inline them before.
Ensures: no collective in a kernel has a value that it would give back.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.rewriting import replace
from spmd.dialects.spmd import (
    CollectiveOp,
    Dimension,
    KernelOp,
    Kind,
    LocalSizeOp,
    ReduceOp,
    ScanOp,
    Scope,
)
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.spmd.types import is_integer


@dataclass(frozen=True)
class FoldUniformCollectivesPass(ModulePass):
    """No collective of what is uniform; see the module docstring."""

    name = "fold-uniform-collectives"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            _fold_in(kernel)


def _fold_in(kernel: KernelOp) -> None:
    collectives = [
        op
        for op in kernel.walk()
        if isinstance(op, CollectiveOp) and _why_it_counts(op) is None
    ]
    if not collectives:
        return
    divergence = analyze_kernel(kernel)
    for op in collectives:
        if why_not_fold(op, divergence) is not None:
            continue
        if isinstance(op, ReduceOp) and op.kind.data is Kind.ADD:
            _multiply(op, kernel)
        else:
            replace(op, (), (op.operands[0],))


def _why_it_counts(op: CollectiveOp) -> str | None:
    """Why the result of a collective depends on how many work-items take part."""
    if op.gives_common_value():
        return None
    match op:
        case ScanOp():
            return f"an {op.mode.data} scan by {op.kind.data} counts work-items"
        case ReduceOp():
            countable = (
                op.kind.data is Kind.ADD
                and op.scope.data is Scope.WORK_GROUP
                and is_integer(op.value.type)
            )
            return (
                None if countable else f"a reduce by {op.kind.data} counts work-items"
            )
        case _:
            return f"{op.name} counts work-items"


def why_not_fold(op: CollectiveOp, divergence: Divergence) -> str | None:
    """Why the result of a collective cannot be had from its value alone."""
    if (reason := _why_it_counts(op)) is not None:
        return reason
    value = op.operands[0]
    if not divergence.is_uniform(value):
        return f"its value is varying: {divergence.why_varying(value)}"
    if (
        op.convergence_scope is Scope.WORK_GROUP
        and not divergence.all_active(op)
        and not _is_made_once(value)
    ):
        return "work-items may reach it in different iterations of a loop"
    return None


def _is_made_once(value: SSAValue) -> bool:
    """Whether a work-item makes the value at most once: it belongs to no loop."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    while block is not None:
        region, parent = block.parent, block.parent_op()
        if region is None or len(region.blocks) > 1:
            return False
        if isinstance(parent, KernelOp):
            return True
        flow = None if parent is None else RegionBranch.of(parent)
        if parent is None or flow is None or flow.runs is Runs.LOOP:
            return False
        block = parent.parent
    return False


def _multiply(op: ReduceOp, kernel: KernelOp) -> None:
    """The value as often as there are work-items in the group; both wrap around."""
    new_ops: list[Operation] = []
    total = op.value
    sizes = kernel.group_size
    for dimension in Dimension:
        if sizes is not None and sizes[dimension.number] == 1:
            continue
        size: Operation = LocalSizeOp(dimension)
        new_ops.append(size)
        if op.value.type != IndexType():
            size = arith.IndexCastOp(size, op.value.type)
            new_ops.append(size)
        product = arith.MuliOp(total, size)
        new_ops.append(product)
        total = product.result
    replace(op, new_ops, (total,))
