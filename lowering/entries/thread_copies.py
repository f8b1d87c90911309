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
from xdsl.ir import Attribute, BlockArgument

from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import argument_attribute
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.names import THREAD_COPIES
from spmd.dialects.spmd.atomics import AtomicKind, AtomicKindAttr
from spmd.dialects.spmd.types import Kind, neutral_element
from spmd.lowering.entries.arguments import Field, load_field
from spmd.lowering.entries.kernel import EntryKernel
from spmd.lowering.writing.counted_loop import CountedLoop
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import quoted
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


def has_copies(function: FuncOp) -> bool:
    """Whether an array of a kernel has a copy."""
    arguments = function.body.blocks[0].args
    return any(
        argument_attribute(each, THREAD_COPIES) is not None for each in arguments
    )


def write_with_copies(kernel: EntryKernel, range_: str) -> str:
    """
    The native entry of a kernel with copies, as text; the function `range_` runs groups.

    It gets a struct of arguments as that of the entry is, but with the copies as arrays.
    """
    writer = FunctionWriter(kernel.module)
    for name in ("args", "first", "last", "scratch"):
        writer.fresh(name)
    size = kernel.struct.bytes
    passed = writer.temp(f"alloca [{size} x i8], align 8", "passed")
    kernel.module.declare(_COPY, "void", ["ptr", "ptr", "i64", "i1"])
    struct = [("ptr", passed), ("ptr", "%args"), ("i64", str(size)), ("i1", "false")]
    writer.emit(writer.call(_COPY, "void", struct))
    copies = [
        _copy(writer, argument, fields, passed)
        for argument, fields in zip(
            kernel.function.body.blocks[0].args, kernel.struct.arguments, strict=False
        )
        if argument_attribute(argument, THREAD_COPIES) is not None
    ]
    for copy in copies:
        copy.write_start(writer)
    call = (
        f"call {kernel.entry_type} @{quoted(range_)}(ptr {passed}, i64 %first, i64 %last, "
        "ptr %scratch)"
    )
    answer = ""
    if kernel.module.reports:
        answer = writer.temp(call, "failed")
    else:
        writer.emit(call)
    for copy in copies:
        copy.write_end(writer)
    writer.emit(f"ret i1 {answer}" if answer else "ret void")
    return (
        f"define {kernel.entry_type} @{quoted(kernel.name)}(ptr noalias readonly %args, "
        f"i64 %first, i64 %last, ptr %scratch) nounwind {{\n{writer.text()}\n}}"
    )


def _copy(
    writer: FunctionWriter,
    argument: BlockArgument,
    fields: Sequence[Field],
    passed: str,
) -> ThreadCopy:
    """Takes memory for the copy of an array, and puts it into the struct `passed`."""
    type_, kind = argument.type, argument_attribute(argument, THREAD_COPIES)
    assert isinstance(kind, AtomicKindAttr), "verified"
    assert is_memref(type_), "verified"
    name = argument.name_hint or "array"
    array = load_field(writer, fields[0], f"{name}.data")
    count = "1"
    for number, field in enumerate(fields[2 : 2 + type_.get_num_dims()]):
        extent = load_field(writer, field, f"{name}.size{number}")
        count = writer.temp(f"mul nuw nsw i64 {extent}, {count}")
    element = type_.element_type
    text = f"alloca i{scalar_bits(element)}, i64 {count}, align {CACHE_LINE}"
    copy = writer.temp(text, f"{name}.copy")
    at = f"getelementptr inbounds i8, ptr {passed}, i64 {fields[0].offset}"
    writer.emit(f"store ptr {copy}, ptr {writer.temp(at)}, align 8")
    return ThreadCopy(array, copy, count, element, kind.data)


_COPY = "llvm.memcpy.p0.p0.i64"
