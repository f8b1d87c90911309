"""
The names of kernels in Python, beside those of Python and NumPy: `spmd.language`.

They have a meaning in a kernel only. What each becomes is the operation of the same name in
`docs/language.md`; `across` is "work_group" or "sub_group". Of atomic operations `ordering`
is "relaxed", "acquire", "release", "acq_rel" or "seq_cst", and `scope` is "work_group" or
"device".
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

WORK_GROUP = "work_group"
SUB_GROUP = "sub_group"
RELAXED = "relaxed"
DEVICE = "device"


if TYPE_CHECKING:
    # To type checkers a parameter is of whatever type its value has.
    constexpr = Any
else:

    class constexpr:
        """Annotates a parameter whose value is compiled in: `tile: constexpr`."""


work_item: ContextVar[Any] = ContextVar("work_item", default=None)
"""Who runs a kernel as a function of Python, if somebody does: see `interpreting/`."""


def _ask(name: str, *arguments: Any) -> Any:
    item = work_item.get()
    if item is None:
        raise RuntimeError(
            "expected a kernel around this: functions of spmd.language have a meaning in "
            "functions marked @spmd.kernel or @spmd.function only"
        )
    return getattr(item, name)(*arguments)


def _update(array: Any, index: Any, new: Callable[[Any], Any]) -> Any:
    return _ask("atomic_update", array, index, new)


def global_id(dimension: int = 0) -> int:
    """This work-item's place in the whole range."""
    return _ask("global_id", dimension)


def local_id(dimension: int = 0) -> int:
    """This work-item's place in its work-group."""
    return _ask("local_id", dimension)


def group_id(dimension: int = 0) -> int:
    """Which work-group this is."""
    return _ask("group_id", dimension)


def global_size(dimension: int = 0) -> int:
    """How many work-items there are."""
    return _ask("global_size", dimension)


def local_size(dimension: int = 0) -> int:
    """How many work-items this work-group has; the last one may be smaller."""
    return _ask("local_size", dimension)


def enqueued_local_size(dimension: int = 0) -> int:
    """How many work-items a full work-group has."""
    return _ask("enqueued_local_size", dimension)


def num_groups(dimension: int = 0) -> int:
    """How many work-groups there are."""
    return _ask("num_groups", dimension)


def lane_id() -> int:
    """This work-item's place in its sub-group."""
    return _ask("lane_id")


def sub_group_id() -> int:
    """Which sub-group of the work-group this is."""
    return _ask("sub_group_id")


def sub_group_size() -> int:
    """How many lanes this sub-group has."""
    return _ask("sub_group_size")


def num_sub_groups() -> int:
    """How many sub-groups this work-group has."""
    return _ask("num_sub_groups")


def barrier(across: str = WORK_GROUP) -> None:
    """Waits for all work-items of the work-group or sub-group."""
    _ask("barrier", across)


def local(shape: int | tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array that the work-group shares; `shape` is constant, its contents undefined."""
    return _ask("local", shape, dtype)


def private(shape: int | tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """An array that each work-item has its own of; `shape` is constant."""
    return _ask("private", shape, dtype)


def reduce(combine: Any, value: Any, across: str = WORK_GROUP) -> Any:
    """
    The values of all work-items combined into one, which all get.

    `combine` is `sum`, `min`, `max`, a function of `operator` or NumPy such as
    `operator.mul` and `np.bitwise_or`, or one of "add", "mul", "min", "max", "and", "or",
    "xor".
    """
    return _ask("reduce", combine, value, across)


def scan(
    combine: Any, value: Any, across: str = WORK_GROUP, exclusive: bool = False
) -> Any:
    """The values of all work-items up to this one combined; `combine` as of `reduce`."""
    return _ask("scan", combine, value, across, exclusive)


def broadcast(value: Any, source: int = 0, across: str = WORK_GROUP) -> Any:
    """The value of the work-item with the linear local id, or lane, `source`."""
    return _ask("broadcast", value, source, across)


def any(predicate: Any, across: str = WORK_GROUP) -> bool:
    """Whether the predicate is true in one work-item or more."""
    return _ask("any", predicate, across)


def all(predicate: Any, across: str = WORK_GROUP) -> bool:
    """Whether the predicate is true in every work-item."""
    return _ask("all", predicate, across)


def ballot(predicate: Any) -> np.uint64:
    """The predicates of all lanes of the sub-group, one bit each."""
    return _ask("ballot", predicate)


def elect() -> bool:
    """True in the first active lane of the sub-group."""
    return _ask("elect")


def shuffle(value: Any, lane: int) -> Any:
    """The value of lane `lane` of the sub-group."""
    return _ask("shuffle", value, lane)


def shuffle_xor(value: Any, mask: int) -> Any:
    """The value of lane `lane_id() ^ mask`."""
    return _ask("shuffle", value, lane_id() ^ mask)


def shuffle_up(value: Any, distance: int) -> Any:
    """The value of lane `lane_id() - distance`."""
    return _ask("shuffle", value, lane_id() - distance)


def shuffle_down(value: Any, distance: int) -> Any:
    """The value of lane `lane_id() + distance`."""
    return _ask("shuffle", value, lane_id() + distance)


def shuffle_rotate(value: Any, distance: int) -> Any:
    """The value of lane `(lane_id() + distance) % sub_group_size()`."""
    return _ask("shuffle", value, (lane_id() + distance) % sub_group_size())


def fma(x: Any, y: Any, z: Any) -> Any:
    """`x * y + z`, which is rounded once."""
    return _ask("fma", x, y, z)


def atomic_add(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] += value` as one step; gives the old element."""
    return _update(array, index, lambda old: old + value)


def atomic_sub(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] -= value` as one step; gives the old element."""
    return _update(array, index, lambda old: old - value)


def atomic_min(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] = min(array[index], value)` as one step; gives the old element."""
    return _update(array, index, lambda old: min(old, value))


def atomic_max(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] = max(array[index], value)` as one step; gives the old element."""
    return _update(array, index, lambda old: max(old, value))


def atomic_and(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] &= value` as one step; gives the old element."""
    return _update(array, index, lambda old: old & value)


def atomic_or(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] |= value` as one step; gives the old element."""
    return _update(array, index, lambda old: old | value)


def atomic_xor(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """`array[index] ^= value` as one step; gives the old element."""
    return _update(array, index, lambda old: old ^ value)


def atomic_exchange(
    array: Any, index: Any, value: Any, ordering: str = RELAXED, scope: str = DEVICE
) -> Any:
    """Stores `value` as one step; gives the old element."""
    return _update(array, index, lambda old: value)


def atomic_cas(
    array: Any,
    index: Any,
    expected: Any,
    new: Any,
    ordering: str = RELAXED,
    scope: str = DEVICE,
) -> tuple[Any, bool]:
    """Stores `new` if the element is `expected`, as one step; the old one, and whether."""
    old = _update(array, index, lambda old: new if old == expected else old)
    return old, bool(old == expected)
