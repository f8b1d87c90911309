"""
Private arrays that are the same in all lanes become one array.

Where every lane that still runs has stored the same to the same elements, one copy will do:
what is loaded at a uniform index is uniform then, and under a mask a store is one scalar
store. Which arrays these are is the business of `analysis/divergence/private_contents.py`.

```mlir
// before
spmd.sub_group (%lx) shape [8] at (%first) {
  %stack = memref.alloca() : memref<64xi32>
  ...
}
// after, at the head of the function
%stack = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<64xi32>
```

Requires: level 2 (`form-sub-groups`).
Ensures: level 2; no private array of static size, or of a size known at the head of the
function, is shared by its lanes, but in sub-groups that are not vectorized.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import analyze_sub_group
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import function_around
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import (
    CACHE_LINE_ALIGNMENT,
    NOT_VECTORIZED,
    is_group_memory,
    mark_group_memory,
)


@dataclass(frozen=True)
class SharePrivateArraysPass(ModulePass):
    """One array instead of one for each lane; see the module docstring."""

    name = "share-private-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in op.walk():
            if isinstance(group, SubGroupOp) and NOT_VECTORIZED not in group.attributes:
                _share_in(group)


def _share_in(group: SubGroupOp) -> None:
    entry = function_around(group).body.block
    arrays = [
        op
        for op in group.body.walk()
        if isinstance(op, memref.AllocaOp)
        and not is_group_memory(op)
        and all(size.owner is entry for size in op.dynamic_sizes)
    ]
    if not arrays:
        return
    divergence = analyze_sub_group(group)
    shared = [array for array in arrays if divergence.is_uniform(array.memref)]
    for array in map(mark_group_memory, shared):
        array.properties["alignment"] = CACHE_LINE_ALIGNMENT
    Builder.at_head(entry, group).move(shared)
