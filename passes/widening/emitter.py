"""Building the vector code of one sub-group."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from spmd.analysis.ranges.integer_range import bit_width
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.compat.memory import StepOp
from spmd.dialects.rewriting import named
from spmd.passes.widening.lanes import (
    Active,
    Lanes,
    Prefix,
    Strided,
    Uniform,
    Varying,
)

NO_SIGNED_WRAP = arith.IntegerOverflowAttr((arith.IntegerOverflowFlag.NSW,))


class Emitter(Builder):
    """
    Inserts ops and turns what lanes hold into scalars and vectors.

    A vector made from a scalar stands right after the scalar, or, if that is older than
    the sub-group, at the sub-group's head: so it can be used wherever the scalar can.
    """

    def __init__(self, width: int, constants: ConstantPool):
        self.width = width
        self.constants = constants
        self.head = Block()
        self.body = Block()
        super().__init__(InsertPoint.at_end(self.body))
        self._inside: set[Block] = {self.head, self.body}
        self._vectors: dict[tuple[SSAValue, int], SSAValue] = {}
        self._masks: dict[SSAValue, SSAValue] = {}
        self._steps: dict[tuple[Attribute, int], SSAValue] = {}

    # Insertion

    @contextmanager
    def into(self, block: Block) -> Generator[Block]:
        """Go on at the end of `block`, which is part of the new code."""
        self._inside.add(block)
        with super().into(block):
            yield block

    def _after(self, value: SSAValue) -> Builder:
        """Right after the definition of `value`, or at the head."""
        owner = value.owner
        at = InsertPoint.at_end(self.head)
        if isinstance(owner, Block):
            if owner in self._inside:
                at = InsertPoint.at_start(owner)
        elif owner.parent in self._inside:
            at = InsertPoint.after(owner)
        return Builder(at, self.like)

    # Types and constants

    def vector_type(self, element: Attribute) -> VectorType[Attribute]:
        return VectorType(element, [self.width])

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
                found = self._masks.get(count)
                if found is None:
                    op = vector.CreateMaskOp([count], self.vector_type(i1))
                    found = self._after(count).add(op, name)
                    self._masks[count] = found
                return found
            case Uniform(scalar=first):
                stride = 0
            case Strided(first=first, stride=stride):
                pass
        found = self._vectors.get((first, stride))
        if found is None:
            found = self._spread(first, stride)
            self._vectors[first, stride] = found
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

    def steps(self, type_: Attribute, stride: int) -> SSAValue:
        """`0, stride, 2 * stride, ...` as a vector of integers of a type."""
        found = self._steps.get((type_, stride))
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
        self._steps[type_, stride] = found
        return found

    # Vectors to scalars

    def of_lane(self, lanes: Lanes, lane: int) -> SSAValue:
        """The value of one lane, which may be inactive."""
        match lanes:
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
            case Strided(first=first):
                assert active.first, "the first lane of a strided value may be inactive"
                return first
            case Prefix(count=count):
                assert active.first, "the first lane may be inactive"
                zero = self.constants.number(0, count.type)
                return self.add(arith.CmpiOp(zero, count, "slt"))
            case Varying(vector=value):
                return self._any_lane(value, active)

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
        kind = CombiningKindFlag.OR if element == i1 else CombiningKindFlag.MAXUI
        return self.add(reduction(on, kind, element), value)

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
            case _:
                kind = CombiningKindFlag.AND if every else CombiningKindFlag.OR
                return self.add(reduction(self.vector(lanes), kind, i1))

    # Finish

    def place_before(self, anchor: Operation) -> None:
        """Put the head and the body before `anchor`."""
        for block in (self.head, self.body):
            Rewriter.inline_block(block, InsertPoint.before(anchor))


def reduction(
    lanes: SSAValue, kind: CombiningKindFlag, element: Attribute
) -> vector.ReductionOp:
    """All elements of `lanes` combined; floats in any order."""
    # xDSL's constructor gives the result the type of the vector.
    flags = [FastMathFlag.REASSOC] if isinstance(element, AnyFloat) else "none"
    return vector.ReductionOp.create(
        operands=[lanes],
        result_types=[element],
        properties={
            "kind": vector.CombiningKindAttr(kind),
            "fastmath": arith.FastMathFlagsAttr(flags),
        },
    )


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
