"""
Whether a condition holds in some lane, or in every one.

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
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue

from spmd.dialects.comparisons import PREDICATES, SWAPPED
from spmd.dialects.spmd import AllOp, AnyOp
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
