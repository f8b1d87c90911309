"""
Structured control flow around barriers as blocks of the kernel.

What has no barrier inside stays structured. The inverse, for the code between two barriers,
is `structurize-control-flow`.

```mlir
// before
%r = scf.if %c -> (f32) {
  spmd.barrier
  scf.yield %a : f32
} else {
  scf.yield %b : f32
}
// after
  cf.cond_br %c, ^then, ^else
^then:
  spmd.barrier
  cf.br ^after(%a : f32)
^else:
  cf.br ^after(%b : f32)
^after(%r: f32):
```
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, cf, scf
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.barriers.barrier_regions import around_syncs
from spmd.dialects.building import ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import hint, locate
from spmd.dialects.spmd import KernelOp


def flatten_control_flow(kernel: KernelOp) -> None:
    """Let no operation of `kernel` have a barrier or work-group collective inside."""
    flatten(kernel, set(around_syncs(kernel)).__contains__)


def flatten(kernel: KernelOp, is_to_go: Callable[[Operation], bool]) -> None:
    """Make blocks of what is to go; of what stands around that, too, it must be said."""
    entry = kernel.body.blocks.first
    assert entry is not None, "a kernel has a body"
    constants = ConstantPool(entry)
    blocks = list(reversed(kernel.body.blocks))
    while blocks:
        for op in blocks.pop().ops:
            if is_to_go(op):
                blocks.extend(reversed(_flatten(op, constants)))
                break


def _flatten(op: Operation, constants: ConstantPool) -> Sequence[Block]:
    """Replace `op` by blocks; those that may have more to flatten, in order."""
    match op:
        case scf.IfOp():
            return _flatten_if(op)
        case scf.IndexSwitchOp():
            return _flatten_switch(op, constants)
        case scf.ForOp():
            return _flatten_for(op)
        case scf.WhileOp():
            return _flatten_while(op)
        case _:
            fail(
                op,
                "expected barriers inside of scf.if, scf.for, scf.while and "
                f"scf.index_switch only, got one inside of {op.name}",
            )


def _cut_behind(op: Operation) -> tuple[Block, Block]:
    """The block that ends with `op`, and a new one with what follows and its results."""
    block, following = op.parent, op.next_op
    assert block is not None, "an operation to flatten stands in a block"
    assert following is not None, "control flow is no terminator"
    after = block.split_before(following)
    for result in op.results:
        argument = hint(after.insert_arg(result.type, len(after.args)), result)
        result.replace_all_uses_with(argument)
    return block, after


def _move_blocks(region: Region, after: Block) -> list[Block]:
    """Move the blocks of `region` in front of `after`."""
    blocks = list(region.blocks)
    region.move_blocks_before(after)
    return blocks


def _end_with(block: Block, op: Operation, like: Operation) -> None:
    locate(op, like)
    block.add_op(op)


def _branch_instead(end: Operation, target: Block, values: Sequence[SSAValue]) -> None:
    """Replace the terminator `end` by a branch."""
    block = end.parent
    assert block is not None
    _end_with(block, cf.BranchOp(target, *values), end)
    block.erase_op(end)


def _end_of(block: Block) -> Operation:
    end = block.last_op
    assert end is not None, "a block has a terminator"
    return end


def _flatten_if(op: scf.IfOp) -> Sequence[Block]:
    block, after = _cut_behind(op)
    (then,) = _move_blocks(op.true_region, after)
    otherwise = _move_blocks(op.false_region, after)
    for inner in (then, *otherwise):
        end = _end_of(inner)
        _branch_instead(end, after, end.operands)
    target = otherwise[0] if otherwise else after
    branch = cf.ConditionalBranchOp(op.cond, then, (), target, ())
    _end_with(block, branch, op)
    block.erase_op(op)
    return (then, *otherwise, after)


def _flatten_switch(op: scf.IndexSwitchOp, constants: ConstantPool) -> Sequence[Block]:
    block, after = _cut_behind(op)
    cases = [_move_blocks(region, after)[0] for region in op.case_regions]
    (default,) = _move_blocks(op.default_region, after)
    for inner in (*cases, default):
        end = _end_of(inner)
        _branch_instead(end, after, end.operands)
    region = block.parent
    assert region is not None
    test = block
    numbers = op.cases.get_values()
    for number, case in zip(numbers, cases, strict=True):
        equal = arith.CmpiOp(op.arg, constants.index(int(number)), "eq")
        _end_with(test, equal, op)
        if case is cases[-1]:
            other = default
        else:
            other = Block()
            region.insert_block_before(other, case)
        branch = cf.ConditionalBranchOp(equal, case, (), other, ())
        _end_with(test, branch, op)
        test = other
    if not cases:
        _end_with(block, cf.BranchOp(default), op)
    block.erase_op(op)
    return (*cases, default, after)


def _flatten_for(op: scf.ForOp) -> Sequence[Block]:
    block, after = _cut_behind(op)
    (body,) = _move_blocks(op.body, after)
    region = block.parent
    assert region is not None
    head = Block(arg_types=body.arg_types)
    region.insert_block_before(head, body)
    for argument, new in zip(body.args, head.args, strict=True):
        hint(new, argument)
        argument.replace_all_uses_with(new)
    for argument in reversed(body.args):
        body.erase_arg(argument)
    more = arith.CmpiOp(head.args[0], op.ub, "slt")
    _end_with(head, more, op)
    branch = cf.ConditionalBranchOp(more, body, (), after, head.args[1:])
    _end_with(head, branch, op)
    end = _end_of(body)
    following = arith.AddiOp(head.args[0], op.step)
    locate(following, op)
    body.insert_op_before(following, end)
    _branch_instead(end, head, (following.result, *end.operands))
    _end_with(block, cf.BranchOp(head, op.lb, *op.iter_args), op)
    block.erase_op(op)
    return (body, after)


def _flatten_while(op: scf.WhileOp) -> Sequence[Block]:
    block, after = _cut_behind(op)
    (before,) = _move_blocks(op.before_region, after)
    (body,) = _move_blocks(op.after_region, after)
    condition = _end_of(before)
    assert isinstance(condition, scf.ConditionOp)
    branch = cf.ConditionalBranchOp(
        condition.condition, body, condition.args, after, condition.args
    )
    _end_with(before, branch, condition)
    before.erase_op(condition)
    end = _end_of(body)
    _branch_instead(end, before, end.operands)
    _end_with(block, cf.BranchOp(before, *op.arguments), op)
    block.erase_op(op)
    return (before, body, after)
