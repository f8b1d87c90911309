"""
Runs the work-items of a group: in turn, each up to the next op at which it must wait.

Sub-group ops work on the lanes that reach them together. When no lane of a sub-group can
go on, the lanes that stand first in program order (see `Body.position`) have met all they
will ever meet there: the others stand at later ops already, and no lane goes back.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from random import Random
from typing import Any, Literal, TypeVar

from spmd.dialects.spmd import BarrierOp
from spmd.reference.compiler import Program
from spmd.reference.errors import ArgumentError, Event, Trap, UndefinedBehavior
from spmd.reference.items import WorkItem

Schedule = Literal["in-order", "reversed", "random"]
SCHEDULES: tuple[Schedule, ...] = ("in-order", "reversed", "random")

Request = tuple[int, tuple[int, ...], Any]
"""Site, position and value of a work-item that waits for others."""
ItemCode = Generator[Request, Any, Any]
T = TypeVar("T")


class Order:
    """In which order work-items, and groups, take their turns."""

    def __init__(self, schedule: str, seed: int):
        if schedule not in SCHEDULES:
            raise ArgumentError(
                f"expected a schedule of {', '.join(SCHEDULES)}, got {schedule}"
            )
        self.schedule = schedule
        self.random = Random(seed)

    def __call__(self, items: Sequence[T]) -> Sequence[T]:
        if self.schedule == "in-order":
            return items
        if self.schedule == "reversed":
            return items[::-1]
        return self.random.sample(list(items), len(items))


def blame(program: Program, trap: Trap, item: object) -> UndefinedBehavior:
    """What went wrong, with the op and the work-item."""
    op = program.sites[trap.site]
    return UndefinedBehavior(trap.message, op, str(item), item=item)


class Turns:
    """The work-items of one group, or one sub-group, from start to end."""

    def __init__(
        self,
        program: Program,
        order: Order,
        items: Sequence[WorkItem],
        start: Callable[[WorkItem], ItemCode],
    ):
        self.program = program
        self.order = order
        self.items = items
        self.code = {item: start(item) for item in items}
        self.requests: dict[WorkItem, Request] = {}
        self.sub_groups: dict[int, list[WorkItem]] = {}
        for item in items:
            self.sub_groups.setdefault(item.sub_group, []).append(item)

    def run(self) -> None:
        """All work-items to their end."""
        self.advance(dict.fromkeys(self.items))
        while self.requests:
            answers = self.meet_in_sub_groups()
            if not answers:
                answers = self.meet_in_group()
            self.advance(answers)

    def advance(self, answers: dict[WorkItem, Any]) -> None:
        """Let the work-items go on, each with its answer."""
        requests = self.requests
        for item in self.order(list(answers)):
            requests.pop(item, None)
            try:
                requests[item] = self.code[item].send(answers[item])
            except StopIteration:
                pass
            except Trap as trap:
                raise blame(self.program, trap, item) from None

    def meet_in_sub_groups(self) -> dict[WorkItem, Any]:
        """Answers for the lanes of each sub-group that are first in program order."""
        answers: dict[WorkItem, Any] = {}
        rendezvous = self.program.rendezvous
        for lanes in self.sub_groups.values():
            first: tuple[int, ...] | None = None
            together: list[WorkItem] = []
            for lane in lanes:
                request = self.requests.get(lane)
                if request is None or not rendezvous[request[0]].across_sub_group:
                    continue
                if first is None or request[1] < first:
                    first, together = request[1], [lane]
                elif request[1] == first:
                    together.append(lane)
            if together:
                self.resolve(together, answers)
        return answers

    def meet_in_group(self) -> dict[WorkItem, Any]:
        """Answers for all work-items, which must be at the same op."""
        answers: dict[WorkItem, Any] = {}
        waiting = [item for item in self.items if item in self.requests]
        site = self.requests[waiting[0]][0]
        elsewhere: dict[int | None, list[WorkItem]] = {}
        for item in self.items:
            at = self.requests[item][0] if item in self.requests else None
            if at != site:
                elsewhere.setdefault(at, []).append(item)
        if elsewhere:
            raise self.divergent(waiting[0], elsewhere)
        self.resolve(waiting, answers)
        return answers

    def divergent(
        self, item: WorkItem, elsewhere: dict[int | None, list[WorkItem]]
    ) -> UndefinedBehavior:
        """An op that needs all work-items of the group does not get them."""
        op = self.program.sites[self.requests[item][0]]
        others: list[Event] = []
        for site, items in elsewhere.items():
            more = f" and {len(items) - 1} more" if len(items) > 1 else ""
            what = "ended without it" if site is None else "waits at another op"
            at = None if site is None else self.program.sites[site]
            others.append(Event(at, f"{items[0]}{more}", what))
        fates = " and ".join(f"{other.who} {other.what}" for other in others)
        return UndefinedBehavior(
            f"expected all work-items of the group here, but {fates}",
            op,
            str(item),
            item=item,
            others=others,
        )

    def resolve(self, items: list[WorkItem], answers: dict[WorkItem, Any]) -> None:
        rendezvous = self.program.rendezvous[self.requests[items[0]][0]]
        if self.program.checker is not None and isinstance(rendezvous.op, BarrierOp):
            self.program.checker.meet(items, rendezvous.across_sub_group)
        values = [self.requests[item][2] for item in items]
        try:
            results = rendezvous.resolve(items, values)
        except Trap as trap:
            raise blame(self.program, trap, items[0]) from None
        answers.update(zip(items, results, strict=True))
