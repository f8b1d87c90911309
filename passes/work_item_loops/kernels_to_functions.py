"""
Makes a function that runs one work-group of each kernel whose barriers are gone.

The function has the kernel's arguments, then the group id, the enqueued local size and
the global size; ids and sizes become arithmetic on these. A launch in a host function
becomes loops over the groups around calls of the function.

```mlir
// before
spmd.kernel @k(%x: memref<?xf32>) {
  %local_size_x = spmd.local_size x
  ...
  spmd.return
}
// after
func.func @k(%x: memref<?xf32>, %gx: index, %gy: index, %gz: index,
             %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
    attributes {spmd.work_group_function} {
  %base_x = arith.muli %ex, %gx overflow<nsw, nuw> : index
  %rest_x = arith.subi %nx, %base_x overflow<nsw, nuw> : index
  %local_size_x = arith.minui %ex, %rest_x : index
  ...
  func.return
}
```

Requires: `split-at-barriers`; ids stand at the head of the kernel (`hoist-ids`).
Ensures: no `spmd.kernel`, no `spmd.launch` and no `spmd` op that asks for an id or a size of the work-group
is left.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IndexType,
    ModuleOp,
    UnitAttr,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from spmd.dialects.building import Builder
from spmd.dialects.diagnostics import fail
from spmd.dialects.rewriting import (
    NO_WRAP,
    erase_dead_ops,
    hint,
    merge_equal_ops,
    replace,
)
from spmd.dialects.spmd import (
    BarrierOp,
    DimensionOp,
    EnqueuedLocalSizeOp,
    GlobalSizeOp,
    GroupIdOp,
    KernelOp,
    LaunchOp,
    LocalSizeOp,
    NumGroupsOp,
    ReturnOp,
    Scope,
)
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.work_groups import WORK_GROUP_FUNCTION, WORK_GROUP_SIZE
from spmd.passes.work_item_loops.launches import lower_launch

SUB_GROUP_SIZE = "spmd.sub_group_size"
_LETTERS = "xyz"


class _Range:
    """The ids and sizes that a work-group function gets as arguments."""

    def __init__(self, kernel: KernelOp):
        block = kernel.body.blocks[0]

        def arguments(letter: str) -> list[SSAValue]:
            return [
                hint(block.insert_arg(IndexType(), len(block.args)), letter + d)
                for d in _LETTERS
            ]

        self.group_id = arguments("g")
        self.enqueued = arguments("e")
        self.global_size = arguments("n")
        self.nominal = kernel.group_size

    def size(self, dimension: int, at: Builder) -> SSAValue:
        """The nominal local size."""
        if self.nominal is None:
            return self.enqueued[dimension]
        op = arith.ConstantOp.from_int_and_width(self.nominal[dimension], IndexType())
        return at.add(op, f"c{self.nominal[dimension]}")

    def value(self, op: DimensionOp) -> SSAValue:
        """What `op` asks for; new operations stand before it."""
        d, at = op.dimension.data.number, Builder.before(op)
        match op:
            case GroupIdOp():
                return self.group_id[d]
            case EnqueuedLocalSizeOp():
                return self.enqueued[d]
            case GlobalSizeOp():
                return self.global_size[d]
            case NumGroupsOp():
                return at.add(arith.CeilDivUIOp(self.global_size[d], self.size(d, at)))
            case LocalSizeOp():
                first = arith.MuliOp(
                    self.size(d, at), self.group_id[d], overflow=NO_WRAP
                )
                base = at.add(first, f"base_{_LETTERS[d]}")
                rest = arith.SubiOp(self.global_size[d], base, overflow=NO_WRAP)
                size = self.size(d, at)
                return at.add(arith.MinUIOp(size, at.add(rest, f"rest_{_LETTERS[d]}")))
            case _:
                fail(
                    op, f"expected no {op.name}: run split-at-barriers before this pass"
                )


def kernel_to_function(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    range_ = _Range(kernel)
    for op in tuple(kernel.walk()):
        if isinstance(op, DimensionOp):
            replace(op, (), (range_.value(op),))
        elif isinstance(op, ReturnOp):
            replace(op, func.ReturnOp())
        elif isinstance(op, BarrierOp) and op.scope.data is Scope.WORK_GROUP:
            fail(op, "expected no barrier: run split-at-barriers before this pass")
    entry = kernel.body.blocks[0]
    merge_equal_ops(entry)
    function = func.FuncOp(
        kernel.sym_name.data,
        (entry.arg_types, ()),
        kernel.detach_region(kernel.body),
        arg_attrs=_with_more_arguments(kernel, len(entry.args)),
    )
    function.attributes.update(kernel.attributes)
    function.attributes[WORK_GROUP_FUNCTION] = UnitAttr()
    if range_.nominal is not None:
        function.attributes[WORK_GROUP_SIZE] = DenseArrayBase.from_list(
            i64, range_.nominal
        )
    if kernel.sub_group_size is not None:
        function.attributes[SUB_GROUP_SIZE] = kernel.sub_group_size
    replace(kernel, function)
    erase_dead_ops(function.body)


def _with_more_arguments(
    kernel: KernelOp, count: int
) -> ArrayAttr[DictionaryAttr] | None:
    if kernel.arg_attrs is None:
        return None
    known = kernel.arg_attrs.data
    empty = DictionaryAttr({})
    return ArrayAttr((*known, *[empty] * (count - len(known))))


@dataclass(frozen=True)
class KernelsToFunctionsPass(ModulePass):
    """Work-group functions instead of kernels; see the module docstring."""

    name = "kernels-to-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels = {kernel.sym_name.data: kernel for kernel in kernels_in(op)}
        for function in op.body.block.ops:
            if isinstance(function, func.FuncOp):
                for launch in tuple(function.walk()):
                    if isinstance(launch, LaunchOp):
                        lower_launch(launch, kernels)
        for kernel in kernels.values():
            kernel_to_function(kernel)
