"""
Gives kernels that cannot tell how large their work-groups are groups that suit lanes.

Groups of 4 by 64 leave lanes along x no more than four neighbours, and groups of 8 by 8 fill a
register or two. Where a kernel asks for nothing but global ids, and its work-items have nothing
in common, the launch may as well run it in groups of 64 by 4: rows of neighbouring groups, one
beside the other. The size is the one in which lanes cost least (`lane_shape.py`); it has as many
work-items as before, but no fewer than groups whose size nobody gives. Its rows are as long as
can be, since each costs: sixteen of them, a page apart, do not fit a cache with sets of twelve lines.
What rows of a group have in common, as those of a stencil, it loads once, and what the row of
groups before has loaded lies in the second cache.
Where memory goes along another dimension than x, so do the numbers of groups (`spmd.group_order`):
one after the other, they take what the caches have fetched already.
Global ids that a kernel computes, as `local_id + enqueued_local_size * group_id`, are found,
also in `i32`.

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import cast

from xdsl.context import Context
from xdsl.dialects import arith, func
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IndexType,
    IntegerType,
    ModuleOp,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.building import Builder
from spmd.dialects.interfaces.order import Ordered
from spmd.dialects.limits import DEFAULT_GROUP_SIZE
from spmd.dialects.names import ANY_GROUP_SIZE, GROUP_ORDER
from spmd.dialects.remarks import ReshapedGroups, remark
from spmd.dialects.rewriting import constant_index, erase_dead_ops, hint
from spmd.dialects.spmd import (
    Dimension,
    EnqueuedLocalSizeOp,
    GlobalIdOp,
    GroupIdOp,
    KernelOp,
    LocalIdOp,
    LocalSizeOp,
    sees_group,
)
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.spmd.types import is_local
from spmd.passes.sub_groups.choices.lane_shape import Work, power_below
from spmd.passes.targets import DEFAULT_TARGET, GROUP_MARGIN, target_named

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
            _find_global_ids(kernel)
            if why_not_reshaped(kernel) is None:
                # What is uniform in a dimension of one work-item is not so in others.
                kernel.work_group_size = DenseArrayBase.from_list(i64, most)
                divergence = analyze_kernel(kernel)
                work = Work.of(kernel.body, DIMENSIONS, divergence, "auto", target)
                better = _better_size(work, size, most)
                chosen = size if better is None else better
                kernel.work_group_size = DenseArrayBase.from_list(i64, chosen)
                if better is not None:
                    remark(ReshapedGroups, kernel, size)
                if order := _better_order(work):
                    kernel.attributes[GROUP_ORDER] = DenseArrayBase.from_list(
                        i64, order
                    )


def _find_global_ids(kernel: KernelOp) -> None:
    """Ask for global ids where they are computed, of whatever type."""
    found = False
    for op in kernel.walk():
        if not isinstance(op, arith.AddiOp):
            continue
        for base, local in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            lane, product = _uncast(local), base.owner
            if isinstance(lane, LocalIdOp) and isinstance(product, arith.MuliOp):
                dimension = lane.dimension.data
                factors = (product.lhs, product.rhs)
                if any(
                    isinstance(owner := _uncast(group), GroupIdOp)
                    and owner.dimension.data is dimension
                    and _is_size(kernel, size, dimension)
                    for group, size in (factors, factors[::-1])
                ):
                    at = Builder.before(op)
                    new = at.add(GlobalIdOp(dimension))
                    if new.type != op.result.type:
                        new = at.add(arith.IndexCastOp(new, op.result.type))
                    op.result.replace_all_uses_with(hint(new, op.result))
                    found = True
                    break
    if found:
        erase_dead_ops(kernel.body)


def _uncast(value: SSAValue) -> Operation | Block:
    """The op whose lowest digits are `value`."""
    owner = value.owner
    if isinstance(owner, arith.IndexCastOp) and owner.input.type == IndexType():
        return owner.input.owner
    return owner


def _is_size(kernel: KernelOp, value: SSAValue, dimension: Dimension) -> bool:
    """Whether `value` is the nominal size of groups of `kernel`."""
    owner = _uncast(value)
    if isinstance(owner, EnqueuedLocalSizeOp | LocalSizeOp):
        exact = isinstance(owner, EnqueuedLocalSizeOp) or kernel.has_full_groups
        return exact and owner.dimension.data is dimension
    size = kernel.group_size
    return size is not None and constant_index(value) == size[dimension.number]


def _better_order(work: Work) -> tuple[int, ...] | None:
    """The order of groups that goes along memory, if that is not along x."""
    along = {each.along for each in work.terms if each.along is not None}
    if len(along) != 1:
        return None
    first = DIMENSIONS[along.pop()]
    if first == 0:
        return None
    return (first, *reversed(range(first)), *range(first + 1, 3))


def _better_size(
    work: Work, size: Sequence[int], most: Sequence[int]
) -> tuple[int, ...] | None:
    """The size of groups in which lanes cost least, unless `size` is about as good."""
    now = [min(size[d], most[d]) for d in DIMENSIONS]
    could = [most[d] for d in DIMENSIONS]
    best = work.best_tile(could, work.best_shape(could))
    before = work.best_tile(now, work.best_shape(now))
    tile = [1] * len(DIMENSIONS)
    for place, extent in zip(best.places, best.extents, strict=True):
        tile[place] = extent
    rest = max(prod(size), DEFAULT_GROUP_SIZE) // prod(tile)
    chosen = min(_of_tiles(tile, could, rest), key=work.memory)
    cost = work.cost(best, could) + work.memory(chosen)
    if cost > GROUP_MARGIN * (work.cost(before, now) + work.memory(now)):
        return None
    x, y, z = (chosen[DIMENSIONS.index(d)] for d in range(3))
    return x, y, z


def _of_tiles(
    tile: Sequence[int], most: Sequence[int], times: int
) -> Iterator[Sequence[int]]:
    """The sizes of groups of so many tiles, or as many as there may be; long rows first."""
    room = [power_below(m // t) for m, t in zip(most, tile, strict=True)]
    powers = [[1 << power for power in range(each.bit_length())] for each in room]
    largest = min(power_below(times), prod(room))
    for factors in product(*powers):
        if prod(factors) == largest:
            yield [t * f for t, f in zip(tile, factors, strict=True)]
