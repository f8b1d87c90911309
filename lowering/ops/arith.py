"""`arith`: integer and float arithmetic, comparisons and constants, on scalars and vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
)
from xdsl.ir import Operation, SSAValue

from spmd.analysis.ranges.integer_range import IntegerRange
from spmd.dialects.compat.missing_arith import RemFOp
from spmd.dialects.element_types import is_memref
from spmd.dialects.interfaces.computation import fast_math_flags
from spmd.dialects.interfaces.speculation import IntegerDivision, is_integer_division
from spmd.lowering.masks.wide_masks import write_logic, write_select
from spmd.lowering.ops.conversions import define_computed, is_bf16, operand_to_compute
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import (
    constant,
    dense_elements,
    integer_literal,
    scalar_literal,
    vector_literal,
)
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    element_type,
    lane_count,
    like,
    llvm_type,
    mangled,
    scalar_bits,
)

FLAG_ORDER = ("reassoc", "nnan", "ninf", "nsz", "arcp", "contract", "afn")


def fast_math(op: Operation) -> str:
    """The fast-math flags of an op as LLVM text that ends in a space, or nothing."""
    flags = fast_math_flags(op)
    if len(flags) == len(FLAG_ORDER):
        return "fast "
    return "".join(f"{flag} " for flag in FLAG_ORDER if flag in flags)


FOLDED_AS = {
    "minimum": "fminimum",
    "maximum": "fmaximum",
    "minnum": "fmin",
    "maxnum": "fmax",
}
"""Intrinsics of two floats, and what reductions and atomic instructions call them."""

_INTRINSICS = frozenset(("smin", "smax", "umin", "umax", *FOLDED_AS))


def combined(
    writer: FunctionWriter, name: str, type_: str, a: str, b: str, flags: str = ""
) -> str:
    """The text of the instruction, or the call of the intrinsic, `name` of two operands."""
    if name in _INTRINSICS:
        arguments = [(type_, a), (type_, b)]
        name = f"llvm.{name}.{mangled(type_)}"
        return writer.call(name, type_, arguments, flags=flags)
    return f"{name} {flags}{type_} {a}, {b}"


@emits(arith.ConstantOp)
def _constant(writer: FunctionWriter, op: arith.ConstantOp) -> None:
    value = op.properties["value"]
    if not isinstance(value, DenseIntOrFPElementsAttr):
        writer.set(op.results[0], scalar_literal(value))
        return
    type_ = op.results[0].type
    lanes = lane_count(type_)
    if lanes is None:
        raise TypeNotLowered(
            f"expected a constant of scalar or vector type, got {type_}"
        )
    scalar = llvm_type(element_type(type_))
    dense = cast(DenseIntOrFPElementsAttr, value)
    writer.set(op.results[0], vector_literal(dense_elements(dense), scalar))


# Integers

_INTEGER_BINARY: dict[type[Operation], str] = {
    arith.AddiOp: "add",
    arith.SubiOp: "sub",
    arith.MuliOp: "mul",
    arith.DivUIOp: "udiv",
    arith.DivSIOp: "sdiv",
    arith.RemUIOp: "urem",
    arith.RemSIOp: "srem",
    arith.AndIOp: "and",
    arith.OrIOp: "or",
    arith.XOrIOp: "xor",
    arith.ShLIOp: "shl",
    arith.ShRUIOp: "lshr",
    arith.ShRSIOp: "ashr",
    arith.MinSIOp: "smin",
    arith.MaxSIOp: "smax",
    arith.MinUIOp: "umin",
    arith.MaxUIOp: "umax",
}


def _range_of_lanes(writer: FunctionWriter, value: SSAValue) -> IntegerRange:
    """What an integer may be, or each lane of a vector of them."""
    width = scalar_bits(element_type(value.type))
    if lane_count(value.type) is None:
        return writer.ranges.of(value)
    match value.owner:
        case vector.BroadcastOp() as broadcast:
            return _range_of_lanes(writer, broadcast.source)
        case arith.SelectOp() as select:
            chosen = (
                _range_of_lanes(writer, each) for each in (select.lhs, select.rhs)
            )
            return next(chosen).join(next(chosen))
        case arith.ConstantOp(value=DenseIntOrFPElementsAttr() as dense):
            numbers = list(cast(Sequence[int], dense.get_values()))
            return IntegerRange(min(numbers), max(numbers))
        case _:
            return IntegerRange.of_width(width)


def _divisor(writer: FunctionWriter, op: Operation) -> str:
    """
    What `op` divides by: 1 in place of what would end the process.

    That is 0, and -1 for the least number. Nothing is written where ranges exclude both.
    """
    lhs, rhs = op.operands
    divisor, type_ = writer.get(rhs), writer.type_of(rhs)
    scalar, lanes = element_type(rhs.type), lane_count(rhs.type)
    division = IntegerDivision.of(op)
    assert division is not None
    least = -1 << scalar_bits(scalar) - 1
    by, dividend = _range_of_lanes(writer, rhs), _range_of_lanes(writer, lhs)
    may_be_zero = by.low <= 0 <= by.high
    may_overflow = division.signed and by.low <= -1 <= by.high and dividend.low == least
    if not (may_be_zero or may_overflow):
        return divisor

    def number(value: int) -> str:
        return constant(integer_literal(value, scalar), llvm_type(scalar), lanes)

    bit = like("i1", lanes)
    divisor = writer.temp(f"freeze {type_} {divisor}", "by")
    wrong: list[str] = []
    if may_be_zero:
        wrong.append(writer.temp(f"icmp eq {type_} {divisor}, {number(0)}"))
    if may_overflow:
        by_minus_one = writer.temp(f"icmp eq {type_} {divisor}, {number(-1)}")
        # An undefined dividend must not make the divisor undefined.
        of = writer.temp(f"freeze {writer.typed(lhs)}", "of")
        of_least = writer.temp(f"icmp eq {type_} {of}, {number(least)}")
        wrong.append(writer.temp(f"and {bit} {by_minus_one}, {of_least}"))
    if len(wrong) > 1:
        wrong.append(writer.temp(f"or {bit} {', '.join(wrong)}"))
    choice = f"select {bit} {wrong[-1]}, {type_} {number(1)}, {type_} {divisor}"
    return writer.temp(choice, "divisor")


@emits(*(set(_INTEGER_BINARY) - {arith.MinUIOp}))
def _integer_binary(writer: FunctionWriter, op: Operation) -> None:
    name = _INTEGER_BINARY[type(op)]
    if write_logic(writer, op, name):
        return
    lhs, rhs = op.operands
    flags = getattr(op.properties.get("overflowFlags"), "data", ())
    text = "".join(f"{flag} " for flag in ("nuw", "nsw") if flag in flags)
    if "isExact" in op.properties:
        text += "exact "
    type_ = writer.type_of(lhs)
    b = _divisor(writer, op) if is_integer_division(op) else writer.get(rhs)
    instruction = combined(writer, name, type_, writer.get(lhs), b, text)
    writer.define(op.results[0], instruction)


@emits(arith.MinUIOp)
def _least_unsigned(writer: FunctionWriter, op: arith.MinUIOp) -> None:
    """The smaller of two numbers, of which 0 is the smallest of all."""
    # LLVM ends the process for 0 and what was a float, where it has not optimised before.
    for operand in op.operands:
        if _range_of_lanes(writer, operand).value == 0:
            writer.set(op.result, writer.get(operand))
            return
    _integer_binary(writer, op)


@emits(arith.FloorDivSIOp, arith.CeilDivSIOp, arith.CeilDivUIOp)
def _rounded_division(writer: FunctionWriter, op: Operation) -> None:
    """
    The quotient rounded to zero, then corrected where a rest remains.

    The usual short forms, `(a + b - 1) / b`, overflow.
    """
    lhs, _ = op.operands
    type_, a, b = writer.type_of(lhs), writer.get(lhs), _divisor(writer, op)
    scalar, lanes = element_type(lhs.type), lane_count(lhs.type)
    zero = constant(integer_literal(0, scalar), llvm_type(scalar), lanes)
    sign = "u" if isinstance(op, arith.CeilDivUIOp) else "s"
    quotient = writer.temp(f"{sign}div {type_} {a}, {b}")
    rest = writer.temp(f"{sign}rem {type_} {a}, {b}")
    correct = writer.temp(f"icmp ne {type_} {rest}, {zero}")
    bit = like("i1", lanes)
    if sign == "s":
        mixed = writer.temp(f"xor {type_} {rest}, {b}")
        towards = "slt" if isinstance(op, arith.FloorDivSIOp) else "sge"
        away = writer.temp(f"icmp {towards} {type_} {mixed}, {zero}")
        correct = writer.temp(f"and {bit} {correct}, {away}")
    if type_ == bit:
        one = correct
    else:
        one = writer.temp(f"zext {bit} {correct} to {type_}")
    step = "sub" if isinstance(op, arith.FloorDivSIOp) else "add"
    writer.define(op.results[0], f"{step} {type_} {quotient}, {one}")


@emits(arith.AddUIExtendedOp)
def _addui_extended(writer: FunctionWriter, op: arith.AddUIExtendedOp) -> None:
    lhs, rhs = op.operands
    type_, a = writer.type_of(lhs), writer.get(lhs)
    writer.define(op.results[0], f"add {type_} {a}, {writer.get(rhs)}")
    total = writer.get(op.results[0])
    writer.define(op.results[1], f"icmp ult {type_} {total}, {a}")


@emits(arith.MulUIExtendedOp, arith.MulSIExtendedOp)
def _mul_extended(writer: FunctionWriter, op: Operation) -> None:
    lhs, rhs = op.operands
    type_ = writer.type_of(lhs)
    bits = scalar_bits(element_type(lhs.type))
    lanes = lane_count(lhs.type)
    wide = like(f"i{2 * bits}", lanes)
    shift = constant(str(bits), f"i{2 * bits}", lanes)
    extend = "sext" if isinstance(op, arith.MulSIExtendedOp) else "zext"
    a = writer.temp(f"{extend} {type_} {writer.get(lhs)} to {wide}")
    b = writer.temp(f"{extend} {type_} {writer.get(rhs)} to {wide}")
    product = writer.temp(f"mul {wide} {a}, {b}")
    writer.define(op.results[0], f"trunc {wide} {product} to {type_}")
    high = writer.temp(f"lshr {wide} {product}, {shift}")
    writer.define(op.results[1], f"trunc {wide} {high} to {type_}")


def _predicate(op: Operation, names: list[str]) -> str:
    attribute = op.properties["predicate"]
    assert isinstance(attribute, IntegerAttr)
    return names[attribute.value.data]


@emits(arith.CmpiOp)
def _cmpi(writer: FunctionWriter, op: arith.CmpiOp) -> None:
    lhs, rhs = op.operands
    predicate = _predicate(op, arith.CMPI_COMPARISON_OPERATIONS)
    writer.define(
        op.results[0], f"icmp {predicate} {writer.typed(lhs)}, {writer.get(rhs)}"
    )


@emits(arith.SelectOp)
def _select(writer: FunctionWriter, op: arith.SelectOp) -> None:
    if write_select(writer, op):
        return
    condition, if_true, if_false = op.operands
    choose = f"select {writer.typed(condition)}"
    if not is_memref(if_true.type):
        writer.define(
            op.results[0],
            f"{choose}, {writer.typed(if_true)}, {writer.typed(if_false)}",
        )
        return
    chosen = [
        writer.temp(f"{choose}, {type_} {a}, {type_} {b}", hint)
        for (type_, hint), a, b in zip(
            writer.component_types(op.results[0]),
            writer.components(if_true),
            writer.components(if_false),
            strict=True,
        )
    ]
    writer.set_components(op.results[0], chosen)


# Floats

_FLOAT_BINARY: dict[type[Operation], str] = {
    arith.AddfOp: "fadd",
    arith.SubfOp: "fsub",
    arith.MulfOp: "fmul",
    arith.DivfOp: "fdiv",
    RemFOp: "frem",
    arith.MinimumfOp: "minimum",
    arith.MaximumfOp: "maximum",
    arith.MinnumfOp: "minnum",
    arith.MaxnumfOp: "maxnum",
}


@emits(*_FLOAT_BINARY)
def _float_binary(writer: FunctionWriter, op: Operation) -> None:
    lhs, rhs = op.operands
    type_, a = operand_to_compute(writer, lhs)
    _, b = operand_to_compute(writer, rhs)
    text = combined(writer, _FLOAT_BINARY[type(op)], type_, a, b, fast_math(op))
    define_computed(writer, op.results[0], text)


@emits(arith.NegfOp)
def _negf(writer: FunctionWriter, op: arith.NegfOp) -> None:
    (operand,) = op.operands
    if not is_bf16(operand):
        writer.define(op.results[0], f"fneg {fast_math(op)}{writer.typed(operand)}")
        return
    sign = constant("-32768", "i16", lane_count(operand.type))
    writer.define(op.results[0], f"xor {writer.typed(operand)}, {sign}")


@emits(arith.CmpfOp)
def _cmpf(writer: FunctionWriter, op: arith.CmpfOp) -> None:
    lhs, rhs = op.operands
    predicate = _predicate(op, arith.CMPF_COMPARISON_OPERATIONS)
    type_, a = operand_to_compute(writer, lhs)
    _, b = operand_to_compute(writer, rhs)
    writer.define(op.results[0], f"fcmp {fast_math(op)}{predicate} {type_} {a}, {b}")
