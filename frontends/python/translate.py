"""
From a function of Python and the types of its arguments to a kernel at level 0.

The function is translated until the types of its variables do not change any more: a
variable that starts as 0 may turn out to be a float32 further down. They can only become
wider, so this ends after a few times; twice is usual.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects import memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import SSAValue

from spmd.dialects import compat
from spmd.dialects.building import ConstantPool
from spmd.dialects.diagnostics import KernelError
from spmd.dialects.element_types import memref_type
from spmd.dialects.interfaces.memory import MemoryAccess
from spmd.dialects.rewriting import constant_index, erase_dead_ops, hint
from spmd.dialects.spmd import KernelOp, ReturnOp
from spmd.frontends.python.emitter import Emitter
from spmd.frontends.python.source import Function
from spmd.frontends.python.statements.body import Body
from spmd.frontends.python.statements.variables import Environment, Name, Variables
from spmd.frontends.python.types import Array, Scalar, Type
from spmd.frontends.python.values import Constant, Host, Items, Memory, Number, Value
from spmd.runtime.arguments.sizes import Size, whole_numbers


class Given(NamedTuple):
    """What a decorator says of a kernel, beside its options of compilation."""

    group_size: Size | None = None
    sub_group_size: int | None = None
    fastmath: frozenset[FastMathFlag] = frozenset()


def translate(
    function: Function,
    arguments: Mapping[str, Scalar | Array | Value],
    given: Given,
) -> ModuleOp:
    """
    A module with the kernel that `function` is for arguments of these types.

    An argument that is a value is compiled in. Raises `KernelError` with the place in the
    Python file.
    """
    module, _ = _settled(function, arguments, given)
    return module


def type_of_variable(
    function: Function, arguments: Mapping[str, Scalar | Array | Value], name: str
) -> Type:
    """The type that a variable of a kernel has for arguments of these types."""
    _, variables = _settled(function, arguments, Given())
    return variables.found()[(name,)]


def _settled(
    function: Function,
    arguments: Mapping[str, Scalar | Array | Value],
    given: Given,
) -> tuple[ModuleOp, Variables]:
    compat.ensure()
    declared: dict[Name, Type] = {}
    while True:
        variables = Variables(declared)
        try:
            module = _module(function, arguments, variables, given)
        except KernelError:
            # With other types it may be right.
            if variables.is_settled:
                raise
        else:
            if variables.is_settled:
                return module, variables
        declared = variables.found()


def _module(
    function: Function,
    arguments: Mapping[str, Scalar | Array | Value],
    variables: Variables,
    given: Given,
) -> ModuleOp:
    source = function.source
    size = given.group_size
    types = {n: a for n, a in arguments.items() if isinstance(a, Scalar | Array)}
    kernel = KernelOp(
        function.function.__name__,
        [
            type_.ir if isinstance(type_, Scalar) else type_.argument or type_.ir
            for type_ in types.values()
        ],
        work_group_size=None if size is None else whole_numbers(size),
        sub_group_size=given.sub_group_size,
    )
    kernel.location = source.location(source.tree)
    e = Emitter(source, kernel.body, given.fastmath)
    environment: Environment = {}
    block_arguments = iter(kernel.body.block.args)
    for name, argument in arguments.items():
        value = argument
        if isinstance(argument, Scalar | Array):
            ssa = hint(next(block_arguments), name if name.isascii() else None)
            if isinstance(argument, Scalar):
                value = Number(argument, ssa)
            else:
                value = Memory(argument, _forgetting(e, ssa, argument))
        assert isinstance(value, Constant | Number | Memory | Items | Host)
        environment[name] = variables.assign(e, (name,), value, source.tree)
    body = Body(e, variables, source, environment, (function,))
    body.write()
    result = body.result()
    if not isinstance(result, Host) or result.value is not None:
        e.fail(
            "expected a kernel that returns nothing, got a return with a value; store it "
            "in an array that is an argument",
            next(
                each
                for each in ast.walk(source.tree)
                if isinstance(each, ast.Return) and each.value
            ),
        )
    e.append(ReturnOp())
    for argument in kernel.body.blocks[0].args:
        _access_directly(argument, e.constants)
    erase_dead_ops(kernel.body)
    return ModuleOp([*(table for table, _ in e.tables.values()), kernel])


def _forgetting(e: Emitter, argument: SSAValue, type_: Array) -> SSAValue:
    """An array without what its argument knows: variables may be any such array."""
    if argument.type == type_.ir:
        return argument
    cast = memref.CastOp.get(argument, type_.ir)
    e.append(cast)
    return hint(cast.dest, argument)


def _access_directly(argument: SSAValue, constants: ConstantPool) -> None:
    """Access an argument as what it is known to be, where it is accessed itself."""
    for cast in [use.operation for use in argument.uses]:
        if not isinstance(cast, memref.CastOp):
            continue
        sizes = memref_type(argument).get_shape()
        for use in tuple(cast.dest.uses):
            op = use.operation
            if isinstance(op, memref.DimOp):
                size = sizes[constant_index(op.index) or 0]
                if size != DYNAMIC_INDEX:
                    op.result.replace_all_uses_with(constants.index(size))
            access = MemoryAccess.of(op)
            if isinstance(op, memref.DimOp) or (access is not None and access.element):
                op.operands[use.index] = argument
