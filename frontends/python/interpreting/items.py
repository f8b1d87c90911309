"""
What the names of `spmd.language` do while a kernel is run as a function of Python.

The methods of `PythonItem` have the names and arguments of the functions in `names.py`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from types import CodeType
from typing import Any

import numpy as np

from spmd.frontends.python import names
from spmd.frontends.python.interpreting.kinds import combiner, common_type, neutral
from spmd.reference.items import WorkItem

_ARRAY: tuple[type, ...] = (np.ndarray,)

Resolve = Callable[[Sequence[WorkItem], Sequence[Any]], Sequence[Any]]
"""What each of some work-items gets, which came together with these values."""


@dataclass(frozen=True)
class Request:
    """A work-item waits for others: where, with what, and what they get."""

    position: tuple[int, ...]
    """Of the call in program order: in the kernel, in the function called there, and so on."""
    place: str
    across: str
    value: Any
    resolve: Resolve


class PythonItem:
    """One work-item; `meet` waits for others and gives what it gets of them."""

    def __init__(
        self,
        item: WorkItem,
        kernel: CodeType,
        storage: dict[object, Any],
        meet: Callable[[Request], Any],
    ):
        self._item = item
        self._kernel = kernel
        self._storage = storage
        self._meet = meet

    # --- ids and sizes ----------------------------------------------------------------

    def global_id(self, dimension: int) -> int:
        return self._item.global_id[dimension]

    def local_id(self, dimension: int) -> int:
        return self._item.local[dimension]

    def group_id(self, dimension: int) -> int:
        return self._item.group.id[dimension]

    def global_size(self, dimension: int) -> int:
        return self._item.group.global_size[dimension]

    def local_size(self, dimension: int) -> int:
        return self._item.group.size[dimension]

    def enqueued_local_size(self, dimension: int) -> int:
        return self._item.group.enqueued[dimension]

    def num_groups(self, dimension: int) -> int:
        return self._item.group.count[dimension]

    def lane_id(self) -> int:
        return self._item.lane

    def sub_group_id(self) -> int:
        return self._item.sub_group

    def sub_group_size(self) -> int:
        return self._item.sub_group_length

    def num_sub_groups(self) -> int:
        return self._item.group.sub_groups

    # --- memory -----------------------------------------------------------------------

    def local(self, shape: Any, dtype: Any) -> Any:
        position, _ = self._place()
        found = self._storage.get(position)
        if found is None:
            found = self._storage[position] = self.private(shape, dtype)
        return found

    def private(self, shape: Any, dtype: Any) -> Any:
        dtype = np.dtype(dtype)
        undefined = np.nan if dtype.kind in "fV" else True
        if dtype.kind in "iu":
            undefined = np.iinfo(dtype).max
        return np.full(shape, undefined, dtype)

    # --- together ---------------------------------------------------------------------

    def barrier(self, across: str) -> None:
        self._together(across, None, lambda items, _: [None] * len(items))

    def reduce(self, combine: Any, value: Any, across: str) -> Any:
        function = combiner(combine)

        def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
            result = values[0]
            for each in values[1:]:
                result = function(result, each)
            return [common_type(values)(result)] * len(items)

        return self._together(across, value, resolve)

    def scan(self, combine: Any, value: Any, across: str, exclusive: bool) -> Any:
        function = combiner(combine)

        def resolve(_: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
            type_ = common_type(values)
            given = [neutral(function, type_), *values[:-1]] if exclusive else values
            return [type_(each) for each in accumulate(given, function)]

        return self._together(across, value, resolve)

    def broadcast(self, value: Any, source: int, across: str) -> Any:
        def resolve(items: Sequence[WorkItem], values: Sequence[Any]) -> Sequence[Any]:
            by_number = {
                item.linear if across == names.WORK_GROUP else item.lane: each
                for item, each in zip(items, values, strict=True)
            }
            return [by_number.get(source, each) for each in values]

        return self._together(across, value, resolve)

    def any(self, predicate: Any, across: str) -> bool:
        return self._together(
            across, bool(predicate), lambda items, bits: [any(bits)] * len(items)
        )

    def all(self, predicate: Any, across: str) -> bool:
        return self._together(
            across, bool(predicate), lambda items, bits: [all(bits)] * len(items)
        )

    def ballot(self, predicate: Any) -> np.uint64:
        def resolve(items: Sequence[WorkItem], bits: Sequence[Any]) -> Sequence[Any]:
            pairs = zip(items, bits, strict=True)
            voted = np.uint64(sum(bit << item.lane for item, bit in pairs))
            return [voted] * len(items)

        return self._together(names.SUB_GROUP, bool(predicate), resolve)

    def elect(self) -> bool:
        def resolve(items: Sequence[WorkItem], _: Sequence[Any]) -> Sequence[Any]:
            first = min(item.lane for item in items)
            return [item.lane == first for item in items]

        return self._together(names.SUB_GROUP, None, resolve)

    def shuffle(self, value: Any, lane: int) -> Any:
        def resolve(items: Sequence[WorkItem], given: Sequence[Any]) -> Sequence[Any]:
            values = [each for each, _ in given]
            lanes = {item.lane: each for item, each in zip(items, values, strict=True)}
            return [lanes.get(source, each) for each, source in given]

        return self._together(names.SUB_GROUP, (_number(value), lane), resolve)

    # --- numbers ----------------------------------------------------------------------

    def fma(self, x: Any, y: Any, z: Any) -> Any:
        exact = np.longdouble(x) * np.longdouble(y) + np.longdouble(z)
        return np.result_type(x, y, z).type(exact)

    # --- atomics ----------------------------------------------------------------------

    def atomic_update(self, array: Any, index: Any, new: Callable[[Any], Any]) -> Any:
        """Stores what `new` makes of the element; gives the old one."""
        old = array[index]
        array[index] = new(old)
        return old

    # --- meetings ---------------------------------------------------------------------

    def _together(self, across: str, value: Any, resolve: Resolve) -> Any:
        position, place = self._place()
        return self._meet(Request(position, place, across, _number(value), resolve))

    def _place(self) -> tuple[tuple[int, ...], str]:
        """Where the kernel calls the function of the language."""
        frame = inspect.currentframe()
        assert frame is not None
        while frame.f_code.co_filename in (__file__, names.__file__):
            assert frame.f_back is not None
            frame = frame.f_back
        place = f"line {frame.f_lineno}"
        position = [frame.f_lasti]
        while frame.f_code is not self._kernel and frame.f_back is not None:
            frame = frame.f_back
            position.append(frame.f_lasti)
        return tuple(reversed(position)), place


def _number(value: Any) -> Any:
    """
    What others may get of `value`.

    `np.where` gives an array without dimensions, which `+=` of one of them would change for all.
    """
    return value[()] if isinstance(value, _ARRAY) and not np.shape(value) else value
