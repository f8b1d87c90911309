"""From a module at level 0 to LLVM IR: the passes, one by one, with errors in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib import import_module
from io import StringIO

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass
from xdsl.printer import Printer

from spmd.dialects.interfaces.expansion import Expansion, expand_all
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.types import has_arrays_of_vectors
from spmd.lowering.emit import emit_llvm
from spmd.lowering.ops.assertions import Assertions
from spmd.passes.pipelines.pipeline import flatten
from spmd.runtime.errors import CompileError, SourceText, compile_errors, unknown_name
from spmd.runtime.options import CompileOptions
from spmd.runtime.parsing import DIALECTS, make_context, parse, verify


def module_of(source: SourceText) -> ModuleOp:
    """The verified module written in `source`, brought to level 0 from other dialects."""
    module = parse(source)
    convert(module, source)
    return module


def convert(module: ModuleOp, source: SourceText | None) -> None:
    """Brings a verified module to level 0 from other dialects."""
    ops = tuple(module.walk())
    kinds = _kinds(ops)
    if any(Expansion.of(op) is not None for op in kinds.values()):
        with compile_errors(source, "expanding ops"):
            expand_all(module)
        verify(module, source)
        ops = tuple(module.walk())
        kinds = _kinds(ops)
    run_passes(module, _conversions(kinds.values()), source)
    if any(map(has_arrays_of_vectors, ops)):
        run_passes(module, (_loaded(_ROWS),), source)


def _kinds(ops: Iterable[Operation]) -> dict[type[Operation], Operation]:
    """One op of each class."""
    return {type(op): op for op in ops}


def is_of_own_dialects(module: ModuleOp) -> bool:
    """Whether it has only ops that this compiler and xDSL say everything about."""
    own = {dialect.name for dialect in DIALECTS}
    return all(op.dialect_name() in own for op in module.walk())


def text_with_locations(module: ModuleOp) -> str:
    """The text of `module` with all that messages may show."""
    text = StringIO()
    Printer(text, print_generic_format=True, print_debuginfo=True).print_op(module)
    return text.getvalue()


_KERNELS = "spmd.passes.frontends.parallel_loops_to_kernels:ParallelLoopsToKernelsPass"
_ROWS = "spmd.passes.frontends.store_vectors_as_rows:StoreVectorsAsRowsPass"
_CONVERSIONS = {
    "func.call": ("spmd.passes.frontends.expand_runner_calls:ExpandRunnerCallsPass",),
    "stencil": (
        "xdsl.transforms.shape_inference:ShapeInferencePass",
        "xdsl.transforms.experimental.convert_stencil_to_ll_mlir:ConvertStencilToLLMLIRPass",
        _KERNELS,
    ),
    "gpu": ("spmd.passes.frontends.convert_gpu_to_spmd:ConvertGpuToSpmdPass",),
    "linalg": (
        "spmd.passes.frontends.linalg_to_parallel_loops:LinalgToParallelLoopsPass",
        _KERNELS,
    ),
    "scf.parallel": (_KERNELS,),
}
"""What makes kernels of the ops of other dialects, in order: by op, or all of a dialect."""


def _conversions(ops: Iterable[Operation]) -> Iterator[ModulePass]:
    names = {op.name for op in ops}
    names |= {name.partition(".")[0] for name in names}
    for name, paths in _CONVERSIONS.items():
        for path in paths if name in names else ():
            yield _loaded(path)


def _loaded(path: str) -> ModulePass:
    place, _, pass_ = path.partition(":")
    return getattr(import_module(place), pass_)()


LLVM_STAGE = "spmd-llvm"
"""The name of the last stage, which is LLVM IR: that of the target that writes it."""


def run_passes(
    module: ModuleOp, passes: Iterable[ModulePass], source: SourceText | None
) -> None:
    """Applies `passes` to `module`; whatever fails is a `CompileError`."""
    context = make_context()
    for step in flatten(tuple(passes)):
        with compile_errors(source, f"running pass '{step.name}'"):
            step.apply(context, module)


def to_llvm(
    module: ModuleOp,
    source: SourceText | None,
    options: CompileOptions,
    assertions: Assertions = "abort",
) -> str:
    """The LLVM IR of a module at level 1 or 4, for the target of `options`."""
    with compile_errors(source, "writing LLVM IR"):
        return emit_llvm(module, options.machine(), assertions=assertions)


def stages(
    module: ModuleOp,
    passes: Iterable[ModulePass],
    source: SourceText | None,
    options: CompileOptions,
) -> Iterator[tuple[str, str]]:
    """
    Applies `passes` and yields the name of each, and the IR after it.

    A sequence comes after its steps, with the IR that the last of them left.
    """
    for sequence in passes:
        steps = flatten((sequence,))
        for step in steps:
            run_passes(module, (step,), source)
            yield step.name, _printed(module, source)
        if steps != (sequence,):
            yield sequence.name, _printed(module, source)
    yield LLVM_STAGE, to_llvm(module, source, options)


def _printed(module: ModuleOp, source: SourceText | None) -> str:
    with compile_errors(source, "printing the IR"):
        return str(module)


def ir_after(stages: Iterator[tuple[str, str]], wanted: str) -> str:
    """The IR after the last pass of the name `wanted`."""
    found: dict[str, str] = {}
    try:
        found.update(stages)
    except CompileError:
        # What comes before the pass that failed can still be looked at.
        if wanted not in found:
            raise
    if wanted not in found:
        raise unknown_name("stage", wanted, found)
    return found[wanted]


def restrict(module: ModuleOp, kernel: KernelOp) -> ModuleOp:
    """A module with copies of `kernel` and of the functions and globals it needs."""
    return ModuleOp([op.clone() for op in (*_needed(module, kernel), kernel)])


def restrict_to_host(module: ModuleOp, function: func.FuncOp) -> ModuleOp:
    """The same for a host function, without the kernels that it launches."""
    needed = _needed(module, function, kernels=False)
    return ModuleOp([op.clone() for op in (*needed, function)])


def launched_kernels(module: ModuleOp, function: func.FuncOp) -> dict[str, KernelOp]:
    """The kernels that `function` launches, directly or not, by name."""
    return {
        op.sym_name.data: op
        for op in _needed(module, function)
        if isinstance(op, KernelOp)
    }


def called_functions(
    module: ModuleOp, kernel: KernelOp | func.FuncOp, *, kernels: bool = True
) -> dict[str, func.FuncOp]:
    """
    The functions that `kernel` calls, directly or not, by name.

    Without `kernels`, not those that only the kernels call that it launches.
    """
    return {
        op.sym_name.data: op
        for op in _needed(module, kernel, kernels=kernels)
        if isinstance(op, func.FuncOp)
    }


def _needed(
    module: ModuleOp, kernel: KernelOp | func.FuncOp, *, kernels: bool = True
) -> list[Operation]:
    symbols: dict[str, Operation] = {}
    for op in module.ops:
        name = op.get_attr_or_prop("sym_name")
        if isinstance(name, StringAttr) and op is not kernel:
            symbols[name.data] = op
    needed: list[Operation] = []
    work: list[Operation] = [kernel]
    while work:
        for op in work.pop().walk():
            for name in _references(op):
                found = symbols.pop(name, None)
                if found is not None and (kernels or not isinstance(found, KernelOp)):
                    needed.append(found)
                    work.append(found)
    return needed


def _references(op: Operation) -> Iterator[str]:
    attributes: Iterable[Attribute] = (*op.properties.values(), *op.attributes.values())
    for attribute in attributes:
        if isinstance(attribute, SymbolRefAttr):
            yield attribute.root_reference.data
