"""
`func`: functions, calls and returns.

A memref is passed as MLIR does it: allocated pointer, aligned pointer, offset, sizes,
strides, each a parameter of its own; a memref result is a struct of the same parts.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, SSAValue

from spmd.dialects.element_types import is_memref
from spmd.dialects.enclosing import argument_attribute
from spmd.dialects.limits import CACHE_LINE
from spmd.dialects.names import NOALIAS
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION
from spmd.lowering.masks.wide_masks import mask_bits
from spmd.lowering.ops.assertions import FAILED, write_return_if_failed
from spmd.lowering.ops.narrow_indices import wrap_in_different_widths
from spmd.lowering.writing.control_flow import write_cfg
from spmd.lowering.writing.function_writer import FunctionWriter
from spmd.lowering.writing.memref_value import (
    component_names,
    free_layout,
    from_components,
)
from spmd.lowering.writing.module_writer import ModuleWriter, quoted
from spmd.lowering.writing.registry import emits
from spmd.lowering.writing.types import (
    TypeNotLowered,
    is_local_memory,
    layout_of,
    llvm_type,
)


def is_work_group_function(function: FuncOp) -> bool:
    """Whether a function runs one work-group and so gets a native entry."""
    return WORK_GROUP_FUNCTION in function.attributes and bool(function.body.blocks)


# Types of parameters and results


def parameter_types(type_: Attribute) -> list[str]:
    """The LLVM parameters that stand for one argument."""
    if is_memref(type_):
        return [part for part, _ in component_names(free_layout(layout_of(type_)))]
    return [llvm_type(type_)]


def result_type(type_: Attribute) -> str:
    """The LLVM type of one result."""
    if is_memref(type_):
        rank = type_.get_num_dims()
        layout_of(type_)
        arrays = f", [{rank} x i64], [{rank} x i64]" if rank else ""
        return f"{{ ptr, ptr, i64{arrays} }}"
    return llvm_type(type_)


def return_type(types: Sequence[Attribute]) -> str:
    """The LLVM type that a function returns: a struct if there are several results."""
    if not types:
        return "void"
    if len(types) == 1:
        return result_type(types[0])
    return f"{{ {', '.join(map(result_type, types))} }}"


# Functions


def _parameters(writer: FunctionWriter, function: FuncOp, block: Block) -> list[str]:
    """Binds the arguments of a function; the parameters as LLVM writes them."""
    texts: list[str] = []
    scratch = len(block.args) - 1 if is_work_group_function(function) else None
    for index, argument in enumerate(block.args):
        hint = argument.name_hint or f"arg{index}"
        if not is_memref(argument.type):
            name = writer.fresh(hint)
            writer.set(argument, f"%{name}")
            texts.append(f"{llvm_type(argument.type)} %{name}")
            continue
        layout = free_layout(layout_of(argument.type))
        names = [
            writer.fresh(f"{hint}.{suffix}") for _, suffix in component_names(layout)
        ]
        attributes = ""
        if argument_attribute(argument, NOALIAS) is not None or (
            scratch is not None and is_local_memory(argument.type)
        ):
            # Nobody else has the local memory that a launch gives to a work-group.
            attributes = "noalias "
        if index == scratch:
            # Only `%scratch` can be a memref in the last place: sizes stand before it.
            attributes = f"noalias align {CACHE_LINE} "
        texts += [f"ptr %{names[0]}", f"ptr {attributes}%{names[1]}"]
        texts += [f"i64 %{name}" for name in names[2:]]
        value = from_components(layout, [f"%{name}" for name in names])
        writer.set_memref(argument, value)
    return texts


def write_function(module: ModuleWriter, function: FuncOp, *, attributes: str) -> None:
    """Writes a function of the module, or declares it if it has no body."""
    name = module.symbols[function.sym_name.data]
    inputs = function.function_type.inputs.data
    returned = return_type(function.function_type.outputs.data)
    if not function.body.blocks:
        parameters = [text for type_ in inputs for text in parameter_types(type_)]
        module.declare(name, returned, parameters, "nounwind")
        return
    writer = FunctionWriter(module)
    writer.returned = returned
    if not module.machine.has_masks:
        writer.mask_bits = mask_bits(function)
    blocks = function.body.blocks
    texts = _parameters(writer, function, blocks[0])
    if function.sym_name.data in module.reporting:
        writer.failed = "%" + writer.fresh(FAILED)
        texts.append(f"ptr {writer.failed}")
    write_cfg(writer, function.body, {})
    visibility = function.sym_visibility
    private = visibility == StringAttr("private") or is_work_group_function(function)
    linkage = "internal " if private else ""
    extension = "zeroext " if returned == "i1" else ""
    if wrap_in_different_widths(function):
        # With it LLVM's own vectorizers stay away; ours has been before.
        attributes += " noimplicitfloat"
    head = (
        f"define {linkage}{extension}{returned} @{quoted(name)}({', '.join(texts)})"
        f" {attributes} {{"
    )
    module.add_function(f"{head}\n{writer.text()}\n}}")


@emits(ReturnOp)
def _return(writer: FunctionWriter, op: ReturnOp) -> None:
    values = op.operands
    if not values:
        writer.leave()
        return
    types = [result_type(value.type) for value in values]
    operands = [_as_result(writer, value) for value in values]
    if len(values) == 1:
        writer.leave(operands[0])
        return
    struct = f"{{ {', '.join(types)} }}"
    whole = "poison"
    for index, (type_, operand) in enumerate(zip(types, operands, strict=True)):
        whole = writer.temp(f"insertvalue {struct} {whole}, {type_} {operand}, {index}")
    writer.leave(whole)


def _as_result(writer: FunctionWriter, value: SSAValue) -> str:
    if not is_memref(value.type):
        return writer.get(value)
    memref = writer.memref(value)
    struct = result_type(value.type)
    whole = "poison"
    positions = _positions(memref.layout.rank)
    for part, position in zip(memref.parameters(), positions, strict=True):
        whole = writer.temp(f"insertvalue {struct} {whole}, {part}, {position}")
    return whole


def _positions(rank: int) -> list[str]:
    """Where the parts of a memref are in the struct of `result_type`."""
    dimensions = range(rank)
    arrays = [f"{array}, {d}" for array in (3, 4) for d in dimensions]
    return ["0", "1", "2", *arrays]


@emits(CallOp)
def _call(writer: FunctionWriter, op: CallOp) -> None:
    callee = op.callee.string_value()
    symbol = writer.module.symbols.get(callee)
    if symbol is None:
        raise TypeNotLowered(f"expected a function of this module, got @{callee}")
    passed: list[str] = []
    for argument in op.operands:
        if is_memref(argument.type):
            passed += writer.memref(argument).parameters()
        else:
            passed.append(writer.typed(argument))
    may_fail = callee in writer.module.reporting
    if may_fail:
        passed.append(f"ptr {writer.failed}")
    types = [result.type for result in op.results]
    returned = return_type(types)
    # `nobuiltin`: a function of the user may have the name of one of the C library.
    text = f"call {returned} @{quoted(symbol)}({', '.join(passed)}) nobuiltin"
    if not types:
        writer.emit(text)
    elif len(types) == 1 and not is_memref(types[0]):
        writer.define(op.results[0], text)
    else:
        _bind_struct(writer, op.results, returned, writer.temp(text))
    if may_fail:
        write_return_if_failed(writer)


def _bind_struct(
    writer: FunctionWriter, results: Sequence[SSAValue], struct: str, whole: str
) -> None:
    """Takes the results of a call out of the struct that it returns."""
    for index, result in enumerate(results):
        at = f", {index}" if len(results) > 1 else ""
        if is_memref(result.type):
            _bind_result(writer, result, struct, whole, at)
        else:
            writer.define(result, f"extractvalue {struct} {whole}{at}")


def _bind_result(
    writer: FunctionWriter, result: SSAValue, struct: str, whole: str, at: str
) -> None:
    layout = layout_of(result.type)
    hint = result.name_hint or "t"
    positions = dict(
        zip(
            (suffix for _, suffix in component_names(free_layout(layout))),
            _positions(layout.rank),
            strict=True,
        )
    )
    operands = [
        writer.temp(
            f"extractvalue {struct} {whole}{at}, {positions[suffix]}",
            f"{hint}.{suffix}",
        )
        for _, suffix in component_names(layout)
    ]
    writer.set_components(result, operands)
