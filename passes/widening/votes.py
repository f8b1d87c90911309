"""
What is asked of all lanes at once: votes, assertions, and ends of a launch.

Where a number grows by a fixed step from lane to lane, it is beyond a bound in some lane
only if it is in the first or in the last: two comparisons of scalars say what a comparison
of vectors would, at the price that the code for one work-item pays.

```mlir
// before, where %i is one more from lane to lane, in all of 16
%outside = arith.cmpi uge, %i, %n : index
%some = spmd.any %outside across sub_group

// after
%first = arith.cmpi uge, %i, %n : index
%end = arith.addi %i, %c15 : index
%last = arith.cmpi uge, %end, %n : index
%some = arith.ori %first, %last : i1
```

A launch ends after one test for all lanes, with words about the first that fails.

```mlir
// before
%some = spmd.any %bad across sub_group
scf.if %some {
  spmd.masked %bad {
    spmd.fail "{} is too much"(%i) : index
  }
}

// after, where %i is 3 more from lane to lane
%some = vector.reduction <or>, %bad : vector<16xi1> into i1
scf.if %some {
  %places = arith.select %bad, %lane, %c16_lanes : vector<16xi1>, vector<16xindex>
  %failing = vector.reduction <minui>, %places : vector<16xindex> into index
  %ahead = arith.muli %failing, %c3 : index
  %i_1 = arith.addi %i, %ahead : index
  spmd.fail "{} is too much"(%i_1) : index
}
```
"""

from __future__ import annotations

from xdsl.dialects import arith, cf, scf, vector
from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.building import reduction
from spmd.dialects.names import PREDICATES, SWAPPED
from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import AllOp, AnyOp, FailOp
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import Active, Prefix, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening

_ORDERED = ("slt", "sle", "sgt", "sge")
_BEYOND = ("ugt", "uge")
"""Read as unsigned numbers, negative ones are beyond every bound that is none."""


def widen_vote(widening: Widening, op: AnyOp | AllOp, active: Active) -> None:
    """Inactive lanes have no vote."""
    held = widening.of(op.predicate)
    every = isinstance(op, AllOp)
    if active.mask is not None and not isinstance(held, Uniform):
        votes = widening.in_active(active, widening.vector(held), int(every))
        held = Varying(votes)
    answer = None
    if active.all and not every and isinstance(held, Varying):
        answer = _by_ends(widening, op.predicate, None)
    if answer is None:
        answer = widening.vote(held, every)
    widening.hold(op, [Uniform(answer)])


def _by_ends(
    widening: Widening, condition: SSAValue, count: SSAValue | None
) -> SSAValue | None:
    """
    Whether `condition` holds in one of the first `count` lanes, by those at the ends.

    Without a count, in any lane; `None` if it takes to look at all lanes.
    """
    owner = condition.owner
    match owner:
        case arith.OrIOp():
            parts = [_by_ends(widening, part, count) for part in owner.operands]
            if count is None:
                # It is enough to know one of them by its ends.
                if parts == [None, None]:
                    return None
                parts = [
                    widening.vote(widening.of(value)) if part is None else part
                    for part, value in zip(parts, owner.operands, strict=True)
                ]
            left, right = parts
            if left is None or right is None:
                return None
            return widening.add(arith.OrIOp(left, right))
        case arith.SelectOp() if count is None:
            mask = widening.of(owner.cond)
            if isinstance(mask, Prefix) and widening.ranges.of(owner.rhs).value == 0:
                found = _by_ends(widening, owner.lhs, mask.count)
                if found is None or owner.cond in widening.some:
                    return found
                return widening.add(arith.AndIOp(widening.vote(mask), found))
        case arith.CmpiOp():
            return _compared_at_ends(widening, owner, count)
        case _:
            pass
    return None


def _compared_at_ends(
    widening: Widening, op: arith.CmpiOp, count: SSAValue | None
) -> SSAValue | None:
    number = op.predicate.value.data
    value, bound = op.lhs, op.rhs
    if isinstance(widening.of(value), Uniform):
        number, value, bound = SWAPPED[number], bound, value
    lanes, limit = widening.of(value), widening.of(bound)
    if not isinstance(limit, Uniform):
        return None
    if isinstance(lanes, Uniform):
        return widening.add(arith.CmpiOp(lanes.scalar, limit.scalar, number))
    if not isinstance(lanes, Strided) or widening.shape(value).wraps:
        return None
    predicate = PREDICATES[number]
    if predicate not in _ORDERED and not (
        predicate in _BEYOND and widening.ranges.of(bound).low >= 0
    ):
        return None
    ends = (lanes.first, _last(widening, lanes, count))
    first, last = (
        widening.add(arith.CmpiOp(end, limit.scalar, number)) for end in ends
    )
    return widening.add(arith.OrIOp(first, last))


def _last(widening: Widening, lanes: Strided, count: SSAValue | None) -> SSAValue:
    """What the last lane has, or the last of the first `count`."""
    if count is None:
        return widening.of_lane(lanes, widening.width - 1)
    type_ = lanes.first.type
    most = widening.constants.number(widening.width, count.type)
    one = widening.constants.number(1, count.type)
    lane = widening.add(arith.MinSIOp(count, most))
    lane = widening.add(arith.SubiOp(lane, one))
    if not isinstance(type_, IndexType):
        lane = widening.add(arith.IndexCastOp(lane, type_))
    step = widening.constants.number(lanes.stride, type_)
    return widening.add(
        arith.AddiOp(lanes.first, widening.add(arith.MuliOp(lane, step)))
    )


def widen_assert(widening: Widening, op: cf.AssertOp, active: Active) -> None:
    """No active lane may fail."""
    held = widening.of(op.arg)
    if active.mask is not None:
        lanes = widening.in_active(active, widening.vector(held), widening.all_on())
        held = Varying(lanes)
    widening.append(cf.AssertOp(widening.vote(held, every=True), op.msg))


def widen_fail(widening: Widening, op: FailOp, active: Active) -> None:
    """The first active lane fails, if there is one."""
    if active.mask is not None and not active.some:
        failing = Block()
        with widening.into(failing):
            widen_fail(widening, op, Active(active.mask))
            widening.append(scf.YieldOp())
        some = widening.vote(active.mask)
        widening.append(scf.IfOp(some, (), Region(failing)))
        return
    lane = first_active(widening, active, "failing")
    values = [in_lane(widening, value, lane) for value in op.values]
    widening.append(clone_with(op, values, ()))


def first_active(widening: Widening, active: Active, name: str) -> SSAValue | None:
    """The number of the first active lane, of which there are some; `None` if it is lane 0."""
    if active.first:
        return None
    index = IndexType()
    places = widening.in_active(active, widening.steps(index, 1), widening.width)
    first = reduction(places, CombiningKindFlag.MINUI, index)
    return widening.add(first, name)


def in_lane(widening: Widening, value: SSAValue, lane: SSAValue | None) -> SSAValue:
    """What `lane` has of `value`; without one, lane 0."""
    held = widening.of(value)
    if lane is None:
        return widening.of_lane(held, 0)
    match held:
        case Uniform(scalar=scalar):
            return scalar
        case Strided(first=first, stride=stride):
            ahead = lane
            if first.type != lane.type:
                ahead = widening.add(arith.IndexCastOp(lane, first.type))
            step = widening.constants.number(stride, first.type)
            ahead = widening.add(arith.MuliOp(ahead, step), "ahead")
            return hint(widening.add(arith.AddiOp(first, ahead)), value)
        case _:
            lanes = widening.vector(held)
            assert isa(lanes.type, VectorType)
            extract = vector.ExtractOp(lanes, [lane], lanes.type.element_type)
            return widening.add(extract, value)
