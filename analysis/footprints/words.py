"""Footprints in words: what a box of work-groups accesses, whatever the launch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from spmd.analysis.footprints.cases import Case, cases_of, cause_of, is_exact
from spmd.analysis.footprints.projection import Bound, project, row_of
from spmd.analysis.footprints.relations import AccessKind, Relation
from spmd.analysis.memory.polynomials import Atom, Id, Parameter, Polynomial

MOST_PIECES = 6
"""That are listed for one argument."""

MOST_BOUNDS = 3
"""That limit an index on one side; of one with more the index itself says more."""


@dataclass(frozen=True)
class Anything:
    """Nothing is known of the elements of an access."""

    words: str
    """The access, in words of the source."""
    cause: str

    def __str__(self) -> str:
        return f"anything: {self.words}, because of {self.cause}"


def footprint_words(relations: Sequence[Relation]) -> str | None:
    """The elements of an argument that are accessed in one way; `None`: no access at all."""
    if not relations:
        return None
    updates = dict.fromkeys(r.reduction.value for r in relations if r.reduction)
    words = _words(relations)
    if relations[0].kind is AccessKind.REDUCE:
        return f"{' and '.join(updates)} {words}"
    return words


def _words(relations: Sequence[Relation]) -> str:
    symbols = _Symbols()
    pieces: list[_Piece] = []
    exact = True
    for relation in relations:
        found = _pieces(relation, symbols)
        if isinstance(found, Anything):
            return str(found)
        exact = exact and is_exact(relation)
        for piece in found:
            _add(piece, pieces)
    texts = dict.fromkeys(f"[{', '.join(map(str, piece))}]" for piece in pieces)
    if not texts:
        return "nothing"
    listed = " and ".join(list(texts)[:MOST_PIECES])
    more = len(texts) - MOST_PIECES
    return (
        ("" if exact else "within ")
        + listed
        + (f" and {more} more" if more > 0 else "")
    )


class _Symbols:
    """The first and the last id of a box, in each dimension."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bool], tuple[Parameter, Parameter]] = {}

    def limits(self, id_: Id) -> tuple[Polynomial, Polynomial]:
        """What is not negative because `id_` is one of the box."""
        key = id_.axis, id_.of_group
        if key not in self._known:
            of = "_group" * id_.of_group
            first, last = (
                Parameter(f"{end}{of}.{'xyz'[id_.axis]}", kind=end)
                for end in ("first", "last")
            )
            self._known[key] = first, last
        first, last = map(Polynomial.of, self._known[key])
        here = Polynomial.of(id_)
        return here - first, last - here


@dataclass(frozen=True)
class _Interval:
    """The greatest of `lower` to the least of `upper`; or only `index`."""

    lower: tuple[Bound, ...] = ()
    upper: tuple[Bound, ...] = ()
    index: Polynomial | None = None

    def __str__(self) -> str:
        if self.index is not None:
            return _text(self.index)
        low = _list("max", [_fraction(bound, "ceil") for bound in self.lower])
        high = _list("min", [_fraction(bound, "floor") for bound in self.upper])
        return low if low == high else f"{low} to {high}"


_Piece = tuple[_Interval, ...]


def _pieces(relation: Relation, symbols: _Symbols) -> Iterable[_Piece] | Anything:
    """The elements of an access, for each of its cases."""
    if relation.indices is None:
        return Anything(relation.words, relation.cause)
    found: list[_Piece] = []
    cases, _ = cases_of(relation.indices, relation.guards, lambda _: None)
    for case in cases:
        piece: list[_Interval] = []
        for index, original in zip(case.indices, relation.indices, strict=True):
            interval = _interval(index, case, symbols)
            if interval is None:
                break
            cause = cause_of(original)
            if cause and not (interval.lower and interval.upper):
                return Anything(relation.words, cause)
            piece.append(interval)
        else:
            found.append(tuple(piece))
    return found


def _interval(index: Polynomial, case: Case, symbols: _Symbols) -> _Interval | None:
    conditions = [*case.conditions]
    atoms = {atom for each in (index, *conditions) for atom in each.atoms()}
    for atom in atoms:
        if isinstance(atom, Id):
            conditions += symbols.limits(atom)
    here = Atom("index")
    value = Polynomial.of(here)
    unknowns = frozenset((here, *(a for a in atoms if not isinstance(a, Parameter))))
    rows = [row_of(each, unknowns) for each in (value - index, index - value)]
    if None in rows:
        return _Interval(index=index)
    rows += [row_of(each, unknowns) for each in conditions]
    bounds = project([row for row in rows if row is not None], here)
    if bounds is None:
        return None
    lower, upper = _strongest(bounds.lower, 1), _strongest(bounds.upper, -1)
    limited = lower and upper and max(len(lower), len(upper)) <= MOST_BOUNDS
    if not limited and cause_of(index) is None:
        return _Interval(index=index)
    return _Interval(lower, upper)


def _strongest(bounds: Sequence[Bound], sign: int) -> tuple[Bound, ...]:
    """Without those that others imply; `sign` is 1 for lower bounds, -1 for upper ones."""
    kept: list[Bound] = []
    for bound in bounds:
        if any(_implies(other, bound, sign) for other in kept):
            continue
        kept = [other for other in kept if not _implies(bound, other, sign)]
        kept.append(bound)
    return tuple(kept)


def _implies(one: Bound, other: Bound, sign: int) -> bool:
    difference = one.value * other.divisor - other.value * one.divisor
    return _is_never_negative(difference * sign)


def _is_never_negative(value: Polynomial) -> bool:
    """Whether no launch makes `value` negative; sizes of launches are at least 1."""

    def shifted(atom: Atom) -> Polynomial | None:
        is_size = isinstance(atom, Parameter) and atom.kind in (
            "global_size",
            "group_size",
        )
        return Polynomial.of(atom) + 1 if is_size else None

    return all(
        factor >= 0
        and all(isinstance(a, Parameter) and a.kind != "scalar" for a in monomial)
        for monomial, factor in value.replaced(shifted).terms.items()
    )


def _add(piece: _Piece, pieces: list[_Piece]) -> None:
    """Put `piece` to the others; two whose bounds can be compared become one."""
    for position, other in enumerate(pieces):
        hulls = [_hull(a, b) for a, b in zip(piece, other, strict=True)]
        if None not in hulls:
            del pieces[position]
            _add(tuple(hull for hull in hulls if hull is not None), pieces)
            return
    pieces.append(piece)


def _hull(a: _Interval, b: _Interval) -> _Interval | None:
    """Both together, if it is clear which bounds are the outer ones."""
    if a.index is not None or b.index is not None:
        same = str(a) == str(b)
        return a if same else None
    lower = _outer(a.lower, b.lower, -1)
    upper = _outer(a.upper, b.upper, 1)
    return None if lower is None or upper is None else _Interval(lower, upper)


def _outer(
    a: tuple[Bound, ...], b: tuple[Bound, ...], sign: int
) -> tuple[Bound, ...] | None:
    for x, y in ((a, b), (b, a)):
        if all(any(_implies(one, other, sign) for other in y) for one in x):
            return x
    return None


# --- text -------------------------------------------------------------------------------


def _list(function: str, texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{function}({', '.join(texts)})"


def _fraction(bound: Bound, rounding: str) -> str:
    if bound.divisor == 1:
        return _text(bound.value)
    return f"{rounding}(({_text(bound.value)}) / {bound.divisor})"


def _text(value: Polynomial) -> str:
    """`2*first.x + 1`."""
    text = ""
    for sign, term in _terms(value):
        text += (f" {sign} " if text else sign.strip("+")) + term
    return text or "0"


def _terms(value: Polynomial) -> Iterator[tuple[str, str]]:
    # The constant comes last, and a positive term first.
    ordered = sorted(
        value.terms.items(),
        key=lambda term: (not term[0], term[1] < 0, [a.number for a in term[0]]),
    )
    for monomial, factor in ordered:
        names = [atom.name for atom in monomial]
        if abs(factor) != 1 or not names:
            names.insert(0, str(abs(factor)))
        yield "-" if factor < 0 else "+", "*".join(names)
