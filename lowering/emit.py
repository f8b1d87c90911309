"""
LLVM IR text from a module of level 4, of scalar level 1, or of any other frontend.

Dialects: `func arith math scf cf memref vector`, and atomic instructions of `llvm`. Text
is written straight from structured IR, in one walk.

    func.func @saxpy(%a: f32, ..., %gx: index, ...) attributes {spmd.work_group_function}

becomes an internal function `@saxpy.group` and the native entry `@saxpy`, which runs a
range of work-groups (`entry.py`); other functions keep MLIR's calling convention.

Requires: a verified module.
Ensures: text that LLVM accepts, or a `KernelError` that names the op at fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.memref import AllocaOp, GlobalOp

from spmd.analysis.ranges.written_out import makes_registers, numbers_in
from spmd.dialects.diagnostics import fail
from spmd.dialects.work_groups import FULL_SUFFIX
from spmd.lowering.entries.entry import write_entry
from spmd.lowering.entries.host_entry import is_host_function, write_host_entry
from spmd.lowering.entries.kernel import stack_alignment
from spmd.lowering.entries.worker import WORKER_SUFFIX
from spmd.lowering.machine import PORTABLE, Machine
from spmd.lowering.ops.assertions import Assertions, functions_that_may_fail
from spmd.lowering.ops.func import is_work_group_function, write_function
from spmd.lowering.ops.memref import write_global
from spmd.lowering.ops.memref_allocation import arrays_on_heap
from spmd.lowering.writing.dispatch import why_not_lowered
from spmd.lowering.writing.module_writer import ModuleWriter
from spmd.lowering.writing.symbols import exported_symbol
from spmd.lowering.writing.types import TypeNotLowered

EMITTER_MODULES = tuple(
    f"spmd.lowering.{folder}.{name}"
    for folder, names in {
        "ops": "arith assertions atomics cf conversions llvm memref memref_allocation "
        "memref_views polls scf ub",
        "math": "math",
        "vectors": "vector vector_memory",
    }.items()
    for name in names.split()
)
"""Each of them declares the emitters of its ops."""

for _module in EMITTER_MODULES:
    import_module(_module)

GROUP_SUFFIX = ".group"


def emit_llvm(
    module: ModuleOp,
    machine: Machine = PORTABLE,
    *,
    assertions: Assertions = "abort",
) -> str:
    """
    The LLVM IR of a module, made for a machine.

    `assertions` says what `cf.assert` does when it fails, and `spmd.fail`: see
    `assertions.py`.
    """
    writer = ModuleWriter(machine)
    writer.on_heap = arrays_on_heap(module)
    if assertions == "report":
        writer.reports = True
        writer.reporting = functions_that_may_fail(module, writer.on_heap)
    functions: list[FuncOp] = []
    for op in module.ops:
        match op:
            case FuncOp():
                functions.append(op)
            case GlobalOp():
                pass
            case _:
                fail(op, why_not_lowered(op))
    groups = {f.sym_name.data for f in functions if is_work_group_function(f)}
    _name_symbols(writer, module, groups)
    for op in module.ops:
        if isinstance(op, GlobalOp):
            try:
                write_global(writer, op)
            except TypeNotLowered as error:
                fail(op, f"memref.global cannot be written as LLVM IR: {error}")
    _write_functions(writer, functions, groups)
    return writer.text()


def _name_symbols(writer: ModuleWriter, module: ModuleOp, groups: set[str]) -> None:
    symbols = writer.symbols
    for op in module.ops:
        assert isinstance(op, FuncOp | GlobalOp)
        name = op.sym_name.data
        declared = isinstance(op, FuncOp) and not op.body.blocks
        symbols[name] = name if declared else exported_symbol(name)
    # The names of the entries stay taken when the functions get others.
    writer.taken.update(symbols.values())
    for op in module.ops:
        if isinstance(op, FuncOp) and (name := op.sym_name.data) in groups:
            if _base(name, groups) != name:
                continue
            worker = exported_symbol(name) + WORKER_SUFFIX
            if worker in writer.taken:
                fail(
                    op, f"expected no function @{worker}: that is the worker of @{name}"
                )
            symbols[name] = writer.unused(exported_symbol(name) + GROUP_SUFFIX)


def _base(name: str, groups: set[str]) -> str:
    """The kernel of which a work-group function is a version."""
    base = name.removesuffix(FULL_SUFFIX)
    return base if base in groups else name


def _write_functions(
    writer: ModuleWriter, functions: Sequence[FuncOp], groups: set[str]
) -> None:
    by_name = {function.sym_name.data: function for function in functions}
    for function in functions:
        name = function.sym_name.data
        stack = stack_alignment(writer, [function])
        try:
            if name not in groups:
                write_function(writer, function, attributes=f"nounwind{stack}")
                if is_host_function(function):
                    write_host_entry(writer, function)
                continue
            kernel = _base(name, groups)
            full = by_name.get(kernel + FULL_SUFFIX) if kernel == name else None
            # The entry's loop over groups holds one copy: of the version for full groups
            # if there is one.
            rare = full is not None and full.sym_name.data in groups
            inlining = "noinline cold" if rare else _inlining(function)
            attributes = f"nounwind {inlining}{stack}"
            write_function(writer, function, attributes=attributes)
            if kernel == name:
                write_entry(writer, function, full if rare else None)
        except TypeNotLowered as error:
            fail(function, f"func.func @{name} cannot be written as LLVM IR: {error}")


def _inlining(function: FuncOp) -> str:
    """
    Whether LLVM optimises a work-group function by itself, too, before it is in its entry.

    Half of LLVM's passes run once less if not. Loops over arrays are unrolled in the first of
    these runs; then the arrays are values, whose sums only the second run brings into order.
    """
    ops = tuple(function.walk())
    twice = any(isinstance(op, AllocaOp) for op in ops) and any(
        isinstance(op, scf.ForOp) and makes_registers(op, numbers_in(op)) for op in ops
    )
    return "inlinehint" if twice else "alwaysinline"
