"""
Level 3 to scalar code: the lanes of a sub-group become the iterations of loops.

Everything between two things that lanes do together (collectives, uniform control flow)
becomes one loop over the lanes; masks become branches in it. Values go from one loop to
the next through an array of one element per lane, or through one element if all lanes
have the same. Collectives are loops over lanes that accumulate in a register. A private array is
a part of one buffer, with room for the largest if its size is dynamic.

Requires: level 3 (`mask-divergence`).
Ensures: no `spmd` op is left in sub-groups, nor are they.

```mlir
// before
spmd.sub_group (%lx) shape [16] at (%first) {
  %v = memref.load %x[%lx] : memref<?xi32>
  %s = spmd.reduce add %v across sub_group : i32
  memref.store %s, %y[%lx] : memref<?xi32>
}

// after
scf.for %lane = %c0 to %c16 step %c1 {
  %lx = arith.addi %first, %lane : index
  %v = memref.load %x[%lx] : memref<?xi32>
  memref.store %v, %v_lanes[%lane] : memref<16xi32>
}
%s = scf.for %lane = %c0 to %c16 step %c1 iter_args(%total = %c0_i32) -> (i32) {
  %v = memref.load %v_lanes[%lane] : memref<16xi32>
  %sum = arith.addi %total, %v : i32
  scf.yield %sum : i32
}
memref.store %s, %s_lanes[] : memref<i32>
scf.for %lane = %c0 to %c16 step %c1 {
  %lx = arith.addi %first, %lane : index
  %s = memref.load %s_lanes[] : memref<i32>
  memref.store %s, %y[%lx] : memref<?xi32>
}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.dialects.rewriting import erase_dead_ops
from spmd.dialects.spmd import SubGroupOp
from spmd.passes.lane_loops.body import write_lane_loops


@dataclass(frozen=True)
class LanesToLoopsPass(ModulePass):
    """Replaces sub-groups by loops over lanes; see the module docstring."""

    name = "lanes-to-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp):
                continue
            groups = [each for each in function.walk() if isinstance(each, SubGroupOp)]
            for group in groups:
                write_lane_loops(group)
            if groups:
                erase_dead_ops(function.body)
