"""
Rows and columns that flat ids are taken apart to, where a sub-group is in one row or two.

A kernel that is launched over all elements of a matrix begins with `r, c = i // w, i % w`. Lanes
that are in one row share `r`, and are neighbours in `c`, which a sub-group asks once: whether it
ends before the row that its first lane is in, or before the next one. There each load is two, one
for the lanes of each row.

```mlir
// before
spmd.sub_group (%i) shape [16] at (%base) {
  %r = arith.divui %i, %w : index
  %c = arith.remui %i, %w : index
  %v = memref.load %x[%r, %c] : memref<?x?xf32>
  ...
}

// after
%row = arith.divsi %base, %width : index            // %width is %w, or 1 if that is below 1
%column = arith.remsi %base, %width : index
%left = arith.subi %width, %column : index
%one_row = arith.cmpi sgt, %left, %c15 : index      // and no id is negative
%two_rows = arith.cmpi sgt, %width, %c15 : index
spmd.sub_group (%i) shape [16] at (%base) {
  scf.if %one_row {
    %ahead = arith.subi %i, %base : index
    %column_1 = arith.addi %column, %ahead : index
    %v = memref.load %x[%row, %column_1] : memref<?x?xf32>
    ...
  } else {
    scf.if %two_rows {
      %inside = arith.cmpi slt, %ahead, %left : index
      %column_2 = arith.subi %column_1, %width : index
      %v = scf.if %inside -> (f32) {
        %v_1 = memref.load %x[%row, %column_1] : memref<?x?xf32>
        scf.yield %v_1 : f32
      } else {
        %v_2 = memref.load %x[%row_1, %column_2] : memref<?x?xf32>
        scf.yield %v_2 : f32
      }
      ...
    } else {
      ...  // as before: rows are shorter than sub-groups
    } {spmd.likely}
  } {spmd.likely}
}
```

Quotients and remainders alone count as well, and divisions by several numbers, as of ids in three
dimensions. Remainders of neighbours, as of a stencil on a torus, are left to `version-interiors`.

*Legality.* The number that is divided rises by a fixed step from lane to lane. It is asked whether it is
not negative in the first lane, and does not wrap around; what lanes divide by is the same for all, and
above 0, as others leave no columns. Then it does not matter how quotients are rounded. What is computed before the sub-group
has no overflow flags, and divides by 1 where nobody may have divided.

Requires: level 2.
Ensures: the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.interiors import Interiors, Number
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.remainders import leaves_digits, rounded_down
from spmd.dialects.building import Builder, ConstantPool, Rematerializer
from spmd.dialects.enclosing import function_around, is_outside
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.interfaces.memory import loaded_memory
from spmd.dialects.interfaces.speculation import IntegerDivision, Quotient
from spmd.dialects.rewriting import erase_dead_ops, hint, named
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NOT_VECTORIZED
from spmd.passes.sub_groups.edges.bent_accesses import LARGEST, indices_of_shared
from spmd.passes.sub_groups.edges.versions import (
    likely_branches,
    load_in_parts,
    ops_from,
)


@dataclass(frozen=True)
class VersionRowsPass(ModulePass):
    """Rows that lanes share, where flat ids are taken apart; see the module docstring."""

    name = "version-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in [each for each in op.walk() if isinstance(each, SubGroupOp)]:
            if NOT_VECTORIZED not in group.attributes and group.lane_shape[0] > 1:
                _version(group)


class _Division(NamedTuple):
    """What numbers that rise from lane to lane are divided by."""

    number: SSAValue
    divisor: SSAValue
    step: int
    """From one lane to the next."""


@dataclass(frozen=True)
class _Digit:
    """A value that is a row, or a column, of a number."""

    division: _Division
    is_row: bool


def _version(group: SubGroupOp) -> None:
    """Put what `group` does with rows and columns beside the same in one row, and in two."""
    digits = _digits(group)
    if not digits:
        return
    divisions = dict.fromkeys(each.division for each in digits.values())
    rows = _Rows(group, divisions)
    _, body = ops_from(group, {value.owner for value in digits})
    versions = _Versions(group, body, digits, rows)
    at = Builder.before(body[0])
    one, others = likely_branches(at, rows.one_row)
    with at.into(one.block):
        versions.in_one_row(at)
        at.append(scf.YieldOp())
    with at.into(others.block):
        two, elsewhere = likely_branches(at, rows.two_rows)
        at.append(scf.YieldOp())
    with at.into(two.block):
        versions.in_two_rows(at)
        at.append(scf.YieldOp())
    with at.into(elsewhere.block):
        at.move(body)
        at.append(scf.YieldOp())
    for region in (one, two):
        erase_dead_ops(region)


def _digits(group: SubGroupOp) -> Mapping[SSAValue, _Digit]:
    """The rows and columns that lanes compute, if they access something by them."""
    ops, interiors = [*group.walk()], Interiors(group, group.body.block.args)
    if len(ops) > LARGEST:
        return {}
    found: dict[SSAValue, _Digit] = {}
    same: dict[object, _Division] = {}
    families: defaultdict[object, dict[_Division, int]] = defaultdict(dict)
    divided: set[object] = set()
    for op in ops:
        if (digit := _digit(op, interiors, group.lane_shape[0] - 1)) is not None:
            number, divisor, _ = digit.division
            family, offset = interiors.family(Number(_whole(number)))
            key = family, number.type, divisor
            division = same.setdefault((key, offset), digit.division)
            found[op.results[0]] = _Digit(division, digit.is_row)
            families[key][division] = offset
            if digit.is_row:
                divided.add(key)
        elif isinstance(op, arith.SelectOp):
            rest = rounded_down(op)
            if rest is not None and rest in found:
                found[op.result] = found[rest]
    # Remainders of neighbours alone are a stencil on a torus.
    left = {
        division
        for key, divisions in families.items()
        if key in divided or [*divisions.values()] == [0]
        for division in divisions
    }
    kept = {value: each for value, each in found.items() if each.division in left}
    return kept if kept and not _asked_in(group).isdisjoint(kept) else {}


def _asked_in(group: SubGroupOp) -> set[SSAValue]:
    """What indices in `group` are made of, and what branches and loops there decide by."""
    indices = (value for _, made_of in _accesses(group) for value in made_of)
    decided = [each.value for op in group.walk() for each in decisions(op)]
    return {*indices, *reachable(decided, _computed_from)}


def _digit(op: Operation, interiors: Interiors, ahead: int) -> _Digit | None:
    """What `op` computes of numbers that rise in each lane, of which the last is so many `ahead`."""
    division = IntegerDivision.of(op)
    if division is None or division.quotient is Quotient.UP:
        return None
    number, divisor = op.operands
    if leaves_digits(divisor):
        return None
    rising = _whole(number)
    if not (interiors.is_sum(rising) and interiors.is_shared(divisor)):
        return None
    steps = interiors.steps(Number(rising))
    lane = interiors.lanes[0]
    if [*steps] != [lane] or steps[lane] <= 0:
        return None
    if (steps[lane] * ahead).bit_length() >= (bit_width(number.type) or 0):
        return None  # Lanes are further apart than there are numbers from 0 on.
    place = _Division(number, divisor, steps[lane])
    return _Digit(place, division.quotient is not None)


def _whole(number: SSAValue) -> SSAValue:
    """What a number is the lowest bits of, which rise by as much."""
    op = number.owner
    if not isinstance(op, arith.IndexCastOp | arith.TruncIOp):
        return number
    before, after = bit_width(op.input.type), bit_width(op.result.type)
    return op.input if before and after and after <= before else number


def _accesses(group: SubGroupOp) -> list[tuple[Operation, set[SSAValue]]]:
    """What accesses memory outside of `group`, with all that its indices are made of."""
    found: list[tuple[Operation, set[SSAValue]]] = []
    for op in group.walk():
        if indices := indices_of_shared(op, group):
            found.append((op, set(reachable(indices, _computed_from))))
    return found


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    op = value.owner
    if isinstance(op, Block) or FunctionOfOperands.of(op) is None:
        return ()
    return op.operands


class _Place(NamedTuple):
    """Where the first lane is."""

    width: SSAValue
    row: SSAValue
    column: SSAValue
    left: SSAValue
    """How many columns there are from there on."""


class _Rows:
    """Code before a sub-group, which asks for its rows."""

    def __init__(self, group: SubGroupOp, divisions: Iterable[_Division]):
        lane, base = group.body.block.args[0], group.bases[0]

        def known(value: SSAValue) -> SSAValue | None:
            if value is lane:
                return base
            return value if is_outside(value, group) else None

        self._at = Builder.before(group)
        self._first = Rematerializer(self._at, known, speculates=True)
        self._ahead = group.lane_shape[0] - 1
        self.constants = ConstantPool(function_around(group).body.block)
        self.places: dict[_Division, _Place] = {}
        one_row, two_rows = list[SSAValue](), list[SSAValue]()
        for each in divisions:
            one, two = self._ask(each)
            one_row.append(one)
            two_rows.append(two)
        self.one_row = hint(reduce(self._both, one_row), "one_row")
        self.two_rows = hint(reduce(self._both, two_rows), "two_rows")

    def _ask(self, division: _Division) -> tuple[SSAValue, SSAValue]:
        """Whether all lanes are in one row, and whether they are in two."""
        at, compare = self._at, self._compare
        number = self._first.get(division.number)
        width = self._first.get(division.divisor)
        zero, one, span = (
            self.constants.number(each, number.type)
            for each in (0, 1, division.step * self._ahead)
        )
        last = at.add(arith.AddiOp(number, span), named(number, "last"))
        is_place = self._both(compare(number, "sge", zero), compare(last, "sge", zero))
        # A row of length 1 is too short for several lanes.
        width = arith.SelectOp(compare(width, "sgt", zero), width, one)
        width = at.add(width, "width")
        row = at.add(arith.DivSIOp(number, width), "row")
        column = at.add(arith.RemSIOp(number, width), "column")
        left = at.add(arith.SubiOp(width, column), "left")
        self.places[division] = _Place(width, row, column, left)
        return (
            self._both(is_place, compare(left, "sgt", span)),
            self._both(is_place, compare(width, "sgt", span)),
        )

    def _both(self, one: SSAValue, other: SSAValue) -> SSAValue:
        return self._at.add(arith.AndIOp(one, other))

    def _compare(self, one: SSAValue, how: str, other: SSAValue) -> SSAValue:
        return self._at.add(arith.CmpiOp(one, other, how))


class _Versions:
    """Copies of what a sub-group does, for lanes that are in one row, or in two."""

    def __init__(
        self,
        group: SubGroupOp,
        ops: Sequence[Operation],
        digits: Mapping[SSAValue, _Digit],
        rows: _Rows,
    ):
        self._lane, self._base = group.body.block.args[0], group.bases[0]
        self._ops = ops
        self._digits = digits
        self._rows = rows
        self.loads = {
            op: made_of & digits.keys()
            for op, made_of in _accesses(group)
            if loaded_memory(op) is not None and not made_of.isdisjoint(digits)
        }
        """What loads by rows and columns, and by which."""

    def in_one_row(self, at: Builder) -> None:
        """Copy the operations to a point, with the row of the first lane."""
        places = self._rows.places.items()
        columns = {
            each: self._plus(at, place.column, self._ahead(at, each))
            for each, place in places
        }
        copies = self._copied(at)
        for value, digit in self._digits.items():
            row = self._rows.places[digit.division].row
            new = row if digit.is_row else columns[digit.division]
            copies[value].replace_all_uses_with(new)

    def in_two_rows(self, at: Builder) -> None:
        """Copy the operations to a point, with a load from each of two rows in place of one."""
        inside: dict[_Division, SSAValue] = {}
        first: dict[_Digit, SSAValue] = {}
        second: dict[_Digit, SSAValue] = {}
        for each, place in self._rows.places.items():
            ahead = self._ahead(at, each)
            inside[each] = at.add(arith.CmpiOp(ahead, place.left, "slt"), "inside")
            one = self._rows.constants.number(1, place.row.type)
            row, column = _Digit(each, True), _Digit(each, False)
            first[row] = place.row
            first[column] = self._plus(at, place.column, ahead)
            second[row] = self._plus(at, place.row, one)
            less = arith.SubiOp(first[column], place.width)
            second[column] = at.add(less, "column")
        copies = self._copied(at)
        for load, digits in self.loads.items():
            divisions = {self._digits[value].division for value in digits}
            if len(divisions) == 1:
                (division,) = divisions
                copy = copies[load.results[0]].owner
                assert isinstance(copy, Operation), "a load has a result"
                parts = (
                    {copies[value]: part[self._digits[value]] for value in digits}
                    for part in (first, second)
                )
                load_in_parts(copy, inside[division], *parts)
        for value, digit in self._digits.items():
            copy = copies[value]
            choice = arith.SelectOp(inside[digit.division], first[digit], second[digit])
            copy.replace_all_uses_with(Builder.after(copy).add(choice, value))

    def _copied(self, at: Builder) -> Mapping[SSAValue, SSAValue]:
        copies: dict[SSAValue, SSAValue] = {}
        at.append(*(op.clone(copies) for op in self._ops))
        return copies

    def _ahead(self, at: Builder, division: _Division) -> SSAValue:
        """How many columns each lane is ahead of the first one."""
        type_ = division.number.type
        ahead = at.add(arith.SubiOp(self._lane, self._base), "ahead")
        if ahead.type != type_:
            ahead = at.add(arith.IndexCastOp(ahead, type_), "ahead")
        if division.step == 1:
            return ahead
        step = self._rows.constants.number(division.step, type_)
        return at.add(arith.MuliOp(ahead, step), "ahead")

    def _plus(self, at: Builder, number: SSAValue, more: SSAValue) -> SSAValue:
        return at.add(arith.AddiOp(number, more), number)
