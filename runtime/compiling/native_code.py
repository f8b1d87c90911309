"""From kernels and host functions to object code."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import fail, source_location
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.spmd import Extent, KernelOp, LaunchOp, sees_work_group
from spmd.dialects.spmd.types import is_local
from spmd.dialects.work_groups import (
    SCRATCH_BYTES_SUFFIX,
    fixed_group_size,
    group_order,
)
from spmd.lowering.compiling import Compiled, NativeError, compile_object
from spmd.lowering.entries.host_entry import CALL_SUFFIX, mark_host_function
from spmd.lowering.entries.worker import WORKER_SUFFIX
from spmd.lowering.writing.symbols import exported_symbol
from spmd.passes.kernels.spmd_specialize import SpmdSpecializePass
from spmd.passes.work_item_loops.kernels_to_functions import SUB_GROUP_SIZE
from spmd.passes.work_item_loops.launches_to_calls import (
    LAUNCHER,
    LaunchesToCallsPass,
    launches_of,
)
from spmd.runtime.arguments.sizes import Groups
from spmd.runtime.compiling.made import HostCode, KernelCode, LaunchSite
from spmd.runtime.compiling.unit import Unit
from spmd.runtime.errors import compile_errors
from spmd.runtime.parsing import verify
from spmd.runtime.pipeline import restrict, restrict_to_host, run_passes, to_llvm


def specialised_passes(
    unit: Unit,
    kernel: str,
    groups: Groups | None,
    constants: tuple[str, ...] = (),
) -> tuple[ModulePass, ...]:
    """
    The passes for some groups, or for any.

    `constants` are arguments with values, as `spmd-specialize` has them.
    """
    options = unit.options
    if not options.specialize:
        groups = None
    if groups is None and not constants:
        return options.passes()
    lanes = options.vectorize and options.width == "auto" and not options.shape
    specialise = SpmdSpecializePass(
        work_group_size=groups.size if groups else (),
        full_groups=groups is not None and groups.full,
        any_size_up_to=groups.room if groups and lanes else (),
        disjoint_arrays=groups is not None and groups.apart,
        small_arrays=groups is not None and groups.small,
        few_items=groups is not None and groups.small,
        constants=constants,
        thread_copies=groups.copied if groups else (),
        streamed_arrays=groups.streamed if groups else (),
        kernel=kernel,
    )
    return (specialise, *options.passes())


def compile_kernel(
    unit: Unit,
    kernel: KernelOp,
    groups: Groups | None,
    constants: tuple[str, ...] = (),
) -> tuple[KernelCode, Compiled]:
    """Compiles a kernel of `unit` for one size of groups, or for all, and constants."""
    name = kernel.sym_name.data
    module = restrict(unit.module, kernel)
    joins = groups is None and _may_join(module)
    passes = specialised_passes(unit, name, groups, constants)
    run_passes(module, passes, unit.source)
    compiled = _compile(module, kernel, unit)
    scratch = tuple(
        op.sym_name.data
        for op in module.ops
        if isinstance(op, func.FuncOp)
        and op.sym_name.data.endswith(SCRATCH_BYTES_SUFFIX)
    )
    entry = exported_symbol(name)
    function = next(
        op
        for op in module.ops
        if isinstance(op, func.FuncOp) and op.sym_name.data == name
    )
    lanes = function.attributes.get(SUB_GROUP_SIZE)
    code = KernelCode(
        compiled.code,
        fixed_group_size(function),
        group_order(function),
        entry,
        entry + WORKER_SUFFIX,
        joins * (lanes.value.data if isinstance(lanes, IntegerAttr) else 1),
        scratch,
    )
    return code, compiled


def _may_join(module: ModuleOp) -> bool:
    """Whether nothing in `module`, a kernel and what it calls, can tell which groups there are."""
    return not any(
        sees_work_group(op)
        or Ordered.of(op) is not None
        or (
            isinstance(op, KernelOp)
            and any(is_local(t) for t in op.body.blocks[0].arg_types)
        )
        for op in module.walk()
    )


def host_module(unit: Unit, function: func.FuncOp) -> ModuleOp:
    """A module with what a host function needs, without the kernels that it launches."""
    module = restrict_to_host(unit.module, function)
    last = module.body.block.last_op
    assert isinstance(last, func.FuncOp), "the function itself comes last"
    mark_host_function(last)
    return module


def host_passes(unit: Unit) -> tuple[ModulePass, ...]:
    """The passes for a host function."""
    return (LaunchesToCallsPass(), *unit.options.passes())


def compile_host(unit: Unit, function: func.FuncOp) -> tuple[HostCode, Compiled]:
    """Compiles a host function of `unit`."""
    name = function.sym_name.data
    module = host_module(unit, function)
    launches = tuple(map(_site, launches_of(module)))
    run_passes(module, host_passes(unit), unit.source)
    compiled = _compile(module, function, unit)
    entry = exported_symbol(name) + CALL_SUFFIX
    return HostCode(compiled.code, entry, LAUNCHER, launches), compiled


def _compile(module: ModuleOp, op: KernelOp | func.FuncOp, unit: Unit) -> Compiled:
    """Object code of `module`, which was made of `op`; what LLVM has against it names it."""
    name = op.sym_name.data
    llvm_ir = to_llvm(module, unit.source, unit.options, assertions="report")
    with compile_errors(unit.source, f"compiling '{name}' to native code"):
        try:
            return compile_object(llvm_ir, unit.options.machine())
        except NativeError as error:
            # An op of a frontend may be on vectors that its definition does not allow.
            verify(module, unit.source)
            fail(op, f"@{name} cannot be compiled to native code: {error.message}")


def _site(op: LaunchOp) -> LaunchSite:
    place = source_location(op)
    return LaunchSite(
        op.kernel.root_reference.data,
        op.extent.data is Extent.GROUPS,
        len(op.sizes),
        len(op.group_size),
        None if place is None else str(place),
    )
