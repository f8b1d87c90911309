"""
Every value is defined before it is used.

xDSL's verifier does not check this (0.74); code generation relies on it. Linear in the
number of operands and blocks of a module.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.post_order import PostOrderIterator


def find_use_before_definition(module: Operation) -> tuple[Operation, SSAValue] | None:
    """An op of `module` and an operand of it that need not be defined there, if any."""
    order = {op: number for number, op in enumerate(module.walk())}
    dominators: dict[Region, _Dominators] = {}
    for op in order:
        for operand in op.operands:
            if not _is_defined(operand, op, order, dominators):
                return op, operand
    return None


def _is_defined(
    value: SSAValue,
    use: Operation,
    order: dict[Operation, int],
    dominators: dict[Region, _Dominators],
) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    region = None if block is None else block.parent
    if block is None or region is None:
        return False
    at = _ancestor_in(use, region)
    if at is None or at.parent is None:
        return False
    if at.parent is block:
        # A walk visits an op before those inside of it, so `at` is the one to compare.
        return isinstance(owner, Block) or order[owner] < order[at]
    if region not in dominators:
        dominators[region] = _Dominators(region)
    return dominators[region].dominates(block, at.parent)


def _ancestor_in(op: Operation, region: Region) -> Operation | None:
    """`op` or the op around it that stands directly in `region`."""
    at: Operation | None = op
    while at is not None and at.parent_region() is not region:
        at = at.parent_op()
    return at


class _Dominators:
    """The dominator tree of a region, by the algorithm of Cooper, Harvey, Kennedy."""

    def __init__(self, region: Region):
        entry = region.blocks[0]
        order = list(PostOrderIterator(entry))
        self._number = {block: number for number, block in enumerate(order)}
        self._parent: dict[Block, Block] = {entry: entry}
        predecessors: dict[Block, list[Block]] = {block: [] for block in order}
        for block in order:
            if block.last_op is not None:
                for successor in block.last_op.successors:
                    predecessors[successor].append(block)
        changed = True
        while changed:
            changed = False
            for block in reversed(order[:-1]):
                known = [b for b in predecessors[block] if b in self._parent]
                parent = known[0]
                for other in known[1:]:
                    parent = self._common(parent, other)
                if self._parent.get(block) is not parent:
                    self._parent[block] = parent
                    changed = True

    def _common(self, first: Block, second: Block) -> Block:
        while first is not second:
            while self._number[first] < self._number[second]:
                first = self._parent[first]
            while self._number[second] < self._number[first]:
                second = self._parent[second]
        return first

    def dominates(self, first: Block, second: Block) -> bool:
        """Whether every path to `second` leads through `first`."""
        if second not in self._number:
            return True  # never reached
        if first not in self._number:
            return False
        while self._number[second] < self._number[first]:
            second = self._parent[second]
        return first is second
