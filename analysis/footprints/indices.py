"""
From integers of a kernel to polynomials.

What arithmetic does stands in `rules.py`; here are ids and sizes, arguments, counters of
loops, and values that control flow chooses. A value of which nothing else is known is an
atom of its own, with its range and the words of the source for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from spmd.analysis.footprints.conditions import ConditionReader
from spmd.analysis.footprints.expressions import (
    Conditions,
    Expression,
    Guard,
    all_of,
)
from spmd.analysis.footprints.parameters import Parameters
from spmd.analysis.footprints.rules import RULES, fits, minimum, result
from spmd.analysis.footprints.source_words import words_for
from spmd.analysis.memory.polynomials import (
    Alternative,
    Atom,
    Polynomial,
)
from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.enclosing import is_outside, terminator
from spmd.dialects.spmd import (
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GlobalSizeOp,
    GroupIdOp,
    KernelOp,
    LocalIdOp,
    LocalSizeOp,
    NumGroupsOp,
)


class Indices:
    """The expressions of one kernel, made when asked for."""

    def __init__(self, kernel: KernelOp):
        self.parameters = Parameters(kernel)
        self._ranges = IntegerRanges()
        self._conditions = ConditionReader(self.of, self._ranges)
        self._known: dict[SSAValue, Expression] = {}
        self._counters: dict[scf.ForOp, tuple[Polynomial, Conditions]] = {}

    def of(self, value: SSAValue) -> Expression:
        """The expression of an integer."""
        known = self._known
        pending = [value]
        while pending:
            top = pending[-1]
            if top in known:
                pending.pop()
                continue
            missing = [v for v in self._inputs(top) if v not in known]
            if missing and len(pending) < 10_000:
                pending.extend(missing)
                continue
            found = None if missing else self._expression(top)
            known[top] = self._unknown(top) if found is None else found
        return known[value]

    def guard(self, condition: SSAValue, holds: bool) -> Guard:
        """When `condition` is true, or false."""
        return self._conditions.guard(condition, holds)

    def iterates(self, loop: scf.ForOp) -> Guard:
        """That `loop` is in an iteration."""
        parts = [self.of(v) for v in (loop.lb, loop.ub, loop.step)]
        _, limits = self._counter(loop)
        return Guard((limits,), all_of(part.requires for part in parts))

    def _counter(self, loop: scf.ForOp) -> tuple[Polynomial, Conditions]:
        """What counts the iterations of `loop`, from 0, and its limits."""
        if (found := self._counters.get(loop)) is not None:
            return found
        lower, upper, step = (self.of(v).value for v in (loop.lb, loop.ub, loop.step))
        atom = Atom(loop.body.block.args[0].name_hint or "counter")
        here = Polynomial.of(atom)
        if step.constant == 1:
            found = here - lower, (here - lower, upper - 1 - here)
        else:
            found = here, (here, upper - 1 - lower - step * here)
        atom.alternatives = (Alternative(None, found[1]),)
        self._counters[loop] = found
        return found

    # --- one value -----------------------------------------------------------------------

    def _inputs(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values whose expressions are needed first."""
        if isinstance(value, BlockArgument):
            loop = value.block.parent_op()
            if not isinstance(loop, scf.ForOp):
                return ()
            bounds = (loop.lb, loop.ub, loop.step)
            if value.index == 0:
                return bounds
            step = _induction(loop, value)
            return (
                () if step is None else (*bounds, step, loop.iter_args[value.index - 1])
            )
        owner = value.owner
        assert isinstance(owner, Operation)
        match owner:
            case arith.SelectOp():
                return _integers((owner.lhs, owner.rhs))
            case scf.IfOp():
                return _integers(_yielded(owner, value))
            case _ if type(owner) in RULES:
                return _integers(owner.operands)
            case _:
                return ()

    def _expression(self, value: SSAValue) -> Expression | None:
        """The expression of `value`, if those of its inputs are known."""
        if bit_width(value.type) is None:
            return None
        if isinstance(value, BlockArgument):
            return self._of_argument(value)
        assert isinstance(value, OpResult)
        op = value.op
        match op:
            case arith.ConstantOp():
                if isinstance(op.value, IntegerAttr):
                    return Expression(Polynomial.of(self._ranges.of(value).low))
                return None
            case DimensionOp():
                return self._of_dimension(op)
            case memref.DimOp():
                return self._of_extent(op)
            case arith.SelectOp():
                return self._choice(op.cond, (op.lhs, op.rhs))
            case scf.IfOp():
                return self._choice(op.cond, _yielded(op, value))
            case _:
                pass
        rule = RULES.get(type(op))
        if rule is None or len(_integers(op.operands)) < len(op.operands):
            return None
        operands = [self.of(operand) for operand in op.operands]
        return rule(op, operands, [self._ranges.of(operand) for operand in op.operands])

    def _unknown(self, value: SSAValue) -> Expression:
        cause = words_for(value)
        atom = Atom(value.name_hint or cause, cause=cause)
        width = bit_width(value.type)
        if width is not None:
            known, whole = self._ranges.of(value), IntegerRange.of_width(width)
            here = Polynomial.of(atom)
            limits: list[Polynomial] = []
            if known.low > whole.low:
                limits.append(here - known.low)
            if known.high < whole.high:
                limits.append(-here + known.high)
            atom.alternatives = (Alternative(None, tuple(limits)),)
        return Expression(Polynomial.of(atom))

    def _of_argument(self, value: BlockArgument) -> Expression | None:
        parent = value.block.parent_op()
        if isinstance(parent, KernelOp):
            if value.block is not parent.body.blocks[0]:
                return None
            return Expression(Polynomial.of(self.parameters.scalar(value)))
        if not isinstance(parent, scf.ForOp):
            return None
        bounds = [self.of(v) for v in (parent.lb, parent.ub, parent.step)]
        rounds, _ = self._counter(parent)
        if value.index == 0:
            return result(bounds[0].value + bounds[2].value * rounds, bounds)
        step = _induction(parent, value)
        if step is None:
            return None
        start, each = self.of(parent.iter_args[value.index - 1]), self.of(step)
        carried = start.value + each.value * rounds
        width = bit_width(value.type) or 64
        return result(carried, (*bounds, start, each), fits(carried, width))

    def _of_dimension(self, op: DimensionOp) -> Expression | None:
        given, axis = self.parameters, op.dimension.data.number
        group = Polynomial.of(given.group_id(axis))
        nominal, extent = given.group_size(axis), Polynomial.of(given.global_size(axis))
        match op:
            case GlobalIdOp():
                return Expression(Polynomial.of(given.global_id(axis)))
            case GroupIdOp():
                return Expression(group)
            case LocalIdOp():
                here = Polynomial.of(given.global_id(axis))
                return Expression(here - nominal * group)
            case LocalSizeOp():
                if given.has_full_groups:
                    return Expression(nominal)
                return Expression(minimum(nominal, extent - nominal * group))
            case EnqueuedLocalSizeOp():
                return Expression(nominal)
            case GlobalSizeOp():
                return Expression(extent)
            case NumGroupsOp():
                return Expression(given.group_count(axis))
            case _:
                return None

    def _of_extent(self, op: memref.DimOp) -> Expression | None:
        axis = self._ranges.of(op.index).value
        known = self._ranges.of(op.result).value
        if known is not None:
            return Expression(Polynomial.of(known))
        if axis is None:
            return None
        return self.parameters.extent(op.source, axis)

    def _choice(
        self, condition: SSAValue, values: Sequence[SSAValue]
    ) -> Expression | None:
        """The first value where the condition holds, the second elsewhere."""
        if len(_integers(values)) < len(values):
            return None
        sources = [self.of(value) for value in values]
        guards = [self.guard(condition, holds) for holds in (True, False)]
        atom = Atom("chosen")
        atom.alternatives = tuple(
            Alternative(source.value, conditions)
            for source, guard in zip(sources, guards, strict=True)
            for conditions in guard.alternatives
        )
        requires = [Expression(Polynomial.of(0), guard.requires) for guard in guards]
        match atom.alternatives:
            case [Alternative(value=Polynomial() as only)]:
                return result(only, (*sources, *requires))
            case _:
                pass
        if not all(guard.exact for guard in guards):
            atom.cause = words_for(condition)
        return result(Polynomial.of(atom), (*sources, *requires))


def _integers(values: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
    return tuple(value for value in values if bit_width(value.type) is not None)


def _yielded(op: scf.IfOp, value: SSAValue) -> tuple[SSAValue, ...]:
    assert isinstance(value, OpResult)
    return tuple(
        terminator(region.block).operands[value.index] for region in op.regions
    )


def _induction(loop: scf.ForOp, value: BlockArgument) -> SSAValue | None:
    """What each iteration adds to `value`, which it carries, if that is always the same."""
    following = terminator(loop.body.block).operands[value.index - 1].owner
    if not isinstance(following, arith.AddiOp):
        return None
    steps = [v for v in following.operands if v is not value]
    return steps[0] if len(steps) == 1 and is_outside(steps[0], loop) else None
