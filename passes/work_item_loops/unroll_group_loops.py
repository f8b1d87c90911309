"""
Writes out the iterations of loops around barriers, where each has as many work-items.

In the tree of sums of a work-group half as many work-items add in each iteration as in the
one before. Written one after the other, each is a loop over a known number of work-items,
which needs neither masks nor a rest, and LLVM sees which elements of local memory one
stores and the next one loads, so that they stay in registers.

```mlir
// before
%last = scf.while (%s = %c128) : (index) -> index {
  %more = arith.cmpi ugt, %s, %c0 : index
  scf.condition(%more) %s : index
} do {
^bb0(%t: index):
  scf.for %lx = %c0 to %t step %c1 {
    "add"(%lx, %t)
  } {spmd.work_items = array<i64: 0>}
  %half = arith.shrui %t, %c1 : index
  scf.yield %half : index
}

// after
scf.for %lx = %c0 to %c128 step %c1 {
  "add"(%lx, %c128)
} {spmd.work_items = array<i64: 0>}
scf.for %lx_1 = %c0 to %c64 step %c1 {
  "add"(%lx_1, %c64)
} {spmd.work_items = array<i64: 0>}
...
```

A loop is written out if its number of iterations is known, if the length of work-item loops
in it is known then and was not before, and if that is not too much code.

Requires: level 1.
Ensures: the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from spmd.analysis.ranges.known_iterations import known_iterations
from spmd.dialects.building import ConstantPool
from spmd.dialects.enclosing import is_outside
from spmd.dialects.remarks import UnrolledGroupLoop, remark
from spmd.dialects.rewriting import erase_dead_ops
from spmd.dialects.work_groups import work_group_functions
from spmd.passes.rematerialization.unrolling import Unroller
from spmd.passes.work_item_loops.nests import loops_of, nests_in

MOST_COPIES = 1024
"""Operations that loops of one function become."""

GroupLoop = scf.ForOp | scf.WhileOp
"""A loop that a work-group runs together, with work-item loops inside."""


@dataclass(frozen=True)
class UnrollGroupLoopsPass(ModulePass):
    """Iterations with known numbers of work-items; see the module docstring."""

    name = "unroll-group-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in work_group_functions(op):
            unroll_group_loops(function)


def unroll_group_loops(function: func.FuncOp) -> None:
    """Do to one work-group function what the pass does to all."""
    copies = 0
    constants = ConstantPool(function.body.blocks[0])
    refused = set[Operation]()
    while (loop := _loop_to_unroll(function, refused)) is not None:
        size = sum(1 for _ in loop.walk())
        iterations = known_iterations(loop, (MOST_COPIES - copies) // size)
        if iterations is None:
            refused.add(loop)
            continue
        copies += len(iterations) * size
        tests = isinstance(loop, scf.WhileOp)
        remark(UnrolledGroupLoop, loop, len(iterations) - tests)
        Unroller(loop, constants).unroll(iterations)
    if copies:
        erase_dead_ops(function.body)


def _loop_to_unroll(function: func.FuncOp, refused: set[Operation]) -> GroupLoop | None:
    """An innermost loop around work-item loops whose bounds differ between iterations."""
    for nest in nests_in(function):
        bounds = [bound for loop in loops_of(nest) for bound in (loop.lb, loop.ub)]
        around = nest.parent_op()
        while around is not None and around is not function:
            if (
                isinstance(around, GroupLoop)
                and around not in refused
                and not all(is_outside(bound, around) for bound in bounds)
            ):
                return around
            around = around.parent_op()
    return None
