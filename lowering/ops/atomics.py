"""
`memref.atomic_rmw`: an instruction where there is one, else exchanges until it works.

The atomics of the `spmd` dialect are the business of the pass `lower-atomics`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import BFloat16Type, Float32Type, IntegerAttr
from xdsl.ir import Attribute

from spmd.lowering.ops.conversions import round_float
from spmd.lowering.writing.addresses import element_address
from spmd.lowering.writing.control_flow import Join
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    is_float,
    llvm_type,
    mangled,
    scalar_bits,
    storage_bytes,
)

MEMREF_KINDS = (
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
"""What upstream's numbers of the kinds of `memref.atomic_rmw` mean."""

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

_ORDERING, _ON_FAILURE = "acq_rel", "acquire"
"""How upstream orders `memref.atomic_rmw`."""

_ARITHMETIC = {
    "addf": "fadd",
    "addi": "add",
    "mulf": "fmul",
    "muli": "mul",
    "ori": "or",
    "andi": "and",
    "xori": "xor",
}

_INTRINSICS = {
    "maximumf": "maximum",
    "maxs": "smax",
    "maxu": "umax",
    "minimumf": "minimum",
    "mins": "smin",
    "minu": "umin",
    "maxnumf": "maxnum",
    "minnumf": "minnum",
}


@dataclass(frozen=True)
class _Element:
    """The element of memory that an operation changes."""

    writer: FunctionWriter
    address: str
    type: Attribute

    @property
    def llvm(self) -> str:
        """Its LLVM type."""
        return llvm_type(self.type)

    @property
    def align(self) -> int:
        """Its alignment: without it, an access would not be one step."""
        return storage_bytes(self.type)

    def combined(self, kind: str, old: str, operand: str) -> str:
        """The new value."""
        writer, type_ = self.writer, self.llvm
        if kind == "assign":
            return operand
        if isinstance(self.type, BFloat16Type):
            bf16, f32 = self.type, Float32Type()
            a = round_float(writer, old, bf16, f32, None)
            b = round_float(writer, operand, bf16, f32, None)
            wide = _Element(writer, self.address, f32).combined(kind, a, b)
            return round_float(writer, wide, f32, bf16, None)
        if kind in _ARITHMETIC:
            return writer.temp(f"{_ARITHMETIC[kind]} {type_} {old}, {operand}")
        name = f"llvm.{_INTRINSICS[kind]}.{mangled(type_)}"
        return writer.temp(writer.call(name, type_, [(type_, old), (type_, operand)]))

    def updated(self, kind: str, operand: str) -> str:
        """The old value of an update that is one step for all threads."""
        has_instruction = kind in _INSTRUCTIONS
        if kind != "assign" and isinstance(self.type, BFloat16Type):
            has_instruction = False
        if not has_instruction:
            return self._exchanged_until_it_works(
                lambda old: self.combined(kind, old, operand)
            )
        return self.writer.temp(
            f"atomicrmw {_INSTRUCTIONS[kind]} ptr {self.address}, {self.llvm} {operand} "
            f"{_ORDERING}, align {self.align}"
        )

    def _exchanged_until_it_works(self, step: Callable[[str], str]) -> str:
        """Tries until nobody wrote between the load and the exchange; the old value."""
        writer, type_ = self.writer, self.llvm
        bits = f"i{scalar_bits(self.type)}"
        at = f"ptr {self.address}"
        first = writer.temp(f"load atomic {bits}, {at} monotonic, align {self.align}")
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
            f"cmpxchg {at}, {bits} {pattern}, {bits} {new} {_ORDERING} {_ON_FAILURE}, "
            f"align {self.align}"
        )
        found = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
        won = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
        join.add(writer.block, [found])
        writer.emit(f"br i1 {won}, label %{done}, label %{label}")
        join.finish()
        writer.start(done)
        return old


@emits(memref.AtomicRMWOp)
def _memref_atomic_rmw(writer: FunctionWriter, op: memref.AtomicRMWOp) -> None:
    value, array, *indices = op.operands
    base = writer.memref(array)
    address = element_address(writer, base, map(writer.get, indices))
    element = _Element(writer, address, base.layout.element)
    attribute = op.properties["kind"]
    assert isinstance(attribute, IntegerAttr)
    number = attribute.value.data
    kind = MEMREF_KINDS[number] if 0 <= number < len(MEMREF_KINDS) else ""
    fits = kind == "assign" or kind.endswith("f") == is_float(element.type)
    if not kind or not fits or scalar_bits(element.type) == 1:
        raise TypeNotLowered(
            f"expected a kind of atomic update that {element.type} has, got {number}"
        )
    writer.set(op.results[0], element.updated(kind, writer.get(value)))
