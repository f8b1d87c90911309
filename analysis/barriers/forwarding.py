"""
Where control flow passes values on.

A *place* is a result of structured control flow, an argument of a block, or both together
for a value that a loop carries. Its *edges* say where the value comes from.

```mlir
%r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %first) -> (f32) {
  ...
  scf.yield %next : f32       // one place: %sum and %r; its edges bring %first and %next
}
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from spmd.analysis.divergence.unstructured import branch_of
from spmd.dialects.enclosing import terminator
from spmd.dialects.spmd import KernelOp


class Edge(NamedTuple):
    """One value that an operation passes on."""

    op: Operation
    group: int
    """Which of its successors gets it; 0 for operations with regions and their ends."""

    position: int


@dataclass(eq=False)
class Place:
    """Where control flow passes a value on."""

    values: tuple[SSAValue, ...]
    """The block arguments and the result that the value is known as."""

    edges: tuple[Edge, ...]
    """Where it comes from."""


def passed_on(op: Operation) -> Sequence[Sequence[SSAValue]]:
    """The values that `op` passes on, for each successor; one group if it has none."""
    match op:
        case scf.ForOp():
            return (op.iter_args,)
        case scf.WhileOp():
            return (op.arguments,)
        case scf.ConditionOp():
            return (op.args,)
        case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
            return ((),)
        case _:
            return branch_of(op).operands or ()


def find_places(
    kernel: KernelOp, is_wanted: Callable[[Attribute], bool]
) -> tuple[Place, ...]:
    """The places of `kernel` for values of some types, in the order of the source."""
    return tuple(p for p in _places(kernel) if is_wanted(p.values[0].type))


def _places(kernel: KernelOp) -> Iterator[Place]:
    for op in kernel.walk():
        match op:
            case scf.ForOp():
                end = _end_of(op.body)
                for i, (argument, result) in enumerate(
                    zip(op.body.block.args[1:], op.res, strict=True)
                ):
                    yield Place((argument, result), (Edge(op, 0, i), Edge(end, 0, i)))
            case scf.WhileOp():
                end = _end_of(op.after_region)
                for i, argument in enumerate(op.before_region.block.args):
                    yield Place((argument,), (Edge(op, 0, i), Edge(end, 0, i)))
                condition = _end_of(op.before_region)
                for i, (argument, result) in enumerate(
                    zip(op.after_region.block.args, op.res, strict=True)
                ):
                    yield Place((argument, result), (Edge(condition, 0, i),))
            case scf.IfOp() | scf.IndexSwitchOp() | scf.ExecuteRegionOp():
                ends = [
                    end
                    for region in op.regions
                    for block in region.blocks
                    if isinstance(end := block.last_op, scf.YieldOp)
                ]
                for i, result in enumerate(op.results):
                    yield Place((result,), tuple(Edge(end, 0, i) for end in ends))
                yield from _of_blocks(op)
            case KernelOp():
                yield from _of_blocks(op)
            case _:
                pass


def _of_blocks(op: Operation) -> Iterator[Place]:
    """The arguments of the blocks in the regions of `op` that others branch to."""
    for region in op.regions:
        edges: dict[Block, list[tuple[Operation, int]]] = {}
        for block in region.blocks if len(region.blocks) > 1 else ():
            end = block.last_op
            for group, after in enumerate(() if end is None else end.successors):
                assert end is not None
                edges.setdefault(after, []).append((end, group))
        for block, ends in edges.items():
            for i, argument in enumerate(block.args):
                yield Place((argument,), tuple(Edge(*end, i) for end in ends))


def _end_of(region: Region) -> Operation:
    end = terminator(region.block)
    return end
