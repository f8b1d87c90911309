"""
The ranges of values that loops carry from one iteration to the next.

A carried value is what it starts with, or what a round makes of it. The set of both is
found in a few rounds: assume that the value stays in the range that it starts in, look
where a round leads, and let a bound that does not hold go, first to zero and then to the
end of the type. In the end the assumption holds, and the last iteration says more than it: a
value that a round halves stays between zero and its start, whatever was assumed. (Widening
and narrowing; Cousot & Cousot, "Abstract interpretation", POPL 1977, section 9.)

```mlir
%last = scf.while (%s = %c128) : (index) -> index {     // %s in [0, 128]
  %more = arith.cmpi ugt, %s, %c0 : index
  scf.condition(%more) %s : index
} do {
^bb0(%t: index):                                        // %t in [1, 128]: it goes on
  %half = arith.shrui %t, %c1 : index                   // %half in [0, 64]
  scf.yield %half : index
}                                                       // %last is 0: it does not go on
```

A round is a small number of operations between the carried value and the next one; what
else they need is worked out before. So the work is linear, and of values that depend on
each other one is given up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import gcd

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange, bit_width
from spmd.analysis.ranges.range_rules import RULES
from spmd.dialects.enclosing import enclosing
from spmd.dialects.interfaces.control_flow import phi_of
from spmd.dialects.names import NEGATED, SWAPPED
from spmd.dialects.spmd import SubGroupOp

Lookup = Callable[[SSAValue], IntegerRange]
Step = Callable[[SSAValue, Lookup], IntegerRange]
"""The range of a value from those that `Lookup` gives for its inputs."""

LONGEST_ROUND = 32
"""Operations between a carried value and the next one; of longer rounds nothing is said."""

MOST_ROUNDS = 8
"""Enough for each bound to move twice, and the divisor."""

MOST_TESTS = 8
"""Comparisons of one condition that are looked at."""


# --- what a loop carries ----------------------------------------------------------------


@dataclass(frozen=True)
class Carried:
    """A value that the iterations of a loop hand on."""

    value: BlockArgument
    start: SSAValue
    following: SSAValue
    """What the next iteration gets."""

    round: Sequence[SSAValue]
    """The values between the two, each after those that it is made of."""

    inputs: Sequence[SSAValue]
    """What else there is to know: the start, and what a round uses and does not change."""

    is_nested_sum: bool
    """Whether all that a round does to the value is that loops in it add to it."""

    def range(self, width: int, known: Lookup, step: Step) -> IntegerRange:
        """Where the value stays, given the range of the inputs."""
        start = known(self.start)
        if self.is_nested_sum:
            anything = IntegerRange.of_width(width)
            return self._narrowed(anything, width, self._inside(anything, known, step))
        assumed = start
        for attempt in range(MOST_ROUNDS):
            inside = self._inside(assumed, known, step)
            after = start.join(inside(self.following))
            if _is_within(after, assumed):
                return self._narrowed(after, width, inside)
            assumed = _widened(assumed, after, width, settled=attempt > 0)
        return IntegerRange.of_width(width)

    def _inside(self, assumed: IntegerRange, known: Lookup, step: Step) -> Lookup:
        """What is in a round of a value that is as assumed."""
        here: dict[SSAValue, IntegerRange] = {self.value: assumed}

        def lookup(value: SSAValue) -> IntegerRange:
            found = here.get(value)
            return known(value) if found is None else found

        for value in self.round:
            here[value] = step(value, lookup)
        return lookup

    def _narrowed(
        self, found: IntegerRange, width: int, inside: Lookup
    ) -> IntegerRange:
        """A sum in a loop of a known number of rounds goes so far and no farther."""
        loop, start = self.value.block.parent_op(), inside(self.start)
        increment = _increment(self.value, self.following, inside)
        if not isinstance(loop, scf.ForOp) or increment is None:
            return found
        more = _in_all_rounds(loop, increment, inside)
        if more is None:
            return found
        total = IntegerRange(
            start.low + more.low,
            start.high + more.high,
            gcd(start.divisor, more.divisor),
        )
        if not total.fits(width):
            return found
        return IntegerRange(
            max(total.low, found.low), min(total.high, found.high), total.divisor
        )


def _increment(
    value: SSAValue, following: SSAValue, inside: Lookup
) -> IntegerRange | None:
    """What a round adds to `value` to get the `following` one, also by loops in it."""
    owner = following.owner
    match owner:
        case arith.AddiOp():
            steps = [each for each in owner.operands if each is not value]
            return inside(steps[0]) if len(steps) == 1 else None
        case scf.ForOp() if (ends := _ends(following)) is not None and ends[1] is value:
            increment = _increment(ends[0], ends[2], inside)
            return increment and _in_all_rounds(owner, increment, inside)
        case _:
            return None


def _in_all_rounds(
    loop: scf.ForOp, increment: IntegerRange, inside: Lookup
) -> IntegerRange | None:
    """What all rounds of a loop add together at most, and at least before the last one."""
    each = inside(loop.step)
    if each.low <= 0:
        return None
    rounds = max(0, -(-(inside(loop.ub).high - inside(loop.lb).low) // each.low))
    low, high = min(0, increment.low * rounds), max(0, increment.high * rounds)
    return IntegerRange(low, high, increment.divisor)


def _summed_in(value: SSAValue, following: SSAValue) -> list[SSAValue] | None:
    """What `_increment` asks for, where `following` is what a loop in a round gives back."""
    asked: list[SSAValue] = []
    if not isinstance(following.owner, scf.ForOp):
        return None
    while isinstance(owner := following.owner, scf.ForOp):
        ends = _ends(following)
        if ends is None or ends[1] is not value:
            return None
        asked += [owner.lb, owner.ub, owner.step]
        value, _, following = ends
    if not isinstance(owner, arith.AddiOp) or value not in owner.operands:
        return None
    return [*asked, *(each for each in owner.operands if each is not value)]


def carried(
    value: SSAValue, inputs_of: Callable[[SSAValue], Sequence[SSAValue]]
) -> Carried | None:
    """What hands on `value`, an argument or result of a loop; `None` if nothing does."""
    ends = _ends(value)
    if ends is None:
        return None
    argument, start, following = ends
    loop = argument.block.parent_op()
    assert loop is not None
    order: dict[SSAValue, None] = {}
    inputs: dict[SSAValue, None] = {start: None}
    if isinstance(loop, scf.ForOp):
        inputs |= dict.fromkeys((loop.lb, loop.ub, loop.step))
    asked = _summed_in(argument, following)
    pending = [following] if asked is None else asked
    opened: set[SSAValue] = set()
    while pending:
        at = pending[-1]
        if at is argument or at in order or at in inputs:
            pending.pop()
        elif not _belongs_to_round(at, loop):
            inputs[at] = None
        elif at in opened:
            order[at] = None
        else:
            opened.add(at)
            if len(opened) > LONGEST_ROUND:
                return None
            pending.extend(inputs_of(at))
    return Carried(
        *(argument, start, following, tuple(order), tuple(inputs)), asked is not None
    )


def _ends(value: SSAValue) -> tuple[BlockArgument, SSAValue, SSAValue] | None:
    """The argument that carries `value`, what it starts with, and the next one."""
    phi = phi_of(value)
    if phi is None or len(phi.sources) != 2:
        return None
    start, following = phi.sources
    argument = phi.values[0]
    # After the last iteration it is one of those that the argument would have been.
    if (
        not isinstance(argument, BlockArgument)
        or start.op is not argument.block.parent_op()
    ):
        return None
    return argument, start.value, following.value


def _belongs_to_round(value: SSAValue, loop: Operation) -> bool:
    """Whether the range of `value`, in a round of `loop`, is worked out in the round."""
    owner = value.owner
    if isinstance(owner, Block):
        return (
            isinstance(loop, scf.WhileOp)
            and owner is loop.after_region.block
            and bit_width(value.type) is not None
        )
    return (
        type(owner) in RULES
        and bit_width(value.type) is not None
        and loop.is_ancestor(owner)
    )


def _is_within(inner: IntegerRange, outer: IntegerRange) -> bool:
    divides = (
        inner.divisor == 0 if outer.divisor == 0 else inner.divisor % outer.divisor == 0
    )
    return divides and outer.low <= inner.low and inner.high <= outer.high


def _widened(
    assumed: IntegerRange, after: IntegerRange, width: int, *, settled: bool
) -> IntegerRange:
    """The next assumption: bounds that did not hold go to zero, or to the end."""
    whole = IntegerRange.of_width(width)
    low, high = assumed.low, assumed.high
    if after.low < low:
        low = 0 if after.low >= 0 else whole.low
    if after.high > high:
        high = 0 if after.high <= 0 else whole.high
    divisor = gcd(assumed.divisor, after.divisor)
    if settled and divisor != assumed.divisor:
        divisor = 1
    return IntegerRange(low, high, divisor)


# --- what a condition lets through ----------------------------------------------------------


@dataclass(frozen=True)
class Forwarded:
    """What `scf.condition` hands on, to the body of a `scf.while` or out of it."""

    value: SSAValue
    tests: Sequence[tuple[int, SSAValue]]
    """Predicates, with the value on the left, that hold: and what is on the right."""

    @property
    def inputs(self) -> Sequence[SSAValue]:
        return (self.value, *(other for _, other in self.tests))

    def range(self, lookup: Lookup) -> IntegerRange:
        """The range of the value where the tests hold."""
        found = lookup(self.value)
        for predicate, other in self.tests:
            found = _where(found, predicate, lookup(other))
        return found


def forwarded(value: SSAValue) -> Forwarded | None:
    """What `value` is, if it comes out of the condition of a `scf.while`."""
    phi = phi_of(value)
    if phi is None or len(phi.sources) != 1:
        return None
    (source,) = phi.sources
    if not isinstance(source.op, scf.ConditionOp):
        return None
    if enclosing(source.op, SubGroupOp) is not None:
        return Forwarded(source.value, ())  # Lanes may be inactive, and have garbage.
    goes_on = isinstance(value, BlockArgument)
    return Forwarded(
        source.value, tuple(_tests(source.value, source.op.condition, goes_on))
    )


def _tests(
    value: SSAValue, condition: SSAValue, holds: bool
) -> Iterator[tuple[int, SSAValue]]:
    """What is compared with `value` in a condition that holds, or does not."""
    pending = [condition]
    for _ in range(MOST_TESTS):
        if not pending:
            return
        owner = pending.pop().owner
        if isinstance(owner, arith.AndIOp if holds else arith.OrIOp):
            pending.extend((owner.rhs, owner.lhs))
        if not isinstance(owner, arith.CmpiOp):
            continue
        predicate = owner.predicate.value.data
        if not holds:
            predicate = NEGATED[predicate]
        if owner.lhs is value:
            yield predicate, owner.rhs
        elif owner.rhs is value:
            yield SWAPPED[predicate], owner.lhs


def _where(x: IntegerRange, predicate: int, y: IntegerRange) -> IntegerRange:
    """Those of `x` for which the predicate holds with one of `y`."""
    low, high = x.low, x.high
    unsigned = predicate >= 6
    if unsigned and not y.is_non_negative:
        return x
    match predicate:
        case 0:  # eq
            low, high = max(low, y.low), min(high, y.high)
        case 1:  # ne
            low += y.value == low
            high -= y.value == high
        case 2 | 6:  # slt, ult
            high = min(high, y.high - 1)
        case 3 | 7:  # sle, ule
            high = min(high, y.high)
        case 4 | 8:  # sgt, ugt
            low = max(low, y.low + 1)
        case _:  # sge, uge
            low = max(low, y.low)
    if predicate in (6, 7):
        low = max(low, 0)  # a negative number is a large one
    elif unsigned and not x.is_non_negative:
        return x
    # Nothing is left where the code is not reached.
    return replace(x, low=low, high=high) if low <= high else x
