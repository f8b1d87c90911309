"""
The accesses to memory that LLVM has for scalars and vectors, on addresses.

An access assumes the alignment of one element: arrays come from anywhere. `i1` is a byte
in memory. Vectors longer than a register are accessed register after register, in arrays
that may be in no cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.limits import CACHE_LINE
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import shuffle, splat_literal
from spmd.lowering.writing.types import (
    TypeNotLowered,
    like,
    llvm_type,
    mangled,
    natural_alignment,
    storage_bytes,
    storage_type,
)

ALL_LANES = splat_literal("true", "i1")

Typed = tuple[str, str]
"""An LLVM type, and an operand of it; of addresses one `ptr`, or a vector of them."""


def is_nontemporal(op: Operation) -> bool:
    """Whether what `op` accesses is not accessed again soon."""
    attribute = op.properties.get("nontemporal")
    return isinstance(attribute, IntegerAttr) and bool(attribute.value.data)


def access_hints(writer: FunctionWriter, op: Operation) -> str:
    """What an op says of its access beside the address, as the end of an instruction."""
    if is_nontemporal(op):
        return f", !nontemporal {writer.module.metadata('i32 1')}"
    return ""


def alignment_of(op: Operation, least: int) -> int:
    """
    The alignment in bytes that `op` says, at least `least`.

    Loads and stores of xDSL have it as an attribute, other operations as a property.
    """
    attribute = op.get_attr_or_prop("alignment")
    if not isinstance(attribute, IntegerAttr):
        return least
    alignment = attribute.value.data
    if alignment.bit_count() != 1 or alignment < 0:
        raise TypeNotLowered(
            f"expected an alignment that is a power of two, got {alignment}"
        )
    return max(least, alignment)


class Access:
    """An access of one scalar, or of so many lanes, to memory with elements of one type."""

    def __init__(
        self,
        writer: FunctionWriter,
        element: Attribute,
        lanes: int | None = None,
        *,
        hints: str = "",
        alignment: int | None = None,
        cached: bool = False,
    ):
        """
        `alignment`: if more, or less, is known than the type of an element says.

        `cached`: what is accessed is near, and so in any order.
        """
        self.writer = writer
        self.element = element
        self.lanes = lanes
        self.hints = hints
        self.cached = cached
        self.alignment = alignment or natural_alignment(element)
        self.stored = like(storage_type(element), lanes)
        """The LLVM type in memory."""
        self.held = like(llvm_type(element), lanes)
        """The LLVM type as a value."""

    def to_memory(self, operand: str) -> str:
        """A value as it is stored."""
        if self.stored == self.held or operand == "poison":
            return operand
        return self.writer.temp(f"zext {self.held} {operand} to {self.stored}")

    def define(self, result: SSAValue, instruction: str) -> None:
        """Defines a value by an instruction that gives it as it is stored."""
        if self.stored == self.held:
            self.writer.define(result, instruction)
            return
        loaded = self.writer.temp(instruction)
        self.writer.define(result, f"trunc {self.stored} {loaded} to {self.held}")

    def addresses(self, base: str, indices_type: str, indices: str) -> Typed:
        """The addresses of elements at (signed) distances from a base address."""
        scalar = storage_type(self.element)
        text = f"getelementptr {scalar}, ptr {base}, {indices_type} {indices}"
        return like("ptr", self.lanes), self.writer.temp(text)

    def read(
        self, at: Typed, mask: str | None = None, pass_thru: str = "poison"
    ) -> str:
        """
        The instruction that loads the active lanes, from one address on or from one each.

        LLVM 22 merges a masked load into a `select` with the same mask, and so moves it
        after stores to the same place (llvm-project issue 215453). It does not look
        through `freeze`, which costs nothing.
        """
        if mask is None and at[0] == "ptr":
            return self._read_registers(at[1])
        kept = (self.stored, self.to_memory(pass_thru))
        if at[0] != "ptr":
            return self._masked("gather", at, [at, _typed_mask(self.lanes, mask), kept])
        text = self._masked("load", at, [at, _typed_mask(self.lanes, mask), kept])
        return f"freeze {self.stored} {self.writer.temp(text)}"

    def write(self, operand: str, at: Typed, mask: str | None = None) -> None:
        """Stores the active lanes, to one address on or to one each: the last one stays."""
        value = self.to_memory(operand)
        if mask is None and at[0] == "ptr":
            self._write_registers(value, at[1])
            return
        name = "store" if at[0] == "ptr" else "scatter"
        arguments = [(self.stored, value), at, _typed_mask(self.lanes, mask)]
        self.writer.emit(self._masked(name, at, arguments, "void"))

    def _registers(self, address: str) -> list[str]:
        """
        The addresses of equal parts, each as long as a register, to access in this order.

        LLVM splits a vector of many registers too, but in an order that follows from nothing,
        often the last register first, which the prefetchers of a CPU do not follow: arrays
        that are in no cache take up to twice as long. It also sums all first halves of
        longer parts before the second ones. Else LLVM has less to do if it splits them.
        """
        if self.lanes is None or self.cached:
            return [address]
        register = self.writer.module.machine.vector_bits // 8 or CACHE_LINE
        held = register // storage_bytes(self.element)
        if self.lanes <= held or self.lanes.bit_count() > 1:
            return [address]
        step = f"getelementptr inbounds {storage_type(self.element)}, ptr {address}"
        later = range(held, self.lanes, held)
        return [address, *(self.writer.temp(f"{step}, i64 {lane}") for lane in later)]

    def _part(self, number: int) -> str:
        """The LLVM type of one of so many equal parts."""
        if self.lanes is None or number == 1:
            return self.stored
        return like(storage_type(self.element), self.lanes // number)

    def _aligned(self, number: int) -> str:
        """What is known of the address of each of so many equal parts, and the hints."""
        alignment = self.alignment
        if number > 1 and self.lanes is not None:
            part = self.lanes // number * storage_bytes(self.element)
            alignment = min(alignment, part)
        return f"align {alignment}{self.hints}"

    def _read_registers(self, address: str) -> str:
        addresses = self._registers(address)
        type_, rest = self._part(len(addresses)), self._aligned(len(addresses))
        texts = [f"load {type_}, ptr {at}, {rest}" for at in addresses]
        while len(texts) > 1:
            type_, parts = self._part(len(texts)), map(self.writer.temp, texts)
            joined = range(2 * (self.lanes or 1) // len(texts))
            texts = [shuffle(type_, a, b, joined) for a, b in zip(parts, parts)]
        return texts[0]

    def _write_registers(self, value: str, address: str) -> None:
        addresses = self._registers(address)
        type_, rest = self._part(len(addresses)), self._aligned(len(addresses))
        held = (self.lanes or 1) // len(addresses)
        for number, at in enumerate(addresses):
            part = value
            if len(addresses) > 1:
                lanes = range(number * held, (number + 1) * held)
                part = self.writer.temp(shuffle(self.stored, value, "poison", lanes))
            self.writer.emit(f"store {type_} {part}, ptr {at}, {rest}")

    def _masked(
        self, name: str, at: Typed, arguments: Sequence[Typed], result: str = ""
    ) -> str:
        """The call of an intrinsic for what is at `at`, whose alignment it says."""
        return self.writer.call(
            f"llvm.masked.{name}.{mangled(self.stored)}.{mangled(at[0])}",
            result or self.stored,
            arguments,
            parameters=[
                f"{type_} align {self.alignment}" if type_ == at[0] else type_
                for type_, _ in arguments
            ],
        )


def _typed_mask(lanes: int | None, mask: str | None) -> Typed:
    return like("i1", lanes), mask or ALL_LANES
