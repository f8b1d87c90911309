"""
Things that share a place if they never need it at the same time.

Things are numbers, and sets of them are the bits of an integer. First copies are tried with
what they are copies of, so that no copy has to be made; then each thing gets the first
place of its type that is free.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute

from spmd.analysis.graphs.bit_vectors import numbers


class Sharing:
    """Finds places for things of the given types."""

    def __init__(self, types: Sequence[Attribute]):
        self.types = types
        self._above = list(range(len(types)))
        """A thing with the same place, nearer to the one that the place is named after."""

        self._members = [1 << number for number in range(len(types))]
        self._conflicts = [0] * len(types)
        """Of two things that must not share, it is enough that one knows."""

    def separate(self, number: int, others: int) -> None:
        """Keep a thing out of the places of others."""
        self._conflicts[number] |= others & ~(1 << number)

    def merge(self, a: int, b: int) -> bool:
        """Give two things, with all that share their places, one place if that is right."""
        a, b = self._place_of(a), self._place_of(b)
        if a == b:
            return True
        conflicts, members = self._conflicts, self._members
        if (
            self.types[a] != self.types[b]
            or conflicts[a] & members[b]
            or conflicts[b] & members[a]
        ):
            return False
        self._above[b] = a
        members[a] |= members[b]
        conflicts[a] |= conflicts[b]
        return True

    def _place_of(self, number: int) -> int:
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def share(self) -> Sequence[int]:
        """The place of each thing, as the number of one that has it."""
        places: dict[Attribute, int] = {}
        for number, type_ in enumerate(self.types):
            place = self._place_of(number)
            known = places.setdefault(type_, 0)
            if known >> place & 1:
                continue
            free = numbers(known & ~self._conflicts[place])
            if not any(self.merge(other, place) for other in free):
                places[type_] = known | 1 << place
        return [self._place_of(number) for number in range(len(self.types))]
