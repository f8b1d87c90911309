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

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from spmd.reference.items import Item


class RecordedAccess(NamedTuple):
    """One load or store by a work-item, or by the host."""

    item: Item
    site: int
    is_store: bool
    epoch: int
    """Different for every group, and for every piece between two barriers."""
    sub_epoch: int
    atomic: str
    """The scope of an atomic access; empty for a plain one."""
    time: int
    value: Any


@dataclass(slots=True)
class History:
    """The last accesses of one sort to one unit of memory."""

    first: RecordedAccess
    second: RecordedAccess | None = None
    other_group: RecordedAccess | None = None

    def add(self, access: RecordedAccess) -> None:
        """`access` is the latest; keep what is needed of those before."""
        before = self.first
        if before.item is not access.item:
            self.second = before
            if before.item.group is not access.item.group:
                self.other_group = before
        self.first = access

    def accesses(self) -> list[RecordedAccess]:
        found = [self.first, self.second, self.other_group]
        return [access for access in found if access is not None]


Histories = dict[int, History]
"""By unit of memory."""


@dataclass(slots=True)
class Shadow:
    """
    The shadow of one stretch of memory, in units of some bytes.

    `unit` is the size of the elements; of the smallest ones, or a byte, if the memory is
    seen with several types.
    """

    address: int
    unit: int
    is_private: bool = False
    written: bytearray | None = None
    """Which bytes have contents; memory of the program's own starts without."""
    reads: Histories = field(default_factory=Histories)
    writes: Histories = field(default_factory=Histories)

    def refine(self, unit: int) -> None:
        """Go over to smaller units; what is known holds for each part."""
        if self.unit % unit:
            unit = 1
        parts = self.unit // unit
        self.unit = unit
        if parts == 1:
            return
        self.reads, self.writes = (
            {
                number * parts + part: replace(history)
                for number, history in coarse.items()
                for part in range(parts)
            }
            for coarse in (self.reads, self.writes)
        )
