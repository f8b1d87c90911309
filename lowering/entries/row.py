"""
The inner loop of a native entry: work-groups that follow each other along the fastest axis.

    void k.row(const void *args, int64_t first, int64_t last, int64_t y, int64_t z,
               void *scratch);

runs the groups from `first` to `last`, the last one not included, where x is fastest. If each
of them may end the launch, it polls after each, and returns a `bool`: whether to stop.

This is all of an entry that LLVM optimises: the loop holds a copy of the function that runs a
group, and what only differs from row to row is computed before it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp

from spmd.lowering.entries.arguments import load_arguments, load_field
from spmd.lowering.entries.kernel import EntryKernel, has_scratch, stack_alignment
from spmd.lowering.ops.polls import write_stop
from spmd.lowering.writing.control_flow import Join
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import quoted

ROW_SUFFIX = ".row"

UNLIMITED = str(2**63 - 1)
"""The size of scratch memory, which nobody asks for."""

_TAKEN = (
    *("args", "first", "last", "scratch"),
    *("group", "full", "partial", "next", "more", "stop", "done"),
)
"""Names that the function writes out; arguments of the kernel get others."""


def row_type(kernel: EntryKernel) -> str:
    """What the function returns."""
    return "i1" if kernel.groups_between_polls == 1 else "void"


def write_row(kernel: EntryKernel, symbol: str) -> str:
    """The function, as text."""
    return _Row(kernel).write(symbol)


class _Row:
    """The function while it is written."""

    def __init__(self, kernel: EntryKernel) -> None:
        self.kernel = kernel
        self.writer = FunctionWriter(kernel.module)
        for name in (*_TAKEN, *[f"group.{axis}" for axis in kernel.axes[1:]]):
            self.writer.fresh(name)

    def write(self, symbol: str) -> str:
        kernel, writer = self.kernel, self.writer
        fields = kernel.struct.arguments
        own = kernel.function.body.blocks[0].args[: len(fields)]
        arguments = load_arguments(writer, own, fields)
        local = kernel.local_sizes(writer, range(3))
        whole = kernel.global_sizes(writer, range(3))
        polls = kernel.groups_between_polls == 1
        if polls and kernel.struct.failed is not None:
            writer.failed = load_field(writer, kernel.struct.failed, "failed")
        fastest, second, third = kernel.axes
        before = writer.block
        writer.jump("group")
        groups = Join(writer, "group").start()
        at = groups.phi("i64", f"group.{fastest}")
        groups.add(before, ["%first"])
        places = {fastest: at, second: f"%group.{second}", third: f"%group.{third}"}
        group = [places[axis] for axis in "xyz"]
        passed = [*arguments, *[f"i64 {each}" for each in (*group, *local, *whole)]]
        if kernel.full is None:
            self._call(kernel.function, passed)
        else:
            inside = self._is_full(group, local, whole)
            writer.emit(f"br i1 {inside}, label %full, label %partial")
            for label, version in (("full", kernel.full), ("partial", kernel.function)):
                writer.start(label)
                self._call(version, passed)
                writer.jump("next")
            writer.start("next")
        if polls:
            write_stop(writer, "stop", "more")
            writer.start("more")
        following = writer.temp(f"add nuw nsw i64 {at}, 1", f"next.{fastest}")
        more = writer.temp(f"icmp slt i64 {following}, %last")
        groups.add(writer.block, [following])
        # Copies of a whole group, one after the other, are only more to compile.
        loop = kernel.module.loop('!"llvm.loop.unroll.disable"')
        writer.emit(f"br i1 {more}, label %group, label %done, !llvm.loop {loop}")
        groups.finish()
        writer.start("done")
        writer.emit("ret i1 false" if polls else "ret void")
        if polls:
            writer.start("stop")
            writer.emit("ret i1 true")
        stack = stack_alignment(kernel.module, kernel.versions)
        runs = ""
        if kernel.module.has_rare_branches:
            # What only these need stands in them then, and not before the loops around
            # (LoopSink), which LLVM does in functions alone of which it knows that they run.
            count = kernel.module.metadata('!"function_entry_count", i64 1')
            runs = f" !prof {count}"
        return (
            f"define internal {row_type(kernel)} @{quoted(symbol)}(ptr noalias readonly %args, "
            f"i64 %first, i64 %last, i64 %group.{second}, i64 %group.{third}, "
            f"ptr %scratch) nounwind noinline{stack}{runs} {{\n{writer.text()}\n}}"
        )

    def _call(self, function: FuncOp, passed: Sequence[str]) -> None:
        """Calls a work-group function."""
        kernel = self.kernel
        symbol = kernel.module.symbols[function.sym_name.data]
        operands = list(passed)
        if has_scratch(function):
            operands += ["ptr %scratch", "ptr %scratch"]
            operands += ["i64 0", f"i64 {UNLIMITED}", "i64 1"]
        if function in kernel.reporting:
            operands.append(f"ptr {self.writer.failed}")
        self.writer.emit(f"call void @{quoted(symbol)}({', '.join(operands)})")

    def _is_full(
        self, group: Sequence[str], local: Sequence[str], whole: Sequence[str]
    ) -> str:
        """Whether the group ends inside of the launch, in each dimension."""
        writer = self.writer
        inside = "true"
        for at, size, n in zip(group, local, whole, strict=True):
            following = writer.temp(f"add nuw nsw i64 {at}, 1")
            end = writer.temp(f"mul i64 {following}, {size}")
            here = writer.temp(f"icmp ule i64 {end}, {n}")
            inside = writer.temp(f"and i1 {inside}, {here}")
        return inside
