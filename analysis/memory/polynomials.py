"""
Integers as polynomials in what decides about them: ids, counters of loops, sizes, numbers.

`x[j * width + i]` has the index `width*j + i`. What is known of the unknowns stands on the
atoms themselves, so that an index is complete in itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Union

_numbers = count()


@dataclass(eq=False)
class Atom:
    """An integer that work-items may not agree on."""

    name: str
    """As in the source."""

    alternatives: tuple[Alternative, ...] = ()
    """One of these holds; none: nothing is known."""

    cause: str | None = None
    """What decides about it, if that is no number of the launch: `column[j]`."""

    number: int = field(default_factory=lambda: next(_numbers))
    """For an order that does not change."""


@dataclass(eq=False)
class Id(Atom):
    """The global id in dimension `axis`, or the id of the group."""

    axis: int = 0
    of_group: bool = False


@dataclass(eq=False)
class Parameter(Atom):
    """
    A number that a launch decides.

    `kind` is `"scalar"` (argument `position`), `"extent"` (that of dimension `axis` of
    argument `position`), `"global_size"` or `"group_size"` (of dimension `axis`), and for
    bounds of boxes `"first"`, `"last"`, `"first_group"` or `"last_group"`.
    """

    kind: str = ""
    axis: int = 0
    position: int = 0


@dataclass(frozen=True, eq=False)
class Alternative:
    """What may hold of an atom: it is `value`, and `conditions` are not negative."""

    value: Polynomial | None = None
    conditions: tuple[Polynomial, ...] = ()


Monomial = tuple[Atom, ...]
Operand = Union["Polynomial", int]


@dataclass(frozen=True, eq=False, slots=True)
class Polynomial:
    """A sum of products of atoms with whole coefficients; none of these is 0."""

    terms: Mapping[Monomial, int]

    @staticmethod
    def of(value: Atom | int) -> Polynomial:
        if isinstance(value, Atom):
            return Polynomial({(value,): 1})
        return Polynomial({(): value} if value else {})

    @staticmethod
    def sum_of(terms: Iterable[tuple[Monomial, int]]) -> Polynomial:
        total: dict[Monomial, int] = {}
        for monomial, factor in terms:
            total[monomial] = total.get(monomial, 0) + factor
        return Polynomial({m: factor for m, factor in total.items() if factor})

    def __add__(self, other: Operand) -> Polynomial:
        return Polynomial.sum_of(
            (*self.terms.items(), *_polynomial(other).terms.items())
        )

    def __neg__(self) -> Polynomial:
        return Polynomial({m: -factor for m, factor in self.terms.items()})

    def __sub__(self, other: Operand) -> Polynomial:
        return self + -_polynomial(other)

    def __mul__(self, other: Operand) -> Polynomial:
        return Polynomial.sum_of(
            (tuple(sorted((*a, *b), key=_order)), x * y)
            for a, x in self.terms.items()
            for b, y in _polynomial(other).terms.items()
        )

    @property
    def constant(self) -> int | None:
        """Its value, if no atom decides about it."""
        if not self.terms:
            return 0
        return self.terms.get(()) if len(self.terms) == 1 else None

    @property
    def offset(self) -> int:
        """The term without atoms."""
        return self.terms.get((), 0)

    def atoms(self) -> Iterator[Atom]:
        """The atoms in it, some of them several times."""
        for monomial in self.terms:
            yield from monomial

    def replaced(self, value_of: Callable[[Atom], Operand | None]) -> Polynomial:
        """With other values for the atoms for which there is one."""
        values = {atom: value_of(atom) for atom in self.atoms()}
        if all(value is None for value in values.values()):
            return self
        products: list[Polynomial] = []
        for monomial, factor in self.terms.items():
            rest = tuple(atom for atom in monomial if values[atom] is None)
            product = Polynomial({rest: factor})
            for atom in monomial:
                if (value := values[atom]) is not None:
                    product = product * value
            products.append(product)
        return Polynomial.sum_of(t for each in products for t in each.terms.items())


ZERO = Polynomial.of(0)


def _polynomial(value: Operand) -> Polynomial:
    return Polynomial.of(value) if isinstance(value, int) else value


def _order(atom: Atom) -> int:
    return atom.number
