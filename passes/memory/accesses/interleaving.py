"""
Rows of four or eight elements in memory, one row of each lane, as vectors of lanes and back.

    lane 0: r g b a    lane 1: r g b a    ...    become    r r ...    g g ...    b b ...    a a ...

What machines do in one instruction decides how:

* Elements of a block of 16 bytes are put in any order. If a block has rows of several lanes, what
  these have at one place is put side by side, and is one *unit* from then on.
* Units are a matrix with a row for each block or longer row. It is transposed
  (`transposition.py`), or each of its columns is shuffled out of all registers: what takes fewer
  instructions. Machines that take any elements of two registers at once need half as many
  for a shuffle.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import vector
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.ir import Attribute, SSAValue

from spmd.dialects.building import Builder, shuffle
from spmd.dialects.element_types import vector_type
from spmd.passes.memory.accesses.transposition import (
    BLOCK,
    exchanged,
    joined_rows,
)
from spmd.passes.targets import Target


@dataclass(frozen=True)
class Interleaving:
    """`lanes` rows of `step` elements, both powers of two, one after the other."""

    lanes: int
    step: int
    bytes_: int
    """Of an element."""
    target: Target

    @property
    def unit(self) -> int:
        """How many lanes have a row in a block."""
        return max(1, BLOCK // (self.step * self.bytes_))

    @property
    def rows(self) -> int:
        """How many rows of units there are."""
        return self.lanes // self.unit

    def _registers(self, units: int) -> int:
        bits = units * self.unit * self.bytes_ * 8
        return -(-bits // self.target.register_bits)

    def _shuffled(self, registers: int) -> int:
        """How many instructions shuffle units of all registers to some of them."""
        sources = min(self.step, self._registers(self.rows * self.step))
        if self.target.shuffles_two:
            return registers * (sources - 1)
        return registers * (2 * sources - 1)

    def _transposed(self) -> int:
        """How many instructions transpose the matrix of units."""
        side = min(self.step, self.rows)
        units = max(self.step, self.rows)
        registers = side * self._registers(units)
        in_register = max(1, units // self._registers(units) // self.step)
        return registers * (side.bit_length() - 1 + in_register - 1)

    # Loads

    def loads_rows(self, columns: int) -> bool:
        """Whether to transpose the matrix if so many of its columns are asked for."""
        each = self._registers(self.rows)
        return self._transposed() <= self._shuffled(columns * each)

    def columns_of_rows(self, at: Builder, rows: Sequence[SSAValue]) -> list[SSAValue]:
        """The columns of all `rows`, each of which is a row of units."""
        type_ = rows[0].type
        vectors = [self._sorted(at, each) for each in joined_rows(at, rows, self.step)]
        columns = exchanged(at, vectors, len(rows), self.step)
        return [self._elements(at, each, type_) for each in columns]

    def columns_of_whole(
        self, at: Builder, whole: SSAValue
    ) -> Callable[[int], SSAValue]:
        """What gives a column of the vector of all elements; the last ones may be missing."""
        units = self._sorted(at, whole)
        size = self.rows * self.step

        def column(place: int) -> SSAValue:
            picked = at.add(shuffle(units, units, range(place, size, self.step)), whole)
            return self._elements(at, picked, whole.type)

        return column

    def _sorted(self, at: Builder, value: SSAValue) -> SSAValue:
        """The elements of all blocks sorted by their places, as units."""
        if self.unit == 1:
            return value
        type_ = cast(VectorType[Attribute], value.type)
        length, in_block = type_.get_shape()[0], self.unit * self.step
        order = [
            block + place + lane * self.step
            for block in range(0, length, in_block)
            for place in range(self.step)
            for lane in range(self.unit)
        ]
        # Nobody has asked for what would come after the last element.
        order = [place if place < length else 0 for place in order]
        unit = IntegerType(8 * self.unit * self.bytes_)
        units = vector_type(unit, len(order) // self.unit)
        value = at.add(shuffle(value, value, order), value)
        return at.add(vector.BitcastOp(value, units), value)

    def _elements(self, at: Builder, units: SSAValue, like: Attribute) -> SSAValue:
        if self.unit == 1:
            return units
        element = cast(VectorType[Attribute], like).element_type
        return at.add(vector.BitcastOp(units, vector_type(element, self.lanes)), units)

    # Stores

    def stores_rows(self) -> bool:
        """Whether to transpose a matrix of columns, and to store its rows."""
        return self.unit == 1 and self._transposed() <= self._shuffled(
            self._registers(self.rows * self.step)
        )
