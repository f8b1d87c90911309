"""Loops over a work-group that carry a value, for what runs once per work-group."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from xdsl.dialects import scf
from xdsl.ir import SSAValue

from spmd.dialects.building import Builder
from spmd.dialects.rewriting import hint
from spmd.passes.work_item_loops.building import WorkGroup
from spmd.passes.work_item_loops.nests import nested_loops

Step = Callable[[SSAValue, Mapping[int, SSAValue]], SSAValue]
"""From the value so far and the local ids, by dimension, to the next value."""


def fold_over_group(
    group: WorkGroup, start: SSAValue, step: Step, name: str, at: Builder
) -> SSAValue:
    """
    Call `step` in the innermost of loops over the group, z outside; it builds with `at`.

    `name` is what the value is called on its way.
    """
    loops = nested_loops(group.bounds(), (start,))
    if not loops:
        return step(start, {})  # A group of one work-item needs no loop.
    ids: dict[int, SSAValue] = {}
    value = start
    for dimension, loop in zip(group.dimensions, loops, strict=True):
        id_, value = loop.body.block.args
        ids[dimension] = hint(id_, f"i{'xyz'[dimension]}")
        hint(value, name)
    with at.into(loops[-1].body.block):
        at.append(scf.YieldOp(step(value, ids)))
    at.append(loops[0])
    return loops[0].res[0]
