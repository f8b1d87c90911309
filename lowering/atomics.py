"""
Atomic updates of one element: `memref.atomic_rmw`, `spmd.atomic_rmw`, `spmd.atomic_cas`.

A work-group runs on one thread. So an `spmd` operation whose scope is the work-group, or
whose memory is local, needs no atomic instruction: nobody else can be in between.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import BFloat16Type, Float32Type, IntegerAttr
from xdsl.ir import Attribute, SSAValue

from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp
from spmd.dialects.spmd.atomics import AtomicOp, AtomicScope, Ordering
from spmd.lowering.addresses import element_address
from spmd.lowering.control_flow import Join
from spmd.lowering.conversions import round_float
from spmd.lowering.function_writer import FunctionWriter
from spmd.lowering.registry import emits
from spmd.lowering.types import (
    TypeNotLowered,
    is_float,
    is_local_memory,
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
    "subf": "fsub",
    "subi": "sub",
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

_ARITHMETIC = {
    "addf": "fadd",
    "addi": "add",
    "subf": "fsub",
    "subi": "sub",
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

    def updated_alone(self, kind: str, operand: str) -> str:
        """The old value of an update that no other thread can see."""
        at = f"ptr {self.address}, align {self.align}"
        old = self.writer.temp(f"load {self.llvm}, {at}")
        new = self.combined(kind, old, operand)
        self.writer.emit(f"store {self.llvm} {new}, {at}")
        return old

    def updated(self, kind: str, operand: str, ordering: str) -> str:
        """The old value of an update that is one step for all threads."""
        has_instruction = kind in _INSTRUCTIONS
        if kind != "assign" and isinstance(self.type, BFloat16Type):
            has_instruction = False
        if not has_instruction:
            return self._exchanged_until_it_works(
                lambda old: self.combined(kind, old, operand), ordering
            )
        return self.writer.temp(
            f"atomicrmw {_INSTRUCTIONS[kind]} ptr {self.address}, {self.llvm} {operand} "
            f"{ordering}, align {self.align}"
        )

    def _exchanged_until_it_works(
        self, step: Callable[[str], str], ordering: str
    ) -> str:
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
        pair = self.compared(bits, pattern, new, ordering)
        found = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 0")
        won = writer.temp(f"extractvalue {{ {bits}, i1 }} {pair}, 1")
        join.add(writer.block, [found])
        writer.emit(f"br i1 {won}, label %{done}, label %{label}")
        join.finish()
        writer.start(done)
        return old

    def compared(self, type_: str, expected: str, new: str, ordering: str) -> str:
        """The pair of old value and success of a compare-and-exchange."""
        failure = {"release": "monotonic", "acq_rel": "acquire"}.get(ordering, ordering)
        return self.writer.temp(
            f"cmpxchg ptr {self.address}, {type_} {expected}, {type_} {new} "
            f"{ordering} {failure}, align {self.align}"
        )


def _element(
    writer: FunctionWriter, array: SSAValue, indices: tuple[SSAValue, ...]
) -> _Element:
    base = writer.memref(array)
    address = element_address(writer, base, map(writer.get, indices))
    return _Element(writer, address, base.layout.element)


@emits(memref.AtomicRMWOp)
def _memref_atomic_rmw(writer: FunctionWriter, op: memref.AtomicRMWOp) -> None:
    value, array, *indices = op.operands
    element = _element(writer, array, tuple(indices))
    attribute = op.properties["kind"]
    assert isinstance(attribute, IntegerAttr)
    number = attribute.value.data
    kind = MEMREF_KINDS[number] if 0 <= number < len(MEMREF_KINDS) else ""
    fits = kind == "assign" or kind.endswith("f") == is_float(element.type)
    if not kind or not fits or scalar_bits(element.type) == 1:
        raise TypeNotLowered(
            f"expected a kind of atomic update that {element.type} has, got {number}"
        )
    writer.set(op.results[0], element.updated(kind, writer.get(value), "acq_rel"))


_INTEGER_KINDS = {
    "add": "addi",
    "sub": "subi",
    "min": "mins",
    "max": "maxs",
    "minui": "minu",
    "maxui": "maxu",
    "and": "andi",
    "or": "ori",
    "xor": "xori",
    "exchange": "assign",
}

_FLOAT_KINDS = {
    "add": "addf",
    "sub": "subf",
    "min": "minimumf",
    "max": "maximumf",
    "exchange": "assign",
}

_ORDERINGS = {Ordering.RELAXED: "monotonic"}


def _ordering(op: AtomicOp) -> str:
    return _ORDERINGS.get(op.ordering.data, op.ordering.data.value)


def _is_alone(op: AtomicOp) -> bool:
    """Whether only the thread of this work-group can get at the element."""
    is_local = is_local_memory(op.memref_type)
    return is_local or op.scope.data is AtomicScope.WORK_GROUP


@emits(AtomicRmwOp)
def _atomic_rmw(writer: FunctionWriter, op: AtomicRmwOp) -> None:
    element = _element(writer, op.memref, tuple(op.indices))
    kinds = _FLOAT_KINDS if is_float(element.type) else _INTEGER_KINDS
    kind, operand = kinds[op.kind.data.value], writer.get(op.value)
    if _is_alone(op):
        old = element.updated_alone(kind, operand)
    else:
        old = element.updated(kind, operand, _ordering(op))
    writer.set(op.results[0], old)


@emits(AtomicCasOp)
def _atomic_cas(writer: FunctionWriter, op: AtomicCasOp) -> None:
    element = _element(writer, op.memref, tuple(op.indices))
    type_ = element.llvm
    expected, new = writer.get(op.expected), writer.get(op.new)
    old, won = op.results
    if _is_alone(op):
        at = f"ptr {element.address}, align {element.align}"
        writer.define(old, f"load {type_}, {at}")
        writer.define(won, f"icmp eq {type_} {writer.get(old)}, {expected}")
        text = f"select i1 {writer.get(won)}, {type_} {new}, {type_} {writer.get(old)}"
        writer.emit(f"store {type_} {writer.temp(text)}, {at}")
        return
    pair = element.compared(type_, expected, new, _ordering(op))
    writer.define(old, f"extractvalue {{ {type_}, i1 }} {pair}, 0")
    writer.define(won, f"extractvalue {{ {type_}, i1 }} {pair}, 1")
