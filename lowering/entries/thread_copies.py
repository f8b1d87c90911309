"""
Copies that a call of a native entry updates instead of arrays that other threads update too.

An array argument marked `spmd.thread_copies` has one, on the stack. It begins as what changes
nothing when it is combined; in the end the array is updated, by the atomic instruction, where
the copy has become something else. So what no work-item has updated is not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import FloatAttr, f32, f64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import argument_attribute
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.names import THREAD_COPIES
from spmd.dialects.spmd.atomics import AtomicKind, AtomicKindAttr
from spmd.dialects.spmd.types import Kind, neutral_element
from spmd.lowering.entries.arguments import Field
from spmd.lowering.writing.counted_loop import CountedLoop
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.types import llvm_type, scalar_bits, storage_bytes


@dataclass(frozen=True)
class ThreadCopy:
    """The copy of one array; operands are LLVM's."""

    array: str
    copy: str
    count: str
    """Of elements."""
    element: Attribute
    kind: AtomicKind

    def write_start(self, writer: FunctionWriter) -> None:
        """Fills the copy."""
        loop = CountedLoop(writer, "0", self.count)
        at = self._address(writer, self.copy, loop.counter)
        writer.emit(f"store {self._bits} {self._nothing}, ptr {at}, {self._align}")
        loop.finish()

    def write_end(self, writer: FunctionWriter) -> None:
        """Updates the array by what the copy has become."""
        # Imported here: few kernels have copies, and the `llvm` dialect takes long.
        from spmd.passes.memory.atomic_instructions import instruction

        update, unchanged = writer.fresh("update"), writer.fresh("unchanged")
        loop = CountedLoop(writer, "0", self.count)
        at = self._address(writer, self.copy, loop.counter)
        bits = writer.temp(f"load {self._bits}, ptr {at}, {self._align}")
        same = writer.temp(f"icmp eq {self._bits} {bits}, {self._nothing}")
        writer.emit(f"br i1 {same}, label %{unchanged}, label %{update}")
        writer.start(update)
        type_ = llvm_type(self.element)
        value = writer.temp(f"bitcast {self._bits} {bits} to {type_}")
        to = self._address(writer, self.array, loop.counter)
        name = instruction(self.kind, self.element).removeprefix("_")
        writer.temp(
            f"atomicrmw {name} ptr {to}, {type_} {value} monotonic, {self._align}"
        )
        writer.jump(unchanged)
        writer.start(unchanged)
        loop.finish()

    @property
    def _bits(self) -> str:
        return f"i{scalar_bits(self.element)}"

    @property
    def _align(self) -> str:
        return f"align {storage_bytes(self.element)}"

    @property
    def _nothing(self) -> str:
        """The bits of what changes nothing."""
        if self.element in (f32, f64) and self.kind is AtomicKind.ADD:
            # Unlike +0.0, -0.0 does not change -0.0.
            return str(-1 << scalar_bits(self.element) - 1)
        neutral = neutral_element(Kind(self.kind.value), self.element)
        if isinstance(neutral, FloatAttr):
            return str(
                int.from_bytes(neutral.type.pack([neutral.value.data]), "little")
            )
        return str(neutral.value.data)

    def _address(self, writer: FunctionWriter, base: str, index: str) -> str:
        return writer.temp(
            f"getelementptr inbounds {self._bits}, ptr {base}, i64 {index}"
        )


def make_copies(
    writer: FunctionWriter,
    function: FuncOp,
    fields: Sequence[Sequence[Field]],
    passed: list[str],
) -> list[ThreadCopy]:
    """
    Takes memory for the copies of one call, and puts them among the arguments `passed`.

    `fields` are those of the arguments of the kernel that `function` replaces.
    """
    copies: list[ThreadCopy] = []
    first = 0
    for argument, parts in zip(function.body.blocks[0].args, fields, strict=False):
        type_, at = argument.type, first
        # A memref is passed as two pointers and the other fields.
        first += len(parts) + is_memref(type_)
        kind = argument_attribute(argument, THREAD_COPIES)
        if kind is None:
            continue
        assert isinstance(kind, AtomicKindAttr), "verified"
        assert is_memref(type_), "verified"
        count = "1"
        for extent in passed[at + 3 : at + 3 + type_.get_num_dims()]:
            count = writer.temp(f"mul nuw nsw {extent}, {count}")
        array = passed[at].removeprefix("ptr ")
        element = type_.element_type
        text = f"alloca i{scalar_bits(element)}, i64 {count}, align {CACHE_LINE}"
        copy = writer.temp(text, f"{argument.name_hint or 'array'}.copy")
        passed[at : at + 2] = [f"ptr {copy}"] * 2
        copies.append(ThreadCopy(array, copy, count, element, kind.data))
    return copies
