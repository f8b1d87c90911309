"""The meaning of barriers, and of what work-items do with each other's values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from xdsl.ir import Operation, SSAValue

from spmd.dialects.spmd import (
    AllOp,
    AnyOp,
    BallotOp,
    BarrierOp,
    BroadcastOp,
    ElectOp,
    ReduceOp,
    ScanOp,
    Scope,
    ShuffleOp,
)
from spmd.reference.compiler import Body, Rendezvous, element, meaning
from spmd.reference.facts import WAITING, poison_source
from spmd.reference.items import WorkItem
from spmd.reference.scalars import POISON, ROUND, Scalar, signed
from spmd.reference.semantics.upstream.arith_float import maximumf, minimumf

WAITING.update(
    {
        AllOp,
        AnyOp,
        BallotOp,
        BarrierOp,
        BroadcastOp,
        ElectOp,
        ReduceOp,
        ScanOp,
        ShuffleOp,
    }
)

Resolve = Callable[[Sequence[WorkItem], Sequence[Any]], Sequence[Any]]
Combine = Callable[[Any, Any], Any]


@poison_source(BroadcastOp, ShuffleOp)
def _may_read_nobody(op: BroadcastOp | ShuffleOp) -> bool:
    return True


def meet(
    body: Body,
    op: Operation,
    scope: Scope,
    value: str,
    result: SSAValue | None,
    resolve: Resolve,
) -> None:
    """Wait for the others, with a value, and get a result."""
    site = body.site(op)
    across_sub_group = scope is Scope.SUB_GROUP
    body.program.rendezvous[site] = Rendezvous(op, across_sub_group, resolve)
    position = body.position(site) if across_sub_group else "()"
    wait = f"yield ({site}, {position}, {value})"
    if result is None:
        body.line(wait)
        return
    name = body.new(result)
    body.line(f"{name} = {wait}")
    if isinstance(op, ShuffleOp | BroadcastOp):
        undefined = body.undefined(op, "a work-item that is not there was read")
        body.line(f"if {name} is POISON: {name} = {undefined}")


def to_all(function: Callable[[Sequence[Any]], Any]) -> Resolve:
    """All get the same, which depends on all values."""

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        undefined = any(value is POISON for value in values)
        return [POISON if undefined else function(values)] * len(items)

    return resolve


@meaning(BarrierOp)
def _barrier(body: Body, op: BarrierOp) -> None:
    meet(body, op, op.scope.data, "None", None, lambda items, values: values)


@meaning(AnyOp)
def _any(body: Body, op: AnyOp) -> None:
    meet(body, op, op.scope.data, body.use(op.predicate), op.result, to_all(any))


@meaning(AllOp)
def _all(body: Body, op: AllOp) -> None:
    meet(body, op, op.scope.data, body.use(op.predicate), op.result, to_all(all))


@meaning(BallotOp)
def _ballot(body: Body, op: BallotOp) -> None:
    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        if any(value is POISON for value in values):
            return [POISON] * len(items)
        votes = sum(1 << i.lane for i, v in zip(items, values, strict=True) if v)
        return [votes] * len(items)

    meet(body, op, Scope.SUB_GROUP, body.use(op.predicate), op.result, resolve)


@meaning(ElectOp)
def _elect(body: Body, op: ElectOp) -> None:
    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        first = min(item.lane for item in items)
        return [item.lane == first for item in items]

    meet(body, op, Scope.SUB_GROUP, "None", op.result, resolve)


# --- reduce and scan -----------------------------------------------------------------


def combination(kind: str, scalar: Scalar) -> Combine:
    """How two values become one."""
    if scalar.is_float:
        rounding = ROUND[scalar.name]
        floats: dict[str, Combine] = {
            "add": lambda a, b: rounding(a + b),
            "mul": lambda a, b: rounding(a * b),
            "min": minimumf,
            "max": maximumf,
        }
        return floats[kind]
    mask, bits = scalar.mask, scalar.bits
    integers: dict[str, Combine] = {
        "add": lambda a, b: (a + b) & mask,
        "mul": lambda a, b: (a * b) & mask,
        "min": lambda a, b: a if signed(a, bits) < signed(b, bits) else b,
        "max": lambda a, b: a if signed(a, bits) > signed(b, bits) else b,
        "minui": min,
        "maxui": max,
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }
    return integers[kind]


def neutral(kind: str, scalar: Scalar) -> Any:
    """What an exclusive scan starts with."""
    if scalar.is_float:
        return {"add": 0.0, "mul": 1.0, "min": math.inf, "max": -math.inf}[kind]
    return {
        "add": 0,
        "mul": 1,
        "min": scalar.sign - 1,
        "max": scalar.sign,
        "minui": scalar.mask,
        "maxui": 0,
        "and": scalar.mask,
        "or": 0,
        "xor": 0,
    }[kind]


@meaning(ReduceOp)
def _reduce(body: Body, op: ReduceOp) -> None:
    combine = combination(op.kind.data.value, element(op.value.type, op))
    resolve = to_all(lambda values: reduce(combine, values))
    meet(body, op, op.scope.data, body.use(op.value), op.result, resolve)


@meaning(ScanOp)
def _scan(body: Body, op: ScanOp) -> None:
    scalar = element(op.value.type, op)
    kind = op.kind.data.value
    combine = combination(kind, scalar)
    inclusive = op.mode.data.value == "inclusive"

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        total = neutral(kind, scalar)
        results: list[Any] = []
        for position, value in enumerate(values):
            before = total
            if value is POISON or total is POISON:
                total = POISON
            else:
                total = combine(total, value) if position else value
            results.append(total if inclusive else before)
        return results

    meet(body, op, op.scope.data, body.use(op.value), op.result, resolve)


# --- reading another work-item's value -----------------------------------------------


@meaning(BroadcastOp)
def _broadcast(body: Body, op: BroadcastOp) -> None:
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

    value = f"({body.use(op.value)}, {body.use(op.source)})"
    meet(body, op, op.scope.data, value, op.result, resolve)


def source_lane(mode: str, lane: int, selector: int, lanes: int) -> int:
    """The lane to read from; it need not exist."""
    if mode == "idx":
        return selector
    if mode == "xor":
        return lane ^ selector
    if mode == "up":
        return lane - selector
    if mode == "down":
        return lane + selector
    return (lane + selector) % lanes


@meaning(ShuffleOp)
def _shuffle(body: Body, op: ShuffleOp) -> None:
    body.require([op.selector], op, "lane")
    mode = op.mode.data.value

    def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
        brought = {i.lane: value for i, (value, _) in zip(items, values, strict=True)}
        return [
            brought.get(
                source_lane(mode, item.lane, selector, item.sub_group_length), POISON
            )
            for item, (_, selector) in zip(items, values, strict=True)
        ]

    value = f"({body.use(op.value)}, {body.use(op.selector)})"
    meet(body, op, Scope.SUB_GROUP, value, op.result, resolve)
