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
An array marked `spmd.thread_copies` is updated when the call ends, from a copy on its stack.
`scratch` is what `k.scratch_bytes(ex, ey, ez)` says, 64-byte aligned, one per thread; it
may be null if there is no such function. Sizes are positive. The record is all zeros at the
start; if an assertion fails or the launch is given up, no more groups are started. With a
record the entry returns a `bool`: whether it has a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import IntegerAttr, VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from spmd.dialects.element_types import is_memref
from spmd.dialects.work_groups import (
    GROUPS_BETWEEN_POLLS,
    fixed_group_size,
    group_order,
)
from spmd.lowering.entries.arguments import (
    Field,
    argument_struct,
    load_arguments,
    load_field,
)
from spmd.lowering.entries.thread_copies import make_copies
from spmd.lowering.entries.worker import worker
from spmd.lowering.ops.assertions import has_failed
from spmd.lowering.ops.polls import write_stop
from spmd.lowering.writing.access import is_nontemporal
from spmd.lowering.writing.control_flow import Join
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import ModuleWriter, quoted
from spmd.lowering.writing.symbols import exported_symbol
from spmd.lowering.writing.types import (
    TypeNotLowered,
)

SIZES = 9
"""Trailing index arguments: group ids, enqueued local sizes, global sizes; x, y, z each."""

UNLIMITED = str(2**63 - 1)
"""The size of scratch memory, which nobody asks for."""


def has_scratch(function: FuncOp) -> bool:
    """Whether a work-group function takes scratch memory as its last argument."""
    inputs = function.function_type.inputs.data
    return bool(inputs) and is_memref(inputs[-1])


def own_argument_types(function: FuncOp) -> tuple[Attribute, ...]:
    """The types of the arguments that the kernel itself has."""
    inputs = function.function_type.inputs.data
    count = len(inputs) - SIZES - has_scratch(function)
    if count < 0:
        raise TypeNotLowered(
            f"expected a work-group function to end in {SIZES} arguments of type index, "
            f"got {len(inputs)} arguments"
        )
    return inputs[:count]


def entry_type(module: ModuleWriter) -> str:
    """What native entries return."""
    return "zeroext i1" if module.reports else "void"


def stack_alignment(module: ModuleWriter, functions: Iterable[FuncOp]) -> str:
    """
    What makes the stack of code with vectors as aligned as these are.

    LLVM does not do so for registers that it has to save there: each would lie in two cache
    lines, which takes calls in loops twice their time.
    """
    size = module.machine.vector_bits // 8
    if size <= 16 or not any(
        isinstance(result.type, VectorType)
        for function in functions
        for op in function.walk()
        for result in op.results
    ):
        return ""
    return f" alignstack({size})"


def _streams(function: FuncOp) -> bool:
    """Whether `function` stores around the caches."""
    return any(
        isinstance(op, memref.StoreOp | vector.StoreOp) and is_nontemporal(op)
        for op in function.walk()
    )


_PARAMETERS = ("args", "first", "last", "scratch")
_LABELS = (
    *("start", "begin", "done", "row", "part", "group", "full", "partial", "next"),
    *("part.end", "row.end", "more", "combine"),
)
"""Names that the entry writes out; arguments of the kernel get others."""


class _Entry:
    """One native entry while it is written."""

    def __init__(
        self, module: ModuleWriter, function: FuncOp, full: FuncOp | None
    ) -> None:
        self.module = module
        self.function = function
        self.full = full
        self.writer = FunctionWriter(module)
        self.order = group_order(function)
        self.axes = ["xyz"[d] for d in self.order]
        self.end = "done"
        """Where the entry goes on when it has run groups."""
        for name in (*_PARAMETERS, *_LABELS):
            self.writer.fresh(name)
        self.types = own_argument_types(function)
        self.versions = [function] if full is None else [function, full]
        self.reporting = [
            version
            for version in self.versions
            if version.sym_name.data in module.reporting
        ]
        self.struct = argument_struct(self.types, reports=module.reports)

    def sizes(self, fields: Sequence[Field], hint: str) -> list[str]:
        """Reads sizes for x, y, z."""
        named = zip(fields, "xyz", strict=True)
        return [load_field(self.writer, field, hint + axis) for field, axis in named]

    def local_sizes(self) -> list[str]:
        """The enqueued local sizes: constants if the kernel fixes them."""
        fixed = fixed_group_size(self.function)
        if fixed is None:
            return self.sizes(self.struct.sizes[:3], "e")
        return list(map(str, fixed))

    def call(self, function: FuncOp, passed: Sequence[str]) -> None:
        """Calls a work-group function."""
        symbol = self.module.symbols[function.sym_name.data]
        operands = list(passed)
        if has_scratch(function):
            operands += ["ptr %scratch", "ptr %scratch"]
            operands += ["i64 0", f"i64 {UNLIMITED}", "i64 1"]
        if function in self.reporting:
            operands.append(f"ptr {self.writer.failed}")
        self.writer.emit(f"call void @{quoted(symbol)}({', '.join(operands)})")

    def write(self) -> str:
        """The function."""
        writer = self.writer
        some = writer.temp("icmp slt i64 %first, %last", "some")
        writer.emit(f"br i1 {some}, label %start, label %done")
        writer.start("start")
        own = self.function.body.blocks[0].args[: len(self.types)]
        arguments = load_arguments(writer, own, self.struct.arguments)
        fields = self.struct.arguments
        copies = make_copies(writer, self.function, fields, arguments)
        if copies:
            self.end = "combine"
        local = self.local_sizes()
        whole = self.sizes(self.struct.sizes[3:], "n")
        groups = [self._ceildiv(whole[d], local[d], "xyz"[d]) for d in self.order[:2]]
        plane = writer.temp(f"udiv i64 %first, {groups[0]}")
        x, y, z = (f"first.{axis}" for axis in self.axes)
        first = [
            writer.temp(f"urem i64 %first, {groups[0]}", x),
            writer.temp(f"urem i64 {plane}, {groups[1]}", y),
            writer.temp(f"udiv i64 {plane}, {groups[1]}", z),
        ]
        base = writer.temp(f"sub nuw nsw i64 %first, {first[0]}", "first.base")
        full_groups: list[str] = []
        if self.full is not None:
            full_groups = [
                writer.temp(f"udiv i64 {n}, {e}", f"full.{axis}")
                for n, e, axis in zip(whole, local, "xyz", strict=True)
            ]
        for copy in copies:
            copy.write_start(writer)
        if self.struct.failed is not None:
            # Another thread may have failed: then there is nothing left to do.
            writer.failed = load_field(writer, self.struct.failed, "failed")
            write_stop(writer, self.end, "begin")
            writer.start("begin")
        before = writer.block
        writer.jump("row")
        sizes = [*local, *whole]
        self._loop(before, arguments, sizes, groups, [base, *first], full_groups)
        if copies:
            writer.start(self.end)
            for copy in copies:
                copy.write_end(writer)
            writer.jump("done")
        self._return()
        name = quoted(exported_symbol(self.function.sym_name.data))
        stack = stack_alignment(self.module, self.versions)
        return (
            f"define {entry_type(self.module)} @{name}(ptr noalias readonly %args, i64 %first, i64 %last, "
            f"ptr %scratch) nounwind{stack} {{\n{writer.text()}\n}}"
        )

    def _return(self) -> None:
        """Ends the call: what it stored is there for whoever hears that it has ended."""
        writer = self.writer
        writer.start("done")
        if any(map(_streams, self.versions)):
            # Stores that go around the caches are ordered by nothing else.
            writer.emit("fence seq_cst")
        if self.struct.failed is not None:
            writer.failed = load_field(writer, self.struct.failed, "failed")
            writer.emit(f"ret i1 {has_failed(writer)}")
        else:
            writer.emit("ret void")

    def _ceildiv(self, n: str, e: str, axis: str) -> str:
        if e == "1":
            return n
        writer = self.writer
        less = writer.temp(f"sub i64 {n}, 1")
        quotient = writer.temp(f"udiv i64 {less}, {e}")
        return writer.temp(f"add nuw nsw i64 {quotient}, 1", f"groups.{axis}")

    def _loop(
        self,
        before: str,
        arguments: list[str],
        sizes: list[str],
        groups: list[str],
        first: list[str],
        full_groups: list[str],
    ) -> None:
        """
        Counts through rows of groups, those along the fastest axis, and in each through its groups.

        What only differs from row to row is computed once in each, and no group needs a division or
        a carry.
        """

        def run(places: Sequence[str]) -> None:
            group = [places[self.order.index(d)] for d in range(3)]
            passed = [*arguments, *[f"i64 {each}" for each in (*group, *sizes)]]
            if self.full is None:
                self.call(self.function, passed)
            else:
                self._call_version(self.full, passed, group, full_groups)

        writer = self.writer
        fastest, *slower = self.axes
        rows = Join(writer, "row").start()
        names = ("base", f"row.{fastest}", *(f"group.{axis}" for axis in slower))
        base, start, *others = [rows.phi("i64", name) for name in names]
        rows.add(before, first)
        # The number of the first group of the row is `base`, even if a call begins later.
        left = writer.temp(f"sub nuw nsw i64 %last, {base}")
        end = self._smaller(groups[0], left)
        self._row(start, end, lambda at: run([at, *others]))
        after = writer.temp(f"add nuw nsw i64 {base}, {groups[0]}", "base.next")
        more = writer.temp(f"icmp slt i64 {after}, %last")
        rows.add(writer.block, [after, "0", *self._following(others, groups[1])])
        writer.emit(f"br i1 {more}, label %row, label %{self.end}")
        rows.finish()

    def _row(self, start: str, end: str, run: Callable[[str], None]) -> None:
        """Counts through the groups of a row, or of each part of it after which there is a poll."""
        writer = self.writer
        between_polls = self._groups_between_polls()
        if between_polls <= 1:
            self._part(start, end, run, polls=between_polls == 1)
            return
        before = writer.block
        writer.jump("part")
        parts = Join(writer, "part").start()
        begin = parts.phi("i64", f"part.{self.axes[0]}")
        parts.add(before, [start])
        most = writer.temp(f"add nuw nsw i64 {begin}, {between_polls}")
        part_end = self._smaller(end, most)
        self._part(begin, part_end, run, polls=False)
        write_stop(writer, self.end, "more")
        writer.start("more")
        rest = writer.temp(f"icmp slt i64 {part_end}, {end}")
        parts.add(writer.block, [part_end])
        writer.emit(f"br i1 {rest}, label %part, label %row.end")
        parts.finish()
        writer.start("row.end")

    def _part(
        self, start: str, end: str, run: Callable[[str], None], *, polls: bool
    ) -> None:
        """Counts along the fastest axis, and polls after each group if asked to."""
        writer = self.writer
        axis = self.axes[0]
        before = writer.block
        writer.jump("group")
        join = Join(writer, "group").start()
        at = join.phi("i64", f"group.{axis}")
        join.add(before, [start])
        run(at)
        if polls:
            write_stop(writer, self.end, "more")
            writer.start("more")
        following = writer.temp(f"add nuw nsw i64 {at}, 1", f"next.{axis}")
        more = writer.temp(f"icmp slt i64 {following}, {end}")
        join.add(writer.block, [following])
        # Copies of a whole group, one after the other, are only more to compile.
        loop = self.module.loop('!"llvm.loop.unroll.disable"')
        writer.emit(f"br i1 {more}, label %group, label %part.end, !llvm.loop {loop}")
        join.finish()
        writer.start("part.end")

    def _smaller(self, one: str, other: str) -> str:
        operands = [("i64", one), ("i64", other)]
        return self.writer.temp(self.writer.call("llvm.smin.i64", "i64", operands))

    def _groups_between_polls(self) -> int:
        """After how many groups there is a poll at the latest; 0 where there is none."""
        if self.struct.failed is None:
            return 0
        if self.reporting:  # Each group may end the launch.
            return 1
        counts = [
            each.attributes.get(GROUPS_BETWEEN_POLLS)
            for each in (self.function, self.full)
            if each is not None
        ]
        return min(
            count.value.data if isinstance(count, IntegerAttr) else 1
            for count in counts
        )

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

    def _call_version(
        self,
        full: FuncOp,
        passed: Sequence[str],
        group: Sequence[str],
        full_groups: Sequence[str],
    ) -> None:
        """Calls the version for full groups, or that for any."""
        writer = self.writer
        inside = ""
        for at, count in zip(group, full_groups, strict=True):
            here = writer.temp(f"icmp ult i64 {at}, {count}")
            inside = writer.temp(f"and i1 {inside}, {here}") if inside else here
        writer.emit(f"br i1 {inside}, label %full, label %partial")
        for label, function in (("full", full), ("partial", self.function)):
            writer.start(label)
            self.call(function, passed)
            writer.jump("next")
        writer.start("next")


def write_entry(module: ModuleWriter, function: FuncOp, full: FuncOp | None) -> None:
    """Writes the native entry of a kernel, and the worker for several threads."""
    module.add_function(_Entry(module, function, full).write())
    module.add_function(worker(function.sym_name.data, entry_type(module)))
    module.declare("llvm.smin.i64", "i64", ["i64", "i64"])
