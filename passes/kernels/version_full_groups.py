"""
Makes a second version, for full groups, of every kernel that fixes its work-group size.

In a full group every local size is the nominal one, a constant; only the last groups of a
range can be partial. The caller chooses for each group.

```mlir
// before
spmd.kernel @k(...) attributes {work_group_size = array<i64: 64>} { ... }
// after
spmd.kernel @k(...) attributes {work_group_size = array<i64: 64>} { ... }
spmd.kernel @k.full(...) attributes {spmd.full_groups, work_group_size = array<i64: 64>} { ... }
```

Requires: nothing beyond verified IR.
Ensures: every kernel with a `work_group_size` of more than one work-item, unless it
promises `spmd.full_groups` itself, has a version that promises it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import fail
from spmd.dialects.names import FULL_GROUPS
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.work_groups import FULL_SUFFIX


def why_not_versioned(kernel: KernelOp) -> str | None:
    """Why there is no use for a second version of `kernel`."""
    if kernel.group_size is None:
        return "the launch decides about its work-group size"
    if kernel.group_size == (1, 1, 1):
        return "a group of one work-item is always full"
    if FULL_GROUPS in kernel.attributes:
        return "its groups are always full"
    return None


@dataclass(frozen=True)
class VersionFullGroupsPass(ModulePass):
    """A version of each kernel for full groups; see the module docstring."""

    name = "version-full-groups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        block = op.body.block
        symbols = {
            name.data: inner
            for inner in block.ops
            if isinstance(name := inner.properties.get("sym_name"), StringAttr)
        }
        for kernel in tuple(kernels_in(op)):
            if why_not_versioned(kernel):
                continue
            name = kernel.sym_name.data + FULL_SUFFIX
            if name in symbols:
                fail(
                    symbols[name],
                    f"expected the name @{name} to be free for the version of "
                    f"@{kernel.sym_name.data} that runs full groups; rename this one",
                )
            full = kernel.clone()
            full.sym_name = StringAttr(name)
            full.attributes[FULL_GROUPS] = UnitAttr()
            block.insert_op_after(full, kernel)
