"""
Moves what is the same in all work-items out of work-item loops, branches included.

Continuations write all that follows on a barrier into one nest of loops. A branch in there
whose condition is known before the nest moves around it, with loops of its own in each
arm; so do computations, and stores to a slot that all work-items agree on. What is left in
the loops is what differs between work-items, and each condition around it can become a
loop bound.

```mlir
// before
scf.for %lx = %c0 to %local_size_x step %c1 {
  %half = arith.shrui %s, %c1 : index
  %more = arith.cmpi ugt, %half, %c0 : index
  %code = scf.if %more -> (index) {
    "first"(%lx)
    scf.yield %c1 : index
  } else {
    "second"(%lx)
    scf.yield %c0 : index
  }
  memref.store %code, %next_sync[] : memref<index>
} {spmd.work_items = array<i64: 0>}

// after
%half = arith.shrui %s, %c1 : index
%more = arith.cmpi ugt, %half, %c0 : index
scf.if %more {
  scf.for %lx = %c0 to %local_size_x step %c1 {
    "first"(%lx)
  } {spmd.work_items = array<i64: 0>}
  memref.store %c1, %next_sync[] : memref<index>
} else {
  scf.for %lx = %c0 to %local_size_x step %c1 {
    "second"(%lx)
  } {spmd.work_items = array<i64: 0>}
  memref.store %c0, %next_sync[] : memref<index>
}
```

What stands beside a branch is written in both arms, so a branch moves only if this is little
and does nothing but compute values and keep them.

Requires: work-item loops, over whole work-groups (`split-at-barriers`).
Ensures: the same; no loop becomes longer.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder
from spmd.dialects.enclosing import is_outside, parent_block
from spmd.dialects.interfaces.speculation import is_speculatable
from spmd.dialects.rewriting import (
    constant_index,
    erase_dead_ops,
    has_no_effect,
    hint,
    locate,
)
from spmd.dialects.work_groups import is_group_memory
from spmd.passes.work_item_loops.nests import (
    is_local_size,
    loops_of,
    nested_loops,
    nests_in,
)

MOST_BESIDE = 32
"""Operations beside a branch that are written in each of its arms."""

MOST_COPIES = 1024
"""Operations that are written again in one kernel."""

Branch = scf.IfOp | scf.IndexSwitchOp


@dataclass(frozen=True)
class UnswitchWorkItemLoopsPass(ModulePass):
    """Uniform branches around work-item loops; see the module docstring."""

    name = "unswitch-work-item-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.body.block.ops:
            unswitch_work_item_loops(kernel)


def unswitch_work_item_loops(kernel: Operation) -> None:
    """Do to one kernel or work-group function what the pass does to all."""
    copies = 0
    changed = False
    worklist = list(nests_in(kernel))
    while worklist:
        nest = worklist.pop()
        _hoist(nest)
        _move_stores_after(nest)
        branch = _branch_to_move(nest)
        if branch is not None and copies <= MOST_COPIES:
            beside, arms = _unswitch(nest, branch)
            copies += beside * len(arms)
            worklist += arms
            changed = True
    if changed:
        for region in kernel.regions:
            erase_dead_ops(region)


def _body(nest: scf.ForOp) -> Block:
    return loops_of(nest)[-1].body.block


def _hoist(nest: scf.ForOp) -> None:
    """Compute before `nest` what is the same in all its iterations."""
    for op in tuple(_body(nest).ops):
        if is_speculatable(op) and all(is_outside(v, nest) for v in op.operands):
            Builder.before(nest).move((op,))


def _move_stores_after(nest: scf.ForOp) -> None:
    """Store after `nest` what all work-items store to one slot."""
    if not all(
        constant_index(loop.lb) == 0 and is_local_size(loop.ub)
        for loop in loops_of(nest)
    ):
        return  # Perhaps there is no iteration.
    block = parent_block(nest)
    last: Operation = nest
    for op in tuple(_body(nest).ops):
        if (
            isinstance(op, memref.StoreOp)
            and not op.indices
            and is_group_memory(op.memref.owner)
            and is_outside(op.value, nest)
            and _is_only_access(op, nest)
        ):
            op.detach()
            block.insert_op_after(op, last)
            last = op


def _is_only_access(store: memref.StoreOp, nest: scf.ForOp) -> bool:
    """Whether nothing else in `nest` accesses the slot."""
    return all(
        use.operation is store
        or (
            isinstance(use.operation, memref.LoadOp | memref.StoreOp)
            and not nest.is_ancestor(use.operation)
        )
        for use in store.memref.uses
    )


def _branch_to_move(nest: scf.ForOp) -> Branch | None:
    """The first branch in `nest` that the same work-items take together, if it can move."""
    branch: Branch | None = None
    beside = 0
    body = _body(nest)
    for op in body.ops:
        if (
            branch is None
            and isinstance(op, Branch)
            and is_outside(op.operands[0], nest)
        ):
            branch = op
        elif op is not body.last_op:
            if not _computes_or_keeps(op):
                return None
            beside += sum(1 for _ in op.walk())
    return branch if beside <= MOST_BESIDE else None


def _computes_or_keeps(op: Operation) -> bool:
    """Whether `op` makes a value, or stores one for another barrier region."""
    match op:
        case memref.StoreOp():
            return is_group_memory(op.memref.owner)
        case memref.AllocaOp() | memref.LoadOp():
            return True
        case _:
            return has_no_effect(op)


def _unswitch(nest: scf.ForOp, branch: Branch) -> tuple[int, list[scf.ForOp]]:
    """Replace `nest` by `branch` with loops in its arms; what is beside it, and the loops."""
    arms = [_loops_around(nest, branch, arm) for arm in branch.regions]
    beside = sum(1 for _ in nest.walk()) - sum(1 for _ in branch.walk())
    regions = [
        Region(Block([*(() if loops is None else (loops,)), scf.YieldOp()]))
        for loops in arms
    ]
    if isinstance(branch, scf.IfOp):
        otherwise = regions[1] if arms[1] is not None else None
        around: Branch = scf.IfOp(branch.cond, (), regions[0], otherwise)
    else:
        around = scf.IndexSwitchOp(
            branch.arg, branch.cases, regions[0], regions[1:], ()
        )
    around.location = branch.location
    Builder.before(nest).append(around)
    Rewriter.erase_op(nest)
    return beside, [loops for loops in arms if loops is not None]


def _loops_around(nest: scf.ForOp, branch: Branch, arm: Region) -> scf.ForOp | None:
    """Loops like `nest` with `arm` instead of `branch`; none if that does nothing."""
    known: dict[SSAValue, SSAValue] = {}
    sources = loops_of(nest)
    loops = nested_loops((loop.lb, loop.ub, loop.step) for loop in sources)
    for loop, copy in zip(sources, loops, strict=True):
        index, new = loop.body.block.args[0], copy.body.block.args[0]
        known[index] = hint(new, index)
        copy.attributes.update(loop.attributes)
    locate(loops[0], nest)
    body = loops[-1].body.block
    for op in _body(nest).ops:
        if op is branch:
            _move_arm(arm, branch, body, known)
        else:
            body.add_op(op.clone(known))
    if all(map(has_no_effect, body.ops)):
        return None
    return loops[0]


def _move_arm(
    arm: Region, branch: Branch, body: Block, known: dict[SSAValue, SSAValue]
) -> None:
    """Move an arm, which may be missing, to the end of `body`; say what it results in."""
    for block in arm.blocks:
        for old, new in known.items():
            old.replace_uses_with_if(new, lambda use: arm.is_ancestor(use.operation))
        for op in tuple(block.ops):
            if op is block.last_op:
                known.update(zip(branch.results, op.operands, strict=True))
            else:
                op.detach()
                body.add_op(op)
