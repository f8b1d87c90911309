"""
Lanes that go along memory in a loop access tiles of it, which are transposed in registers.

In `for k: sum += a[row, k]` lanes are rows apart, and gather in each iteration. Each lane by
itself goes from neighbour to neighbour: all that it accesses in 16 iterations is one vector. So
many iterations as lie in a cache line are done together. Their vectors are loaded, one for each
lane, and transposed to one for each iteration, which the loop takes then; what it stores is kept,
transposed back and stored after it. Where there are less iterations left, lanes gather before and
scatter after them.

As the tiles of S. Moll, *Vectorization System for Unstructured Codes with a Data-parallel Compiler
IR*, 2021, chapter 11, of which one side is the loop.

Requires: level 4.
Ensures: level 4.

```mlir
// before: sums of rows
%s = scf.for %k = %c0 to %n step %c1 iter_args(%t = %zeros) -> (vector<8xf64>) {
  %v = vector.gather %a[%i, %k] [%rows], %all_on, %zeros : memref<?x?xf64>, ...
  %u = arith.addf %t, %v : vector<8xf64>
  scf.yield %u : vector<8xf64>
}

// after; %starts has where each row begins
%s = scf.for %first = %c0 to %n step %c8 iter_args(%t = %zeros) -> (vector<8xf64>) {
  %left = arith.subi %n, %first : index
  %count = arith.minsi %left, %c8 : index
  %full = arith.cmpi sge, %left, %c8 : index
  scf.if %full {
    scf.for %lane = %c0 to %c8 step %c8 {
      %start = memref.load %starts[%lane] : memref<8xindex>
      %at = arith.addi %start, %first : index
      %row = vector.load %line[%at] : memref<?xf64>, vector<8xf64>
      ...                          // and one for each other lane: 8 vectors become 8 others
      vector.store %column, %tile[%c0, %lane] : memref<8x8xf64>, vector<8xf64>
      ...
    }
  } else {
    scf.for %place = %c0 to %count step %c1 {
      %k = arith.addi %first, %place overflow<nsw> : index
      ...                          // %v = vector.gather %a[%i, %k] ...
      vector.store %v, %tile[%place, %c0] : memref<8x8xf64>, vector<8xf64>
    }
  }
  %r = scf.for %place = %c0 to %count step %c1 iter_args(%t1 = %t) -> (vector<8xf64>) {
    %v = vector.load %tile[%place, %c0] : memref<8x8xf64>, vector<8xf64>
    %u = arith.addf %t1, %v : vector<8xf64>
    scf.yield %u : vector<8xf64>
  }
  scf.yield %r : vector<8xf64>
}
```
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.memory.walks import element_bytes, walks_in
from spmd.dialects import compat
from spmd.dialects.compat.memory import GatherOp, ScatterOp
from spmd.dialects.enclosing import is_outside
from spmd.dialects.rewriting import erase_dead_ops
from spmd.passes.kernels.spmd_annotate_shapes import ACCESS
from spmd.passes.memory.accesses.walk_tiles import PART, Buffers, WalkTiles
from spmd.passes.memory.accesses.whole_vectors import is_all_on

MASKED_BYTES = 4
"""Of elements that every machine stores under masks."""


@dataclass(frozen=True)
class TileWalksPass(ModulePass):
    """Tiles instead of gathers in loops along memory; see the module docstring."""

    name = "tile-walks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        compat.ensure("arith", "vector")
        for function in op.ops:
            if not isinstance(function, func.FuncOp) or not function.body.blocks:
                continue
            loops = list(_candidates(function))
            if not loops:
                continue
            memory = Buffers(function.body.blocks[0])
            for loop, candidates in loops:
                walked = walks_in(loop)
                walks = [op for op in candidates if op in walked]
                if walks:
                    WalkTiles(loop, walks, memory).write()
            erase_dead_ops(function.body)


def _candidates(
    function: func.FuncOp,
) -> Iterator[tuple[scf.ForOp, list[GatherOp | ScatterOp]]]:
    """Loops and the accesses in them that tiles may be better for."""
    worklist = [*reversed(function.body.blocks)]
    while worklist:
        block = worklist.pop()
        inside = [b for op in block.ops for each in op.regions for b in each.blocks]
        worklist += reversed(inside)
        loop = block.parent_op()
        if isinstance(loop, scf.ForOp):
            found = [
                op
                for op in block.ops
                if isinstance(op, GatherOp | ScatterOp) and _may_be_tile(op, loop)
            ]
            if found:
                yield loop, found


def _may_be_tile(op: GatherOp | ScatterOp, loop: scf.ForOp) -> bool:
    """Whether a tile is better for `op` in `loop`, if it goes along memory."""
    if op.attributes.get(ACCESS) == PART:  # What is left of one.
        return False
    if not is_outside(op.mask, loop):  # Other lanes are active in each iteration.
        return False
    narrow = element_bytes(op) < MASKED_BYTES
    return not (narrow and isinstance(op, ScatterOp) and not is_all_on(op.mask))
