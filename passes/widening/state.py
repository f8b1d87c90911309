"""What is known while the body of one sub-group becomes vector code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.analysis.shapes.shape import Shape
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import function_around
from spmd.dialects.interfaces.speculation import may_trap
from spmd.dialects.rewriting import constant_index, hint
from spmd.dialects.spmd import SubGroupOp
from spmd.passes.widening.emitter import Emitter
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Prefix,
    Rows,
    Strided,
    Uniform,
    Varying,
)
from spmd.passes.widening.narrow_ops import NarrowOps

AnOp = TypeVar("AnOp", bound=Operation)


@dataclass(frozen=True)
class PrivateArray:
    """
    The private arrays of all lanes, as one.

    Element `e` of lane `i` is `[e, i]`, so that the same element of all lanes is
    contiguous. Where an op needs the array of a lane as a whole, that is a `part` of a
    buffer.
    """

    array: SSAValue
    part: SSAValue | None = None
    """How many bytes of the buffer `array` each lane has."""

    extents: tuple[SSAValue, ...] = ()
    """The dynamic sizes of the array of one lane."""

    written_together: bool = False
    """Whether it is undefined what the array holds for lanes that are inactive at a store."""


class Widening(Emitter):
    """What is known while one sub-group is rewritten."""

    def __init__(self, group: SubGroupOp, divergence: Divergence):
        self.group = group
        self._divergence = divergence
        self.function = function_around(group)
        self._entry = self.function.body.block
        super().__init__(group.lane_shape, ConstantPool(self._entry))
        self.ranges = IntegerRanges()
        self.lanes: dict[SSAValue, Lanes] = {}
        self.private: dict[SSAValue, PrivateArray] = {}
        """Private arrays of work-items."""
        self.arrays: dict[SSAValue, SSAValue] = {}
        """Views of memory, which all lanes share."""
        self.lane_views: set[SSAValue] = set()
        """Views of memory that differ between lanes, made where a lane needs them."""
        self.some: set[SSAValue] = set()
        """Masks that are known to hold in some lane, here."""

    # What is known of values

    @cached_property
    def narrow_ops(self) -> NarrowOps:
        """What is computed in vectors of 32 bits."""
        return NarrowOps(self.group, self._divergence, self.ranges)

    def of(self, value: SSAValue) -> Lanes:
        """How the lanes of a level 3 value are held; in a row, those of the row."""
        held = self.lanes.get(value) or Uniform(value)
        return held if self.row is None else self.row_of(held, self.row)

    def array(self, value: SSAValue) -> SSAValue:
        """The array that all lanes access."""
        private = self.private.get(value)
        if private is not None:
            return private.array
        return self.arrays.get(value, value)

    def differs(self, array: SSAValue) -> bool:
        """Whether each lane has a memref of its own, which is made where it is needed."""
        private = self.private.get(array)
        return array in self.lane_views or (
            private is not None and private.part is not None
        )

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether all active lanes have the same number or memref."""
        if isinstance(value.type, MemRefType):
            return value not in self.private and value not in self.lane_views
        return self._divergence.is_uniform(value)

    def shape(self, value: SSAValue, dimension: int = 0) -> Shape:
        return self._divergence.shape(value, dimension)

    def known_number(self, op: Operation) -> SSAValue | None:
        """The number that `op` gives whatever its lanes have, as a product with zero does."""
        if len(op.results) != 1 or may_trap(op):
            return None
        (result,) = op.results
        if bit_width(result.type) is None or not self.shape(result).is_uniform:
            return None
        if all(isinstance(self.of(operand), Uniform) for operand in op.operands):
            return None  # LLVM folds scalars.
        number = self.ranges.of(result).value
        return None if number is None else self.constants.number(number, result.type)

    def known_sum(self, op: Operation, scalars: Sequence[SSAValue]) -> SSAValue | None:
        """What `op` makes of `scalars` where one is 0, or a difference is; else `None`."""
        if not isinstance(op, arith.AddiOp | arith.SubiOp):
            return None
        first, second = scalars
        if constant_index(second) == 0:
            return first
        if isinstance(op, arith.SubiOp):
            return self.constants.zero(first.type) if first is second else None
        return second if constant_index(first) == 0 else None

    def constant_result(self, op: Operation) -> SSAValue | None:
        """What the scalar `op`, which stands nowhere yet, makes of constants."""
        (result,) = op.results
        if not op.operands or any(constant_index(each) is None for each in op.operands):
            return None
        number = self.ranges.of(result).value
        return None if number is None else self.constants.number(number, result.type)

    def hold(self, op: Operation, results: Sequence[Lanes]) -> None:
        """Say how the results of `op` are held; they have the names of the old ones."""
        for old, new in zip(op.results, results, strict=True):
            match new:
                case (
                    Uniform(scalar=value) | Strided(first=value) | Varying(vector=value)
                ):
                    hint(value, old)
                case Prefix() | Rows():
                    pass
            self.lanes[old] = new

    # Rows

    def by_rows(
        self, op: AnOp, active: Active, widen: Callable[[Widening, AnOp, Active], None]
    ) -> None:
        """
        Do what `op` does row by row, and once for rows that have the same.

        Two rows that store the same at one place may as well store it once.
        """
        own = any(operand in self.private for operand in op.operands)
        done: dict[tuple[object, ...], list[Lanes]] = {}
        rows: list[list[Lanes]] = []
        for row in range(self.rows):
            lanes = self.active_in(active, row)
            has = [self.row_of(self.of(operand), row) for operand in op.operands]
            key = (*has, lanes.mask, row if own else None)
            if key not in done:
                with self.in_row(row):
                    widen(self, op, lanes)
                    done[key] = [self.lanes[result] for result in op.results]
            rows.append(done[key])
        for result, held in zip(op.results, zip(*rows, strict=True), strict=True):
            self.lanes[result] = self.of_rows(held)

    def active_in(self, active: Active, row: int) -> Active:
        """The active lanes of one row."""
        if active.mask is None:
            return active
        same = isinstance(active.mask, Rows) and len(set(active.mask.rows)) == 1
        return Active(self.row_of(active.mask, row), active.some and same)

    def strides(self, op: memref.LoadOp | memref.StoreOp) -> list[int | None]:
        """Elements from one lane of `op` to the next, in each dimension."""
        dimensions = range(len(self.group.lane_shape))
        return [access_pattern(self._divergence, op, d).stride for d in dimensions]

    @property
    def zero(self) -> SSAValue:
        return self.constants.number(0, IndexType())

    @property
    def lane_index(self) -> Strided:
        first = (self.row or 0) * self.row_width
        return Strided(self.constants.number(first, IndexType()), 1)

    def at_function_head(self, op: Operation) -> None:
        """Insert an allocation after the constants of the function."""
        Builder.at_head(self._entry, self.like).append(op)

    def once(self, value: SSAValue, active: Active) -> SSAValue:
        """A value that all active lanes have, as a scalar."""
        held = self.of(value)
        if isinstance(held, Uniform):
            return held.scalar
        if not self.shape(value).is_uniform:
            op = value.owner if isinstance(value.owner, Operation) else self.group
            fail(
                op,
                f"expected %{value.name_hint} to be the same in all lanes, got one "
                f"that is {self.shape(value)}; run mask-divergence first",
            )
        return self.scalar(held, active)
