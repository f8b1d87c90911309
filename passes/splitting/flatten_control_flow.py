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
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.rewriter import InsertPoint

from spmd.analysis.barriers.barrier_regions import around_syncs
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import parent_block, terminator
from spmd.dialects.rewriting import hint, replace
from spmd.dialects.spmd import KernelOp
from spmd.passes.rematerialization.counted_loops import next_count


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


def _cut_after(op: Operation) -> tuple[Block, Block]:
    """The block that ends with `op`, and a new one with what follows and its results."""
    block, following = parent_block(op), op.next_op
    assert following is not None, "control flow is no terminator"
    after = block.split_before(following)
    for result in op.results:
        argument = hint(after.insert_arg(result.type, len(after.args)), result)
        result.replace_all_uses_with(argument)
    return block, after


def _move_block(region: Region, after: Block) -> Block:
    """Move the block of `region` before `after`."""
    block = region.block
    region.move_blocks_before(after)
    return block


def _move_arm(region: Region, after: Block) -> Block:
    """The same, where it goes on with `after`."""
    block = _move_block(region, after)
    end = terminator(block)
    replace(end, cf.BranchOp(after, *end.operands))
    return block


def _insert_before(block: Block, *, arg_types: Sequence[Attribute] = ()) -> Block:
    """A new block before `block`."""
    new = Block(arg_types=arg_types)
    assert block.parent is not None, "a block stands in a region"
    block.parent.insert_block_before(new, block)
    return new


def _flatten_if(op: scf.IfOp) -> Sequence[Block]:
    _, after = _cut_after(op)
    arms = [_move_arm(region, after) for region in op.regions if region.blocks]
    then, otherwise = (*arms, after)[:2]
    branch = cf.ConditionalBranchOp(op.cond, then, (), otherwise, ())
    replace(op, branch, [None] * len(op.results))
    return (*arms, after)


def _flatten_switch(op: scf.IndexSwitchOp, constants: ConstantPool) -> Sequence[Block]:
    block, after = _cut_after(op)
    cases = [_move_arm(region, after) for region in op.case_regions]
    default = _move_arm(op.default_region, after)
    at = Builder.at_end(block, op)
    for number, case in zip(op.cases.get_values(), cases, strict=True):
        equal = at.add(arith.CmpiOp(op.arg, constants.index(int(number)), "eq"))
        other = default if case is cases[-1] else _insert_before(case)
        at.append(cf.ConditionalBranchOp(equal, case, (), other, ()))
        at.point = InsertPoint.at_end(other)
    if not cases:
        at.append(cf.BranchOp(default))
    block.erase_op(op)
    return (*cases, default, after)


def _flatten_for(op: scf.ForOp) -> Sequence[Block]:
    _, after = _cut_after(op)
    body = _move_block(op.body, after)
    head = _insert_before(body, arg_types=body.arg_types)
    for argument, new in zip(body.args, head.args, strict=True):
        argument.replace_all_uses_with(hint(new, argument))
    for argument in reversed(body.args):
        body.erase_arg(argument)
    at = Builder.at_end(head, op)
    more = at.add(arith.CmpiOp(head.args[0], op.ub, "slt"))
    at.append(cf.ConditionalBranchOp(more, body, (), after, head.args[1:]))
    end = terminator(body)
    at = Builder(InsertPoint.before(end), op)
    following = next_count(at, op, head.args[0])
    replace(end, cf.BranchOp(head, following, *end.operands))
    replace(op, cf.BranchOp(head, op.lb, *op.iter_args), [None] * len(op.results))
    return (body, after)


def _flatten_while(op: scf.WhileOp) -> Sequence[Block]:
    _, after = _cut_after(op)
    before = _move_block(op.before_region, after)
    body = _move_block(op.after_region, after)
    condition = terminator(before)
    assert isinstance(condition, scf.ConditionOp)
    values = condition.args
    replace(
        condition,
        cf.ConditionalBranchOp(condition.condition, body, values, after, values),
    )
    end = terminator(body)
    replace(end, cf.BranchOp(before, *end.operands))
    replace(op, cf.BranchOp(before, *op.arguments), [None] * len(op.results))
    return (before, body, after)
