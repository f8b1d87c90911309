"""
Writes the structure of a graph of blocks as `scf` operations.

The operations of the blocks are moved, not copied. While code is written, every variable
has a current value; what an arm or a loop sets, and what is live after it, becomes a
result. On a path that does not set a variable its value is `ub.poison`, which nothing uses:
the source reads a value only where it is defined.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf
from xdsl.ir import Block, SSAValue

from spmd.passes.structuring.block_graph import BlockGraph
from spmd.passes.structuring.branches import (
    write_if,
    write_index_switch,
    write_switch,
)
from spmd.passes.structuring.code import (
    Arm,
    Branch,
    Dispatch,
    Go,
    HeadedLoop,
    Loop,
    Run,
    Start,
)
from spmd.passes.structuring.loops import write_headed_loop, write_loop
from spmd.passes.structuring.plan import Plan
from spmd.passes.structuring.state import State
from spmd.passes.structuring.values import Pool


class Writer(State):
    """Writes one graph."""

    def __init__(self, graph: BlockGraph, plan: Plan, pool: Pool):
        super().__init__(graph, pool)
        self.plan = plan

    def write(self) -> tuple[Block, Sequence[SSAValue]]:
        """All code in one block without a terminator, and the values to leave with."""
        for value, variable in self.graph.given():
            self.now[variable] = value
        block = Block()
        self.write_arm(self.plan.code, block)
        return block, self.values(self.graph.arguments[self.graph.exit])

    def write_arm(self, arm: Arm, out: Block) -> None:
        for item in arm.items:
            match item:
                case Start():
                    for variable in item.variables:
                        self.assign(variable, 0)
                case Run():
                    self.run(item.block, out)
                case Go():
                    self.go(item.jump)
                case Branch():
                    self._branch(item, out)
                case Dispatch():
                    self._dispatch(item, out)
                case Loop():
                    write_loop(self, item, out)
                case HeadedLoop():
                    write_headed_loop(self, item, out)

    def _branch(self, item: Branch, out: Block) -> None:
        end = self.graph.end(item.block)
        match end:
            case cf.ConditionalBranchOp():
                write_if(self, self.operand(end.cond), item.arms, out, end)
            case cf.SwitchOp():
                write_switch(self, end, item.arms, out)
            case _:
                raise AssertionError(f"{end.name} has one successor")

    def _dispatch(self, item: Dispatch, out: Block) -> None:
        end = self.graph.end(item.like)
        path = self.pool.materialize(self.now[item.variable], item.variable.type)
        if len(item.arms) == 2:
            write_if(self, path, item.arms, out, end)
        else:
            numbers = range(1, len(item.arms))
            write_index_switch(self, path, numbers, item.arms, out, end)
