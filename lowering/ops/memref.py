"""`memref`: accesses to one element, and memory from the stack, the heap or a global."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    MemRefType,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.compat.prefetch import PrefetchOp
from spmd.dialects.enclosing import is_terminator
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.lowering.writing.access import Access, access_hints
from spmd.lowering.writing.addresses import add, element_address, is_literal, multiply
from spmd.lowering.writing.control_flow import components_of, write_cfg
from spmd.lowering.writing.counted_loop import CountedLoop
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import dense_elements
from spmd.lowering.writing.memref_value import MemRefValue
from spmd.lowering.writing.module_writer import ModuleWriter, escaped, quoted
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    is_memref,
    layout_of,
    llvm_type,
    natural_alignment,
    storage_bytes,
    storage_type,
)

HEAP_ALIGNMENT = 64
"""Of `memref.alloc`, if it does not ask for more: a cache line, a wide vector."""


# Loads and stores of one element


@emits(memref.LoadOp)
def _load(writer: FunctionWriter, op: memref.LoadOp) -> None:
    base = writer.memref(op.operands[0])
    address = element_address(writer, base, map(writer.get, op.operands[1:]))
    access = Access(writer, base.layout.element, hints=access_hints(writer, op))
    text = access.read(("ptr", address))
    if _is_conditional(op):
        # LLVM's vectorizer makes masked loads of these, and a `select` where branches join:
        # what LLVM 22 does with both is wrong (see `Access.read`).
        text = f"freeze {access.stored} {writer.temp(text)}"
    access.define(op.results[0], text)


def _is_conditional(op: Operation) -> bool:
    """Whether something in the function decides that `op` runs."""
    around = op.parent_op()
    while around is not None and not isinstance(around, func.FuncOp):
        flow = RegionBranch.of(around)
        if flow is not None and flow.runs is not Runs.LOOP:
            return True
        around = around.parent_op()
    return isinstance(around, func.FuncOp) and len(around.body.blocks) > 1


@emits(memref.StoreOp)
def _store(writer: FunctionWriter, op: memref.StoreOp) -> None:
    value, array, *indices = op.operands
    base = writer.memref(array)
    address = element_address(writer, base, map(writer.get, indices))
    access = Access(writer, base.layout.element, hints=access_hints(writer, op))
    access.write(writer.get(value), ("ptr", address))


@emits(PrefetchOp)
def _prefetch(writer: FunctionWriter, op: PrefetchOp) -> None:
    base = writer.memref(op.memref)
    indices = map(writer.get, op.indices)
    address = element_address(writer, base, indices, in_bounds=False)
    flags = f"i32 {op.is_write.value.data & 1}, i32 {op.locality.value.data}"
    cache = f"i32 {op.is_data.value.data & 1}"
    writer.module.declare("llvm.prefetch.p0", "void", ["ptr", "i32", "i32", "i32"])
    writer.emit(f"call void @llvm.prefetch.p0(ptr {address}, {flags}, {cache})")


# Memory


def sizes_of(
    writer: FunctionWriter, type_: Attribute, dynamic: Iterable[SSAValue]
) -> list[str]:
    """The sizes of a new memref, of which some are operands."""
    rest = iter(dynamic)
    return [
        writer.get(next(rest)) if size is None else str(size)
        for size in layout_of(type_).sizes
    ]


def contiguous_strides(
    writer: FunctionWriter, sizes: list[str]
) -> tuple[list[str], str]:
    """Row-major strides, and the number of elements."""
    strides: list[str] = []
    count = "1"
    for size in reversed(sizes):
        strides.append(count)
        count = multiply(writer, count, size)
    strides.reverse()
    return strides, count


def new_memref(
    writer: FunctionWriter,
    result: SSAValue,
    base: str,
    data: str,
    sizes: Sequence[str],
    strides: Sequence[str],
) -> None:
    """Says that a memref has the elements from `data` on."""
    layout = layout_of(result.type)
    value = MemRefValue(layout, base, data, "0", tuple(sizes), tuple(strides))
    writer.set_memref(result, value)


def _extents(writer: FunctionWriter, op: Operation) -> tuple[list[str], list[str], str]:
    """Sizes, strides and number of elements of the memref that an op allocates."""
    type_ = op.results[0].type
    layout = layout_of(type_)
    assert isinstance(op, memref.AllocOp | memref.AllocaOp)
    sizes = sizes_of(writer, type_, op.dynamic_sizes)
    if op.symbol_operands:
        raise TypeNotLowered(f"expected no symbols for the layout, got {type_}")
    if layout.is_identity:
        return sizes, *contiguous_strides(writer, sizes)
    if layout.offset is None or None in layout.strides:
        raise TypeNotLowered(f"expected a layout known at compile time, got {type_}")
    # The last element of a strided layout says how much memory it needs.
    count = add(writer, str(layout.offset), "1")
    for size, stride in zip(sizes, layout.strides, strict=True):
        last = add(writer, size, "-1")
        count = add(writer, count, multiply(writer, last, str(stride)))
    return sizes, [str(stride) for stride in layout.strides], count


def _alignment(op: Operation, least: int) -> int:
    attribute = op.properties.get("alignment")
    if isinstance(attribute, IntegerAttr):
        return max(least, attribute.value.data)
    return least


@emits(memref.AllocaOp)
def _alloca(writer: FunctionWriter, op: memref.AllocaOp) -> None:
    result = op.results[0]
    layout = layout_of(result.type)
    sizes, strides, count = _extents(writer, op)
    alignment = _alignment(op, natural_alignment(layout.element))
    element = storage_type(layout.element)
    name = "%" + writer.fresh(result.name_hint)
    in_loop = writer.block != "entry"
    if is_literal(count) and not (in_loop and _outlives_its_block(result)):
        writer.entry.append(
            f"  {name} = alloca [{count} x {element}], align {alignment}"
        )
        if in_loop:
            # Each execution gives fresh contents: nothing has to be kept from the last.
            start = "llvm.lifetime.start.p0"
            writer.emit(writer.call(start, "void", [("ptr", name)]))
    else:
        writer.use_stack()
        writer.emit(f"{name} = alloca {element}, i64 {count}, align {alignment}")
    new_memref(writer, result, name, name, sizes, strides)


def _outlives_its_block(value: SSAValue) -> bool:
    """
    Whether a memref, or a view of it, is handed on to another block or iteration.

    Then the memory of the next execution must not be the same.
    """
    for use in value.uses:
        user = use.operation
        if is_terminator(user):
            return True
        for result in user.results:
            if is_memref(result.type) and _outlives_its_block(result):
                return True
    return False


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
    layout = layout_of(result.type)
    sizes, strides, count = _extents(writer, op)
    alignment = _alignment(op, HEAP_ALIGNMENT)
    size = multiply(writer, count, str(storage_bytes(layout.element)))
    # More than is needed, and the first address in it that is aligned: this is right on
    # every host, unlike the aligned allocators of the C library.
    padded = add(writer, size, str(alignment - 1))
    hint = result.name_hint or "t"
    base = writer.temp(
        writer.call("malloc", "noalias ptr", [("i64", padded)]), f"{hint}.base"
    )
    above = writer.temp(f"getelementptr i8, ptr {base}, i64 {alignment - 1}")
    mask = "llvm.ptrmask.p0.i64"
    arguments = [("ptr", above), ("i64", str(-alignment))]
    data = writer.temp(writer.call(mask, "ptr", arguments), f"{hint}.data")
    new_memref(writer, result, base, data, sizes, strides)


@emits(memref.DeallocOp)
def _dealloc(writer: FunctionWriter, op: memref.DeallocOp) -> None:
    base = writer.memref(op.operands[0]).allocated
    writer.emit(writer.call("free", "void", [("ptr", base)]))


@emits(memref.CopyOp)
def _copy(writer: FunctionWriter, op: memref.CopyOp) -> None:
    source, target = map(writer.memref, op.operands)
    element = source.layout.element
    if source.layout.is_identity and target.layout.is_identity:
        _, count = contiguous_strides(writer, list(source.sizes))
        size = multiply(writer, count, str(storage_bytes(element)))
        align = natural_alignment(element)
        writer.emit(
            writer.call(
                "llvm.memcpy.p0.p0.i64",
                "void",
                [
                    ("ptr", target.aligned),
                    ("ptr", source.aligned),
                    ("i64", size),
                    ("i1", "false"),
                ],
                parameters=(f"ptr align {align}", f"ptr align {align}", "i64", "i1"),
            )
        )
        return
    loops = [CountedLoop(writer, "0", size) for size in source.sizes]
    indices = [loop.counter for loop in loops]
    here = element_address(writer, source, indices)
    there = element_address(writer, target, indices)
    type_, align = storage_type(element), natural_alignment(element)
    value = writer.temp(f"load {type_}, ptr {here}, align {align}")
    writer.emit(f"store {type_} {value}, ptr {there}, align {align}")
    for loop in reversed(loops):
        loop.finish()


# Globals

BYTES_FROM = 256
"""From so many elements on, a constant is written as bytes, which LLVM parses faster."""


def write_global(module: ModuleWriter, op: memref.GlobalOp) -> None:
    """Writes a global variable of the module."""
    type_ = op.properties["type"]
    assert isa(type_, MemRefType[Attribute])
    element = type_.element_type
    count = prod(type_.get_shape())
    stored = storage_type(element)
    initial = op.initial_value
    array = f"[{count} x {stored}]"
    match initial:
        case UnitAttr():
            value = "undef"
        case DenseIntOrFPElementsAttr() if not any(initial.data.data):
            value = "zeroinitializer"
        case DenseIntOrFPElementsAttr() if count >= BYTES_FROM:
            data = initial.data.data
            array, value = f"[{len(data)} x i8]", f'c"{escaped(data)}"'
        case _:
            elements = dense_elements(initial)
            if stored != llvm_type(element):
                elements = [str(int(bit == "true")) for bit in elements]
            value = f"[{', '.join(f'{stored} {e}' for e in elements)}]"
    linkage = "internal " if op.sym_visibility.data == "private" else ""
    kind = "constant" if op.constant is not None else "global"
    alignment = _alignment(op, natural_alignment(element))
    name = quoted(module.symbols[op.sym_name.data])
    module.add_global(f"@{name} = {linkage}{kind} {array} {value}, align {alignment}")


@emits(memref.GetGlobalOp)
def _get_global(writer: FunctionWriter, op: memref.GetGlobalOp) -> None:
    result = op.results[0]
    layout = layout_of(result.type)
    symbol = writer.module.symbols.get(op.name_.string_value())
    if symbol is None:
        raise TypeNotLowered(f"expected a global of this module, got {op.name_}")
    name = f"@{quoted(symbol)}"
    sizes = [str(size) for size in layout.sizes]
    strides = [str(stride) for stride in layout.strides]
    new_memref(writer, result, name, name, sizes, strides)
