"""
Level 3 to level 4: the lanes of a sub-group become the elements of vectors.

What is the same in all lanes stays scalar; so does an integer that grows by a fixed step
from lane to lane, of which only lane 0 is computed, and a condition that holds in the
first lanes, of which only their number is. Vectors are made of them where one is
needed. Memory accesses are chosen by the shape of their address, and what costs more than
a plain vector access says so (`spmd.access`) and why (`spmd.why`); where lanes are inactive,
integer divisions and functions of the math library get 1 to work on. An op without a vector
form runs in a loop over the active lanes around it alone; atomic updates of one element by
all lanes are combined to one. Integers are divided as floats that hold them.

Sub-groups with `spmd.not_vectorized` become loops over lanes, as in `lanes-to-loops`.

Requires: level 3 (`mask-divergence`).
Ensures: no `spmd` op is left in sub-groups, nor are they: `vector`, `arith` and `math` on
vectors, `memref`, and scalar `scf`.

```mlir
// before
spmd.sub_group (%lx) shape [16] at (%first) {
  %i = arith.addi %start, %lx overflow<nsw, nuw> : index
  %in = arith.cmpi slt, %i, %n : index
  spmd.masked %in {
    %v = memref.load %x[%i] : memref<?xf32>
    %w = arith.mulf %v, %a : f32
    memref.store %w, %y[%i] : memref<?xf32>
  }
}

// after
%a_lanes = vector.broadcast %a : f32 to vector<16xf32>
%i = arith.addi %start, %first overflow<nsw, nuw> : index
%left = arith.subi %n, %i : index
%in = vector.create_mask %left : vector<16xi1>
%v = vector.maskedload %x[%i], %in, %zeros : memref<?xf32>, ... into vector<16xf32>
%w = arith.mulf %v, %a_lanes : vector<16xf32>
vector.maskedstore %y[%i], %in, %w : memref<?xf32>, ...
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import analyze_sub_group
from spmd.dialects import compat
from spmd.dialects.enclosing import parent_block
from spmd.dialects.remarks import Widened, is_listened_to, remark
from spmd.dialects.rewriting import erase_dead_ops
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NOT_VECTORIZED
from spmd.passes.lane_loops.body import write_lane_loops
from spmd.passes.widening.control import SubGroupWidening


@dataclass(frozen=True)
class WidenSubGroupsPass(ModulePass):
    """Replaces sub-groups by vector code; see the module docstring."""

    name = "widen-sub-groups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat.ensure("arith", "vector")
        groups = [each for each in op.walk() if isinstance(each, SubGroupOp)]
        functions: dict[func.FuncOp, None] = {}
        for group in groups:
            if (function := widen_sub_group(group)) is not None:
                functions[function] = None
        for function in functions:
            erase_dead_ops(function.body)


def widen_sub_group(group: SubGroupOp) -> func.FuncOp | None:
    """
    Put code for all lanes in the place of `group`.

    The function around it, if that is vector code, in which there may be dead operations.
    """
    if NOT_VECTORIZED in group.attributes:
        write_lane_loops(group)
        return None
    block, before, after = parent_block(group), group.prev_op, group.next_op
    widening = SubGroupWidening(group, analyze_sub_group(group))
    widening.run()
    if is_listened_to():
        ops = [*block.ops]
        first = 0 if before is None else ops.index(before) + 1
        end = None if after is None else ops.index(after)
        remark(Widened, group, tuple(ops[first:end]))
    return widening.function
