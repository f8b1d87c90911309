"""
Accesses through views that work-items make become accesses to what the views are of.

A view that differs between work-items is no value of a lane, but an index is: the access
becomes contiguous, strided or a gather as any other. A private array that is only seen
through such views stays one that loads and stores access. Where a work-item chooses
between two memrefs, it takes one of two branches, each with one memref.

It is what upstream's `fold-memref-alias-ops` does, of `memref.cast`, `memref.subview` and
`memref.reinterpret_cast`, and only inside of loops over work-items: views that are made
outside of them are the same for all lanes.

Requires: level 1.
Ensures: in work-item loops, no op that accesses one element does so through one of these
views, if what they are of has a known layout.

```mlir
// before
scf.for %lx = %c0 to %n step %c1 {
  %row = memref.subview %x[%lx, 0] [1, 4] [1, 1]
    : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %v = memref.load %row[%k] : memref<4xf32, strided<[1], offset: ?>>
  %to = arith.select %c, %y, %z : memref<?xf32>
  memref.store %v, %to[%lx] : memref<?xf32>
} {spmd.work_items = array<i64: 0>}

// after
scf.for %lx = %c0 to %n step %c1 {
  %v = memref.load %x[%lx, %k] : memref<?x4xf32>
  scf.if %c {
    memref.store %v, %y[%lx] : memref<?xf32>
  } else {
    memref.store %v, %z[%lx] : memref<?xf32>
  }
} {spmd.work_items = array<i64: 0>}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import analyze_work_items
from spmd.dialects.building import ConstantPool
from spmd.dialects.interfaces.view_folding import ViewFolding, accessed
from spmd.dialects.interfaces.views import makes_view
from spmd.dialects.rewriting import erase_dead_ops
from spmd.passes.sub_groups.vector_forms import differs
from spmd.passes.work_item_loops.nests import innermost_loops


@dataclass(frozen=True)
class FoldLaneViewsPass(ModulePass):
    """Indices instead of views in lanes; see the module docstring."""

    name = "fold-lane-views"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            constants = ConstantPool(function.body.blocks[0])
            for loop in innermost_loops(function):
                _fold_in(loop, constants)


def _fold_in(loop: scf.ForOp, constants: ConstantPool) -> None:
    """Let accesses in `loop` name elements of what their memrefs are views of."""
    ops = tuple(loop.body.walk())
    if not any(map(makes_view, ops)):
        return
    is_uniform = analyze_work_items(loop).is_uniform

    def asked(memory: SSAValue) -> bool:
        return differs(memory, is_uniform)

    for op in ops:
        position = accessed(op)
        if position is not None and asked(op.operands[position]):
            ViewFolding(position, asked, constants).fold(op)
    erase_dead_ops(loop.body)
