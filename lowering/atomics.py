"""Atomic read-modify-write operations, on addresses; and `memref.atomic_rmw`."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import memref
from xdsl.dialects.builtin import BFloat16Type, Float32Type
from xdsl.ir import Attribute

from spmd.lowering.addresses import element_address
from spmd.lowering.control_flow import Join
from spmd.lowering.conversions import round_float
from spmd.lowering.function_writer import FunctionWriter
from spmd.lowering.registry import emits
from spmd.lowering.types import (
    TypeNotLowered,
    is_float,
    mangled,
    scalar_bits,
    storage_bytes,
    storage_type,
)

KINDS = (
    "addf",
    "addi",
    "assign",
    "maximumf",
    "maxs",
    "maxu",
    "minimumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "andi",
    "maxnumf",
    "minnumf",
    "xori",
)
"""What upstream's numbers of `arith.atomic_rmw_kind` mean."""

_INSTRUCTIONS = {
    "addf": "fadd",
    "addi": "add",
    "assign": "xchg",
    "maximumf": "fmaximum",
    "maxs": "max",
    "maxu": "umax",
    "minimumf": "fminimum",
    "mins": "min",
    "minu": "umin",
    "ori": "or",
    "andi": "and",
    "maxnumf": "fmax",
    "minnumf": "fmin",
    "xori": "xor",
}
"""The kinds that `atomicrmw` has."""

_ON_F32 = {
    "addf": "fadd",
    "mulf": "fmul",
    "maximumf": "maximum",
    "minimumf": "minimum",
    "maxnumf": "maxnum",
    "minnumf": "minnum",
}


@emits(memref.AtomicRMWOp)
def _atomic_rmw(writer: FunctionWriter, op: memref.AtomicRMWOp) -> None:
    value, array, *indices = op.operands
    base = writer.memref(array)
    element = base.layout.element
    number = op.kind.value.data
    kind = KINDS[number] if 0 <= number < len(KINDS) else ""
    on_floats = kind.endswith("f")
    if not kind or (kind != "assign" and on_floats != is_float(element)):
        raise TypeNotLowered(
            f"expected a kind of atomic operation that {element} has, got {number}"
        )
    address = element_address(writer, base, map(writer.get, indices))
    operand, hint = writer.get(value), op.results[0].name_hint
    if scalar_bits(element) == 1:
        operand = writer.temp(f"zext i1 {operand} to i8")
    if kind in _INSTRUCTIONS and (kind == "assign" or element != BFloat16Type()):
        type_, align = storage_type(element), storage_bytes(element)
        text = f"atomicrmw {_INSTRUCTIONS[kind]} ptr {address}, {type_} {operand}"
        old = writer.temp(f"{text} acq_rel, align {align}", hint)
    else:
        old = _update_by_exchange(
            writer, address, element, _step(writer, kind, element, operand)
        )
    if scalar_bits(element) == 1:
        old = writer.temp(f"trunc i8 {old} to i1", hint)
    writer.set(op.results[0], old)


def _step(
    writer: FunctionWriter, kind: str, element: Attribute, operand: str
) -> Callable[[str], str]:
    """What makes the new value of the old one."""
    type_ = storage_type(element)
    bf16, f32 = BFloat16Type(), Float32Type()

    def of_number(old: str) -> str:
        instruction = "mul" if kind == "muli" else "fmul"
        return writer.temp(f"{instruction} {type_} {old}, {operand}")

    def of_bf16(old: str) -> str:
        a = round_float(writer, old, bf16, f32, None)
        b = round_float(writer, operand, bf16, f32, None)
        name = _ON_F32[kind]
        if name in ("fadd", "fmul"):
            new = writer.temp(f"{name} float {a}, {b}")
        else:
            arguments = [("float", a), ("float", b)]
            new = writer.temp(
                writer.call(f"llvm.{name}.{mangled('float')}", "float", arguments)
            )
        return round_float(writer, new, f32, bf16, None)

    return of_bf16 if element == bf16 else of_number


def _update_by_exchange(
    writer: FunctionWriter, address: str, element: Attribute, step: Callable[[str], str]
) -> str:
    """Tries until nobody wrote between the load and the exchange; the old value."""
    type_, bits = storage_type(element), f"i{8 * storage_bytes(element)}"
    align = storage_bytes(element)
    first = writer.temp(f"load atomic {bits}, ptr {address} monotonic, align {align}")
    label, done = writer.fresh("exchange"), writer.fresh("exchanged")
    entered = writer.block
    writer.jump(label)
    join = Join(writer, label)
    pattern = join.phi(bits, "seen")
    join.add(entered, [first])
    same = bits == type_
    old = pattern if same else writer.temp(f"bitcast {bits} {pattern} to {type_}")
    new = step(old)
    if not same:
        new = writer.temp(f"bitcast {type_} {new} to {bits}")
    pair = writer.temp(
        f"cmpxchg ptr {address}, {bits} {pattern}, {bits} {new} acq_rel monotonic, "
        f"align {align}"
    )
    found = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
    won = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
    join.add(writer.block, [found])
    writer.emit(f"br i1 {won}, label %{done}, label %{label}")
    join.finish()
    writer.start(done)
    return old
