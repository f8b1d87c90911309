"""
`math`: functions of numbers, on scalars and vectors.

What every CPU computes directly is an LLVM intrinsic, also for vectors. What libm
computes is an intrinsic or a call for scalars, and a vector function for vectors
(`vector_math.py`). f16 and bf16 are computed in f32.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import BFloat16Type, Float64Type
from xdsl.ir import Operation, SSAValue

from spmd.dialects.names import BINARY, FUNCTIONS, UNARY
from spmd.dialects.remarks import MathCall, remark
from spmd.lowering.math.vector_math import (
    PURE,
    libm_name,
    power_helper,
    vector_helper,
)
from spmd.lowering.math.vector_polynomials import has_polynomial
from spmd.lowering.ops.arith import fast_math
from spmd.lowering.ops.conversions import (
    NARROW,
    define_computed,
    fma_helper,
    operand_to_compute,
    round_float,
)
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import constant
from spmd.lowering.writing.registry import emits, emits_named
from spmd.lowering.writing.types import (
    element_type,
    lane_count,
    like,
    llvm_type,
    mangled,
    scalar_bits,
)


def _wide_operands(writer: FunctionWriter, op: Operation) -> list[tuple[str, str]]:
    """Types and operands of what is computed with."""
    return [operand_to_compute(writer, value, NARROW) for value in op.operands]


def _scalar(type_: str) -> str:
    """`float` or `double`, of a vector type its element."""
    return "double" if "double" in type_ else "float"


# What CPUs compute

_INTRINSICS: dict[type[Operation], str] = {
    math.CeilOp: "ceil",
    math.FloorOp: "floor",
    math.RoundEvenOp: "roundeven",
    math.RoundOp: "round",
    math.SqrtOp: "sqrt",
    math.TruncOp: "trunc",
}


@emits(math.AbsFOp, math.CopySignOp)
def _sign(writer: FunctionWriter, op: Operation) -> None:
    """Of narrow floats too only the sign changes: in f32, NaNs would become quiet."""
    result = op.results[0]
    name = "fabs" if isinstance(op, math.AbsFOp) else "copysign"
    type_ = writer.type_of(result)
    if not isinstance(element_type(result.type), NARROW):
        arguments = [(type_, writer.get(operand)) for operand in op.operands]
        call = writer.call(
            f"llvm.{name}.{mangled(type_)}", type_, arguments, flags=fast_math(op)
        )
        writer.define(result, call)
        return
    lanes = lane_count(result.type)
    i16 = like("i16", lanes)

    def masked(operand: SSAValue, mask: int) -> str:
        bits = writer.temp(f"bitcast {writer.typed(operand)} to {i16}")
        return writer.temp(f"and {i16} {bits}, {constant(str(mask), 'i16', lanes)}")

    bits = masked(op.operands[0], 0x7FFF)
    if name == "copysign":
        bits = writer.temp(f"or {i16} {bits}, {masked(op.operands[1], -0x8000)}")
    writer.define(result, f"bitcast {i16} {bits} to {type_}")


@emits(*_INTRINSICS)
def _intrinsic(writer: FunctionWriter, op: Operation) -> None:
    arguments = _wide_operands(writer, op)
    type_ = arguments[0][0]
    name = f"llvm.{_INTRINSICS[type(op)]}.{mangled(type_)}"
    text = writer.call(name, type_, arguments, flags=fast_math(op))
    define_computed(writer, op.results[0], text, NARROW)


@emits(math.RsqrtOp)
def _rsqrt(writer: FunctionWriter, op: math.RsqrtOp) -> None:
    arguments = _wide_operands(writer, op)
    type_ = arguments[0][0]
    flags = fast_math(op)
    name = f"llvm.sqrt.{mangled(type_)}"
    root = writer.temp(writer.call(name, type_, arguments, flags=flags))
    one = constant("1.000000e+00", _scalar(type_), lane_count(op.results[0].type))
    define_computed(writer, op.results[0], f"fdiv {flags}{type_} {one}, {root}", NARROW)


@emits_named(math.FmaOp.name, "vector.fma")
def fused_multiply_add(writer: FunctionWriter, op: Operation) -> None:
    """Writes `a * b + c`, rounded once."""
    result = op.results[0]
    target = element_type(result.type)
    type_ = writer.type_of(result)
    lanes = lane_count(result.type)
    native = "+avx512fp16" in writer.module.machine.features
    if isinstance(target, BFloat16Type if native else NARROW):
        # LLVM would round bf16 twice, and call a function for each f16.
        f64 = like("double", lanes)
        wide = [
            round_float(writer, writer.get(operand), target, Float64Type(), lanes)
            for operand in op.operands
        ]
        helper = fma_helper(writer.module, lanes)
        passed = ", ".join(f"{f64} {operand}" for operand in wide)
        odd = writer.temp(f"call {f64} @{helper}({passed})")
        hint = result.name_hint
        writer.set(result, round_float(writer, odd, Float64Type(), target, lanes, hint))
        return
    arguments = [(type_, writer.get(operand)) for operand in op.operands]
    name = f"llvm.fma.{mangled(type_)}"
    writer.define(result, writer.call(name, type_, arguments, flags=fast_math(op)))


# What libm computes

_LIBM_INTRINSICS = frozenset((*UNARY, *BINARY)) - frozenset(
    ["acosh", "asinh", "atanh", "cbrt", "erf", "erfc", "exp10", "expm1", "log1p"]
)
"""LLVM knows more about these than that they are pure."""


@emits_named(*FUNCTIONS)
def _libm(writer: FunctionWriter, op: Operation) -> None:
    function = FUNCTIONS[op.name]
    arguments = _wide_operands(writer, op)
    type_, lanes = arguments[0][0], lane_count(op.results[0].type)
    flags = fast_math(op)
    name = libm_name(function, _scalar(type_))
    if lanes is None:
        attributes = PURE
        if function in _LIBM_INTRINSICS:
            name, attributes = f"llvm.{function}.{mangled(type_)}", ""
        text = writer.call(name, type_, arguments, flags=flags, attributes=attributes)
    else:
        helper = vector_helper(
            writer.module, function, _scalar(type_), len(arguments), lanes
        )
        if not has_polynomial(name):
            remark(MathCall, op, name in writer.module.machine.vector_functions)
        passed = ", ".join(f"{type_} {operand}" for _, operand in arguments)
        text = f"call {flags}{type_} @{helper}({passed})"
    define_computed(writer, op.results[0], text, NARROW)


@emits(math.FPowIOp)
def _fpowi(writer: FunctionWriter, op: math.FPowIOp) -> None:
    type_, base = operand_to_compute(writer, op.operands[0], NARROW)
    exponent = op.operands[1]
    lanes = lane_count(op.results[0].type)
    bits = scalar_bits(element_type(exponent.type))
    helper = power_helper(writer.module, _scalar(type_), lanes, bits)
    text = f"call {type_} @{helper}({type_} {base}, {writer.typed(exponent)})"
    define_computed(writer, op.results[0], text, NARROW)


# Integers


@emits(math.IPowIOp)
def _ipowi(writer: FunctionWriter, op: math.IPowIOp) -> None:
    base, exponent = op.operands
    scalar = llvm_type(element_type(base.type))
    bits = scalar_bits(element_type(base.type))
    helper = power_helper(writer.module, scalar, lane_count(base.type), bits)
    writer.define(
        op.results[0],
        f"call {writer.type_of(base)} @{helper}"
        f"({writer.typed(base)}, {writer.typed(exponent)})",
    )


_INTEGER_INTRINSICS: dict[type[Operation], str] = {
    math.AbsIOp: "abs",
    math.CountLeadingZerosOp: "ctlz",
    math.CountTrailingZerosOp: "cttz",
    math.CtPopOp: "ctpop",
}


@emits(*_INTEGER_INTRINSICS)
def _integer_intrinsic(writer: FunctionWriter, op: Operation) -> None:
    (operand,) = op.operands
    type_ = writer.type_of(operand)
    arguments = [(type_, writer.get(operand))]
    if not isinstance(op, math.CtPopOp):
        # Zero, and the smallest integer, have a result: the width, and itself.
        arguments.append(("i1", "false"))
    name = f"llvm.{_INTEGER_INTRINSICS[type(op)]}.{mangled(type_)}"
    writer.define(op.results[0], writer.call(name, type_, arguments))
