"""
Fixes the sub-group size of every kernel that has sub-group operations.

The kernel's own `sub_group_size` wins over the option `sub-group-size`.

```mlir
// before
spmd.kernel @k(%x: memref<?xf32>) {
  %lane = spmd.lane_id
  ...
}
// after
spmd.kernel @k(%x: memref<?xf32>) attributes {sub_group_size = 16 : i64} {
  %lane = spmd.lane_id
  ...
}
```

Requires: `spmd-inline-calls`; after `fold-uniform-collectives`, fewer kernels need a size.
Ensures: lanes follow the linear local id exactly in the kernels that have a
`sub_group_size`; no other kernel can tell.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import KernelError
from spmd.dialects.limits import MAX_SUB_GROUP_SIZE
from spmd.dialects.remarks import DefaultSubGroupSize, remark
from spmd.dialects.spmd import needs_sub_groups
from spmd.dialects.spmd.kernel import kernels_in

DEFAULT_SUB_GROUP_SIZE = 16
"""The same for every target, so that a kernel computes the same everywhere."""


@dataclass(frozen=True)
class ChooseSubGroupSizePass(ModulePass):
    """The number of lanes of a sub-group; see the module docstring."""

    name = "choose-sub-group-size"

    sub_group_size: int = DEFAULT_SUB_GROUP_SIZE

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        size = self.sub_group_size
        if not 1 <= size <= MAX_SUB_GROUP_SIZE or size & (size - 1):
            raise KernelError(
                "expected the option sub-group-size to be a power of two from 1 to "
                f"{MAX_SUB_GROUP_SIZE}, got {size}"
            )
        for kernel in kernels_in(op):
            if kernel.sub_group_size is None and any(
                map(needs_sub_groups, kernel.walk())
            ):
                kernel.sub_group_size = IntegerAttr(size, i64)
                remark(DefaultSubGroupSize, kernel)
