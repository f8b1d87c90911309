"""
Scalar code for functions with sub-group operations: what runs them without `vectorize`.

| step               | level  | what it makes explicit                              |
| ------------------ | ------ | --------------------------------------------------- |
| `form-sub-groups`  | 1 to 2 | which work-items are the lanes of a sub-group       |
| `mask-divergence`  | 2 to 3 | which lanes are active                              |
| `lanes-to-loops`   | 3 to 1 | loops over lanes                                    |

Functions without sub-group operations stay as they are.

```mlir
// before
scf.for %lx = %c0 to %local_size_x step %c1 {
  %lane = spmd.lane_id
  memref.store %lane, %x[%lx] : memref<?xindex>
} {spmd.work_items = array<i64: 0>}

// after, spmd.sub_group_size = 16; and the same for the last sub-group
scf.for %first = %c0 to %whole step %c16 {
  scf.for %lane = %c0 to %c16 step %c1 {
    %lx = arith.addi %first, %lane : index
    memref.store %lane, %x[%lx] : memref<?xindex>
  }
}
```

Requires: level 1 (`spmd-to-loops`).
Ensures: no sub-group operation is left, and no atomic one of the dialect: what is left can
be written as LLVM IR.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.passes import ModulePass

from spmd.passes.lane_loops.lanes_to_loops import LanesToLoopsPass
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.memory.lower_atomics import LowerAtomicsPass
from spmd.passes.pipelines.pipeline import PassSequence
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass


@dataclass(frozen=True)
class SubGroupsToLoopsPass(PassSequence):
    """Loops over lanes instead of sub-group operations; see the module docstring."""

    name = "sub-groups-to-loops"

    def passes(self) -> tuple[ModulePass, ...]:
        return (
            FormSubGroupsPass(where_needed=True),
            MaskDivergencePass(),
            LanesToLoopsPass(),
            LowerAtomicsPass(),
        )
