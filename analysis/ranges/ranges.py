"""
What is known of an integer without knowing the work-item: bounds and a divisor.

`IntegerRanges.of(value)` answers on demand, remembers, and never recurses in Python: a
chain of ten thousand additions costs ten thousand steps once. Values that a loop carries
are the business of `loop_ranges`. Bounds are those of the signed integer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import gcd

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.ranges.accessed import is_index_of_access
from spmd.analysis.ranges.blends import Blend
from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.loop_ranges import Carried, Forwarded, carried, forwarded
from spmd.analysis.ranges.range_rules import RULES, most_items
from spmd.dialects.interfaces.control_flow import phi_of
from spmd.dialects.limits import MAX_GROUP_SIZE, MAX_INDEX
from spmd.dialects.spmd import KernelOp, MaskedOp, SubGroupOp
from spmd.dialects.work_groups import fixed_group_size

_PASSED = IntegerRange(-MAX_INDEX, MAX_INDEX)
"""What a launch passes as an `index`."""

_NO_INTEGER = IntegerRange.of_width(64)
"""Of what is no integer, as a memref that elements are loaded from."""

_LOOPS = frozenset((scf.ForOp, scf.WhileOp))

Lookup = Callable[[SSAValue], IntegerRange]


class IntegerRanges:
    """
    The ranges of the integers of one piece of IR, worked out when asked for.

    Those of some values can be assumed, for instance in one iteration of a loop.
    """

    def __init__(self, assumed: Mapping[SSAValue, IntegerRange] = {}) -> None:
        self._known: dict[SSAValue, IntegerRange] = dict(assumed)
        self._loops: dict[SSAValue, Carried | Forwarded | None] = {}

    def of(self, value: SSAValue) -> IntegerRange:
        """The range of an integer or `index`; all that 64 bits have for everything else."""
        known = self._known
        if (found := known.get(value)) is not None:
            return found
        pending = [value]
        waiting: set[SSAValue] = set()
        while pending:
            top = pending[-1]
            if top in known:
                pending.pop()
                continue
            width = bit_width(top.type)
            if width is None:
                known[top] = _NO_INTEGER
                continue
            inputs = [v for v in self.inputs(top) if v not in known]
            if inputs and top not in waiting:
                waiting.add(top)
                pending.extend(inputs)
            elif inputs:
                # A definition that needs itself: unreachable code, or values that a
                # loop carries and that depend on each other.
                known[top] = IntegerRange.of_width(width)
            else:
                known[top] = self._range(top, width, known.__getitem__)
        return known[value]

    def may_count_past_largest(
        self, counter: SSAValue, upper: SSAValue, step: SSAValue
    ) -> bool:
        """
        Whether a counter below `upper` may pass the largest number of its type.

        The last step leads to the end or past it, by less than a step.
        """
        width, step_range = bit_width(upper.type), self.of(step)
        if step_range.value == 1 or width is None:
            return False
        if step_range.high <= MAX_INDEX and is_index_of_access(counter):
            return False
        last = self.of(upper).high - 1 + step_range.high
        return last > IntegerRange.of_width(width).high

    def may_be_far_apart(self, lower: SSAValue, upper: SSAValue) -> bool:
        """Whether `upper - lower` may be more than their type has."""
        width = bit_width(upper.type)
        assert width is not None, "bounds are integers"
        most = self.of(upper).high - self.of(lower).low
        return most > IntegerRange.of_width(width).high

    def _range(self, value: SSAValue, width: int, lookup: Lookup) -> IntegerRange:
        """The range of `value`, given those of its inputs."""
        match self._loop(value):
            case Carried() as loop:
                return loop.range(width, lookup, self._in)
            case Forwarded() as end:
                return end.range(lookup)
            case None:
                pass
        if isinstance(value, BlockArgument):
            return _of_argument(value, width, lookup)
        owner = value.owner
        assert isinstance(owner, Operation)
        rule = RULES.get(type(owner))
        if rule is None:
            return IntegerRange.of_width(width)
        return rule(owner, [lookup(v) for v in self.inputs(value)], width)

    def _in(self, value: SSAValue, lookup: Lookup) -> IntegerRange:
        """The range of `value` in one iteration of a loop."""
        return self._range(value, bit_width(value.type) or 64, lookup)

    def _loop(self, value: SSAValue) -> Carried | Forwarded | None:
        """What a loop does with `value`, if it carries it or forwards it."""
        owner = value.owner
        if type(owner) is Block:
            owner = owner.parent_op()
        if type(owner) not in _LOOPS:
            return None
        if value not in self._loops:
            self._loops[value] = forwarded(value) or carried(value, self.inputs)
        return self._loops[value]

    def inputs(self, value: SSAValue) -> Sequence[SSAValue]:
        """The values that the range of `value` is worked out from."""
        if (loop := self._loop(value)) is not None:
            return loop.inputs
        return _inputs(value)


def _of_argument(arg: BlockArgument, width: int, lookup: Lookup) -> IntegerRange:
    whole = IntegerRange.of_width(width)
    parent = arg.block.parent_op()
    if isinstance(parent, scf.ForOp) and arg.index == 0:
        lower, upper, step = (lookup(v) for v in (parent.lb, parent.ub, parent.step))
        last = max(lower.low, upper.high - 1)
        if lower.value is not None and step.value is not None and step.value > 0:
            last -= (last - lower.low) % step.value
        return IntegerRange(lower.low, last, gcd(lower.divisor, step.divisor))
    if isinstance(parent, SubGroupOp):
        base = lookup(parent.bases[arg.index])
        lanes = parent.lane_shape[arg.index]
        return IntegerRange(base.low, base.high + lanes - 1).clamped(width, True)
    if isinstance(parent, func.FuncOp):
        return _of_work_group_argument(parent, arg) or whole
    if isinstance(parent, KernelOp) and isinstance(arg.type, IndexType):
        return _PASSED
    return whole


def _inputs(value: SSAValue) -> Sequence[SSAValue]:
    """The values that the range of `value` is worked out from."""
    if type(value) is BlockArgument:
        parent = value.block.parent_op()
        if isinstance(parent, scf.ForOp) and value.index == 0:
            return (parent.lb, parent.ub, parent.step)
        if isinstance(parent, SubGroupOp):
            return (parent.bases[value.index],)
        return ()
    owner = value.owner
    kind = type(owner)
    if kind is scf.IfOp or kind is MaskedOp:
        phi = phi_of(value)
        return () if phi is None else [source.value for source in phi.sources]
    if type(owner) is arith.SelectOp:
        return (owner.lhs, owner.rhs)
    if kind in RULES and isinstance(owner, Operation):
        return (*owner.operands, *(Blend.of(owner) or ()))
    return ()


def _of_work_group_argument(
    function: func.FuncOp, arg: BlockArgument
) -> IntegerRange | None:
    """Group ids and sizes of a work-group function; its last nine `index` arguments."""
    if "spmd.work_group_function" not in function.attributes:
        return None
    arguments = list(function.body.block.args)
    while arguments and isinstance(arguments[-1].type, MemRefType):
        arguments.pop()
    position = arg.index - (len(arguments) - 9)
    if arg.index >= len(arguments):
        return None
    if position < 0:
        return _PASSED if isinstance(arg.type, IndexType) else None
    if position < 3:
        size = fixed_group_size(function) or (1, 1, 1)
        return IntegerRange(0, (most_items(function) - 1) // size[position])
    return IntegerRange(1, MAX_GROUP_SIZE if position < 6 else most_items(function))
