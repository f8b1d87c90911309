"""Values and conditions in terms of atoms, with what has to hold for that to be true."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from spmd.analysis.memory.polynomials import Polynomial

MOST_ALTERNATIVES = 8
"""Of one condition; of one that has more nothing is said."""


@dataclass(frozen=True, eq=False)
class Requirement:
    """`low <= value <= high`: no machine integer wrapped, no divisor was 0."""

    value: Polynomial
    low: int
    high: int


Requirements = tuple[Requirement, ...]


def all_of(parts: Iterable[Requirements]) -> Requirements:
    """What several parts require together."""
    return tuple(dict.fromkeys(each for part in parts for each in part))


@dataclass(frozen=True, eq=False)
class Expression:
    """An integer."""

    value: Polynomial
    requires: Requirements = ()


Conditions = tuple[Polynomial, ...]
"""All of these are not negative."""


@dataclass(frozen=True, eq=False)
class Guard:
    """A condition: that one of the `alternatives` holds."""

    alternatives: tuple[Conditions, ...] = ((),)
    requires: Requirements = ()
    exact: bool = True
    """Whether it holds wherever an alternative does; else it may be false there."""

    def __and__(self, other: Guard) -> Guard:
        both = [a + b for a in self.alternatives for b in other.alternatives]
        return self._with(other, both)

    def __or__(self, other: Guard) -> Guard:
        return self._with(other, [*self.alternatives, *other.alternatives])

    def _with(self, other: Guard, alternatives: list[Conditions]) -> Guard:
        requires = all_of((self.requires, other.requires))
        if len(alternatives) > MOST_ALTERNATIVES:
            return Guard(((),), requires, exact=False)
        return Guard(tuple(alternatives), requires, self.exact and other.exact)


UNKNOWN = Guard(exact=False)
"""Of a condition of which nothing is said."""
