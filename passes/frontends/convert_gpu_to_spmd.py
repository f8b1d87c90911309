"""
`gpu` kernels and launches to `spmd`: the same model, other words.

| `gpu` | `spmd` |
| --- | --- |
| `gpu.func ... kernel` in a `gpu.module` | `spmd.kernel` |
| other functions and globals of a `gpu.module` | the same in the module; a name that is taken comes after that of the `gpu.module` |
| `thread_id`, `block_id`, `block_dim`, `grid_dim`, `global_id` | `local_id`, `group_id`, `enqueued_local_size`, `num_groups`, `global_id` |
| `lane_id`, `subgroup_id`, `subgroup_size`, `num_subgroups` | `lane_id`, `sub_group_id`, `sub_group_size`, `num_sub_groups` |
| `barrier`, `all_reduce`, `subgroup_reduce` | `barrier`, `reduce`; of another region a loop over broadcasts |
| `shuffle`, `rotate`, `subgroup_broadcast`, `ballot` | the same of lanes, and whether the lane is one |
| attributions, memory that kernels allocate, `dynamic_shared_memory` | `local_alloc`, `memref.alloca`, an argument |
| `launch` | a kernel, and its launch |
| `launch_func`, one after the other | `launch ... groups(...) of(...)` |
| `printf` | `print` |
| `alloc`, `dealloc`, `memcpy`, `memset`, `wait`, `host_register` | memory of the host, or nothing |

`gpu.known_block_size` is the `work_group_size`, and so are constant sizes of a `gpu.launch`,
and of the `gpu.launch_func` of a kernel if all of them agree.
Asynchronous tokens order what is in order. Kernels that ask for lanes get a `sub_group_size`,
by default 32. Memory spaces are those of `spmd`, of numbers and of `#gpu.address_space`.

Requires: verified IR.
Ensures: no op of `gpu` is left.

```mlir
// before                                          // after
gpu.module @m {                                    spmd.kernel @f(%x: memref<16xf32>) {
  gpu.func @f(%x: memref<16xf32>) kernel {           %i = spmd.local_id x
    %i = gpu.thread_id x                             ...
    ...                                              spmd.return
    gpu.return                                     }
  }
}
gpu.launch_func @m::@f                             spmd.launch @f
    blocks in (%c1, %c1, %c1)                          groups(%c1, %c1, %c1)
    threads in (%c16, %c1, %c1)                        of(%c16, %c1, %c1) (%x)
    args(%x : memref<16xf32>)                          : memref<16xf32>
```
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import func, gpu, memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from spmd.analysis.legality.verification import verify_converted
from spmd.dialects import compat
from spmd.dialects.building import Builder
from spmd.dialects.compat.gpu import lanes
from spmd.dialects.compat.gpu.memory import DynamicSharedMemoryOp, MemsetOp, PrintfOp
from spmd.dialects.diagnostics import fail
from spmd.dialects.enclosing import block_arguments
from spmd.dialects.rewriting import erase_if_dead, locate, replace
from spmd.dialects.spmd import (
    BarrierOp,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GroupIdOp,
    KernelOp,
    LaneIdOp,
    LocalIdOp,
    NumGroupsOp,
    NumSubGroupsOp,
    PrintOp,
    SubGroupIdOp,
    SubGroupSizeOp,
    needs_sub_groups,
)
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.frontends.c_formats import message_of
from spmd.passes.frontends.gpu_kernels import (
    constant_block_size,
    convert_memory,
    function_of,
    launch_of,
    outline,
    spmd_type,
)
from spmd.passes.frontends.gpu_lanes import (
    convert_all_reduce,
    convert_ballot,
    convert_rotate,
    convert_shuffle,
    convert_subgroup_broadcast,
    convert_subgroup_reduce,
)
from spmd.passes.frontends.loop_nests import fill

_IDS: dict[type[Operation], Callable[[Any], Operation]] = {
    gpu.BlockDimOp: EnqueuedLocalSizeOp,
    gpu.BlockIdOp: GroupIdOp,
    gpu.GlobalIdOp: GlobalIdOp,
    gpu.GridDimOp: NumGroupsOp,
    gpu.ThreadIdOp: LocalIdOp,
}
_QUERIES: dict[type[Operation], Callable[[], Operation]] = {
    gpu.BarrierOp: BarrierOp,
    gpu.LaneIdOp: LaneIdOp,
    gpu.NumSubgroupsOp: NumSubGroupsOp,
    gpu.SubgroupIdOp: SubGroupIdOp,
    gpu.SubgroupSizeOp: SubGroupSizeOp,
}


@dataclass(frozen=True)
class ConvertGpuToSpmdPass(ModulePass):
    """Kernels and launches instead of the `gpu` dialect; see the module docstring."""

    name = "convert-gpu-to-spmd"

    sub_group_size: int = 32
    """Of kernels that ask for lanes: what most of those for GPUs are written for."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat.ensure()
        compat.ensure("gpu")
        if not any(inner.dialect_name() == gpu.GPU.name for inner in op.walk()):
            return
        sizes: defaultdict[SymbolRefAttr, set[tuple[int, int, int] | None]]
        sizes = defaultdict(set)
        for inner in tuple(op.walk()):
            _convert_types(inner)
            convert_memory(inner)
            if isinstance(inner, gpu.LaunchFuncOp):
                sizes[inner.kernel].add(constant_block_size(inner))
        kernels: dict[SymbolRefAttr, KernelOp] = {}
        for module in tuple(op.ops):
            if isinstance(module, gpu.ModuleOp):
                _flatten(module, kernels)
        for symbol, kernel in kernels.items():
            size, *others = sizes[symbol] or (None,)
            if kernel.work_group_size is None and size is not None and not others:
                kernel.work_group_size = DenseArrayBase.from_list(i64, size)
        for inner in tuple(op.walk()):
            if inner.dialect_name() == gpu.GPU.name:
                _convert(inner, kernels)
        for kernel in kernels_in(op):
            if kernel.sub_group_size is None and any(
                map(needs_sub_groups, kernel.walk())
            ):
                size = IntegerAttr(self.sub_group_size, i64)
                kernel.properties["sub_group_size"] = size
        verify_converted(op)


def _convert_types(op: Operation) -> None:
    """Memory spaces of this dialect, in all types."""
    if isinstance(op, func.FuncOp | gpu.FuncOp):
        types = op.function_type
        op.properties["function_type"] = FunctionType.from_lists(
            [*map(spmd_type, types.inputs)], [*map(spmd_type, types.outputs)]
        )
    elif isinstance(op, memref.GlobalOp):
        op.properties["type"] = spmd_type(op.type)
    for value in (*op.results, *block_arguments(op)):
        if (type_ := spmd_type(value.type)) != value.type:
            Rewriter.replace_value_with_new_type(value, type_)


def _flatten(module: gpu.ModuleOp, kernels: dict[SymbolRefAttr, KernelOp]) -> None:
    """Put what is in `module` before it, kernels as kernels; `kernels` says which."""
    at, names = module.sym_name.data, dict[Operation, str]()
    for op in module.body.block.ops:
        symbol = op.get_attr_or_prop("sym_name")
        if not isinstance(symbol, StringAttr):
            fail(op, f"expected functions and globals in a gpu.module, got {op.name}")
        names[op] = symbol.data
    renamed = {
        name: f"{at}_{name}" for name in names.values() if _is_taken(module, name)
    }
    _refer_to(module, renamed)
    for op, old in names.items():
        op.detach()
        name = renamed.get(old, old)
        if isinstance(op, gpu.FuncOp):
            new = function_of(op, name)
        else:
            new = op
            new.properties["sym_name"] = StringAttr(name)
        if isinstance(new, KernelOp):
            kernels[SymbolRefAttr(at, [old])] = new
        Rewriter.insert_op(new, InsertPoint.before(module))
    Rewriter.erase_op(module)


def _is_taken(module: gpu.ModuleOp, name: str) -> bool:
    """Whether something beside `module` has the name of something in it."""
    outer = module.parent_op()
    assert outer is not None, "modules stand in the outermost one"
    found = SymbolTable.lookup_symbol(outer, name)
    return found is not None and found is not module


def _refer_to(module: gpu.ModuleOp, renamed: dict[str, str]) -> None:
    """Let what is in `module` call functions, and take globals, by their new names."""
    for op in module.walk() if renamed else ():
        for given in (op.properties, op.attributes):
            for key, value in given.items():
                if isinstance(value, SymbolRefAttr) and not value.nested_references:
                    name = value.root_reference.data
                    given[key] = SymbolRefAttr(renamed.get(name, name))


def _convert(op: Operation, kernels: dict[SymbolRefAttr, KernelOp]) -> None:
    """Put what means the same in the place of `op`."""
    if (make := _IDS.get(type(op))) is not None:
        dimension = cast(gpu.DimensionAttr, op.properties["dimension"])
        replace(op, make(dimension.data.value))
    elif (query := _QUERIES.get(type(op))) is not None:
        replace(op, query())
    elif (convert := _TOGETHER.get(type(op))) is not None:
        convert(op)
    else:
        _convert_for_host(op, kernels)


_TOGETHER: dict[type[Operation], Callable[[Any], None]] = {
    gpu.AllReduceOp: convert_all_reduce,
    lanes.SubgroupReduceOp: convert_subgroup_reduce,
    lanes.ShuffleOp: convert_shuffle,
    lanes.RotateOp: convert_rotate,
    lanes.SubgroupBroadcastOp: convert_subgroup_broadcast,
    lanes.SubgroupUniformOp: lambda op: replace(op, (), op.operands),
    lanes.BallotOp: convert_ballot,
}


def _convert_for_host(op: Operation, kernels: dict[SymbolRefAttr, KernelOp]) -> None:
    match op:
        case gpu.LaunchFuncOp():
            _replace_async(op, [launch_of(op, kernels)])
        case gpu.LaunchOp():
            _replace_async(op, [outline(op)])
        case gpu.AllocOp(result=result):
            new = memref.AllocOp(op.dynamicSizes, op.symbolOperands, result.type)
            _replace_async(op, [new], [new.memref])
        case gpu.DeallocOp():
            _replace_async(op, [memref.DeallocOp.get(op.buffer)])
        case gpu.MemcpyOp():
            _replace_async(op, [memref.CopyOp(op.src, op.dst)])
        case MemsetOp():
            fill(Builder.before(op), op.dst, op.value)
            _replace_async(op, [])
        case gpu.WaitOp() | gpu.SetDefaultDeviceOp():
            _replace_async(op, [])
        case gpu.HostRegisterOp() | gpu.HostUnregisterOp():
            _replace_async(op, [])
            erase_if_dead(op.value)  # a cast to memory of unknown rank
        case PrintfOp():
            _print(op)
        case gpu.YieldOp() | gpu.TerminatorOp():
            pass  # of what is gone
        case DynamicSharedMemoryOp():
            fail(
                op,
                "expected gpu.dynamic_shared_memory in a kernel: pass it to the function",
            )
        case _:
            fail(op, f"expected an op of gpu that kernels can have, got {op.name}")


def _replace_async(
    op: Operation, new: list[Operation], results: list[SSAValue] | None = None
) -> None:
    """Put `new` in the place of `op`, whose tokens only say what the order says."""
    for old, value in zip(op.results, results or (), strict=False):
        old.replace_all_uses_with(value)
    for token in op.results:
        for use in token.uses:
            if isinstance(token.type, gpu.AsyncTokenType) and (
                use.operation.dialect_name() != gpu.GPU.name
            ):
                fail(
                    use.operation,
                    "expected tokens to be used by ops of gpu in one function, got "
                    f"{use.operation.name}",
                )
    for each in new:
        locate(each, op)
        Rewriter.insert_op(each, InsertPoint.before(op))
    # Who waits for its token goes, too.
    Rewriter.erase_op(op, safe_erase=False)


def _print(op: PrintfOp) -> None:
    try:
        message = message_of(op.format.data)
    except ValueError as error:
        fail(op, str(error))
    replace(op, PrintOp(message, op.args))
