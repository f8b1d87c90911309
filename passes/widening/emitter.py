"""Building the vector code of one sub-group."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import reduce
from math import prod

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
    i32,
)
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.building import Builder, ConstantPool, joined, reduction, shuffle
from spmd.dialects.compat.memory import StepOp
from spmd.dialects.element_types import vector_type
from spmd.dialects.rewriting import NO_SIGNED_WRAP, constant_index, named
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Prefix,
    Row,
    Rows,
    Strided,
    Uniform,
    Varying,
)


class Emitter(Builder):
    """
    Inserts ops and turns what lanes hold into scalars and vectors.

    A vector made from a scalar stands right after the scalar, or, if that is older than
    the sub-group, at the sub-group's head: so it can be used wherever the scalar can.
    """

    def __init__(self, shape: Sequence[int], constants: ConstantPool):
        self.row_width = shape[0]
        self.rows = prod(shape[1:])
        """How many rows there are; one in a sub-group of one dimension."""
        self.row: int | None = None
        """The only row that is seen now."""
        self.width = prod(shape)
        """The number of lanes that are seen now."""
        self.constants = constants
        self.head = Block()
        self.body = Block()
        super().__init__(InsertPoint.at_end(self.body))
        self._inside: set[Block] = {self.head, self.body}
        self._open: list[Block] = [self.body]
        """The block that is written, and those around it."""
        self._vectors: dict[tuple[SSAValue, int, int], SSAValue] = {}
        self._masks: dict[tuple[SSAValue, int], SSAValue] = {}
        self._steps: dict[tuple[Attribute, int, int], SSAValue] = {}
        self._low: dict[SSAValue, SSAValue] = {}
        self._joined: dict[Rows, SSAValue] = {}
        self._parts: dict[tuple[SSAValue, int], SSAValue] = {}

    # Insertion

    @contextmanager
    def into(self, block: Block) -> Generator[Block]:
        """Go on at the end of `block`, which is part of the new code."""
        self._inside.add(block)
        self._open.append(block)
        with super().into(block):
            yield block
        self._open.pop()

    def _after(self, value: SSAValue) -> Builder:
        """Right after the definition of `value`, or at the head."""
        owner = value.owner
        at = InsertPoint.at_end(self.head)
        if isinstance(owner, Block):
            if owner in self._inside:
                at = InsertPoint.at_start(owner)
        elif owner.parent in self._inside and owner.parent is not self.head:
            at = InsertPoint.after(owner)
        return Builder(at, self.like)

    # Types and constants

    def vector_type(self, element: Attribute) -> VectorType[Attribute]:
        return vector_type(element, self.width)

    def dense(
        self, value: float, type_: Attribute, name: str | None = None
    ) -> SSAValue:
        """A vector with the same number in each lane."""
        return self.constants.dense(value, type_, self.width, name)

    def all_on(self) -> SSAValue:
        return self.dense(1, i1, "all_on")

    # Scalars to vectors

    def vector(self, lanes: Lanes) -> SSAValue:
        """One element per lane."""
        match lanes:
            case Varying(vector=value):
                return value
            case Prefix(count=count, name=name):
                found = self._masks.get((count, self.width))
                if found is None:
                    op = vector.CreateMaskOp([count], self.vector_type(i1))
                    found = self._after(count).add(op, name)
                    self._masks[count, self.width] = found
                return found
            case Rows():
                return self._join(lanes)
            case Uniform(scalar=first):
                stride = 0
            case Strided(first=first, stride=stride):
                pass
        found = self._vectors.get((first, stride, self.width))
        if found is None:
            found = self._spread(first, stride)
            self._vectors[first, stride, self.width] = found
        return found

    def _spread(self, first: SSAValue, stride: int) -> SSAValue:
        if stride == 0:
            return self._splat(first)
        # The steps come first: both they and the scalar may stand at the head.
        steps = self.steps(first.type, stride)
        splat = self._splat(first)
        op = arith.AddiOp(splat, steps)
        return self._after(splat).add(op, named(first, "lanes"))

    def _splat(self, scalar: SSAValue) -> SSAValue:
        owner = scalar.owner
        if isinstance(owner, arith.ConstantOp):
            value = owner.value
            if isinstance(value, IntegerAttr | FloatAttr):
                number = value.value.data
                return self.dense(number, scalar.type, named(scalar, "lanes"))
        op = vector.BroadcastOp(scalar, self.vector_type(scalar.type))
        return self._after(scalar).add(op, named(scalar, "lanes"))

    def low_bits(self, scalar: SSAValue) -> SSAValue:
        """The low 32 bits of an `index`."""
        found = self._low.get(scalar)
        if found is None:
            if (number := constant_index(scalar)) is not None:
                low = (number + (1 << 31)) % (1 << 32) - (1 << 31)
                found = self.constants.number(low, i32)
            else:
                cast = arith.IndexCastOp(scalar, i32)
                found = self._after(scalar).add(cast, named(scalar, "low"))
            self._low[scalar] = found
        return found

    def steps(self, type_: Attribute, stride: int) -> SSAValue:
        """`0, stride, 2 * stride, ...` as a vector of integers of a type."""
        found = self._steps.get((type_, stride, self.width))
        if found is not None:
            return found
        index = IndexType()
        if stride == 1 and type_ == index:
            op = StepOp(VectorType(index, [self.width]))
        elif stride == 1:
            op = arith.IndexCastOp(self.steps(index, 1), self.vector_type(type_))
        else:
            ones, factor = self.steps(type_, 1), self.dense(stride, type_)
            op = arith.MuliOp(ones, factor)
            bits = bit_width(type_)
            if (
                bits is not None
                and bits < 64
                and self.width * abs(stride) < 1 << (bits - 1)
            ):
                op.overflow_flags = NO_SIGNED_WRAP
        found = Builder.at_end(self.head, self.like).add(op, "lane")
        self._steps[type_, stride, self.width] = found
        return found

    # Rows

    @contextmanager
    def in_row(self, row: int) -> Generator[None]:
        """See one row alone for a while."""
        before = self.row, self.width
        self.row, self.width = row, self.row_width
        yield
        self.row, self.width = before

    def row_of(self, lanes: Lanes, row: int) -> Row:
        """What one row has of the lanes of the sub-group."""
        before = row * self.row_width
        match lanes:
            case Rows(rows=rows):
                return rows[row]
            case Uniform():
                return lanes
            case Strided(stride=stride):
                return Strided(self.of_lane(lanes, before), stride)
            case Prefix(count=count, name=name):
                less = self.constants.number(before, count.type)
                return Prefix(self.add(arith.SubiOp(count, less), count), name)
            case Varying(vector=value):
                return Varying(self._part(value, row))

    def of_rows(self, rows: Sequence[Row]) -> Lanes:
        """The lanes of a sub-group whose rows are known."""
        first = rows[0]
        same = all(row == first for row in rows)
        if len(rows) == 1 or (same and isinstance(first, Uniform)):
            return first
        lanes = Rows(tuple(rows))
        vectors = [row.vector for row in rows if isinstance(row, Varying)]
        if same or not vectors or is_mask(vectors[0]):
            return lanes
        return Varying(self._join(lanes))

    def _part(self, lanes: SSAValue, row: int) -> SSAValue:
        found = self._parts.get((lanes, row))
        if found is None:
            places = range(row * self.row_width, (row + 1) * self.row_width)
            found = self._after(lanes).add(shuffle(lanes, lanes, places), lanes)
            self._parts[lanes, row] = found
        return found

    def _join(self, lanes: Rows) -> SSAValue:
        """One vector of the vectors of all rows, in order, which can be had again."""
        found = self._joined.get(lanes)
        if found is not None and found.owner.parent in self._open:
            return found
        parts: list[SSAValue] = []
        for number, row in enumerate(lanes.rows):
            with self.in_row(number):
                parts.append(self.vector(row))
        whole = self._joined[lanes] = joined(self, parts)
        self._parts |= {(whole, row): part for row, part in enumerate(parts)}
        return whole

    # Vectors to scalars

    def of_lane(self, lanes: Lanes, lane: int) -> SSAValue:
        """The value of one lane, which may be inactive."""
        match lanes:
            case Rows(rows=rows):
                row, lane = divmod(lane, self.row_width)
                with self.in_row(row):
                    return self.of_lane(rows[row], lane)
            case Uniform(scalar=scalar):
                return scalar
            case Strided(first=first, stride=stride):
                step = self.constants.number(lane * stride, first.type)
                return self.add(arith.AddiOp(first, step), first) if lane else first
            case _:
                value = self.vector(lanes)
                type_ = value.type
                assert isa(type_, VectorType)
                return self.add(
                    vector.ExtractOp(value, [lane], type_.element_type), value
                )

    def scalar(self, lanes: Lanes, active: Active) -> SSAValue:
        """
        The value that all active lanes have.

        Of a vector it is taken from an active lane: the others may hold garbage.
        """
        match lanes:
            case Uniform(scalar=scalar):
                return scalar
            case Strided(first=first) if active.first:
                return first
            case Prefix(count=count) if active.first:
                zero = self.constants.number(0, count.type)
                return self.add(arith.CmpiOp(zero, count, "slt"))
            case Rows(rows=rows) if active.all:
                with self.in_row(0):
                    return self.scalar(rows[0], active)
            case _:
                return self._any_lane(self.vector(lanes), active)

    def _any_lane(self, value: SSAValue, active: Active) -> SSAValue:
        type_ = value.type
        assert isa(type_, VectorType)
        element = type_.element_type
        if active.first:
            return self.add(vector.ExtractOp(value, [0], element), value)
        if isinstance(element, AnyFloat):
            # Equal bits, whatever they mean: NaN and -0.0 survive.
            bits = IntegerType(element.bitwidth)
            as_bits = self.add(arith.BitcastOp(value, self.vector_type(bits)))
            found = self._any_lane(as_bits, active)
            return self.add(arith.BitcastOp(found, element), value)
        on = self.in_active(active, value, 0)
        return self.add(reduction(on, CombiningKindFlag.OR, element), value)

    def mask(self, active: Active) -> SSAValue | None:
        """Which lanes are active, as a vector; `None` if all are."""
        return None if active.mask is None else self.vector(active.mask)

    def in_active(
        self, active: Active, value: SSAValue, other: float | SSAValue
    ) -> SSAValue:
        """The vector `value` in the active lanes, `other` in the inactive ones."""
        on = self.mask(active)
        if on is None:
            return value
        if not isinstance(other, SSAValue):
            type_ = value.type
            assert isa(type_, VectorType)
            other = self.dense(other, type_.element_type)
        return self.add(arith.SelectOp(on, value, other))

    def vote(self, lanes: Lanes, every: bool = False) -> SSAValue:
        """Whether a condition holds in any lane, or in every one."""
        match lanes:
            case Uniform(scalar=scalar):
                return scalar
            case Prefix(count=count):
                least, predicate = (self.width, "sge") if every else (0, "sgt")
                bound = self.constants.number(least, count.type)
                return self.add(arith.CmpiOp(count, bound, predicate))
            case Rows(rows=rows):
                combine = arith.AndIOp if every else arith.OrIOp

                def both(a: SSAValue, b: SSAValue) -> SSAValue:
                    return self.add(combine(a, b))

                different = list(dict.fromkeys(rows))
                masks = [row.vector for row in different if isinstance(row, Varying)]
                votes: list[SSAValue] = []
                with self.in_row(0):
                    if masks:
                        votes.append(self.vote(Varying(reduce(both, masks)), every))
                    for row in different:
                        if not isinstance(row, Varying):
                            votes.append(self.vote(row, every))
                return reduce(both, votes)
            case _:
                kind = CombiningKindFlag.AND if every else CombiningKindFlag.OR
                return self.add(reduction(self.vector(lanes), kind, i1))

    # Finish

    def place_before(self, anchor: Operation) -> None:
        """Put the head and the body before `anchor`."""
        for block in (self.head, self.body):
            Rewriter.inline_block(block, InsertPoint.before(anchor))


def is_mask(lanes: SSAValue) -> bool:
    """Whether `lanes` are conditions."""
    return isa(lanes.type, VectorType) and lanes.type.element_type == i1


def clone_with(
    op: Operation,
    operands: Sequence[SSAValue],
    result_types: Sequence[Attribute],
    drop_overflow: bool = False,
) -> Operation:
    """`op` with other operands and result types; properties and location are kept."""
    properties = op.properties.copy()
    if drop_overflow and "overflowFlags" in properties:
        properties["overflowFlags"] = arith.IntegerOverflowAttr("none")
    return type(op).create(
        operands=operands,
        result_types=result_types,
        properties=properties,
        attributes=op.attributes.copy(),
        location=op.location,
    )
