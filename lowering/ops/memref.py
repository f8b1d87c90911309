"""`memref`: accesses to one element, copies, and memory of a global."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from xdsl.dialects import func, memref
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.dialects.compat.prefetch import PrefetchOp
from spmd.dialects.element_types import is_memref
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.lowering.writing.access import Access, access_hints, alignment_of
from spmd.lowering.writing.addresses import element_address, multiply
from spmd.lowering.writing.counted_loop import CountedLoop
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.literals import dense_elements
from spmd.lowering.writing.memref_value import MemRefValue
from spmd.lowering.writing.module_writer import ModuleWriter, escaped, quoted
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    layout_of,
    llvm_type,
    natural_alignment,
    storage_bytes,
    storage_type,
)

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
    assert is_memref(type_)
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
    alignment = alignment_of(op, natural_alignment(element))
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
