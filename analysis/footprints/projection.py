"""
What a system of linear inequalities allows one of its unknowns to be.

Unknowns are eliminated one after the other: each inequality that bounds one from below
goes together with each that bounds it from above (Fourier 1827, Motzkin 1936; Schrijver,
"Theory of Linear and Integer Programming", 1986, section 12.2). Coefficients are whole
numbers; constants are polynomials of what is known later, or numbers, and then rounding
makes use of the unknowns being whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import gcd

from spmd.analysis.memory.polynomials import Atom, Polynomial

MOST_ROWS = 64
"""Inequalities at one time; those of more are left out, which only widens the bounds."""


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """The sum of some unknowns, each with its factor, and a constant is not negative."""

    factors: dict[Atom, int]
    constant: Polynomial

    @property
    def number(self) -> int | None:
        """The constant, if it is a number."""
        return self.constant.constant


@dataclass(frozen=True, eq=False)
class Bound:
    """`value / divisor`, rounded up for a lower bound and down for an upper one."""

    value: Polynomial
    divisor: int


@dataclass(frozen=True, eq=False)
class Bounds:
    """The greatest of `lower` to the least of `upper`; without any there is no limit."""

    lower: tuple[Bound, ...]
    upper: tuple[Bound, ...]


def row_of(value: Polynomial, is_unknown: frozenset[Atom]) -> Row | None:
    """`value >= 0`; `None` if unknowns are multiplied with each other or with symbols."""
    factors: dict[Atom, int] = {}
    rest: dict[tuple[Atom, ...], int] = {}
    for monomial, factor in value.terms.items():
        if is_unknown.isdisjoint(monomial):
            rest[monomial] = factor
        elif len(monomial) == 1:
            factors[monomial[0]] = factor
        else:
            return None
    return _simplified(Row(factors, Polynomial(rest)))


def project(rows: Iterable[Row], kept: Atom) -> Bounds | None:
    """The bounds of `kept` in all solutions; `None` if numbers say that there are none."""
    system = list(rows)
    while True:
        if any(not r.factors and (r.number or 0) < 0 for r in system):
            return None
        system = _without_weaker(row for row in system if row.factors)
        unknowns = {atom for row in system for atom in row.factors} - {kept}
        if not unknowns:
            return _bounds(system, kept)
        system = _without(system, _cheapest(system, unknowns))


def _cheapest(system: Sequence[Row], unknowns: Iterable[Atom]) -> Atom:
    """The one without which fewest rows are left."""
    signs = Counter((a, f > 0) for row in system for a, f in row.factors.items())

    def cost(atom: Atom) -> tuple[int, int]:
        below, above = signs[atom, True], signs[atom, False]
        return below * above - below - above, atom.number

    return min(unknowns, key=cost)


def _without(system: Sequence[Row], atom: Atom) -> list[Row]:
    """The inequalities that follow for the other unknowns."""
    result = [row for row in system if atom not in row.factors]
    below = [row for row in system if row.factors.get(atom, 0) > 0]
    above = [row for row in system if row.factors.get(atom, 0) < 0]
    for low in below:
        for high in above:
            if len(result) < MOST_ROWS:
                result.append(_sum(low, -high.factors[atom], high, low.factors[atom]))
    return result


def _sum(x: Row, times_x: int, y: Row, times_y: int) -> Row:
    factors = {atom: factor * times_x for atom, factor in x.factors.items()}
    for atom, factor in y.factors.items():
        factors[atom] = factors.get(atom, 0) + factor * times_y
    constant = x.constant * times_x + y.constant * times_y
    return _simplified(Row({a: f for a, f in factors.items() if f}, constant))


def _simplified(row: Row) -> Row:
    """Divided by what divides all factors; a number rounds down, as sums are whole."""
    divisor = gcd(*row.factors.values())
    if divisor <= 1:
        return row
    if (number := row.number) is not None:
        constant = Polynomial.of(number // divisor)
    elif all(factor % divisor == 0 for factor in row.constant.terms.values()):
        terms = {m: factor // divisor for m, factor in row.constant.terms.items()}
        constant = Polynomial(terms)
    else:
        return row
    return Row({atom: f // divisor for atom, f in row.factors.items()}, constant)


def _without_weaker(rows: Iterable[Row]) -> list[Row]:
    """Of those that differ by a number only the strongest."""
    strongest: dict[tuple[object, ...], Row] = {}
    for row in rows:
        symbols = {m: f for m, f in row.constant.terms.items() if m}
        key = frozenset(row.factors.items()), frozenset(symbols.items())
        other = strongest.get(key)
        if other is None or row.constant.offset < other.constant.offset:
            strongest[key] = row
    return list(strongest.values())


def _bounds(system: Sequence[Row], kept: Atom) -> Bounds:
    lower = [
        Bound(-row.constant, row.factors[kept])
        for row in system
        if row.factors[kept] > 0
    ]
    upper = [
        Bound(row.constant, -row.factors[kept])
        for row in system
        if row.factors[kept] < 0
    ]
    return Bounds(tuple(lower), tuple(upper))
