"""
Uniform conditions that hold wherever a mask does.

A branch that work-items of several paths take together has a mask that says who came to it.
Where arguments of the kernel decided last on such a path, so they did whether anybody came this
way, and the branch is uniform: one of those that Moll and Hack 2018, "Partial control-flow linearization", keep.

```mlir
// before: work-items come to the branch if %u, or if %d and %v
%path = scf.if %u -> (i1) {
  scf.yield %true : i1
} else {
  %both = arith.select %d, %v, %false : i1
  scf.yield %both : i1
}

// after: none of them does if neither %u nor %v
%path, %may = scf.if %u -> (i1, i1) {
  scf.yield %true, %true : i1, i1
} else {
  %both = arith.select %d, %v, %false : i1
  scf.yield %both, %v : i1, i1
}
```
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, OpResult, SSAValue, SSAValues

from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import constant_index, hint, is_poison
from spmd.passes.masking.masks import Masks

LONGEST = 16
"""How many values are looked at to see what a condition follows from."""


def uniform_bound(masks: Masks, condition: SSAValue) -> SSAValue | None:
    """What all lanes have the same of, and holds wherever `condition` does, of paths."""
    owner = condition.owner
    if not isinstance(owner, scf.IfOp) or masks.is_uniform(condition):
        return None
    number = owner.results.index(condition)
    bounds: list[SSAValue] = []
    for region in owner.regions:
        last = terminator(region.block).operands[number]
        bounds.append(_bound_in_arm(masks, last) or masks.constants.bit(True))
    if all(constant_index(bound) not in (None, 0) for bound in bounds):
        return None
    for region, bound in zip(owner.regions, bounds, strict=True):
        end = terminator(region.block)
        end.operands = (*end.operands, bound)
    # In its place: others remember its results.
    may = OpResult(i1, owner, len(owner.results))
    owner.results = SSAValues((*owner.results, may))
    masks.mark_uniform(may)
    return hint(may, "may")


def _bound_in_arm(masks: Masks, value: SSAValue) -> SSAValue | None:
    """The same of what an arm yields."""
    if constant_index(value) is not None or _is_known_to_all(value):
        return value
    owner = value.owner
    if isinstance(owner, arith.SelectOp) and constant_index(owner.rhs) == 0:
        return _bound_in_arm(masks, owner.lhs)
    return uniform_bound(masks, value)


def _is_known_to_all(value: SSAValue) -> bool:
    """
    Whether `value` follows from what the work-group is called with, and always does.

    It decides also where no lane has come to it, for which nothing else need be defined.
    """
    # Imported only here: few kernels ask.
    from spmd.dialects.interfaces.preconditions import Preconditions

    worklist, seen = [value], {value}
    while worklist:
        owner = worklist.pop().owner
        if isinstance(owner, Block):
            if isinstance(owner.parent_op(), FuncOp):
                continue
            return False
        pure = FunctionOfOperands.of(owner) is not None and not owner.regions
        if not pure or may_trap(owner) or "fastmath" in owner.properties:
            return False
        if Preconditions.of(owner) is not None or any(map(is_poison, owner.results)):
            return False
        worklist += [each for each in owner.operands if each not in seen]
        seen.update(owner.operands)
        if len(seen) > LONGEST:
            return False
    return True
