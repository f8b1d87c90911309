"""
`memref`: memory from the stack and from the heap.

A `memref.alloca` of fixed size is on the stack, taken once per function; of a size that only
the running code knows, if that is at most `SMALL_BYTES`. From the heap comes the rest, what
together is more than `STACK_BYTES`, and what is handed on from one execution of the op to the
next. It is kept in a list for each op, which is freed where the function is left:

| the memory of one execution of the op | is |
| --- | --- |
| is not used after the next one has begun | used again, or freed for more: at most one is in the list |
| may be | freed at the end of the iteration that it does not leave |

So neither grows in a loop that carries no memref. Where there is no memory, the function
ends like one where an assertion fails (`assertions.py`).

`memref.alloc` and `memref.dealloc` are those of C. Where assertions are reported, the memory
stands in a list of the launch: the entry of the host function frees what is left, however
the function ends, and `memref.dealloc` of other memory fails.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp, NoneAttr
from xdsl.ir import Operation, SSAValue

from spmd.dialects.element_types import is_memref, static_bytes
from spmd.dialects.enclosing import is_terminator
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION
from spmd.lowering.ops.assertions import write_failure
from spmd.lowering.ops.memref import (
    contiguous_strides,
    new_memref,
    sizes_of,
)
from spmd.lowering.writing.access import alignment_of
from spmd.lowering.writing.addresses import add, is_literal
from spmd.lowering.writing.control_flow import Join, components_of, write_cfg
from spmd.lowering.writing.function_writer import RELEASE, FunctionWriter
from spmd.lowering.writing.record import ALLOCATED
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    layout_of,
    natural_alignment,
    storage_bytes,
    storage_type,
)

STACK_BYTES = 64 << 10
"""Of arrays on the stack, in a work-group function and in all others together."""

SMALL_BYTES = 16 << 10
"""Of an array of unknown size on the stack; the place is taken anyway."""

HEAP_ALIGNMENT = 64
"""Of what comes from the heap, if it does not ask for more: a cache line, a wide vector."""

MOST_BYTES = str(1 << 62)
"""More than any machine has, and a little more does not wrap; sizes end here."""


def arrays_on_heap(module: ModuleOp) -> dict[Operation, int]:
    """The allocations that are not on the stack, or only up to so many bytes."""
    found: dict[Operation, int] = {}
    others = STACK_BYTES
    for function in module.ops:
        is_group = WORK_GROUP_FUNCTION in function.attributes
        left = STACK_BYTES if is_group else others
        for op in function.walk():
            if isinstance(op, memref.AllocOp):
                found[op] = 0
            elif isinstance(op, memref.AllocaOp):
                type_ = op.memref.type
                size = SMALL_BYTES if op.dynamic_sizes else static_bytes(type_)
                strided = not isinstance(type_.layout, NoneAttr)
                if size > left or strided or _outlives(op):
                    found[op] = 0
                    continue
                left -= size
                if op.dynamic_sizes:
                    found[op] = size
        if not is_group:
            others = left
    return found


def _outlives(alloca: memref.AllocaOp) -> bool:
    """
    Whether memory of `alloca` may be used when it is executed again.

    It goes there by a branch between blocks, or from the end of a loop around `alloca`.
    """
    seen = {alloca.memref}
    rest: list[SSAValue] = [alloca.memref]
    while rest:
        for use in rest.pop().uses:
            op = use.operation
            if op.successors:
                return True
            if is_terminator(op):
                op = op.parent_op()
                if op is None or isinstance(op, func.FuncOp):
                    continue
                flow = RegionBranch.of(op)
                if (flow is None or flow.runs is Runs.LOOP) and op.is_ancestor(alloca):
                    return True
            new = {value for value in op.results if is_memref(value.type)} - seen
            seen |= new
            rest += new
    return False


def _saturating(writer: FunctionWriter, a: str, b: str) -> str:
    """The product of two unsigned numbers, or the largest one."""
    if is_literal(a) and is_literal(b):
        return str(int(a) * int(b))
    if "1" in (a, b):
        return a if b == "1" else b
    name, pair = "llvm.umul.with.overflow.i64", "{ i64, i1 }"
    both = writer.temp(writer.call(name, pair, [("i64", a), ("i64", b)]))
    product = writer.temp(f"extractvalue {pair} {both}, 0")
    wraps = writer.temp(f"extractvalue {pair} {both}, 1")
    return writer.temp(f"select i1 {wraps}, i64 -1, i64 {product}")


def _bytes(
    writer: FunctionWriter, op: Operation, sizes: Sequence[str], strides: Sequence[str]
) -> str:
    """The size of the memref that `op` allocates, at most `MOST_BYTES`."""
    layout = layout_of(op.results[0].type)
    if layout.is_identity:
        count = "1"
        for size in sizes:
            count = _saturating(writer, count, size)
    else:
        # The last element of a strided layout says how much memory it needs.
        count = str((layout.offset or 0) + 1)
        for size, stride in zip(sizes, strides, strict=True):
            part = _saturating(writer, add(writer, size, "-1"), stride)
            if is_literal(count) and is_literal(part):
                count = add(writer, count, part)
            else:
                both = [("i64", count), ("i64", part)]
                count = writer.temp(writer.call("llvm.uadd.sat.i64", "i64", both))
    total = _saturating(writer, count, str(storage_bytes(layout.element)))
    if is_literal(total):
        return str(min(int(total), int(MOST_BYTES)))
    both = [("i64", total), ("i64", MOST_BYTES)]
    return writer.temp(writer.call("llvm.umin.i64", "i64", both))


def _extents(writer: FunctionWriter, op: Operation) -> tuple[list[str], list[str]]:
    """Sizes and strides of the memref that an op allocates."""
    type_ = op.results[0].type
    layout = layout_of(type_)
    assert isinstance(op, memref.AllocOp | memref.AllocaOp)
    sizes = sizes_of(writer, type_, op.dynamic_sizes)
    if op.symbol_operands:
        raise TypeNotLowered(f"expected no symbols for the layout, got {type_}")
    if layout.is_identity:
        return sizes, contiguous_strides(writer, sizes)[0]
    if layout.offset is None or None in layout.strides:
        raise TypeNotLowered(f"expected a layout known at compile time, got {type_}")
    return sizes, [str(stride) for stride in layout.strides]


@emits(memref.AllocaOp)
def _alloca(writer: FunctionWriter, op: memref.AllocaOp) -> None:
    result = op.results[0]
    layout = layout_of(result.type)
    sizes, strides = _extents(writer, op)
    if op in writer.module.on_heap:
        base = _from_heap(writer, op, _bytes(writer, op, sizes, strides))
        new_memref(writer, result, base, base, sizes, strides)
        return
    name = "%" + writer.fresh(result.name_hint)
    count = int(_bytes(writer, op, sizes, strides)) // storage_bytes(layout.element)
    alignment = alignment_of(op, natural_alignment(layout.element))
    stored = storage_type(layout.element)
    writer.entry.append(f"  {name} = alloca [{count} x {stored}], align {alignment}")
    if writer.block != "entry":
        # Each execution gives fresh contents: nothing has to be kept from the last.
        start = "llvm.lifetime.start.p0"
        writer.emit(writer.call(start, "void", [("ptr", name)]))
    new_memref(writer, result, name, name, sizes, strides)


@emits(memref.AllocaScopeOp)
def _alloca_scope(writer: FunctionWriter, op: memref.AllocaScopeOp) -> None:
    yielded: list[str] = []

    def leave(terminator: Operation) -> None:
        yielded.extend(components_of(writer, terminator.operands))

    if len(op.scope.blocks) != 1:
        raise TypeNotLowered(f"expected one block, got {len(op.scope.blocks)}")
    with writer.loop(op.results):
        write_cfg(writer, op.scope, {memref.AllocaScopeReturnOp.name: leave})
    at = 0
    for result in op.results:
        count = len(writer.component_types(result))
        writer.set_components(result, yielded[at : at + count])
        at += count


@emits(memref.AllocOp)
def _alloc(writer: FunctionWriter, op: memref.AllocOp) -> None:
    result = op.results[0]
    sizes, strides = _extents(writer, op)
    size = _bytes(writer, op, sizes, strides)
    alignment = alignment_of(op, HEAP_ALIGNMENT)
    padded = add(writer, size, str(alignment - 1))
    if writer.failed is None:
        call = writer.call("malloc", "noalias ptr", [("i64", padded)])
    else:
        writer.module.helper("spmd.release", lambda: RELEASE)
        call = _taken(writer, allocated(writer), padded, again=False)
    base = writer.temp(call, f"{result.name_hint or 't'}.base")
    data = _checked_and_aligned(writer, op, base, size)
    new_memref(writer, result, base, data, sizes, strides)


@emits(memref.DeallocOp, may_fail=True)
def _dealloc(writer: FunctionWriter, op: memref.DeallocOp) -> None:
    base = writer.memref(op.operands[0]).allocated
    if writer.failed is None:
        writer.emit(writer.call("free", "void", [("ptr", base)]))
        return
    writer.module.declare("free", "void", ["ptr"])
    give_back = writer.module.helper("spmd.give.back", lambda: _GIVE_BACK)
    arguments = f"ptr {allocated(writer)}, ptr {base}"
    found = writer.temp(f"call i1 @{give_back}({arguments})")
    failed, done = writer.fresh("not.allocated"), writer.fresh("freed")
    writer.emit(f"br i1 {found}, label %{done}, label %{failed}")
    writer.start(failed)
    message = f"expected memory of a memref.alloc for {op.name}, which is freed once, got other memory"
    write_failure(writer, op, message, ())
    writer.start(done)


def allocated(writer: FunctionWriter) -> str:
    """The list of what `memref.alloc` has given to the host function."""
    return writer.temp(
        f"getelementptr inbounds i8, ptr {writer.failed}, i64 {ALLOCATED}"
    )


def _taken(writer: FunctionWriter, kept: str, size: str, *, again: bool) -> str:
    """The call for memory at the head of a list."""
    writer.module.declare("malloc", "noalias ptr", ["i64"])
    writer.module.declare("free", "void", ["ptr"])
    heap = writer.module.helper("spmd.heap", lambda: _HEAP)
    reuse = str(again).lower()
    return f"call noalias ptr @{heap}(ptr {kept}, i64 {size}, i1 {reuse})"


def _from_heap(writer: FunctionWriter, op: memref.AllocaOp, size: str) -> str:
    """Memory for one execution of `op`, on the stack if it is small; the address."""
    small = writer.module.on_heap[op]
    again = not _outlives(op)
    kept = writer.heap_list(released=not again)
    hint = op.memref.name_hint or "t"
    alignment = alignment_of(op, HEAP_ALIGNMENT)
    join = None
    if small:
        buffer = "%" + writer.fresh(f"{hint}.small")
        writer.entry.append(f"  {buffer} = alloca [{small} x i8], align {alignment}")
        fits = writer.temp(f"icmp ule i64 {size}, {small}")
        large = writer.fresh("large")
        join = Join(writer, writer.fresh("allocated"))
        join.add(writer.block, [buffer])
        writer.emit(f"br i1 {fits}, label %{join.label}, label %{large}")
        writer.start(large)
    padded = add(writer, size, str(alignment - 1))
    base = writer.temp(_taken(writer, kept, padded, again=again), f"{hint}.base")
    data = _checked_and_aligned(writer, op, base, size)
    if join is None:
        return data
    join.add(writer.block, [data])
    writer.jump(join.label)
    chosen = join.start().phi("ptr", f"{hint}.memory")
    join.finish()
    return chosen


def _checked_and_aligned(
    writer: FunctionWriter, op: Operation, base: str, size: str
) -> str:
    """
    The first address from `base` on that is aligned; the function fails if there is none.

    More was asked for than is needed: this is right on every host, unlike the aligned
    allocators of the C library.
    """
    failed, there = writer.fresh("no.memory"), writer.fresh("memory")
    weights = writer.module.metadata('!"branch_weights", i32 1, i32 1048576')
    none = writer.temp(f"icmp eq ptr {base}, null")
    writer.emit(f"br i1 {none}, label %{failed}, label %{there}, !prof {weights}")
    writer.start(failed)
    message = (
        f"expected {{}} bytes of memory for {op.name}, the system does not give more"
    )
    write_failure(writer, op, message, [f"i64 {size}"])
    writer.start(there)
    alignment = alignment_of(op, HEAP_ALIGNMENT)
    above = writer.temp(f"getelementptr i8, ptr {base}, i64 {alignment - 1}")
    arguments = [("ptr", above), ("i64", str(-alignment))]
    aligned = writer.call("llvm.ptrmask.p0.i64", "ptr", arguments)
    return writer.temp(aligned, f"{op.results[0].name_hint or 't'}.data")


_HEAP = """\
; Memory of at least %size bytes at the head of a list: the one that is there, or more.
define internal ptr @spmd.heap(ptr %list, i64 %size, i1 %again) nounwind {
entry:
  br i1 %again, label %look, label %more
look:
  %kept = load ptr, ptr %list, align 8
  %nothing = icmp eq ptr %kept, null
  br i1 %nothing, label %more, label %measure
measure:
  %room.at = getelementptr inbounds i8, ptr %kept, i64 8
  %room = load i64, ptr %room.at, align 8
  %enough = icmp ule i64 %size, %room
  br i1 %enough, label %done, label %free
free:
  call void @spmd.release(ptr %list)
  br label %more
more:
  %padded = add i64 %size, 16
  %new = call ptr @malloc(i64 %padded)
  %failed = icmp eq ptr %new, null
  br i1 %failed, label %end, label %link
link:
  %next = load ptr, ptr %list, align 8
  store ptr %next, ptr %new, align 8
  %size.at = getelementptr inbounds i8, ptr %new, i64 8
  store i64 %size, ptr %size.at, align 8
  store ptr %new, ptr %list, align 8
  br label %done
done:
  %node = phi ptr [ %kept, %measure ], [ %new, %link ]
  %memory = getelementptr inbounds i8, ptr %node, i64 16
  ret ptr %memory
end:
  ret ptr null
}"""

_GIVE_BACK = """\
; Frees memory of a list, and says whether it was there.
define internal i1 @spmd.give.back(ptr %list, ptr %memory) nounwind {
entry:
  %wanted = getelementptr i8, ptr %memory, i64 -16
  br label %look
look:
  %at = phi ptr [ %list, %entry ], [ %node, %compare ]
  %node = load ptr, ptr %at, align 8
  %end = icmp eq ptr %node, null
  br i1 %end, label %missing, label %compare
compare:
  %same = icmp eq ptr %node, %wanted
  br i1 %same, label %found, label %look
found:
  %next = load ptr, ptr %node, align 8
  store ptr %next, ptr %at, align 8
  call void @free(ptr %node)
  ret i1 true
missing:
  ret i1 false
}"""
