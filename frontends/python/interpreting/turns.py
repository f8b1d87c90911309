"""
Runs the work-items of a launch as calls of a function of Python, one at a time.

A work-item runs until it waits for others or ends. Which lanes of a sub-group come to a call
together is found as the reference interpreter finds it: when all wait, the ones that are first
in program order will be joined by no other. Frames of Python do not tell iterations of a
loop apart, so that lanes in different iterations meet here, which natively they do not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from spmd.frontends.python import names
from spmd.frontends.python.interpreting.fibers import Fiber
from spmd.frontends.python.interpreting.items import PythonItem, Request
from spmd.reference.items import Group, WorkItem
from spmd.reference.schedule import Order
from spmd.runtime.errors import LaunchError


@contextmanager
def _blamed(item: WorkItem):
    """Says of an error in which work-item it was."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in {item}")
        raise


class Turns:
    """The work-items of one group."""

    def __init__(
        self,
        function: FunctionType,
        arguments: Mapping[str, Any],
        group: Group,
        order: Order,
    ):
        self._function = function
        self._arguments = arguments
        self._items = group.items()
        self._order = order
        self._storage: dict[object, Any] = {}
        self._fibers: dict[WorkItem, Fiber[Request]] = {}

    def run_alone(self) -> None:
        """All in the thread of the caller: nobody waits."""
        for item in self._order(self._items):
            with _blamed(item):
                self._call(item, lambda request: None)

    def run(self) -> None:
        """All to their end, in turn."""
        for item in self._items:
            self._fibers[item] = self._fiber(item)
        try:
            self._advance(dict.fromkeys(self._items))
            while self._waiting():
                self._advance(self._met_in_sub_groups() or self._met_in_group())
        finally:
            for fiber in self._fibers.values():
                fiber.abandon()

    def _fiber(self, item: WorkItem) -> Fiber[Request]:
        return Fiber(lambda fiber: self._call(item, fiber.wait))

    def _call(self, item: WorkItem, meet: Callable[[Request], Any]) -> None:
        code = self._function.__code__
        token = names.work_item.set(PythonItem(item, code, self._storage, meet))
        try:
            with np.errstate(all="ignore"):
                self._function(**self._arguments)
        finally:
            names.work_item.reset(token)

    def _waiting(self) -> list[WorkItem]:
        return [each for each in self._items if self._fibers[each].request is not None]

    def _advance(self, answers: Mapping[WorkItem, Any]) -> None:
        for item in self._order(list(answers)):
            with _blamed(item):
                self._fibers[item].resume(answers[item])

    def _request(self, item: WorkItem) -> Request:
        request = self._fibers[item].request
        assert request is not None
        return request

    def _met_in_sub_groups(self) -> dict[WorkItem, Any]:
        """Answers for the lanes of each sub-group that are first in program order."""
        sub_groups: dict[int, list[WorkItem]] = {}
        for item in self._waiting():
            if self._request(item).across == names.SUB_GROUP:
                sub_groups.setdefault(item.sub_group, []).append(item)
        answers: dict[WorkItem, Any] = {}
        for lanes in sub_groups.values():
            first = min(self._request(lane).position for lane in lanes)
            answers |= self._resolved(
                [lane for lane in lanes if self._request(lane).position == first]
            )
        return answers

    def _met_in_group(self) -> dict[WorkItem, Any]:
        """Answers for all work-items, which must be at the same call."""
        waiting = self._waiting()
        here = self._request(waiting[0])
        for item in self._items:
            request = self._fibers[item].request
            if request is None or request.position != here.position:
                fate = "ended" if request is None else f"waits in {request.place}"
                raise LaunchError(
                    f"{self._function.__name__}: expected all work-items of the group in "
                    f"{here.place}, where {waiting[0]} waits, but {item} {fate}"
                )
        return self._resolved(waiting)

    def _resolved(self, items: Sequence[WorkItem]) -> dict[WorkItem, Any]:
        requests = [self._request(item) for item in items]
        values = [request.value for request in requests]
        results = requests[0].resolve(items, values)
        return dict(zip(items, results, strict=True))
