"""The struct of arguments that native entries read: its layout, and code that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, BlockArgument

from spmd.dialects.element_types import is_memref
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.memref_value import component_names, free_layout
from spmd.lowering.writing.types import (
    TypeNotLowered,
    layout_of,
    llvm_type,
    scalar_bits,
    storage_type,
)


@dataclass(frozen=True)
class Field:
    """A field of the struct of arguments: offset in bytes, and its LLVM type in memory."""

    offset: int
    type: str
    bits: int


@dataclass(frozen=True)
class ArgumentStruct:
    """The layout of the struct that the native entry reads."""

    arguments: tuple[tuple[Field, ...], ...]
    """For each argument its fields: one, or pointer, offset, sizes and strides."""
    sizes: tuple[Field, ...]
    """Enqueued local size x, y, z, then global size x, y, z."""
    failed: Field | None
    """The record of the launch, if assertions are reported."""
    bytes: int


def argument_struct(
    types: Sequence[Attribute], *, reports: bool = False
) -> ArgumentStruct:
    """The struct for a kernel whose own arguments have these types."""
    at = 0

    def place(bits: int, type_: str) -> Field:
        nonlocal at
        size = -(-bits // 8)
        at = -(-at // size) * size
        at += size
        return Field(at - size, type_, bits)

    def fields(type_: Attribute) -> tuple[Field, ...]:
        if is_memref(type_):
            numbers = 1 + 2 * type_.get_num_dims()
            pointer = place(64, "ptr")
            return (pointer, *[place(64, "i64") for _ in range(numbers)])
        bits = scalar_bits(type_)
        if bits not in (1, 8, 16, 32, 64):
            raise TypeNotLowered(f"expected an argument of 8 to 64 bits, got {type_}")
        return (place(bits, storage_type(type_)),)

    arguments = tuple([fields(type_) for type_ in types])
    sizes = tuple([place(64, "i64") for _ in range(6)])
    failed = place(64, "ptr") if reports else None
    return ArgumentStruct(arguments, sizes, failed, at)


def field_address(writer: FunctionWriter, field: Field) -> str:
    """Where a field of the struct `%args` lies."""
    if not field.offset:
        return "%args"
    return writer.temp(f"getelementptr inbounds i8, ptr %args, i64 {field.offset}")


def load_field(writer: FunctionWriter, field: Field, hint: str) -> str:
    """Reads a field of the struct `%args`; nobody writes it while the entry runs."""
    address = field_address(writer, field)
    empty = writer.module.metadata("")
    text = f"load {field.type}, ptr {address}, align {max(1, field.bits // 8)}"
    return writer.temp(f"{text}, !invariant.load {empty}", hint)


def load_arguments(
    writer: FunctionWriter,
    arguments: Sequence[BlockArgument],
    struct: Sequence[Sequence[Field]],
) -> list[str]:
    """Reads the arguments of a function from `%args`; as they are passed on."""
    passed: list[str] = []
    for number, (argument, fields) in enumerate(zip(arguments, struct, strict=True)):
        hint = argument.name_hint or f"arg{number}"
        type_ = argument.type
        if not is_memref(type_):
            value = load_field(writer, fields[0], hint)
            if fields[0].type != llvm_type(type_):
                text = f"trunc {fields[0].type} {value} to {llvm_type(type_)}"
                value = writer.temp(text, hint)
            passed.append(f"{llvm_type(type_)} {value}")
            continue
        pointer = load_field(writer, fields[0], f"{hint}.data")
        passed += [f"ptr {pointer}", f"ptr {pointer}"]
        _, _, *numbers = component_names(free_layout(layout_of(type_)))
        for field, (_, part) in zip(fields[1:], numbers, strict=True):
            passed.append(f"i64 {load_field(writer, field, f'{hint}.{part}')}")
    return passed
