"""
Gives kernels that cannot tell how large their work-groups are groups that suit lanes.

Groups of 4 by 64 leave lanes along x no more than four neighbours, and groups of 8 by 8 fill a
register or two. Where a kernel asks for nothing but global ids, and its work-items have nothing
in common, the launch may as well run it in groups of 64 by 4: rows of neighbouring groups, one
beside the other. The size is the one in which lanes cost least (`lane_shape.py`); it has as many
work-items as before, but no fewer than groups whose size nobody gives. Groups that follow each
other in x go on where the one before ends. Where lanes go along another dimension nothing does
so, and short groups would come back to each piece of memory, of a line or two, when it is long
out of the cache: there groups are as long as they can be.

```mlir
// before
spmd.kernel @k(%x: memref<?x?xf32>)
    attributes {spmd.any_group_size = array<i64: 64, 64, 1>, work_group_size = array<i64: 4, 64>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  ...
}
// after
spmd.kernel @k(%x: memref<?x?xf32>) attributes {work_group_size = array<i64: 64, 4, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  ...
}
```

Requires: kernels without calls that ask for ids (`spmd-inline-calls`). `spmd.any_group_size`
is a promise that who launches the kernel looks at the size of its groups afterwards, and
says how many work-items a group may have along each dimension: a power of two, which
divides the range if the kernel has `spmd.full_groups`.
Ensures: no kernel has `spmd.any_group_size`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import DenseArrayBase, IntegerType, ModuleOp, i64
from xdsl.ir import Region
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.limits import DEFAULT_GROUP_SIZE
from spmd.dialects.names import ANY_GROUP_SIZE
from spmd.dialects.remarks import ReshapedGroups, remark
from spmd.dialects.spmd import KernelOp, sees_group
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.spmd.types import is_local
from spmd.passes.sub_groups.lane_shape import MARGIN, Work, power_below
from spmd.passes.targets import DEFAULT_TARGET, Target, target_named

DIMENSIONS = (2, 1, 0)
"""As loops over work-items are nested."""


def why_not_reshaped(kernel: KernelOp) -> str | None:
    """Why the size of the groups of `kernel` has to stay."""
    if len(kernel.body.blocks) > 1:
        return "its blocks are not structured"
    if any(is_local(argument.type) for argument in kernel.body.block.args):
        return "it has local memory"
    for op in kernel.walk():
        if isinstance(op, func.CallOp):
            return "it calls a function"
        if sees_group(op) or Ordered.of(op) is not None:
            return f"{op.name} depends on it"
    return None


@dataclass(frozen=True)
class ReshapeGroupsPass(ModulePass):
    """Groups of a shape that suits lanes; see the module docstring."""

    name = "reshape-groups"

    target: str | int = DEFAULT_TARGET
    """Whose lanes count: a name of `passes/targets.py`, or the bits of a register."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_named(self.target)
        for kernel in kernels_in(op):
            most = kernel.attributes.pop(ANY_GROUP_SIZE, None)
            size = kernel.group_size
            if most is None or size is None:
                continue
            most = cast(DenseArrayBase[IntegerType], most).get_values()
            if all(a >= b for a, b in zip(size, most, strict=True)):
                continue
            if why_not_reshaped(kernel) is None:
                # What is uniform in a dimension of one work-item is not so in others.
                kernel.work_group_size = None
                divergence = analyze_kernel(kernel)
                better = _better_size(kernel.body, divergence, size, most, target)
                chosen = size if better is None else better
                kernel.work_group_size = DenseArrayBase.from_list(i64, chosen)
                if better is not None:
                    remark(ReshapedGroups, kernel, size)


def _better_size(
    body: Region,
    divergence: Divergence,
    size: Sequence[int],
    most: Sequence[int],
    target: Target,
) -> tuple[int, ...] | None:
    """The size of groups in which lanes cost least, unless `size` is about as good."""
    work = Work.of(body, DIMENSIONS, divergence, "auto", target)
    now = [min(size[d], most[d]) for d in DIMENSIONS]
    could = [most[d] for d in DIMENSIONS]
    best = work.best_tile(could, work.best_shape(could))
    before = work.best_tile(now, work.best_shape(now))
    along = DIMENSIONS[best.places[0]]
    is_short = along != 0 and now[best.places[0]] < min(most[along], DEFAULT_GROUP_SIZE)
    if not is_short and work.cost(best, could) >= MARGIN * work.cost(before, now):
        return None
    lanes = [1, 1, 1]
    for place, extent in zip(best.places, best.extents, strict=True):
        lanes[DIMENSIONS[place]] = extent
    rest = max(prod(size), DEFAULT_GROUP_SIZE) // prod(lanes)
    for d in sorted(range(len(lanes)), key=lambda d: d != along):
        wanted = most[d] if d == along != 0 else min(size[d], most[d])
        more = power_below(min(rest, wanted // lanes[d]))
        lanes[d] *= more
        rest //= more
    return tuple(lanes)
