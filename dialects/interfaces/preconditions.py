"""
When to execute an op is undefined, said so that code can find out as it runs.

An op is undefined where all comparisons of one of the `cases` of a `Fault` hold. The words
are those of the reference interpreter, which finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    NoneAttr,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa
from xdsl.utils.type import get_element_type_or_self

from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.element_types import memref_type, size_in_bytes
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.interface import OpInterface
from spmd.dialects.interfaces.memory import MemoryAccess, MemoryHint
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.rewriting import named


@dataclass(frozen=True)
class Comparison:
    """Of two integers by a predicate of `arith.cmpi`, of two floats by one of `arith.cmpf`."""

    predicate: str
    left: SSAValue
    right: SSAValue


Case = tuple[Comparison, ...]


@dataclass(frozen=True)
class Fault:
    """What is wrong where all comparisons of one of the cases hold."""

    message: str
    """As that of `spmd.fail`."""

    values: tuple[SSAValue, ...]
    """The integers in the message."""

    cases: tuple[Case, ...]

    at_once: Callable[[], Case] | None = None
    """Computes all cases in one, which costs less than several; ranges prove nothing of it."""


class Terms(Builder):
    """Computes what faults are told by, before the op that may be at fault."""

    def __init__(self, constants: ConstantPool, anchor: Operation):
        super().__init__(InsertPoint.before(anchor), anchor)
        self.constants = constants
        self._extents: dict[tuple[SSAValue, int], SSAValue] = {}

    def go_before(self, op: Operation) -> None:
        """Compute for `op` from here on."""
        self.point = InsertPoint.before(op)
        self.stands_for(op)

    def number(self, value: float, type_: Attribute) -> SSAValue:
        """A constant of a type of numbers; of a vector type, the same in all elements."""
        element = get_element_type_or_self(type_)
        if isa(type_, VectorType):
            return self.constants.dense(value, element, prod(type_.get_shape()))
        if isinstance(element, AnyFloat):
            return self.constants.get(FloatAttr(value, element))
        return self.constants.number(int(value), element)

    def index(self, value: int) -> SSAValue:
        """A constant of type `index`."""
        return self.constants.index(value)

    def extent(self, memory: SSAValue, axis: int) -> SSAValue:
        """A size of a memref; one that has to be asked for is, once, where there is one."""
        type_ = memref_type(memory)
        size = type_.get_shape()[axis]
        if size != DYNAMIC_INDEX:
            return self.index(size)
        owner = memory.owner
        if isinstance(owner, memref.AllocaOp):
            before = type_.get_shape()[:axis].count(DYNAMIC_INDEX)
            return owner.dynamic_sizes[before]
        known = self._extents.get((memory, axis))
        if known is None:
            number = self.index(axis)
            at = (
                Builder.at_head(owner, owner.parent_op())
                if isinstance(owner, Block)
                else Builder(InsertPoint.after(owner), owner)
            )
            name = named(memory, f"size_{axis}")
            known = at.add(memref.DimOp(memory, number), name)
            self._extents[memory, axis] = known
        return known

    def extents(self, memory: SSAValue) -> list[SSAValue]:
        """All sizes of a memref."""
        return [self.extent(memory, axis) for axis in range(rank(memory))]

    def sum(self, a: SSAValue, b: SSAValue) -> SSAValue:
        return self.add(arith.AddiOp(a, b))

    def any_of(self, bits: Iterable[SSAValue | None]) -> SSAValue:
        """Whether one of some bits is set; those that are not there are not."""
        first, *rest = [bit for bit in bits if bit is not None]
        for bit in rest:
            first = self.add(arith.OrIOp(first, bit))
        return first

    def exact_product(self, factors: Sequence[SSAValue]) -> tuple[SSAValue, list[Case]]:
        """The product, and where it has too many bits; if a factor is 0, nowhere."""
        zero = self.index(0)
        some = tuple(Comparison("ne", factor, zero) for factor in factors)
        total, *rest = factors
        cases: list[Case] = []
        for factor in rest:
            product = arith.MulUIExtendedOp(total, factor)
            total = self.add(product)
            cases.append((*some, Comparison("ne", product.high, zero)))
        return total, cases

    def product(self, factors: Iterable[SSAValue]) -> SSAValue:
        total = self.index(1)
        for number, factor in enumerate(factors):
            total = self.add(arith.MuliOp(total, factor)) if number else factor
        return total


Faults = Callable[[Any, Terms], Sequence[Fault]]

Bits = Sequence[SSAValue | None]
"""For each operand whether it is undefined; `None` if it never is."""


@dataclass(frozen=True)
class Preconditions(OpInterface):
    """The op says where it is undefined."""

    # Apart from the other models: only checked code asks.
    _models: ClassVar[Mapping[str, str]] = {
        "arith": "compat.preconditions.arith",
        "cf": "compat.preconditions.others",
        "memref": "compat.preconditions.memref",
        "scf": "compat.preconditions.others",
        "vector": "compat.preconditions.vector",
    }

    faults: Faults

    only: bool = False
    """Whether the op does nothing else than to end what runs there."""

    of_value: bool = False
    """Whether only the result is undefined: nothing is wrong where nobody needs it."""

    passed_on: Callable[[Any, Bits, Terms], SSAValue] | None = None
    """
    Where the result is undefined because an operand is; there is one that may be.

    `None` for an op that computes: where any operand is.
    """


def makes_undefined(op: Operation) -> bool:
    """Whether the result of `op` is undefined where the op has a fault."""
    said = Preconditions.of(op)
    return said is not None and said.of_value


def passes_on(op: Operation) -> Sequence[SSAValue]:
    """The operands of `op` that may be undefined: then only its results are too."""
    said = Preconditions.of(op)
    if MemoryHint.of(op) is not None or (said is not None and said.passed_on):
        return op.operands
    if IntegerDivision.of(op) is not None:
        return op.operands[:1]
    if FunctionOfOperands.of(op) is None or (said is not None and not said.of_value):
        return ()
    return op.operands


def undefined_by_operands(op: Operation, bits: Bits, terms: Terms) -> SSAValue:
    """Where the results of `op` are undefined because one of `passes_on` is."""
    said = Preconditions.of(op)
    if said is not None and said.passed_on is not None:
        return said.passed_on(op, bits, terms)
    return terms.any_of(bits)


def is_only_a_check(op: Operation) -> bool:
    """Whether `op` does nothing where it has no fault."""
    said = Preconditions.of(op)
    return said is not None and said.only


def faults_of(op: Operation, terms: Terms) -> Sequence[Fault]:
    """Where `op` is undefined, by what it says and by its other interfaces."""
    if (said := Preconditions.of(op)) is not None:
        return said.faults(op, terms)
    if IntegerDivision.of(op) is not None:
        return _of_division(op, terms)
    access = MemoryAccess.of(op)
    if access is None or MemoryHint.of(op) is not None:
        return ()
    indices = access.indices(op)
    if indices is None:
        return ()
    (memory,) = access.reads(op) or access.writes(op)
    return [out_of_bounds(memory, indices, terms)]


def rank(memory: SSAValue) -> int:
    """How many dimensions a memref has."""
    return memref_type(memory).get_num_dims()


def below_zero(value: SSAValue, terms: Terms) -> Comparison:
    """Whether a number is negative."""
    return Comparison("slt", value, terms.number(0, value.type))


def out_of_bounds(
    memory: SSAValue,
    indices: Sequence[SSAValue],
    terms: Terms,
    lengths: Sequence[int] = (),
) -> Fault:
    """An access to an element, or in the last dimensions to so many from there on."""
    extents = terms.extents(memory)
    cases: list[Case] = []
    outer = len(extents) - len(lengths)
    for axis, (index, extent) in enumerate(zip(indices, extents, strict=True)):
        cases.append((Comparison("uge", index, extent),))
        if axis >= outer and lengths[axis - outer] > 1:
            last = terms.sum(index, terms.index(lengths[axis - outer] - 1))
            cases.append((Comparison("uge", last, extent),))
    at = ", ".join("{}" for _ in indices)
    block = f"{'x'.join(map(str, lengths))} elements from " if lengths else ""
    words, sizes = described(memory, extents)
    message = f"access out of bounds: {block}[{at}]{' on' if block else ''} of {words}"
    return Fault(message, (*indices, *sizes), tuple(cases))


def described(
    memory: SSAValue, extents: Sequence[SSAValue]
) -> tuple[str, tuple[SSAValue, ...]]:
    """A memref in words, with its sizes: those that are not known, as numbers to put in."""
    type_ = memref_type(memory)
    whole = underlying_object(memory)
    space = "private" if isinstance(whole.owner, memref.AllocaOp) else "global"
    if not isinstance(type_.memory_space, NoneAttr | IntegerAttr):
        space = cast(Any, type_.memory_space).data.value
    name = f" %{whole.name_hint}" if whole.name_hint else ""
    shape = type_.get_shape()
    sizes = "x".join("{}" if n == DYNAMIC_INDEX else str(n) for n in shape) or "1"
    given = (n for n, size in zip(extents, shape, strict=True) if size == DYNAMIC_INDEX)
    return f"{space} memory{name} of {sizes} elements", tuple(given)


def bits_of(type_: Attribute) -> int:
    """The width of an integer type, of `index`, or of the elements of a vector."""
    element = get_element_type_or_self(type_)
    if isa(element, IntegerType):
        return element.width.data
    return 8 * size_in_bytes(element)


def _of_division(op: Operation, terms: Terms) -> Sequence[Fault]:
    division = IntegerDivision.of(op)
    assert division is not None
    number, divisor = op.operands
    zero = Comparison("eq", divisor, terms.number(0, divisor.type))
    faults = [Fault("division by zero", (), ((zero,),))]
    if division.signed:
        bits = bits_of(divisor.type)
        least = terms.number(-(1 << (bits - 1)), number.type)
        overflow = (
            Comparison("eq", number, least),
            Comparison("eq", divisor, terms.number(-1, divisor.type)),
        )
        message = f"overflow: the quotient of {-(1 << (bits - 1))} and -1 does not fit i{bits}"
        faults.append(Fault(message, (), (overflow,)))
    return faults
