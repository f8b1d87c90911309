"""The cases of an access: one alternative of each condition, and of each value in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from spmd.analysis.footprints.expressions import Conditions, Guard
from spmd.analysis.footprints.relations import Relation
from spmd.analysis.memory.polynomials import (
    Alternative,
    Atom,
    Operand,
    Parameter,
    Polynomial,
)

MOST_CASES = 32
"""Of one access; beyond these, what has alternatives is not looked into."""

Values = Callable[[Atom], Operand | None]


@dataclass(frozen=True, eq=False)
class Case:
    """Where `conditions` are not negative, the access is to `indices`."""

    indices: tuple[Polynomial, ...]
    conditions: Conditions


def cases_of(
    indices: Sequence[Polynomial],
    guards: Sequence[Guard],
    value_of: Values,
) -> tuple[Sequence[Case], bool]:
    """
    All cases, with what is known of each atom; `value_of` gives those of parameters.

    Also whether they say all that is known.
    """
    given = tuple(index.replaced(value_of) for index in indices)
    options = [
        [
            tuple(c.replaced(value_of) for c in conditions)
            for conditions in guard.alternatives
        ]
        for guard in guards
        if guard.alternatives != ((),)
    ]
    mentioned = [c for alternatives in options for cs in alternatives for c in cs]
    known = _known((*given, *mentioned), value_of)
    chosen = {atom: known[atom] for atom in known if len(known[atom]) > 1}
    complete = prod(map(len, options)) * prod(map(len, chosen.values())) <= MOST_CASES
    if not complete:
        chosen = {}
    if prod(map(len, options)) > MOST_CASES:
        options = []
    always = [
        c for each in known.values() if len(each) == 1 for c in each[0].conditions
    ]
    found: list[Case] = []
    for guard_choice in product(*options):
        for choice in product(*chosen.values()):
            taken = dict(zip(chosen, choice, strict=True))
            conditions = (
                *always,
                *(c for conditions in guard_choice for c in conditions),
                *(c for each in choice for c in each.conditions),
            )
            replaced = _Substitution(taken)
            possible = tuple(
                c
                for c in map(replaced.of, conditions)
                if c.constant is None or c.offset < 0
            )
            if all(c.constant is None for c in possible):
                found.append(Case(tuple(map(replaced.of, given)), possible))
    return found, complete


class _Substitution:
    """The values of the alternatives that were chosen, in place of the atoms."""

    def __init__(self, chosen: dict[Atom, Alternative]):
        self._values = {a: c.value for a, c in chosen.items() if c.value is not None}

    def of(self, polynomial: Polynomial) -> Polynomial:
        """The polynomial in terms of what is not chosen."""
        while not self._values.keys().isdisjoint(polynomial.atoms()):
            polynomial = polynomial.replaced(self._values.get)
        return polynomial


def _known(
    roots: Iterable[Polynomial], value_of: Values
) -> dict[Atom, tuple[Alternative, ...]]:
    """The alternatives of all atoms that the roots are made of, directly or not."""
    found: dict[Atom, tuple[Alternative, ...]] = {}
    pending = [atom for root in roots for atom in root.atoms()]
    while pending:
        atom = pending.pop()
        if atom in found or isinstance(atom, Parameter):
            continue
        found[atom] = tuple(_replaced(each, value_of) for each in atom.alternatives)
        for alternative in found[atom]:
            for part in _parts(alternative):
                pending.extend(part.atoms())
    return dict(sorted(found.items(), key=lambda item: item[0].number))


def _replaced(alternative: Alternative, value_of: Values) -> Alternative:
    value = alternative.value
    return Alternative(
        None if value is None else value.replaced(value_of),
        tuple(condition.replaced(value_of) for condition in alternative.conditions),
    )


def _parts(alternative: Alternative) -> Iterator[Polynomial]:
    if alternative.value is not None:
        yield alternative.value
    yield from alternative.conditions


def cause_of(*polynomials: Polynomial) -> str | None:
    """What decides about polynomials, if that is not the launch alone."""
    for atom in _known(polynomials, lambda _: None):
        if atom.cause is not None:
            return atom.cause
    return None


def is_exact(relation: Relation) -> bool:
    """Whether the launch alone decides about all that is known of the access."""
    conditions = [
        condition
        for guard in relation.guards
        for alternative in guard.alternatives
        for condition in alternative
    ]
    return (
        relation.certain
        and all(guard.exact for guard in relation.guards)
        and cause_of(*(relation.indices or ()), *conditions) is None
    )
