"""Another order of the loops of a nest: work-items may run in any."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import constant_index, hint, locate
from spmd.dialects.work_groups import work_item_dimension


def interchangeable_nest(innermost: scf.ForOp) -> list[scf.ForOp]:
    """
    The work-item loops around `innermost` that can be put in any order, from the outside.

    Nothing stands between them, and none needs the number of another.
    """
    loops = [innermost]
    while (
        isinstance(outer := loops[0].parent_op(), scf.ForOp)
        and work_item_dimension(outer) is not None
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


def may_take_turns(loop: scf.ForOp) -> bool:
    """
    Whether all work-items of `loop` can run one iteration after the other, and should.

    A loop that stands in `loop` with nothing that writes or is written beside it can go around
    it. It should if more accesses are contiguous from one work-item to the next than from one
    iteration to the next, or the same in all of them.
    """
    inner = _last_in(loop)
    if (
        not isinstance(inner, scf.ForOp)
        or inner.iter_args
        or not all(is_outside(bound, loop) for bound in inner.operands)
        or any(Ordered.of(op) is not None for op in inner.walk())
    ):
        return False
    before = [op for op in loop.body.block.ops if op.next_op is not None][:-1]
    if any(FunctionOfOperands.of(op) is None or may_trap(op) for op in before):
        return False
    divergence = analyze_work_items(loop)
    better = 0
    for op in inner.body.walk():
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            better += access_pattern(divergence, op).stride == 1
            better -= _step_of(op, inner) in (0, 1)
    return better > 0


def take_turns(loop: scf.ForOp) -> None:
    """Let all work-items of `loop`, which may, run one iteration after the other."""
    inner = _last_in(loop)
    assert isinstance(inner, scf.ForOp), "see `may_take_turns`"
    _put_around(loop, inner)


def _last_in(loop: scf.ForOp) -> Operation | None:
    last = loop.body.block.last_op
    return last and last.prev_op


def _step_of(op: memref.LoadOp | memref.StoreOp, loop: scf.ForOp) -> int | None:
    """Elements from one iteration of `loop` to the next; `None` if that is not known."""
    counter = loop.body.block.args[0]
    steps = [_growth(index, counter, loop) for index in op.indices] or [0]
    return steps[-1] if all(step == 0 for step in steps[:-1]) else None


def _growth(value: SSAValue, counter: SSAValue, loop: scf.ForOp) -> int | None:
    """What `value` grows by when the counter of `loop` grows by one."""
    if value is counter:
        return 1
    if is_outside(value, loop):
        return 0
    match value.owner:
        case arith.AddiOp() as sum_:
            parts = [_growth(each, counter, loop) for each in sum_.operands]
            known = [part for part in parts if part is not None]
            return sum(known) if len(known) == len(parts) else None
        case arith.MuliOp() as product:
            part = _growth(product.lhs, counter, loop)
            factor = 0 if part == 0 else constant_index(product.rhs)
            if part == 0 and _growth(product.rhs, counter, loop) != 0:
                return None
            return None if part is None or factor is None else part * factor
        case _:
            return None


def _put_around(loop: scf.ForOp, inner: scf.ForOp) -> None:
    """Make `inner`, the last in `loop`, the loop around it."""
    turn = Block(arg_types=[inner.body.block.args[0].type])
    around = scf.ForOp(inner.lb, inner.ub, inner.step, (), turn)
    around.attributes = inner.attributes
    locate(around, inner)
    hint(turn.args[0], inner.body.block.args[0])
    inner.body.block.args[0].replace_all_uses_with(turn.args[0])
    Rewriter.erase_op(terminator(inner.body.block))
    Builder.before(inner).move(inner.body.block.ops)
    Rewriter.erase_op(inner)
    Builder.before(loop).append(around)
    Builder.at_end(turn).move((loop,))
    Builder.at_end(turn, loop).append(scf.YieldOp())
