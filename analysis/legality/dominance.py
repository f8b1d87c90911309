"""
Every value is defined before it is used.

xDSL's verifier does not check this (0.74); code generation relies on it. Linear in the
number of operands and blocks of a module.
"""

from __future__ import annotations

from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.graphs.dominators import dominates, immediate_dominators
from spmd.analysis.graphs.traversal import successors_of


def find_use_before_definition(module: Operation) -> tuple[Operation, SSAValue] | None:
    """An op of `module` and an operand of it that need not be defined there, if any."""
    order = {op: number for number, op in enumerate(module.walk())}
    dominators: dict[Region, dict[Block, Block]] = {}
    for op in order:
        for operand in op.operands:
            if not _is_defined(operand, op, order, dominators):
                return op, operand
    return None


def _is_defined(
    value: SSAValue,
    use: Operation,
    order: dict[Operation, int],
    dominators: dict[Region, dict[Block, Block]],
) -> bool:
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent
    region = None if block is None else block.parent
    if block is None or region is None:
        return False
    at = block.find_ancestor_op_in_block(use)
    if at is not None:
        # A walk visits an op before those inside of it, so `at` is the one to compare.
        return isinstance(owner, Block) or order[owner] < order[at]
    used_in = (
        None if use.parent is None else region.find_ancestor_block_in_region(use.parent)
    )
    if used_in is None:
        return False
    if region not in dominators:
        dominators[region] = immediate_dominators(region.blocks[0], successors_of)
    known = dominators[region]
    # What is never reached may use anything.
    return used_in not in known or dominates(known, block, used_in)
