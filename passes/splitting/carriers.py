"""
Syncs, and the values that no longer pass through control flow, after a split.

```mlir
// before: %acc differs between work-items and lives in a context
%r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (f32) {
  ...
  scf.yield %next : f32
}
// after
scf.for %i = %c0 to %n step %c1 {
  ...
}
```
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.barriers.barrier_regions import is_sync
from spmd.dialects.rewriting import replace


class _Kept(NamedTuple):
    """What is left of the values that a carrier passes on, by number."""

    arguments: Sequence[int]
    """Of the initial values, and of the block they go to."""

    results: Sequence[int]
    """Of the results, and of what the end of each region (or the condition) passes on."""


def remove_syncs(stops: Sequence[Operation], dropped: Container[SSAValue]) -> None:
    """
    Erase the syncs among `stops`, and the `dropped` arguments and results of carriers.

    `stops` are in the order of the source. Dropped values are used by nothing but syncs
    and the passing on of values that are dropped themselves.
    """
    kept_of = {op: _kept_of(op, dropped) for op in stops if not is_sync(op)}
    for carrier, kept in kept_of.items():
        _pass_on_less(carrier, kept)
    # From the last use of a value to the first, a value has no uses when it is dropped.
    for op in reversed(stops):
        if op in kept_of:
            _rebuild(op, kept_of[op])
        else:
            assert op.parent is not None
            op.parent.erase_op(op)


def _arguments_of(carrier: Operation) -> Sequence[SSAValue]:
    match carrier:
        case scf.ForOp():
            return carrier.body.block.args[1:]
        case scf.WhileOp():
            return carrier.before_region.block.args
        case _:
            return ()


def _kept_of(carrier: Operation, dropped: Container[SSAValue]) -> _Kept:
    arguments = _arguments_of(carrier)
    return _Kept(
        [i for i, value in enumerate(arguments) if value not in dropped],
        [i for i, value in enumerate(carrier.results) if value not in dropped],
    )


def _pass_on_less(carrier: Operation, kept: _Kept) -> None:
    """Let the ends of the regions pass on only what is kept."""
    if isinstance(carrier, scf.WhileOp):
        condition = carrier.before_region.block
        _keep_operands(condition, [0, *(i + 1 for i in kept.results)])
        _keep_operands(carrier.after_region.block, kept.arguments)
        return
    for region in carrier.regions:
        if region.blocks:
            _keep_operands(region.block, kept.results)


def _rebuild(carrier: Operation, kept: _Kept) -> None:
    """Replace `carrier` by one that has only the kept arguments and results."""
    if len(kept.results) == len(carrier.results) and len(kept.arguments) == len(
        _arguments_of(carrier)
    ):
        return
    types = [carrier.results[i].type for i in kept.results]
    match carrier:
        case scf.IfOp():
            then, otherwise = _regions_of(carrier)
            new = scf.IfOp(carrier.cond, types, then, otherwise)
        case scf.IndexSwitchOp():
            arg, numbers = carrier.arg, carrier.cases
            default, *cases = _regions_of(carrier)
            new = scf.IndexSwitchOp(arg, numbers, default, cases, types)
        case scf.ForOp():
            _keep_arguments(carrier.body.block, [0, *(i + 1 for i in kept.arguments)])
            bounds = carrier.lb, carrier.ub, carrier.step
            initial = [carrier.iter_args[i] for i in kept.arguments]
            (body,) = _regions_of(carrier)
            new = scf.ForOp(*bounds, initial, body)
        case scf.WhileOp():
            _keep_arguments(carrier.before_region.block, kept.arguments)
            _keep_arguments(carrier.after_region.block, kept.results)
            initial = [carrier.arguments[i] for i in kept.arguments]
            before, after = _regions_of(carrier)
            new = scf.WhileOp(initial, types, before, after)
        case _:
            raise AssertionError(f"{carrier.name} passes no values on")
    new.attributes = carrier.attributes
    results = iter(new.results)
    wanted = set(kept.results)
    replace(
        carrier,
        new,
        [next(results) if i in wanted else None for i in range(len(carrier.results))],
    )


def _regions_of(op: Operation) -> list[Region]:
    return [op.detach_region(region) for region in tuple(op.regions)]


def _keep_operands(block: Block, indices: Sequence[int]) -> None:
    """Keep only these operands of the terminator of `block`."""
    end = block.last_op
    assert end is not None, "a region of structured control flow has a terminator"
    end.operands = [end.operands[i] for i in indices]


def _keep_arguments(block: Block, indices: Sequence[int]) -> None:
    """Keep only these arguments of `block`; the others have no uses."""
    for i in reversed(range(len(block.args))):
        if i not in indices:
            block.erase_arg(block.args[i])
