"""Writes operations, each at the place of the Python that it comes from."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, cast

import numpy as np
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FileLineColLoc,
    FloatAttr,
    IndexType,
    IntegerType,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.dialects.building import ConstantPool
from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.rewriting import hint
from spmd.frontends.python.source import Node, Source
from spmd.frontends.python.types import BOOL, INT, SCALARS, Array, Scalar, limits
from spmd.frontends.python.values import (
    Constant,
    Host,
    Items,
    Memory,
    Number,
    Scalars,
    Value,
    described,
    value_of,
)

_ARRAYS: tuple[type, ...] = (np.ndarray,)

MOST_IN_TABLE = 1 << 16
"""Elements of an array that is compiled in: more make long texts of IR."""


class Emitter:
    """
    Appends to `block`, which is `None` where no work-item comes.

    `region` takes further blocks; it is `None` inside of structured control flow. All
    arithmetic of floats has the flags `fastmath`.
    """

    def __init__(
        self, source: Source, region: Region, fastmath: frozenset[FastMathFlag]
    ):
        self.source = source
        self.node: Node = source.tree
        self.call: tuple[Source, Node] | None = None
        """Where all operations come from, in a function that users do not see."""
        self.region: Region | None = region
        self.block: Block | None = region.block
        self.entry = region.block
        self.fastmath = arith.FastMathFlagsAttr(fastmath)
        self.constants = ConstantPool(region.block)
        self.tables: dict[object, tuple[memref.GlobalOp, Memory]] = {}
        """Arrays that are compiled in."""

    def fail(self, message: str, node: Node | None = None) -> NoReturn:
        """A `KernelError` about `node`, by default that which is being translated."""
        source, at = self.call or (self.source, self.node if node is None else node)
        raise KernelError(message, location=source.place(at))

    @contextmanager
    def into(self, block: Block, region: Region | None = None) -> Generator[None]:
        """Go on at the end of `block` for a while, which stands in structured code."""
        before = self.block, self.region
        self.block, self.region = block, region
        yield
        self.block, self.region = before

    def append(self, op: Operation) -> None:
        """Append `op`."""
        assert self.block is not None, "what nobody reaches is not translated"
        op.location = self._location
        if "fastmath" in op.properties:
            op.properties["fastmath"] = self.fastmath
        self.block.add_op(op)

    @property
    def _location(self) -> FileLineColLoc:
        source, node = self.call or (self.source, self.node)
        return source.location(node)

    def add(self, op: Operation, name: str | None = None) -> SSAValue:
        """Append `op`; its first result."""
        self.append(op)
        return hint(op.results[0], name)

    # --- numbers ----------------------------------------------------------------------

    def ssa(self, value: Scalars | Memory) -> SSAValue:
        """The value of IR that stands for a number or an array."""
        if not isinstance(value, Constant):
            return value.ssa
        type_, number = value.type, value.value
        if type_.kind == "b":
            return self.constants.bit(bool(number))
        if type_.kind == "f":
            ir = cast(AnyFloat, type_.ir)
            return self.constants.get(FloatAttr(float(number), ir))
        low, high = limits(type_)
        if not low <= number <= high:
            self.fail(
                f"expected a number from {low} to {high} for {type_}, got {number}"
            )
        return self.constants.number(_bits(number, type_), type_.ir)

    def index(self, value: Value, what: str = "index") -> SSAValue:
        """A whole number as `index`."""
        return self.ssa(self.convert(self.integer(value, what), INT))

    def integer(self, value: Value, what: str) -> Scalars:
        """`value`, which has to be a whole number."""
        if isinstance(value, Constant | Number) and value.type.is_integer:
            return value
        self.fail(
            f"expected a whole number as {what}, got {described(value.type)}; "
            "int(...) makes one"
        )

    def scalar(self, value: Value, what: str) -> Scalars:
        """`value`, which has to be a number."""
        if isinstance(value, Constant | Number):
            return value
        self.fail(f"expected a number {what}, got {described(value.type)}")

    def memory(self, value: Value, what: str) -> Memory:
        """`value`, which has to be an array."""
        if isinstance(value, Memory):
            return value
        self.fail(f"expected an array {what}, got {described(value.type)}")

    def text(self, value: Value, what: str, allowed: tuple[str, ...]) -> str:
        """`value`, which has to be one of some words."""
        if isinstance(value, Host) and value.value in allowed:
            return value.value
        got = value.value if isinstance(value, Host | Constant) else value.type
        listed = ", ".join(map(repr, allowed))
        self.fail(f"expected {what} of {listed}, got {got!r}")

    def truth(self, value: Value) -> Constant | Number:
        """Whether `value` counts as true, of type `bool`."""
        if isinstance(value, Items):
            return Constant(BOOL, bool(value.values))
        if isinstance(value, Host) and (value.value is None or value.value == ""):
            return Constant(BOOL, False)
        if not isinstance(value, Constant | Number):
            self.fail(
                f"expected a condition that is a number, got {described(value.type)}"
            )
        return self.convert(value, BOOL)

    def number(
        self,
        type_: Scalar,
        op: Operation,
        low: int | None = None,
        high: int | None = None,
    ) -> Number:
        """The result of `op` as a number of `type_`."""
        return Number(type_, self.add(op), low, high)

    def known(self, given: Any) -> Value:
        """What an object of Python is, as it is when the kernel is compiled."""
        if isinstance(given, _ARRAYS) and (type_ := SCALARS.get(given.dtype.name)):
            return self.table(type_, given.shape, given.ravel().tolist())
        return value_of(given)

    def table(
        self, type_: Scalar, shape: tuple[int, ...], numbers: Sequence[Any]
    ) -> Memory:
        """An array of numbers of `type_` that are compiled in."""
        if not 0 < len(numbers) <= MOST_IN_TABLE:
            self.fail(
                f"expected a constant array of 1 to {MOST_IN_TABLE} elements, got "
                f"{len(numbers)}; pass it to the kernel as an argument"
            )
        key = type_, shape, repr(numbers)
        if key not in self.tables:
            kind = Array(type_, shape, "constant")
            elements = DenseIntOrFPElementsAttr.from_list(
                TensorType(cast(IntegerType, type_.ir), shape),
                [_bits(number, type_) for number in numbers],
            )
            name = f"table{len(self.tables)}"
            table = memref.GlobalOp.get(
                StringAttr(name), kind.ir, elements, constant=UnitAttr()
            )
            use = memref.GetGlobalOp(name, kind.ir)
            table.location = use.location = self._location
            if (first := self.entry.first_op) is None:
                self.entry.add_op(use)
            else:
                self.entry.insert_op_before(use, first)
            self.tables[key] = table, Memory(kind, use.memref)
        return self.tables[key][1]

    # --- conversions ------------------------------------------------------------------

    def convert(self, value: Scalars, type_: Scalar) -> Scalars:
        """
        `value` as a number of `type_`, as `np.dtype(type_).type(value)` does it.

        A constant that an integer type cannot hold is an error if Python's `int` meets
        that type, as in NumPy 2.
        """
        if value.type == type_:
            return value
        if isinstance(value, Constant):
            return self._convert_constant(value, type_)
        ssa = self._convert(value.ssa, value.type, type_)
        if not (type_.is_integer and value.type.is_integer):
            return Number(type_, ssa)
        least, most = limits(type_)
        lowest, highest = limits(value.type)
        low = lowest if value.low is None else value.low
        high = highest if value.high is None else value.high
        if least <= low and high <= most:
            return Number(type_, ssa, value.low, value.high)
        return Number(type_, ssa)  # It may wrap around.

    def _convert_constant(self, value: Constant, type_: Scalar) -> Constant:
        number = value.value
        if type_.kind == "b":
            return Constant(type_, bool(number))
        try:
            if type_.kind == "f":
                if type_.name in ("float", "bfloat16"):
                    return Constant(type_, float(number))
                return Constant(type_, float(Constant(type_, number).host))
            whole = int(number)
        except (ValueError, OverflowError):
            self.fail(f"expected a number that {type_} can hold, got {_shown(number)}")
        low, high = limits(type_)
        if value.type.is_integer and not value.type.weak:
            whole = low + (whole - low) % (1 << type_.bits)  # A cast wraps around.
        if not low <= whole <= high:
            self.fail(
                f"expected a number from {low} to {high} for {type_}, got {whole}"
            )
        return Constant(type_, whole)

    def _convert(self, ssa: SSAValue, from_: Scalar, to: Scalar) -> SSAValue:
        if to.kind == "b":
            return self._is_not_zero(ssa, from_)
        if to.kind == "f":
            return self._to_float(ssa, from_, to)
        if from_.kind == "f":
            wide = cast(IntegerType, to.ir) if to != INT else i64
            cast_ = arith.FPToUIOp if to.kind == "u" else arith.FPToSIOp
            whole = self.add(cast_(ssa, wide))
            return self.add(arith.IndexCastOp(whole, INT.ir)) if to == INT else whole
        return self._to_integer(ssa, from_, to)

    def _to_integer(self, ssa: SSAValue, from_: Scalar, to: Scalar) -> SSAValue:
        if isinstance(from_.ir, IndexType) or isinstance(to.ir, IndexType):
            unsigned = from_.kind in "ub"
            cast_ = IndexCastUIOp if unsigned else arith.IndexCastOp
            return ssa if from_.ir == to.ir else self.add(cast_(ssa, to.ir))
        if from_.bits == to.bits:
            return ssa
        ir = cast(IntegerType, to.ir)
        if from_.bits > to.bits:
            return self.add(arith.TruncIOp(ssa, ir))
        extend = arith.ExtSIOp if from_.kind == "i" else arith.ExtUIOp
        return self.add(extend(ssa, ir))

    def _to_float(self, ssa: SSAValue, from_: Scalar, to: Scalar) -> SSAValue:
        ir = cast(AnyFloat, to.ir)
        if from_.kind != "f":
            if from_ == INT:
                ssa = self.add(arith.IndexCastOp(ssa, i64))
            signed = from_.kind == "i"
            return self.add(
                arith.SIToFPOp(ssa, ir) if signed else arith.UIToFPOp(ssa, ir)
            )
        if from_.ir == to.ir:
            return ssa
        if from_.bits == to.bits:  # The two kinds of 16 bits.
            ssa = self.add(arith.ExtFOp(ssa, f32))
            return self.add(arith.TruncFOp(ssa, ir))
        return self.add(
            arith.ExtFOp(ssa, ir) if from_.bits < to.bits else arith.TruncFOp(ssa, ir)
        )

    def _is_not_zero(self, ssa: SSAValue, type_: Scalar) -> SSAValue:
        zero = self.constants.zero(type_.ir)
        if type_.kind == "f":
            return self.add(arith.CmpfOp(ssa, zero, "une"))
        return self.add(arith.CmpiOp(ssa, zero, "ne"))


def _bits(number: Any, type_: Scalar) -> Any:
    """A number as IR has it, whose integers have a sign."""
    if not type_.is_integer:
        return number
    return number - (1 << type_.bits) if number >> type_.bits - 1 > 0 else number


def _shown(number: Any) -> str:
    """A number for a message; thousands of digits help nobody."""
    is_long = isinstance(number, int) and number.bit_length() > 64
    return f"an int of {number.bit_length()} bits" if is_long else str(number)
