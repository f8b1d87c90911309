"""What the runtime has to know of a program, and whether it can be compiled at all."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.diagnostics import KernelError, fail
from spmd.dialects.element_types import is_memref
from spmd.dialects.interfaces.meaning import Emission
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.names import FEW_ITEMS
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in, why_not_argument_attributes
from spmd.dialects.spmd.launch import needs_work_item
from spmd.dialects.spmd.types import is_local
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION
from spmd.lowering.writing.dispatch import why_not_lowered
from spmd.passes.kernels.check_barriers import CheckBarriersPass
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.runtime.arguments.elements import Element
from spmd.runtime.arguments.limits import check_kernel
from spmd.runtime.arguments.written_arguments import written_arguments
from spmd.runtime.compiling.made import HostFacts, KernelFacts
from spmd.runtime.compiling.signatures import element_of, signature_of
from spmd.runtime.compiling.stored_arrays import stored_arrays
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.compiling.updated_arrays import updated_arrays
from spmd.runtime.errors import compile_errors
from spmd.runtime.parsing import DIALECTS
from spmd.runtime.pipeline import called_functions, launched_kernels, restrict


def facts_of(unit: Unit) -> dict[str, KernelFacts | HostFacts]:
    """The facts of the kernels of `unit`, then of its host functions, by name."""
    module, source = unit.module, unit.source
    with compile_errors(source, "looking for operations that cannot be compiled"):
        _expect_emissions(module)
    with compile_errors(source, "checking barriers"):
        check = CheckBarriersPass(unit.options.divergent_barriers)
        for part in (module, *_inlined(module)):
            check.apply(Context(), part)
    facts: dict[str, KernelFacts | HostFacts] = {}
    for op in module.ops:
        if isinstance(op, KernelOp):
            with compile_errors(source, f"checking kernel '{op.sym_name.data}'"):
                facts[op.sym_name.data] = _kernel_facts(module, op)
    for op in _host_functions(module):
        with compile_errors(source, f"checking host function '{op.sym_name.data}'"):
            facts[op.sym_name.data] = _host_facts(module, op)
    return facts


def _kernel_facts(module: ModuleOp, op: KernelOp) -> KernelFacts:
    functions = called_functions(module, op)
    local_bytes = check_kernel(op, list(functions.values()))
    written = written_arguments(op, functions)
    ordered = any(
        Ordered.of(each) is not None
        for part in (op, *functions.values())
        for each in part.walk()
    )
    signature = signature_of(op, written, local_bytes)
    updated = updated_arrays(module, op, functions.values())
    return KernelFacts(
        signature,
        op.group_size,
        op.has_full_groups,
        FEW_ITEMS in op.attributes,
        ordered,
        updated,
        tuple(stored_arrays(op)),
    )


def _host_facts(module: ModuleOp, op: func.FuncOp) -> HostFacts:
    for argument in op.body.blocks[0].args:
        if why := why_not_an_argument(argument.type):
            fail(op, f"argument {argument.index}: {why}")
    for number, attributes in enumerate(op.arg_attrs or ()):
        type_ = op.function_type.inputs.data[number]
        if why := why_not_argument_attributes(attributes, type_):
            fail(op, f"argument {number}: {why}")
    results = tuple(_result_element(op, type_) for type_ in op.function_type.outputs)
    for function in (op, *called_functions(module, op, kernels=False).values()):
        _check_host_code(function)
    if (call := _recursive_call(module, op)) is not None:
        fail(
            call,
            "expected functions that do not call themselves, got a call of "
            f"@{call.callee.root_reference.data} that leads back to itself",
        )
    launched = launched_kernels(module, op)
    written = written_arguments(op, called_functions(module, op), launched)
    more = "".join(element.code for element in results) + "P"
    return HostFacts(signature_of(op, written, more=more), results, frozenset(launched))


def _expect_emissions(module: ModuleOp) -> None:
    """Fails on an op of somebody else's dialect that nothing can be made of."""
    own = {dialect.name for dialect in DIALECTS}
    for op in module.walk():
        if op.dialect_name() not in own and Emission.of(op) is None:
            fail(op, why_not_lowered(op))


def _inlined(module: ModuleOp) -> Iterator[ModuleOp]:
    """For each kernel that calls functions, a module where it does not."""
    for kernel in kernels_in(module):
        if any(isinstance(op, func.CallOp) for op in kernel.walk()):
            part = restrict(module, kernel)
            try:
                SpmdInlineCallsPass().apply(Context(), part)
            except KernelError:
                continue  # what does not matter to the other kernels
            yield part


def _host_functions(module: ModuleOp) -> list[func.FuncOp]:
    """The public functions with a body that no kernel calls, and that can be called."""
    public = {
        op.sym_name.data: op
        for op in module.ops
        if isinstance(op, func.FuncOp)
        and op.body.blocks
        and op.sym_visibility != StringAttr("private")
    }
    if public:
        for kernel in kernels_in(module):
            for name in called_functions(module, kernel):
                public.pop(name, None)
    return [op for op in public.values() if _is_for_users(module, op)]


def why_not_an_argument(type_: Attribute) -> str | None:
    """Why a host function with an argument of this type cannot be called."""
    element = type_.element_type if is_memref(type_) else type_
    if element_of(element) is None or is_local(type_):
        return (
            "expected index, i1, i8, i16, i32, i64, f16, bf16, f32, f64 or a memref of "
            f"one of them in global memory, got {type_}"
        )
    return None


def _is_for_users(module: ModuleOp, op: func.FuncOp) -> bool:
    """
    Whether users may call `op`: it launches kernels, or has nothing to do with them.

    What is wrong with a function that launches kernels is an error; any other one is
    left alone.
    """
    if launched_kernels(module, op):
        # Memory is what another host function takes, which frees it.
        returns_memory = any(map(is_memref, op.function_type.outputs))
        return not (returns_memory and _is_called(module, op))
    return (
        all(why_not_an_argument(arg.type) is None for arg in op.body.blocks[0].args)
        and all(element_of(type_) is not None for type_ in op.function_type.outputs)
        and WORK_GROUP_FUNCTION not in op.attributes
        and not any(map(needs_work_item, op.walk()))
        and _recursive_call(module, op) is None
    )


def _is_called(module: ModuleOp, function: func.FuncOp) -> bool:
    return any(
        isinstance(op, func.CallOp)
        and op.callee.root_reference.data == function.sym_name.data
        for op in module.walk()
    )


def _check_host_code(function: func.FuncOp) -> None:
    """Fails if `function`, which the host runs, has an op that takes a work-item."""
    for op in function.walk():
        if needs_work_item(op):
            fail(
                op,
                f"expected {op.name} in a kernel, or in a function that only kernels "
                f"call, got it in @{function.sym_name.data}, which the host runs; launch "
                "a kernel that does it",
            )


def _recursive_call(module: ModuleOp, op: func.FuncOp) -> func.CallOp | None:
    """A call in `op`, or in what it calls, that leads back there: no stack is large enough."""
    functions = {op.sym_name.data: op, **called_functions(module, op, kernels=False)}
    calls = {
        name: [each for each in function.walk() if isinstance(each, func.CallOp)]
        for name, function in functions.items()
    }

    def called(name: str) -> list[str]:
        return [call.callee.root_reference.data for call in calls.get(name, ())]

    for name, inside in calls.items():
        for call in inside:
            if name in reachable([call.callee.root_reference.data], called):
                return call
    return None


def _result_element(function: func.FuncOp, type_: Attribute) -> Element:
    """The scalar type of a result; fails if it is none."""
    element = element_of(type_)
    if element is None:
        fail(function, f"expected numbers as results of a host function, got {type_}")
    return element
