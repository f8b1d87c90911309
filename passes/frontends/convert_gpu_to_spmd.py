"""
`gpu` kernels and launches to `spmd`: the same model, other words.

| `gpu` | `spmd` |
| --- | --- |
| `gpu.func ... kernel` in a `gpu.module` | `spmd.kernel`; its name, after that of the module where it is taken |
| other functions and globals of a `gpu.module` | the same in the module |
| `thread_id`, `block_id`, `block_dim`, `grid_dim`, `global_id` | `local_id`, `group_id`, `enqueued_local_size`, `num_groups`, `global_id` |
| `lane_id`, `subgroup_id`, `subgroup_size`, `num_subgroups` | `lane_id`, `sub_group_id`, `sub_group_size`, `num_sub_groups` |
| `barrier`, `all_reduce` by one op | `barrier`, `reduce ... across work_group` |
| `shuffle` | `shuffle idx`, and whether the lane is one |
| `launch_func`, one after the other | `launch ... groups(...) of(...)` |
| `alloc`, `dealloc`, `memcpy`, `wait`, `host_register` | memory of the host, or nothing |

`gpu.known_block_size` is the `work_group_size`. Asynchronous tokens order what is in order.
Kernels that ask for lanes get a `sub_group_size`, by default 32.

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

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, func, gpu, memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i32,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import SymbolTable

from spmd.dialects import compat
from spmd.dialects.building import Builder
from spmd.dialects.compat import gpu_shuffle
from spmd.dialects.compat.gpu_shuffle import ShuffleMode
from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import locate, replace
from spmd.dialects.spmd import (
    BarrierOp,
    EnqueuedLocalSizeOp,
    Extent,
    GlobalIdOp,
    GroupIdOp,
    KernelOp,
    Kind,
    LaneIdOp,
    LaunchOp,
    LocalIdOp,
    NumGroupsOp,
    NumSubGroupsOp,
    ReduceOp,
    ReturnOp,
    ShuffleOp,
    SubGroupIdOp,
    SubGroupSizeOp,
    needs_sub_groups,
)
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.frontends.reductions import known_kind

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
        names: dict[SymbolRefAttr, str] = {}
        for module in tuple(op.ops):
            if isinstance(module, gpu.ModuleOp):
                _flatten(module, op, names)
        for inner in tuple(op.walk()):
            if inner.dialect_name() == gpu.GPU.name:
                _convert(inner, names)
        for kernel in kernels_in(op):
            if kernel.sub_group_size is None and any(
                map(needs_sub_groups, kernel.walk())
            ):
                size = IntegerAttr(self.sub_group_size, i64)
                kernel.properties["sub_group_size"] = size


def _flatten(
    module: gpu.ModuleOp, outer: ModuleOp, names: dict[SymbolRefAttr, str]
) -> None:
    """Put what is in `module` before it, kernels as kernels; `names` says where."""
    at = module.sym_name.data
    for op in tuple(module.body.block.ops):
        symbol = op.get_attr_or_prop("sym_name")
        assert isinstance(symbol, StringAttr), "a symbol table has symbols"
        old = name = symbol.data
        is_kernel = isinstance(op, gpu.FuncOp) and op.kernel is not None
        taken = SymbolTable.lookup_symbol(outer, name)
        if taken is not None and taken is not module:
            if not is_kernel:
                fail(op, f"expected the name @{old} to be free outside of @{at}")
            name = f"{at}_{name}"
        names[SymbolRefAttr(at, [old])] = name
        op.detach()
        new = _function(op, name) if isinstance(op, gpu.FuncOp) else op
        Rewriter.insert_op(new, InsertPoint.before(module))
    Rewriter.erase_op(module)


def _function(op: gpu.FuncOp, name: str) -> Operation:
    """The kernel, or the function that kernels call, that `op` is."""
    types, body = op.function_type, op.detach_region(op.body)
    if op.kernel is None:
        new: Operation = func.FuncOp(name, types, body)
    else:
        size = op.known_block_size
        new = KernelOp(
            name,
            types.inputs.data,
            body,
            work_group_size=None
            if size is None
            else cast(DenseArrayBase[IntegerType], size).get_values(),
        )
    new.location = op.location
    for block in body.blocks:
        end = block.last_op
        if isinstance(end, gpu.ReturnOp):
            replace(end, func.ReturnOp(*end.args) if op.kernel is None else ReturnOp())
    return new


def _convert(op: Operation, names: dict[SymbolRefAttr, str]) -> None:
    """Put what means the same in the place of `op`."""
    if (make := _IDS.get(type(op))) is not None:
        dimension = cast(gpu.DimensionAttr, op.properties["dimension"])
        replace(op, make(dimension.data.value))
    elif (query := _QUERIES.get(type(op))) is not None:
        replace(op, query())
    else:
        match op:
            case gpu_shuffle.ShuffleOp():
                _convert_shuffle(op)
            case gpu.AllReduceOp():
                _convert_all_reduce(op)
            case gpu.LaunchFuncOp():
                _convert_launch(op, names)
            case gpu.AllocOp(result=result):
                type_ = result.type
                new = memref.AllocOp(op.dynamicSizes, op.symbolOperands, type_)
                _replace_async(op, [new], [new.memref])
            case gpu.DeallocOp():
                _replace_async(op, [memref.DeallocOp.get(op.buffer)], [])
            case gpu.MemcpyOp():
                _replace_async(op, [memref.CopyOp(op.src, op.dst)], [])
            case gpu.WaitOp() | gpu.HostRegisterOp() | gpu.HostUnregisterOp():
                _replace_async(op, [], [])
            case gpu.YieldOp():
                pass  # of a reduction, which is gone
            case _:
                fail(op, f"expected an op of gpu that kernels can have, got {op.name}")


def _replace_async(
    op: Operation, new: list[Operation], results: list[SSAValue]
) -> None:
    """Put `new` in the place of `op`, whose tokens only say what the order says."""
    for old, value in zip(op.results, results, strict=False):
        old.replace_all_uses_with(value)
    for each in new:
        locate(each, op)
        Rewriter.insert_op(each, InsertPoint.before(op))
    # Who waits for its token goes, too.
    Rewriter.erase_op(op, safe_erase=False)


def _convert_all_reduce(op: gpu.AllReduceOp) -> None:
    region = op.body.blocks.first
    kind = Kind(str(op.op.data)) if op.op is not None else None
    if kind is None and region is not None:
        kind = known_kind(region)
    if kind is None:
        fail(op, "expected gpu.all_reduce by one op of arith (addi, mulf, ...)")
    replace(op, ReduceOp(kind, op.operand, "work_group"))


def _convert_shuffle(op: gpu_shuffle.ShuffleOp) -> None:
    """The lane is counted as unsigned: below 0 is beyond the width, too."""
    at = Builder.before(op)
    lane = at.add(arith.IndexCastOp(at.add(LaneIdOp()), i32))
    match op.mode.data:
        case ShuffleMode.XOR:
            source = at.add(arith.XOrIOp(lane, op.offset))
        case ShuffleMode.UP:
            source = at.add(arith.SubiOp(lane, op.offset))
        case ShuffleMode.DOWN:
            source = at.add(arith.AddiOp(lane, op.offset))
        case ShuffleMode.IDX:
            source = op.offset
    valid = at.add(arith.CmpiOp(source, op.width, "ult"), op.valid)
    # A lane that there is, for those that read none.
    there = at.add(arith.SelectOp(valid, source, lane))
    number = at.add(arith.IndexCastOp(there, IndexType()))
    got = at.add(ShuffleOp("idx", op.value, number), op.shuffle_result)
    replace(op, (), (got, valid))


def _convert_launch(op: gpu.LaunchFuncOp, names: dict[SymbolRefAttr, str]) -> None:
    name = names.get(op.kernel)
    if name is None:
        fail(op, f"expected a kernel in a gpu.module of this module, got {op.kernel}")
    for what, value in (
        ("cluster sizes", op.clusterSizeX),
        ("dynamic shared memory", op.dynamicSharedMemorySize),
    ):
        if value is not None:
            fail(op, f"expected gpu.launch_func without {what}")
    launch = LaunchOp(
        name,
        [op.gridSizeX, op.gridSizeY, op.gridSizeZ],
        list(op.kernelOperands),
        group_size=[op.blockSizeX, op.blockSizeY, op.blockSizeZ],
        extent=Extent.GROUPS,
    )
    _replace_async(op, [launch], [])
