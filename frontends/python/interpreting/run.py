"""A launch of a kernel as a function of Python: all groups, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any

from spmd.frontends.python import names
from spmd.frontends.python.interpreting.turns import Turns
from spmd.frontends.python.source import Function, visible_names
from spmd.reference.errors import ArgumentError
from spmd.reference.interpreter import DEFAULT_SUB_GROUP_SIZE
from spmd.reference.items import Group, NDRange
from spmd.reference.schedule import Order
from spmd.runtime.arguments.sizes import Range
from spmd.runtime.errors import LaunchError

_WAITING = (
    names.barrier,
    names.reduce,
    names.scan,
    names.broadcast,
    names.any,
    names.all,
    names.ballot,
    names.elect,
    names.shuffle,
    names.shuffle_xor,
    names.shuffle_up,
    names.shuffle_down,
    names.shuffle_rotate,
)


def run(
    function: FunctionType,
    arguments: Mapping[str, Any],
    range_: Range,
    *,
    sub_group_size: int | None,
    schedule: str,
    seed: int,
) -> None:
    """Calls `function` for each work-item; raises what it raises, and says in which."""
    try:
        order = Order(schedule, seed)
    except ArgumentError as error:
        raise LaunchError(f"{function.__name__}: {error}") from None
    given = [each.function for each in arguments.values() if isinstance(each, Function)]
    waits = any(may_wait(each) for each in (function, *given))
    sizes = NDRange(range_.global_size, range_.group_size)
    for group_id in order(list(sizes.group_ids())):
        group = Group(group_id, sizes, sub_group_size or DEFAULT_SUB_GROUP_SIZE)
        turns = Turns(function, arguments, group, order)
        if waits:
            turns.run()
        else:
            turns.run_alone()


def may_wait(
    function: FunctionType, seen: frozenset[FunctionType] = frozenset()
) -> bool:
    """Whether a function, or one that it calls, may wait for other work-items."""
    used = set(function.__code__.co_names) | set(function.__code__.co_freevars)
    if used & {each.__name__ for each in _WAITING}:
        return True
    known = visible_names(function)
    for each in (known[name] for name in used if name in known):
        if any(each is name for name in _WAITING):
            return True
        called = each.function if isinstance(each, Function) else None
        if called and called not in seen and may_wait(called, seen | {function}):
            return True
    return False
