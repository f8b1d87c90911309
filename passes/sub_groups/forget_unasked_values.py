"""
What a loop would go on with is poison where a flag says that it does not go on.

Without jumps a loop is left by a flag: it is carried, and the loop goes on only where it
holds. What else the lanes that leave would carry is asked for by nobody; if it differs from
what the others carry, it must not make that varying.

```mlir
// before
%more = arith.andi %some, %go : i1
...
%next, %again = scf.if %hit -> (index, i1) {
  scf.yield %top, %false : index, i1
} else {
  scf.yield %above, %true : index, i1
}

// after
%more = arith.select %go, %some, %false : i1
...
%next, %again = scf.if %hit -> (index, i1) {
  scf.yield %undefined, %false : index, i1
} else {
  scf.yield %above, %true : index, i1
}
```

Requires: nothing.
Ensures: what it was given, but for poison in places whose value nobody uses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf, ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, OpResult, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.memory.taken_branches import Facts
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import function_around, terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import constant_index, is_poison, replace


@dataclass(frozen=True)
class ForgetUnaskedValuesPass(ModulePass):
    """Poison for what lanes that leave a loop would carry; see the module docstring."""

    name = "forget-unasked-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        loops = [each for each in op.walk() if isinstance(each, scf.WhileOp)]
        for loop in loops:
            _forget(loop)


def _forget(loop: scf.WhileOp) -> None:
    test, body = loop.before_region.block, loop.after_region.block
    condition, end = terminator(test), terminator(body)
    known = Facts([(condition.operands[0], True)]).known
    for flag in (arg for arg in test.args if (arg, True) in known):
        for carried in test.args:
            ands: list[arith.AndIOp] = []
            if carried is flag or not _is_asked_with(carried, flag, loop, ands):
                continue
            places = list(
                _unasked(end.operands[carried.index], end.operands[flag.index])
            )
            if not places:
                continue
            for op in ands:
                _choose(op, flag)
            for block, position in places:
                last = terminator(block)
                at = Builder.before(last)
                last.operands[position] = at.add(ub.PoisonOp(carried.type), "undefined")


def _is_asked_with(
    value: SSAValue, flag: SSAValue, loop: scf.WhileOp, ands: list[arith.AndIOp]
) -> bool:
    """Whether only `ands` with `flag`, and the next iteration, depend on `value`."""
    condition = terminator(loop.before_region.block)
    for use in value.uses:
        user = use.operation
        if user is condition:
            if use.index == 0 or loop.results[use.index - 1].first_use is not None:
                return False
        elif isinstance(user, arith.AndIOp) and flag in user.operands:
            ands.append(user)
        elif (
            user.parent is not condition.parent
            or FunctionOfOperands.of(user) is None
            or may_trap(user)
            or not all(_is_asked_with(r, flag, loop, ands) for r in user.results)
        ):
            return False
    return True


def _unasked(value: SSAValue, flag: SSAValue) -> Iterator[tuple[Block, int]]:
    """The ends of branches that give `value`, and `false` as `flag`."""
    if not (
        isinstance(value, OpResult)
        and isinstance(flag, OpResult)
        and value.op is flag.op
        and isinstance(value.op, scf.IfOp | scf.IndexSwitchOp)
        and value.has_one_use()
    ):
        return
    for region in value.op.regions:
        given = terminator(region.block).operands
        if is_poison(given[value.index]):
            continue
        if constant_index(given[flag.index]) == 0:
            yield region.block, value.index
        else:
            yield from _unasked(given[value.index], given[flag.index])


def _choose(op: arith.AndIOp, flag: SSAValue) -> None:
    """`arith.select` where the poison of one operand must not come through."""
    other = op.rhs if op.lhs is flag else op.lhs
    off = ConstantPool(function_around(op).body.block).bit(False)
    chosen = arith.SelectOp(flag, other, off)
    replace(op, [chosen], [chosen.result])
