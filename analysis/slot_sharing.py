"""
Things that share a place if they never need it at the same time.

Things are numbers, and sets of them are the bits of an integer. First copies are tried with
what they are copies of, so that no copy has to be made; then each thing gets the first
place of its type that is free.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir import Attribute


class Sharing:
    """Finds places for things of the given types."""

    def __init__(self, types: Sequence[Attribute]):
        self.types = types
        self._group = list(range(len(types)))
        self._members = [1 << number for number in range(len(types))]
        self._conflicts = [0] * len(types)

    def separate(self, number: int, others: int) -> None:
        """Keep a thing out of the places of others."""
        others &= ~(1 << number)
        self._conflicts[number] |= others
        for other in numbers(others):
            self._conflicts[other] |= 1 << number

    def merge(self, a: int, b: int) -> bool:
        """Give two things, with all that share their places, one place if that is right."""
        a, b = self._group[a], self._group[b]
        if a == b:
            return True
        if self.types[a] != self.types[b] or self._conflicts[a] & self._members[b]:
            return False
        for number in numbers(self._members[b]):
            self._group[number] = a
        self._members[a] |= self._members[b]
        self._conflicts[a] |= self._conflicts[b]
        for number in numbers(self._members[a]):
            self._conflicts[number] = self._conflicts[a]
        return True

    def share(self) -> Sequence[int]:
        """The place of each thing, as the number of one that has it."""
        places: dict[Attribute, list[int]] = {}
        for number, type_ in enumerate(self.types):
            known = places.setdefault(type_, [])
            if self._group[number] in known:
                continue
            if not any(self.merge(place, number) for place in known):
                known.append(self._group[number])
        return self._group


def bits_of(found: Iterable[int]) -> int:
    """A set of numbers."""
    bits = 0
    for number in found:
        bits |= 1 << number
    return bits


def numbers(bits: int) -> Iterator[int]:
    """The elements of a set, from the lowest."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
