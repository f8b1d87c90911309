"""
Conversions between number types: the casts of `arith`, and rounding that LLVM gets wrong.

LLVM's `fptrunc` to `bfloat` flushes subnormals on CPUs with AVX512-BF16, and rounds a
double twice on others. So bf16 is always reached from f32 by integer arithmetic, and
from wider types through an f32 that was rounded to odd: its lowest bit then says that
something was cut off, and the second rounding is the only one that counts. The way back
is integer arithmetic too: of `fpext` LLVM makes arithmetic in `bfloat`, and that rounds.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.compat.missing_arith import IndexCastUIOp
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import constant
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.registry import emits, emits_named
from spmd.lowering.writing.types import (
    element_type,
    lane_count,
    like,
    llvm_type,
    mangled,
    scalar_bits,
)

NarrowFloats = tuple[type[Attribute], ...]

NARROW: NarrowFloats = (Float16Type, BFloat16Type)
"""Floats that f32 has all of."""


@dataclass(frozen=True)
class _Type:
    """In the text of a helper `{i32}`, a type of so many lanes; `{i32:7}` is a constant of it."""

    scalar: str
    lanes: int | None

    def __format__(self, number: str) -> str:
        if number:
            return constant(number, self.scalar, self.lanes)
        return like(self.scalar, self.lanes)


_TYPES = {name: name for name in ("i1", "i16", "i32", "i64")} | {
    "f32": "float",
    "f64": "double",
}
"""What the texts of helpers call LLVM's types; a helper may have more."""


def _helper(
    module: ModuleWriter,
    lanes: int | None,
    name: str,
    head: str,
    body: str,
    **more: str,
) -> str:
    """The helper of a name for so many lanes; `@` stands for the name in its head."""

    def make() -> str:
        types = {key: _Type(scalar, lanes) for key, scalar in (_TYPES | more).items()}
        first = head.format_map(types).replace("@", f"@{name}")
        return (
            f"define internal {first} alwaysinline nounwind {{\n"
            f"{body.format_map(types)}}}"
        )

    name = f"spmd.{name}" if lanes is None else f"spmd.{name}.v{lanes}"
    return module.helper(name, make)


def bf16_from_f32(module: ModuleWriter, lanes: int | None) -> str:
    """The helper that rounds f32 to bf16: to nearest, ties to even, NaN stays NaN."""
    body = """\
  %bits = bitcast {f32} %x to {i32}
  %top = lshr {i32} %bits, {i32:16}
  %odd = and {i32} %top, {i32:1}
  %half = add {i32} %bits, {i32:32767}
  %rounded = add {i32} %half, %odd
  %nearest = lshr {i32} %rounded, {i32:16}
  %quiet = or {i32} %top, {i32:64}
  %is.nan = fcmp uno {f32} %x, %x
  %chosen = select {i1} %is.nan, {i32} %quiet, {i32} %nearest
  %result = trunc {i32} %chosen to {i16}
  ret {i16} %result
"""
    return _helper(module, lanes, "bf16.from.f32", "{i16} @({f32} %x)", body)


def f32_from_bf16(module: ModuleWriter, lanes: int | None) -> str:
    """The helper that widens bf16 to f32."""
    body = """\
  %wide = zext {i16} %x to {i32}
  %bits = shl {i32} %wide, {i32:16}
  %result = bitcast {i32} %bits to {f32}
  ret {f32} %result
"""
    return _helper(module, lanes, "f32.from.bf16", "{f32} @({i16} %x)", body)


def f32_rounded_to_odd(module: ModuleWriter, lanes: int | None) -> str:
    """The helper that rounds f64 to f32 such that a second rounding is harmless."""
    f64 = like("double", lanes)
    fabs = f"llvm.fabs.{mangled(f64)}"
    module.declare(fabs, f64, [f64])
    body = f"""\
  %nearest = fptrunc {{f64}} %x to {{f32}}
  %back = fpext {{f32}} %nearest to {{f64}}
  %size = call {{f64}} @{fabs}({{f64}} %x)
  %size.back = call {{f64}} @{fabs}({{f64}} %back)
  %inexact = fcmp one {{f64}} %size, %size.back
  %away = fcmp ogt {{f64}} %size.back, %size
  %bits = bitcast {{f32}} %nearest to {{i32}}
  %less = sub {{i32}} %bits, {{i32:1}}
  %truncated = select {{i1}} %away, {{i32}} %less, {{i32}} %bits
  %odd = or {{i32}} %truncated, {{i32:1}}
  %chosen = select {{i1}} %inexact, {{i32}} %odd, {{i32}} %bits
  %result = bitcast {{i32}} %chosen to {{f32}}
  ret {{f32}} %result
"""
    return _helper(module, lanes, "f32.odd.from.f64", "{f32} @({f64} %x)", body)


def f64_sticky_from_integer(
    module: ModuleWriter, lanes: int | None, bits: int, *, signed: bool
) -> str:
    """
    The helper that makes a double of a wide integer, keeping what is cut off visible.

    Above 2^53 the lower bits that a double cannot hold are folded into one: 52 and a sign
    remain.
    """
    low = (1 << (bits - 52)) - 1
    kind, convert, magnitude, body = "u", "uitofp", "%x", ""
    if signed:
        kind, convert, magnitude = "i", "sitofp", "%size"
        body = f"""  %sign = ashr {{wide}} %x, {{wide:{bits - 1}}}
  %flipped = xor {{wide}} %x, %sign
  %size = sub {{wide}} %flipped, %sign
"""
    body += f"""  %rest = and {{wide}} %x, {{wide:{low}}}
  %carried = add {{wide}} %rest, {{wide:{low}}}
  %folded = or {{wide}} %carried, %x
  %sticky = and {{wide}} %folded, {{wide:{~low}}}
  %large = icmp uge {{wide}} {magnitude}, {{wide:{1 << 53}}}
  %chosen = select {{i1}} %large, {{wide}} %sticky, {{wide}} %x
  %result = {convert} {{wide}} %chosen to {{f64}}
  ret {{f64}} %result
"""
    name, head = f"f64.sticky.from.{kind}{bits}", "{f64} @({wide} %x)"
    return _helper(module, lanes, name, head, body, wide=f"i{bits}")


def fma_helper(module: ModuleWriter, lanes: int | None) -> str:
    """
    The helper that computes `a * b + c` of narrow floats in f64, rounded to odd.

    The product is exact; what the sum cuts off is found exactly (Knuth's two-sum).
    """
    body = """\
  %p = fmul {f64} %a, %b
  %s = fadd {f64} %p, %c
  %c.there = fsub {f64} %s, %p
  %p.there = fsub {f64} %s, %c.there
  %p.rest = fsub {f64} %p, %p.there
  %c.rest = fsub {f64} %c, %c.there
  %rest = fadd {f64} %p.rest, %c.rest
  %inexact = fcmp one {f64} %rest, {f64:0.000000e+00}
  %bits = bitcast {f64} %s to {i64}
  %rest.bits = bitcast {f64} %rest to {i64}
  %signs = xor {i64} %bits, %rest.bits
  %away = icmp slt {i64} %signs, {i64:0}
  %less = sub {i64} %bits, {i64:1}
  %truncated = select {i1} %away, {i64} %less, {i64} %bits
  %odd = or {i64} %truncated, {i64:1}
  %chosen = select {i1} %inexact, {i64} %odd, {i64} %bits
  %result = bitcast {i64} %chosen to {f64}
  ret {f64} %result
"""
    head = "{f64} @({f64} %a, {f64} %b, {f64} %c)"
    return _helper(module, lanes, "f64.odd.fma", head, body)


def i64_from_float(module: ModuleWriter, lanes: int, convert: str, source: str) -> str:
    """
    The helper that makes i64 of floats by `convert`, by way of i32 where all lanes fit.

    Of x86 only AVX-512 has vectors that do so at once; others convert lane after lane.
    """
    here, bits = like(source, lanes), like("i1", lanes)
    fabs, some = f"llvm.fabs.{mangled(here)}", f"llvm.vector.reduce.or.{mangled(bits)}"
    module.declare(fabs, here, [here])
    module.declare(some, "i1", [bits])
    body = f"""\
  %size = call {{here}} @{fabs}({{here}} %x)
  %far = fcmp uge {{here}} %size, {{here:0x41E0000000000000}}
  %some = call i1 @{some}({{i1}} %far)
  br i1 %some, label %some.far, label %all.fit
all.fit:
  %short = fptosi {{here}} %x to {{i32}}
  %result = sext {{i32}} %short to {{i64}}
  ret {{i64}} %result
some.far:
  %wide = {convert} {{here}} %x to {{i64}}
  ret {{i64}} %wide
"""
    name = f"i64.{convert}.{source}"
    return _helper(module, lanes, name, "{i64} @({here} %x)", body, here=source)


# Steps of conversions


def round_float(
    writer: FunctionWriter,
    operand: str,
    source: Attribute,
    target: Attribute,
    lanes: int | None,
    hint: str | None = None,
) -> str:
    """A float as another float type: exact, or rounded to nearest once."""
    here, there = like(llvm_type(source), lanes), like(llvm_type(target), lanes)
    if here == there:
        return operand
    module = writer.module
    f32 = like("float", lanes)
    if isinstance(source, BFloat16Type):
        helper = f32_from_bf16(module, lanes)
        operand = writer.temp(f"call {f32} @{helper}({here} {operand})", hint)
        source, here = Float32Type(), f32
        if here == there:
            return operand
    if scalar_bits(source) < scalar_bits(target):
        return writer.temp(f"fpext {here} {operand} to {there}", hint)
    if isinstance(source, Float64Type) and not isinstance(target, Float32Type):
        odd = f32_rounded_to_odd(module, lanes)
        operand, here = writer.temp(f"call {f32} @{odd}({here} {operand})"), f32
    elif isinstance(source, Float16Type):
        operand, here = writer.temp(f"fpext {here} {operand} to {f32}"), f32
    if isinstance(target, BFloat16Type):
        helper = bf16_from_f32(module, lanes)
        return writer.temp(f"call {there} @{helper}({here} {operand})", hint)
    return writer.temp(f"fptrunc {here} {operand} to {there}", hint)


def is_bf16(value: SSAValue) -> bool:
    """Whether a value is a bf16 or a vector of them."""
    return isinstance(element_type(value.type), BFloat16Type)


def operand_to_compute(
    writer: FunctionWriter, value: SSAValue, narrow: NarrowFloats = (BFloat16Type,)
) -> tuple[str, str]:
    """The type and operand of what is computed with: f32 instead of `narrow` floats."""
    source = element_type(value.type)
    if not isinstance(source, narrow):
        return writer.type_of(value), writer.get(value)
    lanes = lane_count(value.type)
    operand = round_float(writer, writer.get(value), source, Float32Type(), lanes)
    return like("float", lanes), operand


def define_computed(
    writer: FunctionWriter,
    result: SSAValue,
    instruction: str,
    narrow: NarrowFloats = (BFloat16Type,),
) -> None:
    """Defines a result by an instruction on what `operand_to_compute` gave."""
    target = element_type(result.type)
    if not isinstance(target, narrow):
        writer.define(result, instruction)
        return
    wide, lanes = writer.temp(instruction), lane_count(result.type)
    hint = result.name_hint
    writer.set(result, round_float(writer, wide, Float32Type(), target, lanes, hint))


# The ops


@emits(arith.ExtFOp, arith.TruncFOp)
def _float_to_float(writer: FunctionWriter, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    here, there = element_type(source.type), element_type(result.type)
    lanes, operand = lane_count(source.type), writer.get(source)
    hint = result.name_hint
    writer.set(result, round_float(writer, operand, here, there, lanes, hint))


@emits(arith.SIToFPOp, arith.UIToFPOp)
def _integer_to_float(writer: FunctionWriter, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    signed = isinstance(op, arith.SIToFPOp)
    convert = "sitofp" if signed else "uitofp"
    operand, type_ = writer.get(source), writer.type_of(source)
    target = element_type(result.type)
    bits = scalar_bits(element_type(source.type))
    lanes = lane_count(source.type)
    if not isinstance(target, Float16Type | BFloat16Type):
        writer.define(
            result, f"{convert} {type_} {operand} to {writer.type_of(result)}"
        )
        return
    via = Float32Type() if bits <= 24 else Float64Type()
    wide = like(llvm_type(via), lanes)
    text = f"{convert} {type_} {operand} to {wide}"
    if bits > 53:
        helper = f64_sticky_from_integer(writer.module, lanes, bits, signed=signed)
        text = f"call {wide} @{helper}({type_} {operand})"
    exact = writer.temp(text)
    writer.set(result, round_float(writer, exact, via, target, lanes, result.name_hint))


@emits(arith.FPToSIOp, arith.FPToUIOp)
def _float_to_integer(writer: FunctionWriter, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    convert = "fptosi" if isinstance(op, arith.FPToSIOp) else "fptoui"
    type_, operand = operand_to_compute(writer, source)
    there, lanes = writer.type_of(result), lane_count(source.type) or 1
    machine = writer.module.machine
    one_by_one = machine.is_x86 and 0 < machine.vector_bits < 512
    scalar = next((t for t in ("float", "double") if type_ == like(t, lanes)), None)
    if lanes > 2 and there == like("i64", lanes) and one_by_one and scalar:
        helper = i64_from_float(writer.module, lanes, convert, scalar)
        writer.define(result, f"call {there} @{helper}({type_} {operand})")
    else:
        writer.define(result, f"{convert} {type_} {operand} to {there}")


_INTEGER_EXTENSION = {
    arith.ExtSIOp.name: "sext",
    arith.ExtUIOp.name: "zext",
    arith.TruncIOp.name: "trunc",
    arith.IndexCastOp.name: "sext",
    IndexCastUIOp.name: "zext",
}


def _integer_to_integer(writer: FunctionWriter, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    here, there = writer.type_of(source), writer.type_of(result)
    if here == there:
        writer.alias(result, source)
        return
    narrower = scalar_bits(element_type(result.type)) < scalar_bits(
        element_type(source.type)
    )
    convert = "trunc" if narrower else _INTEGER_EXTENSION[op.name]
    flags = getattr(op.properties.get("overflowFlags"), "data", ())
    if narrower:
        convert += "".join(f" {flag}" for flag in ("nuw", "nsw") if flag in flags)
    elif "nonNeg" in op.properties and convert == "zext":
        convert += " nneg"
    writer.define(result, f"{convert} {here} {writer.get(source)} to {there}")


emits_named(*_INTEGER_EXTENSION)(_integer_to_integer)


@emits(arith.BitcastOp, vector.BitcastOp)
def _bitcast(writer: FunctionWriter, op: Operation) -> None:
    (source,), (result,) = op.operands, op.results
    here, there = writer.type_of(source), writer.type_of(result)
    if here == there:
        writer.alias(result, source)
    else:
        writer.define(result, f"bitcast {here} {writer.get(source)} to {there}")
