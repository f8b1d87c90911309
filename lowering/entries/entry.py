"""
The native entry of a kernel: what the runtime, or a C program, calls.

    void k(const void *args, int64_t first_group, int64_t last_group, void *scratch);

runs the work-groups `first_group` to `last_group`, the last one not included, numbered
linearly with x fastest, or as `spmd.group_order` says. `args` points to a struct with C alignment:

| field | C type |
| --- | --- |
| scalar argument | its type; `i1` as one byte, `index` as `int64_t` |
| memref argument | `void *data; int64_t offset, sizes[rank], strides[rank];` |
| enqueued local size | `int64_t ex, ey, ez;` |
| global size | `int64_t nx, ny, nz;` |
| if assertions are reported | `struct record *failed;`, as in `lowering/writing/record.py` |

Strides and offset count elements; offset and sizes are there even if the type fixes them.
An array marked `spmd.thread_copies` is updated when the call ends, from a copy on its stack:
the entry makes it, and the function `k.range` runs the groups.
`scratch` is what `k.scratch_bytes(ex, ey, ez)` says, 64-byte aligned, one per thread; it
may be null if there is no such function. Sizes are positive. The record is all zeros at the
start; if an assertion fails or the launch is given up, no more groups are started. With a
record the entry returns a `bool`: whether it has a message.

It goes through rows of groups, those along the fastest axis, and lets `k.row` run each, or
parts of it after which there is a poll. LLVM leaves it as it is, as it leaves the worker: that
saves a third of what a small kernel takes to compile, and costs one or two ns for each row.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.func import FuncOp

from spmd.lowering.entries.arguments import load_field
from spmd.lowering.entries.kernel import EntryKernel
from spmd.lowering.entries.row import ROW_SUFFIX, row_type, write_row
from spmd.lowering.entries.thread_copies import has_copies, write_with_copies
from spmd.lowering.entries.worker import worker
from spmd.lowering.ops.assertions import has_failed
from spmd.lowering.ops.polls import write_stop
from spmd.lowering.writing.control_flow import Join
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import ModuleWriter, quoted

RANGE_SUFFIX = ".range"


def write_entry(module: ModuleWriter, function: FuncOp, full: FuncOp | None) -> None:
    """Writes the native entry of a kernel, and the worker for several threads."""
    kernel = EntryKernel(module, function, full)
    row = module.unused(kernel.name + ROW_SUFFIX)
    module.add_function(write_row(kernel, row))
    entry = kernel.name
    linkage = ""
    if has_copies(function):
        entry = module.unused(entry + RANGE_SUFFIX)
        linkage = "internal "
        module.add_function(write_with_copies(kernel, entry))
    module.add_function(_Entry(kernel, row).write(entry, linkage))
    module.add_function(worker(function.sym_name.data, kernel.entry_type))


class _Entry:
    """The function that goes through the groups of a range, while it is written."""

    def __init__(self, kernel: EntryKernel, row: str) -> None:
        self.kernel = kernel
        self.row = row
        self.writer = FunctionWriter(kernel.module)
        self.axes = kernel.axes
        for name in ("args", "first", "last", "scratch"):
            self.writer.fresh(name)

    def write(self, symbol: str, linkage: str) -> str:
        """The function."""
        kernel, writer = self.kernel, self.writer
        some = writer.temp("icmp slt i64 %first, %last", "some")
        writer.emit(f"br i1 {some}, label %start, label %done")
        writer.start("start")
        two = kernel.order[:2]
        local = kernel.local_sizes(writer, two)
        whole = kernel.global_sizes(writer, two)
        groups = [
            self._ceildiv(n, e, axis)
            for n, e, axis in zip(whole, local, self.axes, strict=False)
        ]
        plane = writer.temp(f"udiv i64 %first, {groups[0]}")
        x, y, z = (f"first.{axis}" for axis in self.axes)
        first = [
            writer.temp(f"urem i64 %first, {groups[0]}", x),
            writer.temp(f"urem i64 {plane}, {groups[1]}", y),
            writer.temp(f"udiv i64 {plane}, {groups[1]}", z),
        ]
        base = writer.temp(f"sub nuw nsw i64 %first, {first[0]}", "first.base")
        if kernel.struct.failed is not None:
            # Another thread may have failed: then there is nothing left to do.
            writer.failed = load_field(writer, kernel.struct.failed, "failed")
            write_stop(writer, "done", "begin")
            writer.start("begin")
        before = writer.block
        writer.jump("row")
        self._rows(before, groups, [base, *first])
        writer.start("done")
        if kernel.streams:
            # What it stored is there for whoever hears that the call has ended: stores that
            # go around the caches are ordered by nothing else.
            writer.emit("fence seq_cst")
        if kernel.struct.failed is not None:
            writer.failed = load_field(writer, kernel.struct.failed, "failed")
            writer.emit(f"ret i1 {has_failed(writer)}")
        else:
            writer.emit("ret void")
        return (
            f"define {linkage}{kernel.entry_type} @{quoted(symbol)}(ptr noalias readonly %args, "
            f"i64 %first, i64 %last, ptr %scratch) nounwind noinline optnone {{\n"
            f"{writer.text()}\n}}"
        )

    def _ceildiv(self, n: str, e: str, axis: str) -> str:
        if e == "1":
            return n
        writer = self.writer
        less = writer.temp(f"sub i64 {n}, 1")
        quotient = writer.temp(f"udiv i64 {less}, {e}")
        return writer.temp(f"add nuw nsw i64 {quotient}, 1", f"groups.{axis}")

    def _rows(self, before: str, groups: Sequence[str], first: Sequence[str]) -> None:
        """Counts through rows; no group needs a division or a carry."""
        writer = self.writer
        fastest, *slower = self.axes
        rows = Join(writer, "row").start()
        names = ("base", f"row.{fastest}", *(f"group.{axis}" for axis in slower))
        base, start, *others = [rows.phi("i64", name) for name in names]
        rows.add(before, first)
        # The number of the first group of the row is `base`, even if a call begins later.
        left = writer.temp(f"sub nuw nsw i64 %last, {base}")
        end = self._smaller(groups[0], left)
        self._parts(start, end, others)
        after = writer.temp(f"add nuw nsw i64 {base}, {groups[0]}", "base.next")
        more = writer.temp(f"icmp slt i64 {after}, %last")
        rows.add(writer.block, [after, "0", *self._following(others, groups[1])])
        writer.emit(f"br i1 {more}, label %row, label %done")
        rows.finish()

    def _parts(self, start: str, end: str, others: Sequence[str]) -> None:
        """Runs the groups of a row, or of each part of it after which there is a poll."""
        writer = self.writer
        between_polls = self.kernel.groups_between_polls
        if between_polls == 0:
            writer.emit(self._call(start, end, others))
            return
        if between_polls == 1:  # The row polls.
            stop = writer.temp(self._call(start, end, others), "stop")
            writer.emit(f"br i1 {stop}, label %done, label %row.end")
            writer.start("row.end")
            return
        before = writer.block
        writer.jump("part")
        parts = Join(writer, "part").start()
        begin = parts.phi("i64", f"part.{self.axes[0]}")
        parts.add(before, [start])
        most = writer.temp(f"add nuw nsw i64 {begin}, {between_polls}")
        part_end = self._smaller(end, most)
        writer.emit(self._call(begin, part_end, others))
        write_stop(writer, "done", "more")
        writer.start("more")
        rest = writer.temp(f"icmp slt i64 {part_end}, {end}")
        parts.add(writer.block, [part_end])
        writer.emit(f"br i1 {rest}, label %part, label %row.end")
        parts.finish()
        writer.start("row.end")

    def _call(self, start: str, end: str, others: Sequence[str]) -> str:
        numbers = ", ".join(f"i64 {each}" for each in (start, end, *others))
        returned = row_type(self.kernel)
        return (
            f"call {returned} @{quoted(self.row)}(ptr %args, {numbers}, ptr %scratch)"
        )

    def _smaller(self, one: str, other: str) -> str:
        operands = [("i64", one), ("i64", other)]
        return self.writer.temp(self.writer.call("llvm.smin.i64", "i64", operands))

    def _following(self, places: Sequence[str], count: str) -> list[str]:
        """The place of the row after one, of which there are so many along the second axis."""
        writer = self.writer
        second, third = places
        step = writer.temp(f"add nuw nsw i64 {second}, 1")
        end = writer.temp(f"icmp eq i64 {step}, {count}")
        carry = writer.temp(f"zext i1 {end} to i64")
        return [
            writer.temp(f"select i1 {end}, i64 0, i64 {step}", f"next.{self.axes[1]}"),
            writer.temp(f"add nuw nsw i64 {third}, {carry}", f"next.{self.axes[2]}"),
        ]
