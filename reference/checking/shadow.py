"""
What the checker remembers of every piece of memory: who wrote it last, and who read it.

Two accesses *conflict* if at least one is a store and not both are atomic. They are a race
if they come from different work-items and nothing orders them: a barrier of the group (then
their epochs differ), one of the sub-group, or a release and an acquire.

For each unit of memory two records of each sort are kept, of different work-items, and one
of another group. That is enough to find a race in every unit that has one, if not always
every pair that takes part in it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from spmd.reference.items import Item


class Access(NamedTuple):
    """One load or store by a work-item, or by the host."""

    item: Item
    site: int
    epoch: int
    """Different for every group, and for every piece between two barriers."""
    sub_epoch: int
    atomic: str
    """The scope of an atomic access; empty for a plain one."""
    time: int
    value: Any


class History:
    """The last accesses of one sort to one unit of memory."""

    __slots__ = ("first", "other_group", "second")

    def __init__(self, access: Access):
        self.first = access
        self.second: Access | None = None
        self.other_group: Access | None = None

    def add(self, access: Access) -> None:
        """`access` is the latest; keep what is needed of those before."""
        before = self.first
        if before.item is not access.item:
            self.second = before
            if before.item.group is not access.item.group:
                self.other_group = before
        self.first = access

    def accesses(self) -> list[Access]:
        found = [self.first, self.second, self.other_group]
        return [access for access in found if access is not None]


class Shadow:
    """
    The shadow of one stretch of memory, in units of some bytes.

    `unit` is the size of the elements; of the smallest ones, or a byte, if the memory is
    seen in several ways.
    """

    __slots__ = ("address", "is_private", "reads", "unit", "writes", "written")

    def __init__(
        self, address: int, length: int, unit: int, *, own: bool, private: bool
    ):
        self.address = address
        self.unit = unit
        self.is_private = private
        self.reads: dict[int, History] = {}
        self.writes: dict[int, History] = {}
        # Memory of the program's own starts without contents.
        self.written: bytearray | None = bytearray(length) if own else None

    def refine(self, unit: int) -> None:
        """Go over to smaller units; what is known holds for each part."""
        if self.unit % unit:
            unit = 1
        parts = self.unit // unit
        if parts == 1:
            return
        for name in ("reads", "writes"):
            coarse: dict[int, History] = getattr(self, name)
            fine: dict[int, History] = {}
            for number, history in coarse.items():
                for part in range(parts):
                    copy = History(history.first)
                    copy.second = history.second
                    copy.other_group = history.other_group
                    fine[number * parts + part] = copy
            setattr(self, name, fine)
        self.unit = unit
