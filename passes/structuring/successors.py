"""Where blocks lead, looking through what only passes control and values on."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from xdsl.dialects import cf
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.graphs.traversal import successors_of
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.control_flow import Branch, forwarded


def edges_of(end: Operation) -> Sequence[tuple[Block, Sequence[SSAValue]]]:
    """Where a terminator with successors leads, and with what; a default comes last."""
    if Branch.of(end) is None:
        fail(
            end,
            "expected blocks that end in cf.br, cf.cond_br or cf.switch, or leave "
            f"the region, got {end.name}",
        )
    groups = ([each.value for each in group] for group in forwarded(end))
    edges = tuple(zip(end.successors, groups, strict=True))
    return (*edges[1:], edges[0]) if isinstance(end, cf.SwitchOp) else edges


Edge = tuple[Block | None, Sequence[SSAValue]]
"""A block and values for its arguments; `None` leaves the region."""


def edges_past(block: Block, empty: Container[Block]) -> list[Edge]:
    """Where `block` leads, past blocks that only pass control on."""
    end = terminator(block)
    if not end.successors:
        return [(None, tuple(end.operands))]
    found: list[Edge] = []
    for target, values in edges_of(end):
        edge: Edge = target, tuple(values)
        while edge[0] is not None and edge[0] in empty:
            edge = _edge_on(edge[0], edge[1])
        found.append(edge)
    return found


def _edge_on(block: Block, values: Sequence[SSAValue]) -> Edge:
    """Where an empty block leads if its arguments are `values`."""
    end = terminator(block)
    bound: dict[SSAValue, SSAValue] = dict(zip(block.args, values, strict=True))
    passed = [bound.get(operand, operand) for operand in end.operands]
    return end.successors[0] if end.successors else None, passed


def find_empty(order: Sequence[Block], same: Mapping[SSAValue, SSAValue]) -> set[Block]:
    """
    The blocks that only pass control, and their arguments, on.

    Where a loop begins is not one of them: in the iterations of another loop lanes may meet
    that do not in those of this one.
    """
    place = {block: number for number, block in enumerate(order)}
    found: set[Block] = set()
    for block in order[1:]:
        end = block.last_op
        passes_on = isinstance(end, cf.BranchOp) or not successors_of(block)
        if end is block.first_op and passes_on:
            uses = (use for a in block.args for use in a.uses)
            if all(use.operation is end for use in uses) and not any(
                argument in same for argument in block.args
            ):
                found.add(block)
    for block in order:
        found.difference_update(
            to for to in successors_of(block) if place[to] <= place[block]
        )
    return found


def replace_trivial_arguments(
    blocks: Sequence[Block], same: Mapping[SSAValue, SSAValue]
) -> None:
    """Use a value itself instead of an argument that is never anything else."""
    changing = {*same, *same.values()}
    arriving: dict[Block, list[tuple[Operation, int]]] = {}
    for block in blocks:
        end = terminator(block)
        if end.successors:
            for edge, (target, _) in enumerate(edges_of(end)):
                arriving.setdefault(target, []).append((end, edge))
    waiting = dict.fromkeys(argument for block in blocks[1:] for argument in block.args)
    known = set(waiting)
    while waiting:
        argument = next(iter(waiting))
        del waiting[argument]
        if argument.first_use is None or argument in changing:
            continue
        values = {
            edges_of(end)[edge][1][argument.index]
            for end, edge in arriving[argument.block]
        }
        values.discard(argument)
        if len(values) != 1 or changing & values:
            continue
        for use in argument.uses:
            for target in use.operation.successors:
                waiting.update((a, None) for a in target.args if a in known)
        argument.replace_all_uses_with(values.pop())
