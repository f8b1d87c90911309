"""Work-items and work-groups: who they are and where they stand in the range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, product
from math import prod
from typing import Self

from spmd.reference.errors import ArgumentError
from spmd.reference.memory import MemRef, allocate
from spmd.reference.scalars import Scalar

_epochs = count(1)

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class NDRange:
    """Global size and enqueued local size, x first."""

    global_size: Triple
    enqueued: Triple

    @property
    def groups(self) -> Triple:
        """Work-groups per dimension."""
        x, y, z = (
            -(-n // e) for n, e in zip(self.global_size, self.enqueued, strict=True)
        )
        return x, y, z

    def group_ids(self) -> Iterator[Triple]:
        """All work-groups, x fastest."""
        gx, gy, gz = self.groups
        for z, y, x in product(range(gz), range(gy), range(gx)):
            yield x, y, z


def as_triple(sizes: int | tuple[int, ...], what: str, least: int) -> Triple:
    """Sizes in three dimensions."""
    given = (sizes,) if isinstance(sizes, int) else tuple(map(int, sizes))
    if not 1 <= len(given) <= 3 or min(given) < least:
        raise ArgumentError(
            f"expected a {what} of 1 to 3 numbers from {least} up, got {sizes}"
        )
    x, y, z = (*given, 1, 1)[:3]
    return x, y, z


@dataclass(eq=False)
class Group:
    """One work-group, and its local memory."""

    id: Triple
    range: NDRange
    sub_group_size: int = 1
    local_memory: dict[int, MemRef] = field(default_factory=dict[int, MemRef])

    def __post_init__(self) -> None:
        self.enqueued = self.range.enqueued
        self.global_size = self.range.global_size
        self.count = self.range.groups
        x, y, z = (
            min(e, n - g * e)
            for g, e, n in zip(self.id, self.enqueued, self.global_size, strict=True)
        )
        self.size: Triple = (x, y, z)
        self.sub_groups = -(-prod(self.size) // self.sub_group_size)
        # For the checker: which piece between two barriers this is, when the last
        # barrier was, and whose accesses the group has seen by way of atomics.
        self.epoch = next(_epochs)
        self.met = 0
        self.acquired: dict[object, int] = {}

    def local(self, site: int, sizes: tuple[int, ...], scalar: Scalar, name: str):
        """The local memory that the group has for an op."""
        found = self.local_memory.get(site)
        if found is None:
            found = self.local_memory[site] = allocate(sizes, scalar, "local", name)
        return found

    def items(self) -> list[WorkItem]:
        """Its work-items by linear local id."""
        x, y, z = self.size
        return [
            WorkItem(self, linear, (i, j, k))
            for linear, (k, j, i) in enumerate(product(range(z), range(y), range(x)))
        ]

    def __str__(self) -> str:
        return f"work-group {_coordinates(self.id, self.count)}"


class WorkItem:
    """One work-item."""

    __slots__ = (
        "acquired",
        "global_id",
        "group",
        "lane",
        "linear",
        "local",
        "sub_epoch",
        "sub_group",
    )

    allocates = "private"
    """The memory that it allocates."""

    def __init__(self, group: Group, linear: int, local: Triple):
        self.group = group
        self.linear = linear
        self.local = local
        (a, b, c), (p, q, r), (x, y, z) = group.id, group.enqueued, local
        self.global_id = (a * p + x, b * q + y, c * r + z)
        self.sub_group, self.lane = divmod(linear, group.sub_group_size)
        self.sub_epoch = 0
        self.acquired: dict[object, int] = {}

    @property
    def sub_group_length(self) -> int:
        """How many lanes its sub-group has."""
        first = self.sub_group * self.group.sub_group_size
        return min(self.group.sub_group_size, prod(self.group.size) - first)

    def __str__(self) -> str:
        at = _coordinates(self.global_id, self.group.global_size)
        local = _coordinates(self.local, self.group.enqueued)
        return f"work-item {at} (local {local} of {self.group})"


@dataclass(eq=False)
class Host:
    """
    The thread that runs a function of the host.

    To the checker it is a work-item, group and launch of its own.
    """

    function: str
    acquired: dict[object, int] = field(default_factory=dict[object, int])

    allocates = "global"
    epoch = sub_group = sub_epoch = met = 0

    @property
    def group(self) -> Self:
        return self

    @property
    def range(self) -> Self:
        return self

    def __str__(self) -> str:
        return f"host function @{self.function}"


Item = WorkItem | Host


def in_words(sizes: Triple) -> str:
    """Sizes in as many dimensions as there are."""
    x, y, z = sizes
    return str(x) if y == z == 1 else f"{x} x {y}" if z == 1 else f"{x} x {y} x {z}"


def _coordinates(at: Triple, sizes: Triple) -> str:
    """`at` in as many dimensions as there are."""
    rank = max((d + 1 for d in range(3) if sizes[d] > 1), default=1)
    if rank == 1:
        return str(at[0])
    return f"({', '.join(map(str, at[:rank]))})"
