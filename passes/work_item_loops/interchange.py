"""Another order of the loops of a nest: work-items may run in any."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf

from spmd.dialects.enclosing import is_outside
from spmd.dialects.rewriting import constant_index
from spmd.dialects.work_groups import is_work_item_loop


def interchangeable_nest(innermost: scf.ForOp) -> list[scf.ForOp]:
    """
    The work-item loops around `innermost` that can be put in any order, from the outside.

    Nothing stands between them, and none needs the number of another.
    """
    loops = [innermost]
    while (
        is_work_item_loop(outer := loops[0].parent_op())
        and not outer.iter_args
        and constant_index(outer.step) == 1
        and outer.body.block.first_op is loops[0]
        and loops[0].next_op is outer.body.block.last_op
        and all(
            is_outside(bound, outer) for loop in loops for bound in (loop.lb, loop.ub)
        )
    ):
        loops.insert(0, outer)
    return loops


def interchange(loops: Sequence[scf.ForOp], order: Sequence[int]) -> None:
    """Let each of `loops`, of one nest, become what the one at its place in `order` was."""
    numbers = [loop.body.block.args[0] for loop in loops]
    names = [number.name_hint for number in numbers]
    uses = [tuple(number.uses) for number in numbers]
    operands = [tuple(loop.operands) for loop in loops]
    attributes = [loop.attributes.copy() for loop in loops]
    for place, source in enumerate(order):
        if place == source:
            continue
        for use in uses[source]:
            use.operation.operands[use.index] = numbers[place]
        numbers[place].name_hint = names[source]
        loops[place].operands = operands[source]
        loops[place].attributes = attributes[source]
