"""
Control flow without the values that no longer pass through it.

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

from xdsl.dialects import scf
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.dialects.rewriting import replace


def drop_passed_values(carrier: Operation, dropped: Container[SSAValue]) -> None:
    """Remove the `dropped` arguments and results of `carrier`, which have no uses left."""
    results = [i for i, value in enumerate(carrier.results) if value not in dropped]
    match carrier:
        case scf.IfOp():
            if len(results) == len(carrier.results):
                return
            _keep_operands([region.block for region in carrier.regions], results)
            then, otherwise = _regions_of(carrier)
            new = scf.IfOp(
                carrier.cond,
                [carrier.results[i].type for i in results],
                then,
                otherwise,
            )
        case scf.IndexSwitchOp():
            if len(results) == len(carrier.results):
                return
            _keep_operands([region.block for region in carrier.regions], results)
            default, *cases = _regions_of(carrier)
            new = scf.IndexSwitchOp(
                carrier.arg,
                carrier.cases,
                default,
                cases,
                [carrier.results[i].type for i in results],
            )
        case scf.ForOp():
            if len(results) == len(carrier.results):
                return
            body = carrier.body.block
            _keep_operands([body], results)
            _keep_arguments(body, [0, *(i + 1 for i in results)])
            (body_region,) = _regions_of(carrier)
            new = scf.ForOp(
                carrier.lb,
                carrier.ub,
                carrier.step,
                [carrier.iter_args[i] for i in results],
                body_region,
            )
        case scf.WhileOp():
            before, after = carrier.before_region.block, carrier.after_region.block
            arguments = [i for i, arg in enumerate(before.args) if arg not in dropped]
            if len(arguments) == len(before.args) and len(results) == len(carrier.res):
                return
            _keep_operands([before], [0, *(i + 1 for i in results)])
            _keep_operands([after], arguments)
            _keep_arguments(before, arguments)
            _keep_arguments(after, results)
            before_region, after_region = _regions_of(carrier)
            new = scf.WhileOp(
                [carrier.arguments[i] for i in arguments],
                [carrier.res[i].type for i in results],
                before_region,
                after_region,
            )
        case _:
            raise AssertionError(f"{carrier.name} passes no values on")
    new.attributes = carrier.attributes
    kept = iter(new.results)
    wanted = set(results)
    replace(
        carrier,
        new,
        [next(kept) if i in wanted else None for i in range(len(carrier.results))],
    )


def _regions_of(op: Operation) -> list[Region]:
    return [op.detach_region(region) for region in tuple(op.regions)]


def _keep_operands(blocks: Sequence[Block], indices: Sequence[int]) -> None:
    """Keep only these operands of the terminator of each block."""
    for block in blocks:
        end = block.last_op
        assert end is not None
        end.operands = [end.operands[i] for i in indices]


def _keep_arguments(block: Block, indices: Sequence[int]) -> None:
    for i in reversed(range(len(block.args))):
        if i not in indices:
            block.erase_arg(block.args[i])
