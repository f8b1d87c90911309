"""
The accesses to memory that LLVM has for vectors, on addresses.

An access assumes the alignment of one element: arrays come from anywhere. `i1` is a byte
in memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import Attribute, SSAValue

from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import splat_literal
from spmd.lowering.writing.types import (
    llvm_type,
    mangled,
    natural_alignment,
    storage_type,
    vector_text,
)

ALL_LANES = splat_literal("true", "i1")


@dataclass(frozen=True)
class Access:
    """An access of so many lanes to memory with elements of one type."""

    writer: FunctionWriter
    element: Attribute
    lanes: int
    alignment: int
    hints: str = ""

    @property
    def stored(self) -> str:
        """The LLVM type of the lanes in memory."""
        return vector_text(self.lanes, storage_type(self.element))

    @property
    def held(self) -> str:
        """The LLVM type of the lanes as a value."""
        return vector_text(self.lanes, llvm_type(self.element))

    @property
    def mask(self) -> str:
        """The LLVM type of a mask."""
        return vector_text(self.lanes, "i1")

    # Values to bytes, and back

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

    # Neighbouring elements

    def load(self, address: str) -> str:
        """Loads all lanes."""
        return f"load {self.stored}, ptr {address}, align {self.alignment}{self.hints}"

    def store(self, operand: str, address: str) -> None:
        """Stores all lanes."""
        value = self.to_memory(operand)
        where = f"ptr {address}, align {self.alignment}{self.hints}"
        self.writer.emit(f"store {self.stored} {value}, {where}")

    def masked_load(self, address: str, mask: str, pass_thru: str) -> str:
        """
        Loads the lanes that are on.

        LLVM 22 merges a masked load into a `select` with the same mask, and so moves it
        behind stores to the same place (llvm-project issue 215453). It does not look
        through `freeze`, which costs nothing.
        """
        kept = self.to_memory(pass_thru)
        loaded = self.writer.temp(
            self.writer.call(
                f"llvm.masked.load.{mangled(self.stored)}.p0",
                self.stored,
                [("ptr", address), (self.mask, mask), (self.stored, kept)],
                parameters=(f"ptr align {self.alignment}", self.mask, self.stored),
            )
        )
        return f"freeze {self.stored} {loaded}"

    def masked_store(self, operand: str, address: str, mask: str) -> None:
        """Stores the lanes that are on."""
        value = self.to_memory(operand)
        text = self.writer.call(
            f"llvm.masked.store.{mangled(self.stored)}.p0",
            "void",
            [(self.stored, value), ("ptr", address), (self.mask, mask)],
            parameters=(self.stored, f"ptr align {self.alignment}", self.mask),
        )
        self.writer.emit(text)

    # Elements anywhere

    @property
    def _pointers(self) -> str:
        return vector_text(self.lanes, "ptr")

    def addresses(self, base: str, indices_type: str, indices: str) -> str:
        """The addresses of elements at (signed) distances from a base address."""
        scalar = storage_type(self.element)
        return self.writer.temp(
            f"getelementptr {scalar}, ptr {base}, {indices_type} {indices}"
        )

    def gather(self, addresses: str, mask: str, pass_thru: str) -> str:
        """Loads one element per lane that is on."""
        kept = self.to_memory(pass_thru)
        return self.writer.call(
            f"llvm.masked.gather.{mangled(self.stored)}.v{self.lanes}p0",
            self.stored,
            [(self._pointers, addresses), (self.mask, mask), (self.stored, kept)],
            parameters=(
                f"{self._pointers} align {self.alignment}",
                self.mask,
                self.stored,
            ),
        )

    def scatter(self, operand: str, addresses: str, mask: str) -> None:
        """Stores one element per lane that is on; of two at one place, the last."""
        value = self.to_memory(operand)
        text = self.writer.call(
            f"llvm.masked.scatter.{mangled(self.stored)}.v{self.lanes}p0",
            "void",
            [(self.stored, value), (self._pointers, addresses), (self.mask, mask)],
            parameters=(
                self.stored,
                f"{self._pointers} align {self.alignment}",
                self.mask,
            ),
        )
        self.writer.emit(text)


def element_access(
    writer: FunctionWriter, element: Attribute, lanes: int, hints: str = ""
) -> Access:
    """An access that assumes no more than the alignment of an element."""
    return Access(writer, element, lanes, natural_alignment(element), hints)
