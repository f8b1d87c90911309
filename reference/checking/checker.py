"""
Watches a run: every access to memory, every undefined value, every meeting.

Compiled code calls the checker where the plain interpreter would only compute. What is
wrong is noted and the run goes on with zeros, so that one run finds more than one fault;
only a group that cannot go on is given up.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from xdsl.ir import Operation

from spmd.reference.checking.findings import (
    Finding,
    Kind,
    Report,
    describe,
    element,
)
from spmd.reference.checking.shadow import History, RecordedAccess, Shadow
from spmd.reference.errors import Event, UndefinedBehavior
from spmd.reference.items import Item, WorkItem
from spmd.reference.memory import MemRef
from spmd.reference.scalars import POISON, Poison, signed


class Checker:
    """Collects the findings of one run."""

    def __init__(self, kernel: str, sites: list[Operation], *, ordered: bool):
        self.report = Report(kernel)
        self.sites = sites
        self.ordered = ordered
        """Whether the program orders memory by atomics: then time matters."""
        self.clock = count(1)
        self.known: dict[tuple[Any, ...], Finding] = {}
        self.origins: dict[object, tuple[int, str]] = {}
        self.released: dict[tuple[int, int], dict[Any, int]] = {}
        self.launch: Event | None = None
        """Which launch of a host function runs."""

    # --- findings --------------------------------------------------------------------

    def add(self, kind: Kind, message: str, *places: Event) -> None:
        """Note a fault, or count it if it is one of many."""
        if self.launch is not None:
            places = (*places, self.launch)
        key = (kind, *(place.op for place in places))
        found = self.known.get(key)
        if found is not None:
            found.count += 1
            return
        found = self.known[key] = Finding(kind, message, places)
        self.report.findings.append(found)

    def place(self, item: object, site: int, what: str) -> Event:
        return Event(self.sites[site], str(item), what)

    def gave_up(self, error: UndefinedBehavior) -> None:
        """A work-item, or its whole group, could not go on."""
        assert error.op is not None
        kind: Kind = "barrier" if error.others else "undefined behavior"
        message = "" if error.others else error.message
        places = [Event(error.op, error.where, "is here")]
        if message.startswith("undefined "):
            kind, message = "undefined value", message.removeprefix("undefined ")
            origin = self.origins.get(error.item)
            if origin is not None:
                site, why = origin
                places.append(self.place(error.item, site, f"made it: {why}"))
        elif message.startswith("out of bounds: "):
            kind, message = "out of bounds", message.removeprefix("out of bounds: ")
        self.add(kind, message, *places, *error.others)

    def undefined(self, item: Item, site: int, why: str) -> Poison:
        """An op has no defined result; that matters only if the result is used."""
        self.origins[item] = (site, why)
        return POISON

    # --- memory ----------------------------------------------------------------------

    def share(self, arrays: Sequence[MemRef]) -> None:
        """Arrays of the caller's: those that overlap have one shadow."""
        end = 0
        shadow: Shadow | None = None
        for array in sorted(arrays, key=lambda array: array.storage.address):
            storage = array.storage
            if storage.space != "global" or storage.is_fresh:
                continue
            size = array.data.itemsize
            if shadow is None or storage.address >= end:
                shadow = Shadow(storage.address, size)
            elif (storage.address - shadow.address) % size:
                shadow.refine(1)
            else:
                shadow.refine(size)
            storage.shadow = shadow
            end = max(end, storage.address + len(storage.bytes))

    def shadow_of(self, memory: MemRef) -> Shadow:
        storage = memory.storage
        shadow = storage.shadow
        if shadow is None:
            shadow = storage.shadow = Shadow(
                storage.address,
                memory.data.itemsize,
                storage.space == "private",
                bytearray(len(storage.bytes)) if storage.is_fresh else None,
            )
        return shadow

    def units(self, memory: MemRef, position: int) -> tuple[Shadow, range]:
        """The units of memory that an element covers."""
        shadow = memory.storage.shadow or self.shadow_of(memory)
        size = memory.data.itemsize
        first = memory.storage.address - shadow.address + memory.base + position * size
        if size % shadow.unit or first % shadow.unit:
            shadow.refine(size if first % size == 0 else 1)
        start = first // shadow.unit
        return shadow, range(start, start + size // shadow.unit)

    def outside(
        self, item: Item, site: int, memory: MemRef, indices: Sequence[int]
    ) -> None:
        at = ", ".join(str(signed(index, 64)) for index in indices)
        sizes = "x".join(map(str, memory.sizes)) or "1"
        self.add(
            "out of bounds",
            f"[{at}] of {describe(memory)} of {sizes} elements",
            self.place(item, site, "is here"),
        )

    def load(
        self, item: Item, memory: MemRef, indices: tuple[int, ...], site: int
    ) -> Any:
        """The contents of an element; zero if it has none."""
        position = self.position(item, memory, indices, site)
        if position >= 0 and self.read(item, memory, position, site, ""):
            return memory.data[position]
        return zero(memory)

    def store(
        self,
        item: Item,
        memory: MemRef,
        indices: tuple[int, ...],
        value: Any,
        site: int,
    ) -> None:
        position = self.position(item, memory, indices, site)
        if position < 0:
            return
        if value is None:
            self.store_undefined(item, memory, position, site)
            return
        self.write(item, memory, position, value, site, "")
        memory.data[position] = value

    def store_undefined(
        self, item: Item, memory: MemRef, position: int, site: int
    ) -> None:
        """In memory of the program's own that is as if nothing had been written."""
        shadow, units = self.units(memory, position)
        if shadow.written is not None:
            at, size = units.start * shadow.unit, memory.data.itemsize
            shadow.written[at : at + size] = bytes(size)
        else:
            self.used(item, site, "result")

    def used(self, item: Item, site: int, what: str) -> None:
        """An undefined value decides on something."""
        places = [self.place(item, site, "uses it")]
        if item in self.origins:
            origin, why = self.origins[item]
            places.append(self.place(item, origin, f"made it: {why}"))
        self.add("undefined value", what, *places)

    def position(
        self, item: Item, memory: MemRef, indices: tuple[int, ...], site: int
    ) -> int:
        """Where the element lies in the data; -1 if it is outside."""
        position = memory.offset
        for index, size, stride in zip(
            indices, memory.sizes, memory.strides, strict=True
        ):
            if index >= size:
                self.outside(item, site, memory, indices)
                return -1
            position += index * stride
        return position

    def read_all(
        self, item: Item, memory: MemRef, positions: Sequence[int | None], site: int
    ) -> None:
        for position in positions:
            if position is not None:
                self.read(item, memory, position, site, "")

    def write_all(
        self,
        item: Item,
        memory: MemRef,
        positions: Sequence[int | None],
        values: Sequence[Any],
        site: int,
    ) -> None:
        for position, value in zip(positions, values, strict=True):
            if position is not None:
                self.write(item, memory, position, value, site, "")

    def copy(self, item: Item, source: MemRef, target: MemRef, site: int) -> None:
        positions = source.positions()
        self.read_all(item, source, positions, site)
        values = [source.data[position] for position in positions]
        self.write_all(item, target, target.positions(), values, site)

    def read(
        self, item: Item, memory: MemRef, position: int, site: int, atomic: str
    ) -> bool:
        """Note a load; false if there is nothing to load."""
        shadow, units = self.units(memory, position)
        known = True
        if shadow.written is not None:
            known = bool(shadow.written[units.start * shadow.unit])
            if not known:
                self.add(
                    "never written",
                    element(memory, position),
                    self.place(item, site, "is here"),
                )
            if shadow.is_private:
                return known
        access = self.access(item, site, False, atomic, None)
        for unit in units:
            writes = shadow.writes.get(unit)
            if writes is not None:
                self.races(writes, access, memory, position)
            reads = shadow.reads.get(unit)
            if reads is None:
                shadow.reads[unit] = History(access)
            else:
                reads.add(access)
        return known

    def write(
        self,
        item: Item,
        memory: MemRef,
        position: int,
        value: Any,
        site: int,
        atomic: str,
    ) -> None:
        """Note a store."""
        shadow, units = self.units(memory, position)
        if shadow.written is not None:
            at = units.start * shadow.unit
            size = memory.data.itemsize
            shadow.written[at : at + size] = b"\1" * size
            if shadow.is_private:
                return
        access = self.access(item, site, True, atomic, value)
        for unit in units:
            reads = shadow.reads.get(unit)
            if reads is not None:
                self.races(reads, access, memory, position)
            writes = shadow.writes.get(unit)
            if writes is None:
                shadow.writes[unit] = History(access)
                continue
            self.races(writes, access, memory, position)
            writes.add(access)

    def access(
        self, item: Item, site: int, is_store: bool, atomic: str, value: Any
    ) -> RecordedAccess:
        time = next(self.clock) if self.ordered else 0
        epoch, sub_epoch = item.group.epoch, item.sub_epoch
        return RecordedAccess(
            item, site, is_store, epoch, sub_epoch, atomic, time, value
        )

    def conflict(self, before: RecordedAccess, now: RecordedAccess) -> bool:
        """Whether nothing orders the two, which are of different work-items."""
        if before.item.group.range is not now.item.group.range:
            return False  # one launch of a host function after the other, or the host
        same_group = before.item.group is now.item.group
        if same_group and before.epoch != now.epoch:
            return False
        if (
            same_group
            and before.item.sub_group == now.item.sub_group
            and before.sub_epoch != now.sub_epoch
        ):
            return False
        if before.atomic and now.atomic:
            scopes = (before.atomic, now.atomic)
            return not same_group and "work_group" in scopes
        return not (self.ordered and self.happened_before(before, now))

    def races(
        self, earlier: History, now: RecordedAccess, memory: MemRef, position: int
    ) -> None:
        """Note what nothing orders, of the `earlier` accesses of others and this one."""
        for before in earlier.accesses():
            if before.item is not now.item and self.conflict(before, now):
                self.race(before, now, memory, position)

    def race(
        self,
        before: RecordedAccess,
        now: RecordedAccess,
        memory: MemRef,
        position: int,
    ) -> None:
        same_group = before.item.group is now.item.group
        kind: Kind = "race" if same_group else "race between groups"
        plain = not before.atomic and not now.atomic
        if plain and before.is_store and now.is_store:
            kind = "same value" if repr(before.value) == repr(now.value) else kind
        between = "no barrier in between" if same_group else "in groups without order"
        does = "writes" if now.is_store else "reads"
        did = "wrote" if before.is_store else "read"
        self.add(
            kind,
            f"{element(memory, position)}, {between}",
            self.place(now.item, now.site, f"{does} it{_atomically(now)}"),
            self.place(before.item, before.site, f"{did} it{_atomically(before)}"),
        )

    # --- order by atomics ------------------------------------------------------------

    def atomic(
        self,
        item: Item,
        memory: MemRef,
        position: int,
        value: Any,
        site: int,
        scope: str,
        ordering: str,
    ) -> None:
        """Note an atomic access that replaces the contents by `value`."""
        self.read(item, memory, position, site, scope)
        self.write(item, memory, position, value, site, scope)
        if not self.ordered:
            return
        where = (memory.storage.address, memory.base + position * memory.data.itemsize)
        if ordering in ("acquire", "acq_rel", "seq_cst"):
            for who, time in self.released.get(where, {}).items():
                item.acquired[who] = max(time, item.acquired.get(who, 0))
        if ordering in ("release", "acq_rel", "seq_cst"):
            seen = self.released.setdefault(where, {})
            mine = {item: next(self.clock), item.group: item.group.met}
            for source in (mine, item.acquired, item.group.acquired):
                for who, time in source.items():
                    seen[who] = max(time, seen.get(who, 0))

    def meet(self, items: Sequence[WorkItem], across_sub_group: bool) -> None:
        """Work-items are at a barrier: what one has acquired, all have."""
        if across_sub_group:
            for item in items:
                item.sub_epoch += 1
            return
        group = items[0].group
        group.epoch += 1 << 32
        group.met = next(self.clock)
        for item in items:
            for who, time in item.acquired.items():
                group.acquired[who] = max(time, group.acquired.get(who, 0))

    def happened_before(self, before: RecordedAccess, now: RecordedAccess) -> bool:
        for acquired in (now.item.acquired, now.item.group.acquired):
            for who in (before.item, before.item.group):
                if before.time < acquired.get(who, 0):
                    return True
        return False


def _atomically(access: RecordedAccess) -> str:
    return " atomically" if access.atomic else ""


def zero(memory: MemRef) -> Any:
    return 0.0 if memory.data.format in "fd" else 0
