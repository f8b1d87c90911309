"""The meaning of barriers, and of what work-items do with each other's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, TypeVar

from spmd.dialects.spmd import (
    AllOp,
    AnyOp,
    BallotOp,
    BarrierOp,
    BroadcastOp,
    ConvergentOp,
    ElectOp,
    ReduceOp,
    ScanOp,
    Scope,
    ShuffleOp,
    neutral_element,
)
from spmd.reference.compiler import Body, Rendezvous, meaning
from spmd.reference.facts import poison_source
from spmd.reference.items import WorkItem
from spmd.reference.scalars import POISON
from spmd.reference.semantics.expressions import Combine, combination, element

Resolve = Callable[[Sequence[WorkItem], Sequence[Any]], Sequence[Any]]
"""From the work-items and the operands of each to the result of each."""


OpT = TypeVar("OpT", bound=ConvergentOp)


def collective(
    *ops: type[OpT],
) -> Callable[[Callable[[Body, OpT], Resolve]], Callable[[Body, OpT], Resolve]]:
    """Registers how the work-items that wait at an op get their results."""

    def register(
        resolve: Callable[[Body, OpT], Resolve],
    ) -> Callable[[Body, OpT], Resolve]:
        meaning(*ops)(lambda body, op: _meet(body, op, resolve(body, op)))
        return resolve

    return register


def _meet(body: Body, op: ConvergentOp, resolve: Resolve) -> None:
    """Wait for the others, with the operands, and get a result."""
    across_sub_group = op.convergence_scope is Scope.SUB_GROUP
    site = body.site(op)
    body.program.rendezvous[site] = Rendezvous(op, across_sub_group, resolve)
    position = body.position(site) if across_sub_group else "()"
    operands = body.uses(op.operands)
    brought = operands[0] if len(operands) == 1 else f"({', '.join(operands)})"
    wait = f"(yield ({site}, {position}, {brought}))"
    if isinstance(op, ShuffleOp | BroadcastOp):
        wait = body.defined(op, wait, "a work-item that is not there was read")
    if op.results:
        body.let(op.results[0], wait)
    else:
        body.line(wait)


poison_source(BroadcastOp, ShuffleOp)(lambda _: True)


def to_all(function: Callable[[Sequence[Any]], Any]) -> Resolve:
    """All get the same, which depends on all values."""

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        undefined = any(value is POISON for value in values)
        return [POISON if undefined else function(values)] * len(items)

    return resolve


collective(BarrierOp)(lambda body, op: lambda items, values: values)
collective(AnyOp)(lambda body, op: to_all(any))
collective(AllOp)(lambda body, op: to_all(all))


@collective(BallotOp)
def _ballot(_: Body, op: BallotOp) -> Resolve:
    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        def bits(votes: Sequence[Any]) -> int:
            return sum(1 << i.lane for i, v in zip(items, votes, strict=True) if v)

        return to_all(bits)(items, values)

    return resolve


@collective(ElectOp)
def _elect(_: Body, op: ElectOp) -> Resolve:
    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        first = min(item.lane for item in items)
        return [item.lane == first for item in items]

    return resolve


# --- reduce and scan -----------------------------------------------------------------


def combine_of(body: Body, op: ReduceOp | ScanOp) -> Combine:
    """How two values become one."""
    text = combination(op.kind.data.value, element(op.value.type, op))
    return eval(text, body.program.environment)


@collective(ReduceOp)
def _reduce(body: Body, op: ReduceOp) -> Resolve:
    combine = combine_of(body, op)
    return to_all(lambda values: reduce(combine, values))


@collective(ScanOp)
def _scan(body: Body, op: ScanOp) -> Resolve:
    start = neutral_element(op.kind.data, op.value.type).value.data
    if isinstance(start, int):
        start &= element(op.value.type, op).mask
    combine = combine_of(body, op)
    inclusive = op.mode.data.value == "inclusive"

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        total = start
        results: list[Any] = []
        for position, value in enumerate(values):
            before = total
            if value is POISON or total is POISON:
                total = POISON
            else:
                total = combine(total, value) if position else value
            results.append(total if inclusive else before)
        return results

    return resolve


# --- reading another work-item's value -----------------------------------------------


@collective(BroadcastOp)
def _broadcast(body: Body, op: BroadcastOp) -> Resolve:
    """The source is a lane, or a linear local id; it must be the same for all."""
    body.require([op.source], op, "source")
    by_lane = op.scope.data is Scope.SUB_GROUP

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        brought = {
            item.lane if by_lane else item.linear: value
            for item, (value, _) in zip(items, values, strict=True)
        }
        sources = {source for _, source in values}
        if len(sources) > 1:
            return [POISON] * len(items)
        return [brought.get(sources.pop(), POISON)] * len(items)

    return resolve


SOURCE_LANES: dict[str, Callable[[int, int, int], int]] = {
    "idx": lambda lane, selector, lanes: selector,
    "xor": lambda lane, selector, lanes: lane ^ selector,
    "up": lambda lane, selector, lanes: lane - selector,
    "down": lambda lane, selector, lanes: lane + selector,
    "rotate": lambda lane, selector, lanes: (lane + selector) % lanes,
}
"""The lane to read from; it need not exist."""


@collective(ShuffleOp)
def _shuffle(body: Body, op: ShuffleOp) -> Resolve:
    body.require([op.selector], op, "lane")
    source = SOURCE_LANES[op.mode.data.value]

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        brought = {i.lane: value for i, (value, _) in zip(items, values, strict=True)}
        return [
            brought.get(source(item.lane, selector, item.sub_group_length), POISON)
            for item, (_, selector) in zip(items, values, strict=True)
        ]

    return resolve
