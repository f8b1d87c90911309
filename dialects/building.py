"""
Building IR that says where it came from.

xDSL's builder gives new operations no location. Here they get that of the operation that
they stand for, and their results are named as they are made.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import lru_cache

from xdsl.dialects import arith, scf, vector
from xdsl.dialects.builtin import (
    I64,
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from spmd.dialects.compat.memory import GatherOp
from spmd.dialects.element_types import is_vector, vector_type
from spmd.dialects.rewriting import hint, locate
from spmd.dialects.work_groups import aligned_alloca

ConstantAttr = IntegerAttr | FloatAttr | DenseIntOrFPElementsAttr


class Builder:
    """Inserts operations at one point, with the location of `like` unless they have one."""

    def __init__(self, at: InsertPoint, like: Operation | None = None):
        self.point = at
        self.like = like

    @staticmethod
    def before(anchor: Operation) -> Builder:
        """Before `anchor`, which new operations stand for."""
        return Builder(InsertPoint.before(anchor), anchor)

    @staticmethod
    def after(value: SSAValue) -> Builder:
        """After the operation that makes `value`."""
        op = value.owner
        assert isinstance(op, Operation), "arguments are made by none"
        return Builder(InsertPoint.after(op), op)

    @staticmethod
    def at_end(block: Block, like: Operation | None = None) -> Builder:
        """At the end of `block`."""
        return Builder(InsertPoint.at_end(block), like)

    @staticmethod
    def at_head(entry: Block, like: Operation | None = None) -> Builder:
        """After the constants at the head of an entry block."""
        op = entry.first_op
        while isinstance(op, arith.ConstantOp):
            op = op.next_op
        return Builder(InsertPoint(entry, op), like)

    def stands_for(self, op: Operation) -> None:
        """New operations have the location of `op` from here on."""
        self.like = op

    def add(self, op: Operation, name: SSAValue | str | None = None) -> SSAValue:
        """Insert `op`; its first result, called like `name` if it has no name."""
        self.append(op)
        return hint(op.results[0], name)

    def append(self, *ops: Operation) -> None:
        """Insert `ops`, which need not have results."""
        for op in ops:
            if self.like is not None:
                locate(op, self.like)
            self._insert(op)

    def move(self, ops: Iterable[Operation]) -> None:
        """Take `ops` from where they stand, to here."""
        for op in tuple(ops):
            op.detach()
            self._insert(op)

    def _insert(self, op: Operation) -> None:
        if self.point.insert_before is None:
            self.point.block.add_op(op)
        else:
            self.point.block.insert_op_before(op, self.point.insert_before)

    @contextmanager
    def into(self, block: Block) -> Generator[Block]:
        """Go on at the end of `block` for a while."""
        before, self.point = self.point, InsertPoint.at_end(block)
        yield block
        self.point = before


class Rematerializer:
    """
    Computes values again at one point, each once.

    `known` says what a value is called there already. Of any other one the operation is
    cloned, with operands that are found by the same rule; without its overflow flags if
    nobody may have run it.
    """

    def __init__(
        self,
        at: Builder,
        known: Callable[[SSAValue], SSAValue | None],
        speculates: bool = False,
    ):
        self._at = at
        self._known = known
        self._speculates = speculates
        self.values: dict[SSAValue, SSAValue] = {}
        """What values are called, of those that were asked for."""

    def get(self, value: SSAValue) -> SSAValue:
        """What `value` is called at the point."""
        if (found := self.values.get(value)) is None:
            if (found := self._known(value)) is None:
                op = value.owner
                assert isinstance(op, Operation), "arguments of other blocks are known"
                operands = {operand: self.get(operand) for operand in op.operands}
                clone = op.clone(operands)
                if self._speculates and "overflowFlags" in clone.properties:
                    none = arith.IntegerOverflowAttr("none")
                    clone.properties["overflowFlags"] = none
                self._at.append(clone)
                found = operands[value]
            self.values[value] = found
        return found


MOST_BYTES = 1 << 56
"""More than any machine has; 64 lanes with as much do not wrap."""


def bytes_of(
    append: Callable[[Operation], object],
    constants: ConstantPool,
    factors: Iterable[SSAValue],
) -> SSAValue:
    """
    The product of unsigned `factors` of type `index`, at most `MOST_BYTES`.

    Sizes that a kernel computes may be anything, and what wraps is soon too little memory.
    """
    total, *others = factors
    for other in others:
        product = arith.MulUIExtendedOp(total, other)
        most = constants.index(MOST_BYTES)
        low = arith.MinUIOp(product.low, most)
        fits = arith.CmpiOp(product.high, constants.index(0), "eq")
        chosen = arith.SelectOp(fits, low, most)
        for op in (product, low, fits, chosen):
            append(op)
        total = chosen.result
    return total


class ConstantPool:
    """
    The constants at the head of a function's entry block, one for each value.

    Constants further down are left alone: they do not dominate the whole function.
    """

    def __init__(self, entry: Block):
        self.entry = entry
        self._values: dict[Attribute, SSAValue] = {}
        self._indices: dict[int, SSAValue] = {}
        for op in entry.ops:
            if not isinstance(op, arith.ConstantOp):
                break
            self._values.setdefault(op.value, op.result)

    def get(self, attribute: ConstantAttr, name: str | None = None) -> SSAValue:
        """The constant of this value and type."""
        found = self._values.get(attribute)
        if found is None:
            at = Builder(InsertPoint.at_start(self.entry), self.entry.parent_op())
            found = self._values[attribute] = at.add(arith.ConstantOp(attribute), name)
        return found

    def index(self, value: int) -> SSAValue:
        """The constant `value` of type `index`."""
        # Asked for often, and a number is found much faster than an attribute.
        found = self._indices.get(value)
        if found is None:
            found = self._indices[value] = self.number(value, IndexType())
        return found

    def bit(self, value: bool) -> SSAValue:
        """The constant of type `i1`."""
        return self.get(IntegerAttr.from_bool(value), str(value).lower())

    def number(self, value: int, type_: Attribute) -> SSAValue:
        """A scalar integer or index."""
        is_index = isinstance(type_, IndexType)
        assert is_index or isa(type_, IntegerType), f"{type_} has no integers"
        if type_ == i1:
            return self.bit(value != 0)
        sign = "m" if value < 0 else ""
        suffix = "" if is_index else f"_{type_}"
        return self.get(IntegerAttr(value, type_), f"c{sign}{abs(value)}{suffix}")

    def zero(self, type_: Attribute) -> SSAValue:
        """Something harmless of a type, for lanes that have no value."""
        if isa(type_, VectorType):
            number = 0.0 if isinstance(type_.element_type, AnyFloat) else 0
            return self.get(DenseIntOrFPElementsAttr.from_list(type_, [number]))  # pyright: ignore
        if isinstance(type_, AnyFloat):
            return self.get(FloatAttr(0.0, type_), "zero")
        return self.number(0, type_)

    def dense(
        self, value: float, type_: Attribute, width: int, name: str | None = None
    ) -> SSAValue:
        """A vector with the same number in each lane."""
        if name is None and value in (0, 1):
            name = "ones" if value else "zeros"
        elif name is None and isinstance(value, int):
            name = f"c{value}_lanes" if value > 0 else f"cm{-value}_lanes"
        number = float(value) if isinstance(type_, AnyFloat) else int(value)
        vector = vector_type(type_, width)
        return self.get(DenseIntOrFPElementsAttr.from_list(vector, [number]), name)  # pyright: ignore

    def numbers(self, values: Sequence[int], type_: Attribute, name: str) -> SSAValue:
        """A vector of integers of a type, one for each lane."""
        vector = vector_type(type_, len(values))
        return self.get(DenseIntOrFPElementsAttr.from_list(vector, values), name)  # pyright: ignore


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


def shuffle(a: SSAValue, b: SSAValue, places: Sequence[int]) -> vector.ShuffleOp:
    """The elements at `places` of the vector `a` and, counted on, `b`."""
    type_ = a.type
    assert isa(type_, VectorType)
    result = vector_type(type_.element_type, len(places))
    return vector.ShuffleOp(a, b, _order(tuple(places)), result_type=result)


@lru_cache
def _order(places: tuple[int, ...]) -> DenseArrayBase[I64]:
    # A kernel has few orders for many shuffles, and each number of a new one is verified.
    return DenseArrayBase.from_list(i64, places)


def joined(at: Builder, parts: Sequence[SSAValue]) -> SSAValue:
    """One vector of all elements of `parts`, as many as a power of two, which are equally long."""
    name = parts[0]
    while len(parts) > 1:
        type_ = parts[0].type
        assert isa(type_, VectorType)
        places = range(2 * type_.get_shape()[0])
        parts = [
            at.add(shuffle(a, b, places), name)
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
    return parts[0]


def permuted(
    at: Builder, constants: ConstantPool, value: SSAValue, places: SSAValue
) -> SSAValue:
    """
    The elements of `value` at `places`, which all exist; as many as there are places.

    Code says so through memory; machines do it in registers (`lowering/vectors/vector_permute.py`).
    """
    source, where = value.type, places.type
    assert is_vector(source)
    assert is_vector(where)
    (lanes,) = where.get_shape()
    head = Builder.at_head(constants.entry, at.like)
    array = MemRefType(source.element_type, source.get_shape())
    buffer = head.add(aligned_alloca(array), value)
    first, every = constants.index(0), constants.dense(1, i1, lanes, "all_on")
    at.append(vector.StoreOp(value, buffer, [first]))
    unused = constants.zero(vector_type(source.element_type, lanes))
    return at.add(GatherOp(buffer, [first], places, every, unused), value)


def run_beside(
    ops: Sequence[Operation],
    condition: SSAValue,
    instead: Callable[[Builder], Sequence[SSAValue] | None],
) -> Block:
    """
    Put `ops` where `condition` does not hold, beside what is done `instead`.

    That gives as many results as they do. The block in which they stand then.
    """
    at = Builder.before(ops[-1])
    taken, otherwise = Block(), Block()
    results = [result for op in ops for result in op.results]
    types = [result.type for result in results]
    choice = scf.IfOp(condition, types, Region(taken), Region(otherwise))
    at.append(choice)
    for old, new in zip(results, choice.results, strict=True):
        old.replace_all_uses_with(hint(new, old))
    with at.into(taken):
        at.append(scf.YieldOp(*(instead(at) or ())))
    with at.into(otherwise):
        at.move(ops)
        at.append(scf.YieldOp(*results))
    return otherwise
