"""
Branches and loops instead of blocks.

Each cycle of blocks becomes one loop, each branch an `scf.if` or `scf.index_switch`: see
`structuring.plan`. A loop that is left only where it begins becomes an `scf.while` with
that condition, or an `scf.for` if it counts up to a bound; any other one an `scf.while`
that decides at its end. What stands after several paths stands there once, so that every
barrier and sub-group operation is still one, and the work-items that met there still do.

```mlir
// before
  cf.cond_br %skip, ^rest(%v : f32), ^work
^work:
  %w = arith.mulf %v, %v : f32
  cf.br ^rest(%w : f32)
^rest(%r: f32):
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return

// after
  %r = scf.if %skip -> (f32) {
    scf.yield %v : f32
  } else {
    %w = arith.mulf %v, %v : f32
    scf.yield %w : f32
  }
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
```

Requires: `check-barriers`, which reads the branches of the source.
Ensures: kernels of one block, without `cf.br`, `cf.cond_br`, `cf.switch` and
`scf.execute_region`. A loop of blocks that is entered in two places is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from spmd.dialects.building import Builder
from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import (
    erase_dead_ops,
    has_no_effect,
    replace,
    replace_by_body,
)
from spmd.dialects.spmd import KernelOp, LocalAllocOp, ReturnOp
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.structuring.block_graph import BlockGraph
from spmd.passes.structuring.plan import Irreducible, make_plan
from spmd.passes.structuring.values import Pool
from spmd.passes.structuring.writer import Writer

Complain = Callable[[BlockGraph, Irreducible], None]


@dataclass(frozen=True)
class StructurizeControlFlowPass(ModulePass):
    """Structured control flow instead of blocks; see the module docstring."""

    name = "structurize-control-flow"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            structurize_kernel(kernel)


def structurize_kernel(kernel: KernelOp, *, allow_irreducible: bool = False) -> None:
    """
    Do to one kernel what the pass does to all of a module.

    Loops with several entries can be structured too; they are refused because no analysis
    of the source understands them.
    """
    complain = None if allow_irreducible else _fail_about_entries
    pool = Pool(kernel.body.blocks[0])
    regions = [op for op in kernel.walk() if isinstance(op, scf.ExecuteRegionOp)]
    for op in reversed(regions):
        _inline(op, pool, complain)
    body = kernel.body
    if len(body.blocks) > 1:
        _structurize_body(kernel, pool, complain)
    elif not regions:
        return
    # Comparisons that were written with swapped sides, and what counted loops.
    erase_dead_ops(body)


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
