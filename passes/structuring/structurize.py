"""The work of `structurize-control-flow`: from a region of blocks to one block."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.dialects.building import Builder
from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.speculation import may_go_on, may_trap
from spmd.dialects.rewriting import (
    erase_dead_ops,
    has_no_effect,
    replace,
    replace_by_body,
)
from spmd.dialects.spmd import KernelOp, LocalAllocOp, ReturnOp
from spmd.passes.structuring.block_graph import BlockGraph
from spmd.passes.structuring.plan import Irreducible, make_plan
from spmd.passes.structuring.values import Pool
from spmd.passes.structuring.writer import Writer

Complain = Callable[[BlockGraph, Irreducible], None]


def structurize_regions(
    kernel: KernelOp, regions: Sequence[scf.ExecuteRegionOp], *, allow_irreducible: bool
) -> None:
    """Structures `regions`, the outer ones first, and the body of `kernel`."""
    complain = None if allow_irreducible else _fail_about_entries
    pool = Pool(kernel.body.blocks[0])
    for op in reversed(regions):
        _inline(op, pool, complain)
    if len(kernel.body.blocks) > 1:
        _structurize_body(kernel, pool, complain)
    # Comparisons that were written with swapped sides, and what counted loops. Of a division
    # that nobody needs, checked code has yet to say whether it is by 0, and of a loop whether
    # it takes a step.
    erase_dead_ops(kernel.body, keep=lambda op: may_trap(op) or may_go_on(op))


def _structurize_body(kernel: KernelOp, pool: Pool, complain: Complain | None) -> None:
    body = kernel.body
    block, _ = structurize(body, pool, complain=complain)
    at = Builder.at_end(body.block, kernel)
    at.move(block.ops)
    at.append(ReturnOp())


def structurize(
    region: Region,
    pool: Pool,
    *,
    same: Mapping[SSAValue, SSAValue] | None = None,
    complain: Complain | None = None,
) -> tuple[Block, Sequence[SSAValue]]:
    """
    Move the operations of `region` into one block, without its terminator.

    The second result is what the terminators that leave the region have as operands. Of
    `region` only the first block is left, without its code. `same` maps values in the
    region to values from elsewhere: from where the former is defined it stands for the
    latter, also after places where paths join. `complain` is told of loops that are
    entered in several places.
    """
    _hoist(region)
    graph = BlockGraph(region, same)
    plan = make_plan(graph)
    if complain is not None:
        for loop in plan.irreducible:
            complain(graph, loop)
    writer = Writer(graph, plan, pool)
    block, values = writer.write()
    entry, *others = region.blocks
    for other in others:
        region.detach_block(other)
    for other in others:
        other.erase(safe_erase=False)
    entry.erase_op(terminator(entry))
    return block, values


def _hoist(region: Region) -> None:
    """Let what depends on nothing stand in the first block, which leads to all others."""
    entry, *others = region.blocks
    at = Builder.before(terminator(entry))
    for block in others:
        for op in tuple(block.ops):
            if op.operands or op.regions or not op.results:
                continue
            if isinstance(op, LocalAllocOp) or has_no_effect(op):
                at.move((op,))


def _inline(op: scf.ExecuteRegionOp, pool: Pool, complain: Complain | None) -> None:
    """Put what is in a region in its place."""
    region = op.region
    if len(region.blocks) == 1:
        replace_by_body(op, region.block)
        return
    block, values = structurize(region, pool, complain=complain)
    if not values:
        # Nothing leaves the region.
        values = [pool.materialize(None, result.type) for result in op.results]
    Builder.before(op).move(block.ops)
    replace(op, (), [*values])


def _fail_about_entries(graph: BlockGraph, loop: Irreducible) -> None:
    entered: list[str] = []
    ends: list[Operation] = []
    for entry in loop.entries:
        jump = next(j for j in graph.arrivals[entry] if j.source not in loop.blocks)
        begin = graph.blocks[entry].first_op
        assert begin is not None, "a block has a terminator"
        ends.append(graph.end(jump.source))
        entered.append(f"by {_named(ends[-1])} at {_named(begin)}")
    fail(
        ends[-1],
        "expected reducible control flow, in which each loop of blocks is entered in "
        f"one place, got a loop that is entered {' and '.join(entered)}; let both edges "
        "lead to one block, with an argument that says where to go on",
    )


def _named(op: Operation) -> str:
    where = source_location(op)
    return op.name if where is None else f"{op.name} ({where})"
