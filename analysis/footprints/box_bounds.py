"""Bounds of the indices of one access, for boxes of work-groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spmd.analysis.footprints.cases import Case, Values, cases_of
from spmd.analysis.footprints.expressions import Guard
from spmd.analysis.footprints.projection import Bound, Row, project, row_of
from spmd.analysis.memory.polynomials import Atom, Id, Polynomial

Triple = tuple[int, int, int]
Box = tuple[range, range, range]
Interval = tuple[int | None, int | None]
"""The least and the greatest number; `None` if there is no limit."""

_MOST_UNKNOWNS = 8
"""That get values when a solution is looked for."""

_MOST_VALUES = 4
"""Of a quotient that are looked at one by one: an index that wraps around has two."""


class BoxBounds:
    """Where indices lie, given the numbers of a launch."""

    def __init__(
        self,
        indices: Sequence[Polynomial],
        guards: Sequence[Guard],
        value_of: Values,
        sizes: tuple[Triple, Triple],
        causes: Sequence[str | None] = (),
    ):
        self._cases, self._complete = cases_of(indices, guards, value_of)
        self._global_size, self._group_size = sizes
        self.causes = causes
        """What decides about each index, if that is not the launch alone."""

    def of(self, box: Box, shape: Sequence[int]) -> tuple[range, ...] | None:
        """The elements in an array of this shape; `None` if there are none."""
        found: tuple[range, ...] | None = None
        for intervals in self._pieces(box):
            piece = tuple(
                range(max(0, low or 0), min(size, size if high is None else high + 1))
                for (low, high), size in zip(intervals, shape, strict=True)
            )
            if not all(piece):
                continue
            found = piece if found is None else tuple(map(_hull, found, piece))
        return found

    def are_within(self, box: Box, low: int, high: int) -> bool:
        """Whether the only index never leaves `low` to `high`."""
        return all(
            least is not None and low <= least and most is not None and most <= high
            for ((least, most),) in self._pieces(box)
        )

    def reaches(self, box: Box, axis: int, value: int) -> bool:
        """Whether an index is sure to be `value` in some access; false if that is hard."""
        for case in self._cases:
            here = case.indices[axis] - value
            both = Case((here,), (*case.conditions, here, -here))
            rows = self._rows(both, box)
            if not self._complete or rows is None or _products(both):
                continue
            atoms = {atom for row in rows for atom in row.factors}
            unknowns = sorted(atoms, key=lambda atom: atom.number)
            if len(unknowns) <= _MOST_UNKNOWNS and _has_solution(rows, unknowns):
                return True
        return False

    def is_dense(self) -> bool:
        """
        Whether all elements between the bounds are accessed, in each box.

        They are if each index counts the ids of one dimension, and each condition is about
        one of them.
        """
        if not self._complete or len(self._cases) != 1:
            return False
        (case,) = self._cases
        ids = [_only_id(index) for index in case.indices if index.constant is None]
        return (
            None not in ids
            and len(set(ids)) == len(ids)
            and all(abs(f) == 1 for i in case.indices for m, f in i.terms.items() if m)
            and all(_only_id(condition) is not None for condition in case.conditions)
        )

    def _pieces(self, box: Box) -> Iterator[list[Interval]]:
        """Bounds for each case that is possible in the box."""
        for case in self._cases:
            yield from self._of_case(case, box, splits=True)

    def _of_case(
        self, case: Case, box: Box, *, splits: bool
    ) -> Iterator[list[Interval]]:
        case = self._linear(case, box)
        rows = self._rows(case, box)
        if rows is None:
            return
        for atom in _coarse(rows):
            interval = _interval(rows, atom)
            if interval is None:
                return
            low, high = interval
            if low is None or high is None:
                continue
            if low == high or (splits and high - low < _MOST_VALUES):
                for value in range(low, high + 1):
                    fixed = _with(case, atom, value)
                    yield from self._of_case(fixed, box, splits=splits and low == high)
                return
            rows += [
                Row({atom: 1}, Polynomial.of(-low)),
                Row({atom: -1}, Polynomial.of(high)),
            ]
        found: list[Interval] = []
        for index in case.indices:
            interval = self._interval_of(index, rows)
            if interval is None:
                return
            found.append(interval)
        yield found

    def _interval_of(self, index: Polynomial, rows: Sequence[Row]) -> Interval | None:
        if (known := index.constant) is not None:
            return None if _interval(rows, Atom("")) is None else (known, known)
        if (
            len(index.terms) == 1
            and index.terms.get(one := next(iter(index.terms))) == 1
        ):
            return _interval(rows, one[0])
        here = Atom("index")
        unknowns = frozenset((here, *index.atoms()))
        value = Polynomial.of(here)
        both = [row_of(value - index, unknowns), row_of(index - value, unknowns)]
        return _interval([*rows, *(row for row in both if row)], here)

    def _rows(self, case: Case, box: Box) -> list[Row] | None:
        """The inequalities of a case, and of the ids in it; `None` if it is impossible."""
        polynomials = [*case.indices, *case.conditions]
        atoms = {atom for each in polynomials for atom in each.atoms()}
        conditions = [*case.conditions]
        ids = [atom for atom in atoms if isinstance(atom, Id)]
        for each in ids:
            conditions += self._limits(each, box)
            for other in ids:
                if other.of_group and not each.of_group and other.axis == each.axis:
                    size = self._group_size[each.axis]
                    local = Polynomial.of(each) - Polynomial.of(other) * size
                    conditions += [local, -local + (size - 1)]
        unknowns = frozenset(atoms)
        rows: list[Row] = []
        for condition in conditions:
            row = row_of(condition, unknowns)
            if row is None:
                continue
            if not row.factors and (row.number or 0) < 0:
                return None
            rows.append(row)
        return rows

    def _limits(self, id_: Id, box: Box) -> list[Polynomial]:
        groups, size = box[id_.axis], self._group_size[id_.axis]
        low, high = groups.start, groups.stop - 1
        if not id_.of_group:
            low = low * size
            high = min(groups.stop * size, self._global_size[id_.axis]) - 1
        here = Polynomial.of(id_)
        return [here - low, -here + high]

    def _linear(self, case: Case, box: Box) -> Case:
        """With bounds in the place of products of atoms."""
        products = _products(case)
        if not products:
            return case
        rows = self._rows(case, box) or []
        found: dict[tuple[Atom, ...], tuple[Atom]] = {}
        limits: list[Polynomial] = []
        for monomial in products:
            found[monomial] = (product,) = (Atom("product"),)
            corners = [1]
            for atom in monomial:
                low, high = _interval(rows, atom) or (0, 0)
                if low is None or high is None:
                    break
                corners = [a * b for a in corners for b in (low, high)]
            else:
                here = Polynomial.of(product)
                limits += [here - min(corners), -here + max(corners)]

        def linear(value: Polynomial) -> Polynomial:
            return Polynomial.sum_of(
                (found.get(monomial, monomial), factor)
                for monomial, factor in value.terms.items()
            )

        conditions = (*map(linear, case.conditions), *limits)
        return Case(tuple(map(linear, case.indices)), conditions)


def _only_id(value: Polynomial) -> Id | None:
    """The global id that `value` is a multiple of, but for a constant."""
    first, *others = [monomial for monomial in value.terms if monomial] or [()]
    if others or len(first) != 1:
        return None
    (atom,) = first
    return atom if isinstance(atom, Id) and not atom.of_group else None


def _products(case: Case) -> list[tuple[Atom, ...]]:
    """The products of atoms in a case."""
    polynomials = (*case.indices, *case.conditions)
    found = {m for each in polynomials for m in each.terms if len(m) > 1}
    return sorted(found, key=lambda monomial: [atom.number for atom in monomial])


def _with(case: Case, atom: Atom, value: int) -> Case:
    def value_of(other: Atom) -> int | None:
        return value if other is atom else None

    return Case(
        tuple(index.replaced(value_of) for index in case.indices),
        tuple(condition.replaced(value_of) for condition in case.conditions),
    )


def _coarse(rows: Sequence[Row]) -> list[Atom]:
    """Atoms that are multiplied, other than ids: that they are whole says something."""
    found = {
        atom
        for row in rows
        for atom, factor in row.factors.items()
        if abs(factor) > 1 and not isinstance(atom, Id)
    }
    return sorted(found, key=lambda atom: atom.number)


def _has_solution(rows: Sequence[Row], unknowns: Sequence[Atom]) -> bool:
    """Whether whole numbers solve the rows, tried at the bounds of one after the other."""
    if not unknowns:
        return all((row.number or 0) >= 0 for row in rows)
    atom, *others = unknowns
    interval = _interval(rows, atom)
    if interval is None:
        return False
    ends = dict.fromkeys(end for end in interval if end is not None)
    return any(
        _has_solution([_fixed(row, atom, end) for row in rows], others) for end in ends
    )


def _fixed(row: Row, atom: Atom, value: int) -> Row:
    """The row where `atom` is known."""
    if atom not in row.factors:
        return row
    factors = {other: f for other, f in row.factors.items() if other is not atom}
    return Row(factors, row.constant + row.factors[atom] * value)


def _interval(rows: Sequence[Row], atom: Atom) -> Interval | None:
    """Between what `atom` lies; `None` if the rows have no solution."""
    bounds = project(rows, atom)
    if bounds is None:
        return None
    low = max((_up(bound) for bound in bounds.lower), default=None)
    high = min((_down(bound) for bound in bounds.upper), default=None)
    if low is not None and high is not None and low > high:
        return None
    return low, high


def _up(bound: Bound) -> int:
    return -(-bound.value.offset // bound.divisor)


def _down(bound: Bound) -> int:
    return bound.value.offset // bound.divisor


def _hull(a: range, b: range) -> range:
    return range(min(a.start, b.start), max(a.stop, b.stop))
