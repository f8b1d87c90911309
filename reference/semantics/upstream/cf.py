"""
The meaning of `cf`: regions of many blocks.

Such a region becomes a loop around a decision tree on "which block comes next". In code
where work-items wait for each other, every natural loop counts its iterations, so that
positions of work-items can be compared (see `Body.position`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import cf
from xdsl.ir import Block, Region, SSAValue

from spmd.dialects.diagnostics import fail
from spmd.reference.blocks import BlockOrder
from spmd.reference.compiler import (
    REGIONS_OF_BLOCKS,
    Body,
    Terminate,
    meaning,
)
from spmd.reference.semantics.expressions import element
from spmd.reference.semantics.upstream.arith import constant_elements
from spmd.reference.semantics.upstream.scf import guard_against_endless


@meaning(cf.AssertOp)
def _assert(body: Body, op: cf.AssertOp) -> None:
    body.require([op.arg], op, "assertion")
    message = f"assertion failed: {op.msg.data}"
    body.line(f"if not {body.use(op.arg)}: trap({body.site(op)}, {message!r})")


class Blocks:
    """The blocks of one region while they are written."""

    def __init__(self, body: Body, region: Region, finish: Terminate):
        self.body = body
        self.finish = finish
        self.order = BlockOrder(region)
        self.next = body.fresh("next")
        parent = region.parent_op()
        assert parent is not None
        self.parent = parent
        self.counts: dict[Block, str] = {}
        if parent in body.program.waiting:
            self.counts = {
                header: body.fresh("iteration") for header in self.order.headers
            }

    def write(self) -> None:
        body = self.body
        for block in self.order.blocks:
            for argument in block.args:
                if argument not in body.names:
                    body.new(argument)
        body.line(f"{self.next} = 0")
        endless = guard_against_endless(body, self.parent)
        body.path.append(str(body.site(self.parent)))
        with body.suite("while True"):
            endless()
            self.choose(self.order.blocks)
        body.path.pop()

    def choose(self, blocks: Sequence[Block]) -> None:
        """The code of the block that comes next, which is one of `blocks`."""
        if len(blocks) == 1:
            self.block(blocks[0])
            return
        middle = len(blocks) // 2
        with self.body.suite(f"if {self.next} < {self.order.number[blocks[middle]]}"):
            self.choose(blocks[:middle])
        with self.body.suite("else"):
            self.choose(blocks[middle:])

    def block(self, block: Block) -> None:
        body = self.body
        before = list(body.path)
        if self.counts:
            for header in self.order.loops_around(block):
                body.path += [str(self.order.number[header]), self.counts[header]]
            body.path.append(str(self.order.number[block]))
        last = body.straight(block)
        body.path = before
        if isinstance(last, cf.BranchOp):
            self.jump(block, last.successor, last.arguments)
        elif isinstance(last, cf.ConditionalBranchOp):
            condition = body.condition(last.cond, last, "condition")
            with body.suite(f"if {condition}"):
                self.jump(block, last.then_block, last.then_arguments)
            with body.suite("else"):
                self.jump(block, last.else_block, last.else_arguments)
        elif isinstance(last, cf.SwitchOp):
            self.switch(block, last)
        elif last.successors:
            fail(last, f"expected a jump that the interpreter knows, got {last.name}")
        else:
            self.finish(body, last)
            body.line("break")

    def switch(self, block: Block, op: cf.SwitchOp) -> None:
        body = self.body
        flag = body.condition(op.flag, op, "case")
        scalar = element(op.flag.type, op)
        values = (
            []
            if op.case_values is None
            else constant_elements(op.case_values, scalar)[: len(op.case_blocks)]
        )
        targets = [*op.case_blocks, op.default_block]
        operands = [*op.case_operand, op.default_operands]
        cases = body.cases(flag, values)
        for target, given, where in zip(targets, operands, cases, strict=True):
            with where:
                self.jump(block, target, given)

    def jump(self, source: Block, target: Block, values: Sequence[SSAValue]) -> None:
        body = self.body
        body.assign(body.uses(target.args), body.uses(values))
        body.line(f"{self.next} = {self.order.number[target]}")
        count = self.counts.get(target)
        if count is not None:
            if self.order.is_inside(source, target):
                body.line(f"{count} += 1")
            else:
                body.line(f"{count} = 0")


def write_blocks(body: Body, region: Region, finish: Terminate) -> None:
    """Append a region of many blocks."""
    Blocks(body, region, finish).write()


REGIONS_OF_BLOCKS.append(write_blocks)
