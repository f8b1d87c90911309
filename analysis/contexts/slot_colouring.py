"""
Colouring of an interference graph: its nodes share a colour if they never hold at once.

Nodes are numbers, and sets of them are the bits of an integer. First copies are coalesced
with what they are copies of, so that no copy has to be made; then each node gets the first
colour of its type that is free (Chaitin et al., "Register allocation via coloring", 1981,
without simplification: as many colours as it takes are there).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from xdsl.ir import Attribute

from spmd.analysis.graphs.bit_vectors import numbers


class InterferenceGraph:
    """Finds colours for nodes of the given types."""

    def __init__(self, types: Sequence[Attribute]):
        self.types = types
        self._above = list(range(len(types)))
        """A node with the same colour, nearer to the one that the colour is named after."""

        self._members = [1 << number for number in range(len(types))]
        self._conflicts = [0] * len(types)
        """Of two nodes that interfere, it is enough that one knows."""

    def interfere(self, number: int, others: int) -> None:
        """Keep a node out of the colours of others."""
        self._conflicts[number] |= others & ~(1 << number)

    def coalesce(self, a: int, b: int) -> bool:
        """Give two nodes, with all that share their colours, one colour if that is right."""
        a, b = self._colour_of(a), self._colour_of(b)
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

    def _colour_of(self, number: int) -> int:
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]
            number = above[number]
        return number

    def colour(self) -> Sequence[int]:
        """The colour of each node, as the number of one that has it."""
        colours: defaultdict[Attribute, int] = defaultdict(int)
        for number, type_ in enumerate(self.types):
            colour = self._colour_of(number)
            known = colours[type_]
            if known >> colour & 1:
                continue
            free = numbers(known & ~self._conflicts[colour])
            if not any(self.coalesce(other, colour) for other in free):
                colours[type_] = known | 1 << colour
        return [self._colour_of(number) for number in range(len(self.types))]
