"""
Fixes the work-group size of kernels that leave it to the launch.

```mlir
// before
spmd.kernel @k(...) { ... }
// after spmd-specialize{work-group-size=16,16 full-groups=true}
spmd.kernel @k(...) attributes {spmd.full_groups, work_group_size = array<i64: 16, 16, 1>} { ... }
```

Options: `work-group-size` is X, X,Y or X,Y,Z; `full-groups` promises that no group is
smaller (the global size is a multiple of the group size in each dimension); `kernel` names
the one kernel to specialise, instead of all.

Requires: no kernel to specialise fixes another size.
Ensures: they all fix the given one.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.context import Context
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, UnitAttr, i64
from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import KernelError, fail
from spmd.dialects.limits import MAX_GROUP_SIZE
from spmd.dialects.names import FULL_GROUPS
from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in


def _words(size: tuple[int, ...]) -> str:
    return " x ".join(str(extent) for extent in size)


@dataclass(frozen=True)
class SpmdSpecializePass(ModulePass):
    """Fixes the work-group size; see the module docstring."""

    name = "spmd-specialize"

    work_group_size: tuple[int, ...] = ()
    full_groups: bool = False
    kernel: str = ""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        size = self._checked_size()
        kernels = list(kernels_in(op))
        if self.kernel:
            chosen = [k for k in kernels if k.sym_name.data == self.kernel]
            if not chosen:
                names = ", ".join(f"@{k.sym_name.data}" for k in kernels) or "none"
                raise KernelError(
                    "expected the option kernel to name a kernel of the module "
                    f"({names}), got {self.kernel}"
                )
            kernels = chosen
        for kernel in kernels:
            self._specialize(kernel, size)

    def _checked_size(self) -> tuple[int, int, int] | None:
        size = self.work_group_size
        if not size:
            return None
        if len(size) > 3 or any(extent < 1 for extent in size):
            raise KernelError(
                "expected the option work-group-size to be one to three positive sizes, "
                f"got {','.join(map(str, size))}"
            )
        if prod(size) > MAX_GROUP_SIZE:
            raise KernelError(
                f"expected the option work-group-size to be of at most {MAX_GROUP_SIZE} "
                f"work-items, got {','.join(map(str, size))}"
            )
        x, y, z, *_ = (*size, 1, 1)
        return x, y, z

    def _specialize(self, kernel: KernelOp, size: tuple[int, int, int] | None) -> None:
        known = kernel.group_size
        if size is not None:
            if known is not None and known != size:
                fail(
                    kernel,
                    f"expected the work-group size {_words(known)} that "
                    f"@{kernel.sym_name.data} fixes, got {_words(size)}",
                )
            kernel.work_group_size = DenseArrayBase.from_list(i64, size)
        elif known is None:
            fail(
                kernel,
                "expected the option work-group-size, since "
                f"@{kernel.sym_name.data} does not fix its size itself",
            )
        if self.full_groups:
            kernel.attributes[FULL_GROUPS] = UnitAttr()
