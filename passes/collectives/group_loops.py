"""Loops over a work-group that carry a value, for what runs once per work-group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from spmd.dialects.rewriting import hint, insert_before
from spmd.dialects.spmd import LocalSizeOp
from spmd.passes.work_item_loops.building import WorkGroup

Step = Callable[[SSAValue, Mapping[int, SSAValue], Block], SSAValue]
"""From the value so far and the local ids, by dimension, to the next; adds to the block."""


def fold_over_group(
    group: WorkGroup, start: SSAValue, step: Step, name: str, anchor: Operation
) -> SSAValue:
    """
    Call `step` in the innermost of loops over the group, z outside, in front of `anchor`.

    `name` is what the value is called on its way.
    """
    zero, one = group.constants.index(0), group.constants.index(1)
    loops: list[scf.ForOp] = []
    value, ids = start, dict[int, SSAValue]()
    for dimension in group.dimensions:
        body = Block(arg_types=[IndexType(), start.type])
        size = group.size(LocalSizeOp, dimension)
        loop = scf.ForOp(zero, size, one, (value,), body)
        if loops:
            loops[-1].body.block.add_op(loop)
        loops.append(loop)
        id_, value = body.args
        ids[dimension] = hint(id_, f"i{'xyz'[dimension]}")
        hint(value, name)
    if not loops:
        return _once(step, value, anchor)
    innermost = loops[-1].body.block
    innermost.add_op(scf.YieldOp(step(value, ids, innermost)))
    for outer, inner in pairwise(loops):
        outer.body.block.add_op(scf.YieldOp(inner.res[0]))
    insert_before(anchor, loops[0])
    return loops[0].res[0]


def _once(step: Step, value: SSAValue, anchor: Operation) -> SSAValue:
    """A group of one work-item needs no loop."""
    body = Block()
    result = step(value, {}, body)
    for op in tuple(body.ops):
        op.detach()
        insert_before(anchor, op)
    return result
