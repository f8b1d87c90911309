"""
A choice between integers where a branch chose.

`low = i - r if i > r else 0` and `if low < 0: low = 0` are branches, as source and blocks have
them. What lanes do is asked of operations: that a window rises from lane to lane until an edge
(`version-edges`) holds for numbers that are chosen, not for those that branches give.

```mlir
// before
%low = scf.if %inside -> (index) {
  %left = arith.subi %i, %r : index
  scf.yield %left : index
} else {
  scf.yield %c0 : index
}
// after
%left = arith.subi %i, %r : index
%low = arith.select %inside, %left, %c0 : index
```

If-conversion (Allen, Kennedy, Porterfield and Warren, POPL 1983) where it costs less than a branch
does: both sides are a few simple operations that may run for anyone. From the inside out, so that
choices among choices are choices.

Requires: level 0.
Ensures: the same.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.passes import ModulePass

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.interfaces.speculation import is_speculatable
from spmd.dialects.rewriting import is_poison, replace
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.targets import SELECT_UP_TO


@dataclass(frozen=True)
class IfToSelectPass(ModulePass):
    """Chooses between integers without branches; see the module docstring."""

    name = "if-to-select"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            ifs = [each for each in kernel.walk() if isinstance(each, scf.IfOp)]
            for each in reversed(ifs):
                if _may_choose(each):
                    _choose(each)


def _may_choose(op: scf.IfOp) -> bool:
    return (
        bool(op.results)
        and all(bit_width(each.type) is not None for each in op.results)
        and all(_is_short(region.block) for region in op.regions)
    )


def _is_short(block: Block) -> bool:
    """Whether all that `block` does is to compute a few integers, which anyone may."""
    end, cost = terminator(block), 0
    for op in block.ops:
        if op is end:
            break
        if (cost := cost + cost_class(op)) > SELECT_UP_TO or not _is_simple(op):
            return False
    return not any(map(is_poison, end.operands))


def _is_simple(op: Operation) -> bool:
    return (
        is_speculatable(op)
        and not op.regions
        and cost_class(op) <= CostClass.SIMPLE
        and all(bit_width(each.type) is not None for each in op.results)
    )


def _choose(op: scf.IfOp) -> None:
    at, sides = Builder.before(op), [region.block for region in op.regions]
    ends = [terminator(side) for side in sides]
    for side, end in zip(sides, ends, strict=True):
        at.move([each for each in side.ops if each is not end])
    then, other = (end.operands for end in ends)
    choices = [
        at.add(arith.SelectOp(op.cond, one, two), result)
        for one, two, result in zip(then, other, op.results, strict=True)
    ]
    replace(op, (), choices)
