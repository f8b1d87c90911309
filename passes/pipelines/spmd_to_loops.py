"""
From the program of one work-item (level 0) to a function that runs a work-group (level 1).

```mlir
// before
spmd.kernel @scale(%a: f32, %x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %w = arith.mulf %a, %v : f32
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
// after (and a version @scale.full for groups of exactly 64 work-items)
func.func @scale(%a: f32, %x: memref<?xf32>, %gx: index, ..., %nx: index, ...)
    attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 64, 1, 1>} {
  %base_x = arith.muli %c64, %gx overflow<nsw, nuw> : index
  %rest_x = arith.subi %nx, %base_x overflow<nsw, nuw> : index
  %local_size_x = arith.minui %c64, %rest_x : index
  scf.for %lx = %c0 to %local_size_x step %c1 {
    %i = arith.addi %base_x, %lx overflow<nsw, nuw> : index
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %a, %v : f32
    memref.store %w, %x[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
```

With `check-barriers=true` the function finds out when it runs whether all work-items come to
the same barriers and collectives (see `split-at-barriers`), none of which is left out then.
With `checked=true` it does so for everything that can be undefined (`spmd-insert-checks`).

Requires: a verified module.
Ensures: level 1: no kernel, no barrier of the work-group, no id and no local allocation of
the `spmd` dialect is left.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.passes import ModulePass

from spmd.passes.collectives.carry_float_keys import CarryFloatKeysPass
from spmd.passes.collectives.fold_uniform_collectives import FoldUniformCollectivesPass
from spmd.passes.kernels.check_barriers import CheckBarriersPass
from spmd.passes.kernels.choose_sub_group_size import (
    DEFAULT_SUB_GROUP_SIZE,
    ChooseSubGroupSizePass,
)
from spmd.passes.kernels.drop_redundant_barriers import DropRedundantBarriersPass
from spmd.passes.kernels.hoist_ids import HoistIdsPass
from spmd.passes.kernels.spmd_inline_calls import SpmdInlineCallsPass
from spmd.passes.kernels.version_full_groups import VersionFullGroupsPass
from spmd.passes.memory.lower_memory_types import LowerMemoryTypesPass
from spmd.passes.memory.place_group_memory import PlaceGroupMemoryPass
from spmd.passes.pipelines.pipeline import PassSequence
from spmd.passes.rematerialization.clip_counted_loops import ClipCountedLoopsPass
from spmd.passes.rematerialization.count_bits import CountBitsPass
from spmd.passes.rematerialization.promote_own_elements import (
    PromoteOwnElementsPass,
)
from spmd.passes.rematerialization.promote_private_arrays import (
    PromotePrivateArraysPass,
)
from spmd.passes.rematerialization.rematerialize_memrefs import RematerializeMemrefsPass
from spmd.passes.rematerialization.rematerialize_strided_values import (
    RematerializeStridedValuesPass,
)
from spmd.passes.rematerialization.solve_recurrences import SolveRecurrencesPass
from spmd.passes.rematerialization.uplift_while_to_for import UpliftWhileToForPass
from spmd.passes.splitting.split_at_barriers import SplitAtBarriersPass, Strategy
from spmd.passes.structuring.if_to_select import IfToSelectPass
from spmd.passes.structuring.structurize_control_flow import StructurizeControlFlowPass
from spmd.passes.structuring.unroll_short_loops import UnrollShortLoopsPass
from spmd.passes.sub_groups.reshape_groups import ReshapeGroupsPass
from spmd.passes.targets import DEFAULT_TARGET
from spmd.passes.work_item_loops.clip_work_item_loops import ClipWorkItemLoopsPass
from spmd.passes.work_item_loops.interchange_loops import InterchangeLoopsPass
from spmd.passes.work_item_loops.kernels_to_functions import KernelsToFunctionsPass
from spmd.passes.work_item_loops.unswitch_work_item_loops import (
    UnswitchWorkItemLoopsPass,
)


@dataclass(frozen=True)
class SpmdToLoopsPass(PassSequence):
    """Work-item loops instead of work-items; see the module docstring."""

    name = "spmd-to-loops"

    strategy: Strategy = "auto"
    sub_group_size: int = DEFAULT_SUB_GROUP_SIZE
    divergent_barriers: Literal["reject", "allow"] = "reject"
    check_barriers: bool = False
    checked: bool = False
    target: str | int = DEFAULT_TARGET

    def passes(self) -> tuple[ModulePass, ...]:
        # A check sees only the barriers and collectives that are still there.
        keep_all = check_barriers = self.check_barriers or self.checked
        return (
            SpmdInlineCallsPass(),
            CheckBarriersPass(divergent_barriers=self.divergent_barriers),
            StructurizeControlFlowPass(),
            *(_checks() if self.checked else ()),
            PromotePrivateArraysPass(),
            IfToSelectPass(),
            UnrollShortLoopsPass(),
            RematerializeMemrefsPass(),
            RematerializeStridedValuesPass(),
            *(() if keep_all else (FoldUniformCollectivesPass(),)),
            ChooseSubGroupSizePass(self.sub_group_size),
            ReshapeGroupsPass(self.target),
            VersionFullGroupsPass(),
            HoistIdsPass(),
            *(
                ()
                if keep_all
                else (DropRedundantBarriersPass(), PromoteOwnElementsPass())
            ),
            UpliftWhileToForPass(),
            CountBitsPass(),
            SolveRecurrencesPass(),
            *(() if keep_all else (ClipCountedLoopsPass(),)),
            SplitAtBarriersPass(strategy=self.strategy, check=check_barriers),
            KernelsToFunctionsPass(),
            UnswitchWorkItemLoopsPass(),
            ClipWorkItemLoopsPass(),
            InterchangeLoopsPass(),
            CarryFloatKeysPass(self.target),
            LowerMemoryTypesPass(),
            PlaceGroupMemoryPass(),
        )


def _checks() -> tuple[ModulePass, ...]:
    # Imported only here: most code is not checked.
    from spmd.passes.kernels.spmd_insert_checks import SpmdInsertChecksPass

    return (SpmdInsertChecksPass(),)
