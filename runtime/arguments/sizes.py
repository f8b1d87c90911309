"""The sizes of a launch: checked, completed to three dimensions, counted in groups."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from math import gcd, prod
from typing import Any, NamedTuple, SupportsIndex, cast

from spmd.dialects.limits import (
    DEFAULT_GROUP_SIZE,
    FEW_ITEMS,
    MAX_EXTENT,
    MAX_GROUP_SIZE,
    MAX_SUB_GROUP_SIZE,
    default_group_size,
)
from spmd.runtime.errors import LaunchError

Size = SupportsIndex | Iterable[SupportsIndex]
"""A size as the user gives it: a number or up to three of them, x first."""

Triple = tuple[int, int, int]


class Groups(NamedTuple):
    """The work-groups that code is made for, and their arrays."""

    size: Triple
    full: bool
    """Whether none is smaller."""
    room: Triple
    """
    How many work-items groups of another shape may have along each dimension.

    That is a power of two, and groups that are all full would stay so. It takes few values,
    as each needs other code.
    """
    apart: bool = False
    """Whether no array that is written overlaps another."""
    small: bool = False
    """Whether all arrays have few elements, and launches few work-items, as `spmd.small` and
    `spmd.few_items` say."""
    copied: tuple[str, ...] = ()
    """Arrays of which each thread updates a copy, as `spmd-specialize` has them."""
    streamed: tuple[str, ...] = ()
    """Arrays that no cache holds and nothing reads, likewise."""

    @classmethod
    def all_full(cls, size: Triple) -> Groups:
        """Those of a launch that is large wherever its groups are."""
        x, y, z = (DEFAULT_GROUP_SIZE if extent > 1 else 1 for extent in size)
        return cls(size, True, (x, y, z))

    def covers(self, other: Groups) -> bool:
        """
        Whether code made for these, which did not change their shape, runs others as well.

        Code for any group also runs full ones, if a little slower.
        """
        return (
            self.size == other.size
            and self.full <= other.full
            and self.apart <= other.apart
            and self.small <= other.small
            and self.copied == other.copied
            and self.streamed == other.streamed
            and all(map(operator.ge, self.room, other.room))
        )


class Range(NamedTuple):
    """The work-items of a launch and their groups; sizes are (x, y, z)."""

    global_size: Triple
    group_size: Triple
    groups: int
    full: bool
    """Whether no group is smaller than `group_size`."""

    def made_for(self, edges: Triple = (0, 0, 0)) -> Groups:
        """
        What its code has to know of it, if there is anything to do.

        `edges` divide the numbers of work-items before which groups of any shape have to end.
        """
        sizes = zip(self.global_size, self.group_size, edges, strict=True)
        x, y, z = room = tuple(_room(*each, self.full) for each in sizes)
        larger = any(map(operator.gt, room, self.group_size))
        return Groups(self.group_size, self.full, (x, y, z) if larger else (1, 1, 1))

    def joined(self, multiple: int, edges: Triple = (0, 0, 0)) -> Triple:
        """
        The size of larger groups, of several along x, if there is anything to gain.

        Where `multiple` is not 1, all of them have sub-groups of so many lanes, which stay.
        """
        x, y, z = self.group_size
        room = _room(self.global_size[0], x, edges[0], self.full)
        rows = multiple == 1 or (x % multiple == 0 and y == z == 1)
        larger = x < room <= MAX_GROUP_SIZE // (y * z) and room % x == 0
        return (room, y, z) if rows and larger else (x, y, z)

    @property
    def few(self) -> bool:
        """Whether there are few work-items, as `spmd.few_items` says."""
        return prod(self.global_size) < FEW_ITEMS

    def in_groups(self, box: Sequence[range], size: Triple) -> tuple[range, ...]:
        """Of a box of groups of another size: those of this one with the same work-items."""
        each = zip(box, self.global_size, size, self.group_size, strict=True)
        return tuple(
            range(part.start * old // new, -(-min(part.stop * old, extent) // new))
            for part, extent, old, new in each
        )


def whole_number(value: SupportsIndex) -> int:
    """`value` as an `int`; `TypeError` if it is no whole number, which a bool is not."""
    if isinstance(value, bool):
        raise TypeError("a bool is no number here")
    return operator.index(value)


def whole_numbers(size: Any) -> tuple[int, ...]:
    """A number, or several, as a tuple; `TypeError` if one is no whole number."""
    if isinstance(size, Iterable):
        return tuple(map(whole_number, cast("Iterable[Any]", size)))
    return (whole_number(size),)


def required_global_size(kernel: str, given: Size | None) -> Triple:
    """The work-items of a launch, which has to say how many."""
    if given is None:
        raise LaunchError(
            f"{kernel}: expected global_size, the number of work-items to run, got none; "
            f"write {kernel}(..., global_size=n), or a tuple of up to three, x first"
        )
    return triple(kernel, "global_size", given, 0)


def triple(kernel: str, what: str, size: Any, smallest: int) -> Triple:
    """`size` as three numbers of at least `smallest`; missing ones are 1."""
    try:
        extents = whole_numbers(size)
    except TypeError:
        raise LaunchError(
            f"{kernel}: expected {what} as a whole number or a tuple of up to three, "
            f"got {size!r}"
        ) from None
    if not 1 <= len(extents) <= 3 or any(extent < smallest for extent in extents):
        raise LaunchError(
            f"{kernel}: expected {what} with one to three numbers of at least "
            f"{smallest}, got {size!r}"
        )
    x, y, z, *_ = (*extents, 1, 1)
    return x, y, z


def group_size_for(
    kernel: str, fixed: Triple | None, given: Size | None, global_size: Triple
) -> Triple:
    """The group size of a launch: what the kernel fixes, what is `given`, or a default."""
    if given is None:
        return default_group_size(global_size) if fixed is None else fixed
    size = triple(kernel, "group_size", given, 1)
    if fixed is not None:
        if size != fixed:
            raise LaunchError(
                f"{kernel}: expected the group_size {words(fixed)} that the kernel's "
                f"work_group_size fixes, got {words(size)}; leave group_size out"
            )
        return fixed
    items = size[0] * size[1] * size[2]
    if items > MAX_GROUP_SIZE:
        raise LaunchError(
            f"{kernel}: expected a group_size of at most {MAX_GROUP_SIZE} work-items, "
            f"got {' x '.join(map(str, size))} = {items}"
        )
    return size


def make_range(kernel: str, global_size: Triple, group_size: Triple) -> Range:
    """The groups that cover `global_size`."""
    (nx, ny, nz), (ex, ey, ez) = global_size, group_size
    if nx * ny * nz > MAX_EXTENT or max(global_size) > MAX_EXTENT:
        raise LaunchError(
            f"{kernel}: expected a global_size of at most {MAX_EXTENT} work-items, got "
            f"{' x '.join(map(str, global_size))}"
        )
    groups = -(-nx // ex) * -(-ny // ey) * -(-nz // ez)
    full = not (nx % ex or ny % ey or nz % ez)
    return Range(global_size, group_size, groups, full)


def _room(extent: int, size: int, edges: int, full: bool) -> int:
    """What groups of another shape may have along a dimension with so many work-items."""
    if full:
        common = (DEFAULT_GROUP_SIZE, MAX_SUB_GROUP_SIZE)
        whole = gcd(extent, edges)
        return next((each for each in common if whole % each == 0), size & -size)
    most = min(DEFAULT_GROUP_SIZE, 1 << max(0, extent.bit_length() - 1))
    return gcd(most, edges)


def words(size: Triple) -> str:
    """A size as a user writes it, without the dimensions that are 1."""
    x, y, z = size
    return str(x) if y == z == 1 else str((x, y) if z == 1 else size)
