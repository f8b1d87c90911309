"""
Level 1 to level 4: SIMD code for work-item loops.

| step                       | level  | what it makes explicit                        |
| -------------------------- | ------ | --------------------------------------------- |
| `unroll-group-loops`       | 1      | how many work-items run in each iteration      |
| `fold-lane-views`          | 1      | which elements lanes access, instead of views |
| `split-vectors`            | 1      | that vectors of a work-item are several values |
| `reuse-loaded-values`      | 1      | which elements a work-item has loaded          |
| `form-sub-groups`          | 1 to 2 | which work-items are the lanes of a sub-group |
| `forget-unasked-values`    | 2      | what lanes that leave a loop need not carry   |
| `share-private-arrays`     | 2      | which private arrays all lanes have in common |
| `split-off-full-iterations` | 2     | iterations that all lanes run                 |
| `version-interiors`        | 2      | which sub-groups are near no edge             |
| `version-edges`            | 2      | whether lanes are neighbours inside of edges  |
| `narrow-integers`          | 2      | which numbers need no more than 16 bits       |
| `mask-divergence`          | 2 to 3 | which lanes are active                        |
| `widen-sub-groups`         | 3 to 4 | vectors                                       |
| `vectorize-scans`          | 4      | which elements of a scan are combined together |
| `version-masks`            | 4      | whether all lanes are active                  |
| `combine-strided-accesses` | 4      | which accesses are parts of whole vectors     |
| `tile-walks`               | 4      | what lanes that go along memory load together |
| `version-gathers`          | 4      | whether lanes access neighbours after all     |
| `load-chunks`              | 4      | what neighbours in rows load together         |
| `stream-stores`            | 4      | which stores go around the caches             |
| `lower-atomics`            | 4      | which instructions atomics are                |

A loop that cannot be vectorized stays a scalar loop with
`spmd.not_vectorized = "reason"`.

```mlir
// before
scf.for %lx = %c0 to %c64 step %c1 {
  %v = memref.load %x[%lx] : memref<?xf32>
  %w = arith.mulf %v, %a : f32
  memref.store %w, %y[%lx] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}

// after, width=16
scf.for %lx = %c0 to %c64 step %c16 {
  %a_lanes = vector.broadcast %a : f32 to vector<16xf32>
  %v = vector.load %x[%lx] : memref<?xf32>, vector<16xf32>
  %w = arith.mulf %v, %a_lanes : vector<16xf32>
  vector.store %w, %y[%lx] : memref<?xf32>, vector<16xf32>
}
```

Requires: level 1 (`spmd-to-loops`), or any `scf.for` with `spmd.work_items`.
Ensures: level 4: upstream MLIR without `spmd` ops.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from xdsl.passes import ModulePass

from spmd.dialects.diagnostics import KernelError
from spmd.passes.collectives.vectorize_scans import VectorizeScansPass
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.masking.split_off_full_iterations import (
    SplitOffFullIterationsPass,
)
from spmd.passes.memory.accesses.combine_strided_accesses import (
    CombineStridedAccessesPass,
)
from spmd.passes.memory.accesses.load_chunks import LoadChunksPass
from spmd.passes.memory.accesses.stream_stores import StreamStoresPass
from spmd.passes.memory.accesses.tile_walks import TileWalksPass
from spmd.passes.memory.accesses.version_gathers import VersionGathersPass
from spmd.passes.memory.accesses.version_masks import VersionMasksPass
from spmd.passes.memory.lower_atomics import LowerAtomicsPass
from spmd.passes.pipelines.pipeline import PassSequence
from spmd.passes.sub_groups.choices.vector_width import check_shape
from spmd.passes.sub_groups.edges.version_edges import VersionEdgesPass
from spmd.passes.sub_groups.edges.version_interiors import VersionInteriorsPass
from spmd.passes.sub_groups.edges.version_rows import VersionRowsPass
from spmd.passes.sub_groups.fold_lane_views import FoldLaneViewsPass
from spmd.passes.sub_groups.forget_unasked_values import ForgetUnaskedValuesPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.passes.sub_groups.narrow_integers import NarrowIntegersPass
from spmd.passes.sub_groups.reuse_loaded_values import ReuseLoadedValuesPass
from spmd.passes.sub_groups.share_private_arrays import SharePrivateArraysPass
from spmd.passes.targets import DEFAULT_TARGET
from spmd.passes.widening.widen_sub_groups import WidenSubGroupsPass
from spmd.passes.work_item_loops.split_vectors import SplitVectorsPass
from spmd.passes.work_item_loops.unroll_group_loops import UnrollGroupLoopsPass


@dataclass(frozen=True)
class VectorizePass(PassSequence):
    """Vectors instead of work-item loops; see the module docstring."""

    name = "vectorize"

    width: int | Literal["auto"] = "auto"
    """Lanes of a sub-group, a power of two from 1 to 64, or `auto`."""

    shape: tuple[int, ...] = ()
    """Lanes along x, y and z instead of a width."""

    target: str | int = DEFAULT_TARGET
    """
    What the width `auto` is for, and what is weighed against scalar code: a name such as
    `x86-64-v4`, `neoverse-v1`, `rv64gcv` or `host`, or the bits of a vector register.
    """

    brush: tuple[int, ...] = ()
    """A shape with the outermost loop first: `4,8` are four rows of eight lanes."""

    def passes(self) -> tuple[ModulePass, ...]:
        if self.shape and self.brush:
            raise KernelError(
                "expected a shape (x first) or a brush (x last), got both: "
                f"{','.join(map(str, self.shape))} and {','.join(map(str, self.brush))}"
            )
        check_shape(self.brush, self.width, "brush")
        shape = self.shape or self.brush[::-1]
        return (
            UnrollGroupLoopsPass(),
            FoldLaneViewsPass(),
            SplitVectorsPass(self.target),
            ReuseLoadedValuesPass(),
            FormSubGroupsPass(self.width, shape, self.target),
            ForgetUnaskedValuesPass(),
            SharePrivateArraysPass(),
            SplitOffFullIterationsPass(),
            VersionRowsPass(),
            VersionInteriorsPass(),
            VersionEdgesPass(),
            NarrowIntegersPass(),
            MaskDivergencePass(),
            WidenSubGroupsPass(),
            VectorizeScansPass(self.target),
            VersionMasksPass(self.target),
            CombineStridedAccessesPass(self.target),
            TileWalksPass(),
            VersionGathersPass(self.target),
            LoadChunksPass(self.target),
            StreamStoresPass(),
            LowerAtomicsPass(),
        )
