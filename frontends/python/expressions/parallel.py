"""What the names of `spmd.language` become: ids, barriers, collectives, atomics."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from spmd.dialects import spmd
from spmd.dialects.limits import MAX_EXTENT
from spmd.frontends.python import names
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.expressions.memory import (
    element,
    expect_writable,
    make_local,
    make_private,
)
from spmd.frontends.python.interpreting.kinds import NAMES, kind_of
from spmd.frontends.python.types import BOOL, INT, UINT64, Scalar, promote
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    integer,
)

Handler = Callable[..., Value]

SCOPES = (names.WORK_GROUP, names.SUB_GROUP)
NOTHING = Host(None)
_WORK_GROUP = Host(names.WORK_GROUP)
_RELAXED, _DEVICE = Host(names.RELAXED), Host(names.DEVICE)


def _id(op: type[spmd.DimensionOp], low: int) -> Handler:
    def handler(e: Emitter, dimension: Value = integer(0)) -> Value:
        if not isinstance(dimension, Constant) or dimension.value not in (0, 1, 2):
            got = getattr(dimension, "value", described(dimension.type))
            e.fail(f"expected a constant dimension of 0, 1 or 2, got {got}")
        return e.number(INT, op("xyz"[int(dimension.value)]), low, MAX_EXTENT)

    return handler


def _of_sub_group(op: Callable[[], Operation], low: int) -> Handler:
    def handler(e: Emitter) -> Value:
        return e.number(INT, op(), low, MAX_EXTENT)

    return handler


def _kind(e: Emitter, combine: Value, type_: Scalar) -> str:
    kind = kind_of(combine.value) if isinstance(combine, Host) else None
    if kind is None:
        e.fail(
            f"expected sum, min, max, operator.mul, or one of {', '.join(NAMES)} as a "
            f"text, got {described(combine.type)}"
        )
    if kind in ("min", "max") and type_.kind == "u":
        kind += "ui"
    if (why := spmd.why_not_kind(spmd.Kind(kind), type_.ir)) is not None:
        e.fail(f"{kind} of {type_}: {why}")
    return kind


def _scope(e: Emitter, across: Value) -> str:
    return e.text(across, "across", SCOPES)


def _reduce(
    e: Emitter, combine: Value, value: Value, across: Value = _WORK_GROUP
) -> Value:
    number = e.scalar(value, "to reduce")
    kind = _kind(e, combine, number.type)
    return e.number(number.type, spmd.ReduceOp(kind, e.ssa(number), _scope(e, across)))


def _scan(
    e: Emitter,
    combine: Value,
    value: Value,
    across: Value = _WORK_GROUP,
    exclusive: Value = Constant(BOOL, False),
) -> Value:
    number = e.scalar(value, "to scan")
    kind = _kind(e, combine, number.type)
    if not isinstance(exclusive, Constant):
        e.fail("expected exclusive as a constant, True or False")
    mode = "exclusive" if exclusive.value else "inclusive"
    return e.number(
        number.type, spmd.ScanOp(mode, kind, e.ssa(number), _scope(e, across))
    )


def _broadcast(
    e: Emitter,
    value: Value,
    source: Value = integer(0),
    across: Value = _WORK_GROUP,
) -> Value:
    number = e.scalar(value, "to broadcast")
    op = spmd.BroadcastOp(e.ssa(number), e.index(source, "source"), _scope(e, across))
    return e.number(number.type, op)


def _vote(op: type[spmd.AnyOp | spmd.AllOp]) -> Handler:
    def handler(e: Emitter, predicate: Value, across: Value = _WORK_GROUP) -> Value:
        bit = e.ssa(e.truth(predicate))
        return e.number(BOOL, op(bit, _scope(e, across)))

    return handler


def _ballot(e: Emitter, predicate: Value) -> Value:
    return e.number(UINT64, spmd.BallotOp(e.ssa(e.truth(predicate))))


def _elect(e: Emitter) -> Value:
    return e.number(BOOL, spmd.ElectOp())


def _shuffle(mode: str) -> Handler:
    def handler(e: Emitter, value: Value, selector: Value) -> Value:
        number = e.scalar(value, "to shuffle")
        op = spmd.ShuffleOp(mode, e.ssa(number), e.index(selector, "lane"))
        return e.number(number.type, op)

    return handler


def _barrier(e: Emitter, across: Value = _WORK_GROUP) -> Value:
    e.append(spmd.BarrierOp(_scope(e, across)))
    return NOTHING


def _strength(e: Emitter, ordering: Value, scope: Value) -> tuple[str, str]:
    """How an atomic operation orders other accesses, and for whom."""
    return (
        e.text(ordering, "ordering", tuple(each.value for each in spmd.Ordering)),
        e.text(scope, "scope", tuple(each.value for each in spmd.AtomicScope)),
    )


def _expect_kept(e: Emitter, number: Scalars, memory: Memory, by_value: bool) -> None:
    """An error if converting `number` first gives other elements than converting last."""
    element = memory.type.element
    if element.kind == "f":
        return
    is_kept = not by_value or promote(element, number.type) == element
    if number.type.kind == "f" or not is_kept:
        e.fail(
            f"expected a number that {memory.type} holds, got {number.type}; convert it, as "
            f"in {element.written}(...)"
        )


def _atomic(kind: str) -> Handler:
    def handler(
        e: Emitter,
        array: Value,
        index: Value,
        value: Value,
        ordering: Value = _RELAXED,
        scope: Value = _DEVICE,
    ) -> Value:
        memory, indices = element(e, array, index)
        expect_writable(e, memory)
        type_ = memory.type.element
        new = e.scalar(value, f"for {memory.type}")
        if kind != "exchange":
            _expect_kept(e, new, memory, kind not in ("add", "sub"))
        operand = e.ssa(e.convert(new, type_))
        name = kind + "ui" if kind in ("min", "max") and type_.kind == "u" else kind
        how = _strength(e, ordering, scope)
        return e.number(
            type_, spmd.AtomicRmwOp(name, operand, memory.ssa, indices, *how)
        )

    return handler


def _atomic_cas(
    e: Emitter,
    array: Value,
    index: Value,
    expected: Value,
    new: Value,
    ordering: Value = _RELAXED,
    scope: Value = _DEVICE,
) -> Value:
    memory, indices = element(e, array, index)
    expect_writable(e, memory)
    _expect_kept(e, e.scalar(expected, f"for {memory.type}"), memory, True)
    type_ = memory.type.element
    old, wanted = (
        e.ssa(e.convert(e.scalar(value, f"for {memory.type}"), type_))
        for value in (expected, new)
    )
    how = _strength(e, ordering, scope)
    op = spmd.AtomicCasOp(old, wanted, memory.ssa, indices, *how)
    e.append(op)
    return Items((Number(type_, op.old), Number(BOOL, op.won)))


HANDLERS: dict[object, Handler] = {
    names.global_id: _id(spmd.GlobalIdOp, 0),
    names.local_id: _id(spmd.LocalIdOp, 0),
    names.group_id: _id(spmd.GroupIdOp, 0),
    names.global_size: _id(spmd.GlobalSizeOp, 1),
    names.local_size: _id(spmd.LocalSizeOp, 1),
    names.enqueued_local_size: _id(spmd.EnqueuedLocalSizeOp, 1),
    names.num_groups: _id(spmd.NumGroupsOp, 1),
    names.lane_id: _of_sub_group(spmd.LaneIdOp, 0),
    names.sub_group_id: _of_sub_group(spmd.SubGroupIdOp, 0),
    names.sub_group_size: _of_sub_group(spmd.SubGroupSizeOp, 1),
    names.num_sub_groups: _of_sub_group(spmd.NumSubGroupsOp, 1),
    names.barrier: _barrier,
    names.local: make_local,
    names.private: make_private,
    names.reduce: _reduce,
    names.scan: _scan,
    names.broadcast: _broadcast,
    names.any: _vote(spmd.AnyOp),
    names.all: _vote(spmd.AllOp),
    names.ballot: _ballot,
    names.elect: _elect,
    names.shuffle: _shuffle("idx"),
    names.shuffle_xor: _shuffle("xor"),
    names.shuffle_up: _shuffle("up"),
    names.shuffle_down: _shuffle("down"),
    names.shuffle_rotate: _shuffle("rotate"),
    names.atomic_add: _atomic("add"),
    names.atomic_sub: _atomic("sub"),
    names.atomic_min: _atomic("min"),
    names.atomic_max: _atomic("max"),
    names.atomic_and: _atomic("and"),
    names.atomic_or: _atomic("or"),
    names.atomic_xor: _atomic("xor"),
    names.atomic_exchange: _atomic("exchange"),
    names.atomic_cas: _atomic_cas,
}
"""
What writes a call, by the function that is called.

A handler takes the emitter and the arguments, whose names and defaults are those of the
function.
"""
