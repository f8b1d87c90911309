"""
Conditions that hold in the first lanes and in no others: `i < n`, `i < n and j <= m`.

A loop over work-items ends at such a bound instead of testing every one of them. Of several
conditions each is asked alone: one that is the same in all lanes is no bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.transfer import Lanes
from spmd.dialects.names import NEGATED, PREDICATES, SWAPPED
from spmd.dialects.spmd import Scope


@dataclass(frozen=True)
class Bound:
    """`value < limit` (or `<=`): true in a lane only if it is true in all before it."""

    value: SSAValue
    """Grows by `stride` from lane to lane, without wrapping."""

    limit: SSAValue
    """Uniform."""

    stride: int
    """At least 1."""

    inclusive: bool
    """Whether `value` may be equal to `limit`."""

    signed: bool


def prefix_bound(
    divergence: Divergence, condition: SSAValue, dim: int = 0
) -> Bound | None:
    """The bound that `condition` is; `None` if it is no comparison that says so."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp):
        return None
    return _bound(divergence, op, _order(op), dim)


def bound_before_suffix(
    divergence: Divergence, condition: SSAValue, dim: int = 0
) -> Bound | None:
    """The bound within which `condition` does not hold, where it does in all other lanes."""
    op = condition.owner
    if not isinstance(op, arith.CmpiOp):
        return None
    return _bound(divergence, op, NEGATED[_order(op)], dim)


def _order(op: arith.CmpiOp) -> int:
    """Its predicate; of numbers that differ, which is less, if that is always the same one."""
    predicate = op.predicate.value.data
    if PREDICATES[predicate] == "ne":
        ranges = IntegerRanges()
        left, right = ranges.of(op.lhs), ranges.of(op.rhs)
        if left.high <= right.low:
            return PREDICATES.index("slt")
        if right.high <= left.low:
            return PREDICATES.index("sgt")
    return predicate


def conjuncts(condition: SSAValue) -> Iterator[SSAValue]:
    """What all has to hold for `condition` to hold, each once."""

    def parts(value: SSAValue) -> tuple[SSAValue, ...]:
        op = value.owner
        return (op.rhs, op.lhs) if isinstance(op, arith.AndIOp) else ()

    for value in reachable([condition], parts):
        if not isinstance(value.owner, arith.AndIOp):
            yield value


_LESS = {2: (False, True), 3: (True, True), 6: (False, False), 7: (True, False)}
"""slt, sle, ult, ule: (inclusive, signed)."""


def _bound(
    divergence: Divergence, op: arith.CmpiOp, predicate: int, dim: int
) -> Bound | None:
    """The bound that `op` would be with this predicate."""
    value, limit = op.lhs, op.rhs
    if divergence.shape(value, dim).is_uniform:
        value, limit = limit, value
        predicate = SWAPPED[predicate]
    known = _LESS.get(predicate)
    shape = divergence.shape(value, dim)
    if known is None or not divergence.shape(limit, dim).is_uniform:
        return None
    if shape.stride is None or shape.stride < 1:
        return None
    inclusive, signed = known
    if not grows_exactly(divergence, value, dim, signed=signed):
        return None
    return Bound(value, limit, shape.stride, inclusive, signed)


def grows_exactly(
    divergence: Divergence, value: SSAValue, dim: int, *, signed: bool = True
) -> bool:
    """Whether `value`, which grows steadily from lane to lane, never wraps."""
    shape = divergence.shape(value, dim)
    lanes = Lanes(dim, None, Scope.WORK_GROUP, IntegerRanges())
    if signed:
        return lanes.is_exact(shape, value)
    return lanes.is_exact_unsigned(shape, value)


def compares_ids(divergence: Divergence, condition: SSAValue) -> bool:
    """Whether `condition` compares numbers that grow steadily from lane to lane."""

    def parts(value: SSAValue) -> Sequence[SSAValue]:
        op = value.owner
        return op.operands if isinstance(op, arith.AndIOp | arith.OrIOp) else ()

    return all(
        parts(value)
        or (
            isinstance(op := value.owner, arith.CmpiOp)
            and all(divergence.shape(each).is_strided for each in op.operands)
        )
        for value in reachable([condition], parts)
    )
