"""
Gathers and scatters of every other row, where rows are shorter than a cache line.

A side of a butterfly is rows of neighbours, each as long as the sides are apart, and after each
comes a row of the other side. Which power of two that is shows when the kernel runs: lane `i`
is then `i + (i & -row)` elements from the first one. Two whole vectors, of which one begins
with the first lane and one ends with the last, have the two halves of the lanes; what is stored
goes to a vector twice as long under a mask, or without where both sides are stored, one right
after the other. Lanes are permuted in registers, where the machine can.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    IndexType,
    StringAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Region, SSAValue

from spmd.dialects.building import (
    Builder,
    ConstantPool,
    joined,
    permuted,
    reduction,
    shuffle,
)
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.element_types import vector_type
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS, WHY
from spmd.passes.memory.accesses.flattening import element_type, line_of, start_of


class EveryOtherRow:
    """
    Accesses in parts of `length` lanes, by `index` or what all lanes add to it.

    `index` has an integer of 32 bits or an `index` per lane. What is asked stands where `at`
    is, and is not asked if lanes form `rows` of `length`. `fits` says of each lane whether two
    such rows after its element do not wrap, where they might.
    """

    def __init__(
        self,
        constants: ConstantPool,
        at: Builder,
        index: SSAValue,
        length: int,
        rows: SSAValue,
        fits: SSAValue | None,
    ):
        self._constants = constants
        self.length = length
        """Of rows, and of parts."""
        (self._lanes,) = cast(VectorType[Attribute], index.type).get_shape()
        why = f"lanes access every other row, in parts of {length}"
        self._access = {ACCESS: StringAttr("row"), WHY: StringAttr(why)}
        self._row = self._row_of(at, index)
        unasked, asked = Block(), Block()
        choice = scf.IfOp(rows, [i1], Region(unasked), Region(asked))
        self.found = at.add(choice, "every_other_row")
        """Whether there are such rows."""
        with at.into(unasked):
            at.append(scf.YieldOp(constants.bit(False)))
        with at.into(asked):
            at.append(scf.YieldOp(self._ask(at, index, fits)))

    def _row_of(self, at: Builder, index: SSAValue) -> SSAValue:
        """How long rows are, if the first and the last lane of a part tell."""
        type_ = element_type(index)
        first = at.add(vector.ExtractOp(index, [0], type_), "first")
        last = at.add(vector.ExtractOp(index, [self.length - 1], type_), "last")
        span = at.add(arith.SubiOp(last, first), "span")
        most = self._constants.number(2 * self.length - 1, type_)
        return at.add(arith.SubiOp(most, span), "row")

    def _ask(self, at: Builder, index: SSAValue, fits: SSAValue | None) -> SSAValue:
        """Whether the rows are a power of two, and all lanes are in them."""
        type_, length = element_type(index), self.length
        below = at.add(arith.SubiOp(self._row, self._constants.number(1, type_)))
        common = at.add(arith.AndIOp(self._row, below))
        none = self._constants.number(0, type_)
        power = at.add(arith.CmpiOp(common, none, "eq"), "power_of_two")
        starts = [lane - lane % length for lane in range(self._lanes)]
        first = at.add(shuffle(index, index, starts), "starts")
        lanes = self._constants.numbers(
            [lane % length for lane in range(self._lanes)], type_, "steps"
        )
        there = self._lanes_in_rows(at, lanes, self._row)
        row = at.add(arith.AddiOp(first, there), "row")
        same = at.add(arith.CmpiOp(index, row, "eq"), "same")
        if fits is not None:
            same = at.add(arith.AndIOp(same, fits), "same")
        found = at.add(reduction(same, CombiningKindFlag.AND, i1), "found")
        return at.add(arith.AndIOp(found, power), "every_other_row")

    def _lanes_in_rows(self, at: Builder, lanes: SSAValue, row: SSAValue) -> SSAValue:
        """How far `lanes`, counted in their part, are from its first one."""
        none = self._constants.number(0, row.type)
        up = self._splat(at, at.add(arith.SubiOp(none, row)), lanes)
        return at.add(arith.AddiOp(lanes, at.add(arith.AndIOp(lanes, up))), "places")

    def meets(
        self, at: Builder, other: EveryOtherRow, ops: tuple[ScatterOp, ScatterOp]
    ) -> SSAValue:
        """Whether the second of `ops`, by `other`, goes to the rows between those of the first."""
        conditions = [self.found]
        if other is not self:
            as_long = arith.CmpiOp(self._row, other._row, "eq")
            conditions += [other.found, at.add(as_long, "as_long")]
        (_, (first, *_)), (_, (second, *_)) = (self._places_of(at, op) for op in ops)
        row = self._row
        if row.type != IndexType():
            row = at.add(arith.IndexCastOp(row, IndexType()), row)
        ahead = at.add(arith.SubiOp(second, first), "ahead")
        met = at.add(arith.CmpiOp(ahead, row, "eq"), "meets")
        for condition in conditions:
            met = at.add(arith.AndIOp(met, condition), "meets")
        return met

    def access(
        self, at: Builder, ops: Sequence[GatherOp | ScatterOp]
    ) -> list[SSAValue]:
        """Do what `ops` do, all of one class, in which all lanes are active; their results."""
        loads = [op for op in ops if isinstance(op, GatherOp)]
        stores = [op for op in ops if isinstance(op, ScatterOp)]
        if stores:
            self._store(at, [(op, [op]) for op in stores])
        return self._load(at, loads) if loads else []

    def store_both(self, at: Builder, one: ScatterOp, other: ScatterOp) -> None:
        """Do what two scatters of both sides do (see `meets`), in which all are active."""
        self._store(at, [(one, [one, other])])

    def _places_of(
        self, at: Builder, op: GatherOp | ScatterOp
    ) -> tuple[SSAValue, list[SSAValue]]:
        """The memory of `op` as one dimension, and where in it each part begins."""
        array, position = line_of(at, self._constants, op.base, op.offsets)
        firsts = range(0, self._lanes, self.length)
        return array, [start_of(at, op.indices, position, first) for first in firsts]

    def _row_in_32_bits(self, at: Builder) -> SSAValue:
        row = self._row
        return row if row.type == i32 else at.add(arith.IndexCastOp(row, i32), row)

    def _load(self, at: Builder, ops: Sequence[GatherOp]) -> list[SSAValue]:
        row, length = self._row_in_32_bits(at), self.length
        lanes = self._constants.numbers([*range(length)], i32, "steps")
        later = self._constants.numbers(
            [-(2 * lane // length) for lane in range(length)], i32, "steps"
        )
        # The second vector begins `row` before the first one ends.
        again = at.add(arith.AndIOp(later, self._splat(at, row, later)))
        there = self._lanes_in_rows(at, lanes, row)
        places = at.add(arith.AddiOp(there, again), "places")
        back = at.add(arith.IndexCastOp(row, IndexType()))
        ahead = at.add(arith.SubiOp(self._constants.index(length), back), "ahead")
        results: list[SSAValue] = []
        for op in ops:
            array, starts = self._places_of(at, op)
            type_ = vector_type(element_type(op.result), length)
            parts: list[SSAValue] = []
            for start in starts:
                end = at.add(arith.AddiOp(start, ahead), "end")
                sides: list[SSAValue] = []
                for first in (start, end):
                    load = vector.LoadOp(array, [first], type_)
                    load.attributes |= self._access
                    sides.append(at.add(load, op.result))
                both = joined(at, sides)
                parts.append(permuted(at, self._constants, both, places))
            results.append(joined(at, parts))
        return results

    def _store(
        self, at: Builder, stores: Sequence[tuple[ScatterOp, Sequence[ScatterOp]]]
    ) -> None:
        """
        Store where a scatter does, what it does or both sides.

        The memory that both go to is a whole vector, stored without a mask.
        """
        row, length = self._row_in_32_bits(at), self.length
        constants, long = self._constants, 2 * length
        places = constants.numbers([*range(long)], i32, "steps")
        halves = constants.numbers([place // 2 for place in range(long)], i32, "steps")
        rows = self._splat(at, row, places)
        none, one = (constants.dense(number, i32, long) for number in (0, 1))
        left_out = at.add(arith.AndIOp(places, rows))
        mask = at.add(arith.CmpiOp(left_out, none, "eq"), "mask")
        before = at.add(arith.AndIOp(halves, at.add(arith.SubiOp(none, rows))))
        inside = at.add(arith.AndIOp(places, at.add(arith.SubiOp(rows, one))))
        lanes = at.add(arith.AddiOp(before, inside), "lanes")
        for op, both in stores:
            array, starts = self._places_of(at, op)
            for number, start in enumerate(starts):
                part = range(number * length, (number + 1) * length)
                sides: list[SSAValue] = []
                for each in both:
                    side = each.value_to_store
                    if len(starts) > 1:
                        side = at.add(shuffle(side, side, part), side)
                    sides.append(permuted(at, constants, side, lanes))
                if len(sides) > 1:
                    stored = at.add(arith.SelectOp(mask, *sides), op.value_to_store)
                    store = vector.StoreOp(stored, array, [start])
                else:
                    store = vector.MaskedStoreOp(array, [start], mask, *sides)
                store.attributes |= self._access
                at.append(store)

    def _splat(self, at: Builder, scalar: SSAValue, like: SSAValue) -> SSAValue:
        (lanes,) = cast(VectorType[Attribute], like.type).get_shape()
        return at.add(vector.BroadcastOp(scalar, vector_type(scalar.type, lanes)))
