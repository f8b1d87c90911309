"""
The native entry of a host function that is marked `spmd.host_function`.

    void f.call(void *args);

calls `f`, which by itself has MLIR's calling convention. `args` points to a struct with
C alignment:

| field | C type |
| --- | --- |
| scalar argument | its type; `i1` as one byte, `index` as `int64_t` |
| memref argument | `void *data; int64_t offset, sizes[rank], strides[rank];` |
| result | as a scalar argument; written by the call |
| always | `struct record *failed;`, as in `lowering/writing/record.py` |

If assertions are reported, `failed->message`, which is null at the start, is that of the one
that failed; the results are undefined then. Results are scalars, so that nobody can have
memory that is left in the end: it is freed.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import AllocOp
from xdsl.ir import Attribute

from spmd.dialects.diagnostics import fail
from spmd.dialects.element_types import is_memref
from spmd.lowering.entries.arguments import (
    ArgumentStruct,
    Field,
    argument_struct,
    field_address,
    load_arguments,
    load_field,
)
from spmd.lowering.ops.func import return_type
from spmd.lowering.ops.memref_allocation import allocated
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.module_writer import ModuleWriter, quoted
from spmd.lowering.writing.symbols import exported_symbol
from spmd.lowering.writing.types import llvm_type

HOST_FUNCTION = "spmd.host_function"
"""The attribute that asks for a native entry."""

CALL_SUFFIX = ".call"


def mark_host_function(function: FuncOp) -> None:
    """Asks for a native entry of `function`."""
    function.attributes[HOST_FUNCTION] = UnitAttr()


def is_host_function(function: FuncOp) -> bool:
    """Whether a function gets a native entry."""
    return HOST_FUNCTION in function.attributes and bool(function.body.blocks)


def host_struct(
    arguments: Sequence[Attribute], results: Sequence[Attribute]
) -> ArgumentStruct:
    """The struct: its `arguments` are the arguments, the results, and `failed`."""
    # The pointer is as wide as an index.
    return argument_struct([*arguments, *results, IndexType()])


def write_host_entry(module: ModuleWriter, function: FuncOp) -> None:
    """Writes the native entry of a host function."""
    name = function.sym_name.data
    entry = exported_symbol(name) + CALL_SUFFIX
    if entry in module.symbols.values():
        fail(
            function,
            f"expected no function @{entry}: that is the native entry of @{name}",
        )
    results = function.function_type.outputs.data
    for type_ in results:
        if is_memref(type_):
            fail(
                function,
                f"expected scalar results of the host function @{name}, got {type_}",
            )
    writer = FunctionWriter(module)
    writer.fresh("args")
    struct = host_struct(function.function_type.inputs.data, results).arguments
    arguments = function.body.blocks[0].args
    count = len(arguments)
    passed = load_arguments(writer, arguments, struct[:count])
    if name in module.reporting:
        record = Field(struct[-1][0].offset, "ptr", 64)
        writer.failed = load_field(writer, record, "failed")
        passed.append(f"ptr {writer.failed}")
    returned = return_type(results)
    call = f"call {returned} @{quoted(module.symbols[name])}({', '.join(passed)})"
    if results:
        whole = writer.temp(call, "results")
        for number, type_ in enumerate(results):
            value = whole
            if len(results) > 1:
                value = writer.temp(f"extractvalue {returned} {whole}, {number}")
            store_result(writer, value, type_, struct[count + number][0])
    else:
        writer.emit(call)
    if writer.failed and any(isinstance(op, AllocOp) for op in module.on_heap):
        writer.lines += writer.releases([allocated(writer)])
    writer.emit("ret void")
    module.add_function(
        f"define void @{quoted(entry)}(ptr noalias %args) nounwind {{\n"
        f"{writer.text()}\n}}"
    )


def store_result(
    writer: FunctionWriter, value: str, type_: Attribute, field: Field
) -> None:
    """Writes a result into its field."""
    text = llvm_type(type_)
    if text != field.type:
        value = writer.temp(f"zext {text} {value} to {field.type}")
    address = field_address(writer, field)
    align = max(1, field.bits // 8)
    writer.emit(f"store {field.type} {value}, ptr {address}, align {align}")
