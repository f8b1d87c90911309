"""
One LLVM function while it is written, straight from structured IR.

Values are LLVM operands in text: names, or literals for constants. A structured op writes
its blocks in place; where values join, the line of the phi is reserved first and filled
in when its last incoming value is known.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.element_types import is_memref
from spmd.lowering.writing.memref_value import (
    MemRefValue,
    component_names,
    from_components,
)
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.types import (
    layout_of,
    llvm_type,
)


class FunctionWriter:
    """Writes the body of one function; emitters get it with the op to write."""

    def __init__(self, module: ModuleWriter):
        self.module = module
        self.lines: list[str] = []
        self.entry: list[str] = []
        """Allocas of fixed size, which go to the head of the entry block."""
        self.block = "entry"
        """The label of the block that is being written."""
        self.returned = "void"
        """The LLVM type that the function returns."""
        self.failed: str | None = None
        """Where to report an assertion that fails, if that is asked for."""
        self.mask_bits = 32
        """How long the integers are of which masks consist that control flow passes on."""
        self.ranges = IntegerRanges()
        self.written_out: dict[Operation, bool] = {}
        """The loops of which it is known whether they are, one iteration after the other."""
        self._heap_lists: list[str] = []
        """Lists of memory that is freed where the function is left."""
        self._released: list[str] = []
        """Those that are freed at the end of the iteration being written, too."""
        self._exits: list[int] = []
        self._names: dict[str, int] = {"entry": 0}
        self._operands: dict[SSAValue, str] = {}
        self._wide_masks: dict[SSAValue, str] = {}
        """Masks that are integers, and no operands; see `masks/wide_masks.py`."""
        self._memrefs: dict[SSAValue, MemRefValue] = {}
        self._types: dict[int, tuple[Attribute, str]] = {}

    # Names, lines and blocks

    def fresh(self, hint: str | None) -> str:
        """A name, without `%`, that this function does not use yet."""
        base = hint or "t"
        names = self._names
        count = names.get(base)
        if count is None:
            names[base] = 0
            return base
        while True:
            count += 1
            name = f"{base}.{count}"
            if name not in names:
                names[base] = count
                names[name] = 0
                return name

    def emit(self, line: str) -> None:
        """Writes an instruction that has no result."""
        self.lines.append("  " + line)

    def temp(self, instruction: str, hint: str | None = None) -> str:
        """Writes an instruction; the result is its operand."""
        name = "%" + self.fresh(hint)
        self.lines.append(f"  {name} = {instruction}")
        return name

    def define(self, value: SSAValue, instruction: str) -> None:
        """Writes the instruction that computes `value`."""
        name = "%" + self.fresh(value.name_hint)
        self.lines.append(f"  {name} = {instruction}")
        self._operands[value] = name

    def start(self, label: str) -> None:
        """Starts a block."""
        self.lines.append(f"{label}:")
        self.block = label

    def jump(self, label: str) -> None:
        """Ends the block with a branch."""
        self.lines.append(f"  br label %{label}")

    def leave(self, result: str = "poison") -> None:
        """Ends the block, and the function."""
        self._exits.append(self.reserve())
        void = self.returned == "void"
        self.emit("ret void" if void else f"ret {self.returned} {result}")

    def reserve(self) -> int:
        """A line to be filled in later."""
        self.lines.append("")
        return len(self.lines) - 1

    @contextmanager
    def loop(self, carried: Sequence[SSAValue]) -> Generator[None]:
        """
        Writes one iteration; what it has from the heap is given back at its end, unless
        memrefs are carried from one iteration to the next.
        """
        outer = self._released
        if not any(is_memref(value.type) for value in carried):
            self._released = []
        yield
        if self._released is not outer:
            self.lines += self.releases(self._released)
            # The iteration may be left elsewhere too.
            outer += self._released
            self._released = outer

    def heap_list(self, *, released: bool) -> str:
        """
        A list of memory from the heap, which is freed where the function is left.

        `released`: also at the end of the iteration being written.
        """
        name = "%" + self.fresh("heap")
        self.entry.append(f"  {name} = alloca ptr, align 8")
        self.entry.append(f"  store ptr null, ptr {name}, align 8")
        self._heap_lists.append(name)
        if released:
            self._released.append(name)
        return name

    def releases(self, lists: Sequence[str]) -> list[str]:
        """What frees lists of memory."""
        if lists:
            self.module.declare("free", "void", ["ptr"])
            self.module.helper("spmd.release", lambda: RELEASE)
        return [f"  call void @spmd.release(ptr {name})" for name in lists]

    def text(self) -> str:
        """The body of the function."""
        for line in self._exits:
            self.lines[line] = "\n".join(self.releases(self._heap_lists))
        lines = [line for line in self.lines if line]
        return "\n".join(["entry:", *self.entry, *lines])

    # Values

    def type_of(self, value: SSAValue) -> str:
        """The LLVM type of a scalar or vector value."""
        type_ = value.type
        # By identity: comparing attributes is slower than writing the op.
        known = self._types.get(id(type_))
        if known is None:
            known = self._types[id(type_)] = (type_, llvm_type(type_))
        return known[1]

    def get(self, value: SSAValue) -> str:
        """The operand of a scalar or vector value."""
        operand = self._operands.get(value)
        if operand is not None:
            return operand
        wide = f"{self._wide_type(value)} {self._wide_masks[value]}"
        return self.temp(f"icmp slt {wide}, zeroinitializer", value.name_hint)

    def knows(self, value: SSAValue) -> bool:
        """Whether it has been said what `value` is."""
        return (
            value in self._operands
            or value in self._memrefs
            or value in self._wide_masks
        )

    def set(self, value: SSAValue, operand: str) -> None:
        """Says which operand a scalar or vector value is."""
        self._operands[value] = operand

    def typed(self, value: SSAValue) -> str:
        """A scalar or vector operand with its type in front."""
        return f"{self.type_of(value)} {self.get(value)}"

    def _wide_type(self, value: SSAValue) -> str | None:
        """The type of the integers that control flow passes on for `value`, if it is a mask."""
        type_ = self.type_of(value)
        if not type_.endswith(" x i1>") or self.module.machine.has_masks:
            return None
        return type_.replace(" i1>", f" i{self.mask_bits}>")

    def is_wide(self, value: SSAValue) -> bool:
        """Whether `value` is a mask that consists of integers."""
        return value in self._wide_masks

    def wide(self, value: SSAValue) -> tuple[str, str]:
        """The type and the operand of the integers for a mask."""
        type_ = self._wide_type(value)
        assert type_ is not None, "only masks are integers, where a machine has none"
        if (known := self._wide_masks.get(value)) is not None:
            return type_, known
        return type_, self.temp(f"sext {self.typed(value)} to {type_}")

    def define_wide(self, value: SSAValue, instruction: str) -> None:
        """Writes the instruction that computes the integers for a mask."""
        self._wide_masks[value] = self.temp(instruction, value.name_hint)

    def memref(self, value: SSAValue) -> MemRefValue:
        """The descriptor of a value of memref type."""
        return self._memrefs[value]

    def set_memref(self, value: SSAValue, memref: MemRefValue) -> None:
        """Says what a value of memref type is; its type adds what it fixes."""
        self._memrefs[value] = memref.with_layout(layout_of(value.type))

    # Any value as a list of scalars, for joins of control flow

    def components(self, value: SSAValue) -> list[str]:
        """The operands that make up a value: one, or those of a descriptor."""
        if is_memref(value.type):
            return self._memrefs[value].components()
        if self._wide_type(value) is not None:
            return [self.wide(value)[1]]
        return [self._operands[value]]

    def component_types(self, value: SSAValue) -> list[tuple[str, str | None]]:
        """LLVM type and name hint of each of the `components`."""
        if is_memref(value.type):
            hint = value.name_hint or "t"
            return [
                (type_, f"{hint}.{suffix}")
                for type_, suffix in component_names(layout_of(value.type))
            ]
        return [(self._wide_type(value) or self.type_of(value), value.name_hint)]

    def set_components(self, value: SSAValue, operands: Sequence[str]) -> None:
        """The inverse of `components`."""
        if is_memref(value.type):
            layout = layout_of(value.type)
            self._memrefs[value] = from_components(layout, operands)
        elif self._wide_type(value) is not None:
            (self._wide_masks[value],) = operands
        else:
            (self._operands[value],) = operands

    def alias(self, value: SSAValue, of: SSAValue) -> None:
        """Makes `value` the same as `of`, whose type is the same."""
        if is_memref(of.type):
            self._memrefs[value] = self._memrefs[of]
        elif self.is_wide(of):
            self._wide_masks[value] = self._wide_masks[of]
        else:
            self._operands[value] = self._operands[of]

    # Calls

    def call(
        self,
        function: str,
        result: str,
        arguments: Sequence[tuple[str, str]],
        *,
        flags: str = "",
        attributes: str = "",
        parameters: Sequence[str] | None = None,
    ) -> str:
        """
        The text of a call of an intrinsic or C function, which it declares.

        `arguments` are (type, operand); `parameters` replaces the types in the call where
        a parameter has attributes (`ptr align 4`).
        """
        types = [type_ for type_, _ in arguments]
        self.module.declare(function, result, types, attributes)
        passed = ", ".join(
            f"{type_} {operand}"
            for type_, (_, operand) in zip(parameters or types, arguments, strict=True)
        )
        return f"call {flags}{result} @{function}({passed})"


RELEASE = """\
; Frees a list of memory.
define internal void @spmd.release(ptr %list) nounwind {
entry:
  br label %look
look:
  %node = load ptr, ptr %list, align 8
  %end = icmp eq ptr %node, null
  br i1 %end, label %done, label %free
free:
  %next = load ptr, ptr %node, align 8
  store ptr %next, ptr %list, align 8
  call void @free(ptr %node)
  br label %look
done:
  ret void
}"""
