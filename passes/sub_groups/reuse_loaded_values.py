"""
What a work-item has loaded is not loaded again while nothing can have written there.

Two loads of one element are one to LLVM, but not a load and another one under a mask, nor a
gather and a row of a tile. Here they are one before there are masks, and choices by cost count
them once. It is the part of global value numbering that is about memory, for structured control
flow: K. Cooper, L. Torczon, *Engineering a Compiler*, 2012, section 8.4.1. Views and indices are
the same where they are sums and products of the same values.

Requires: level 1.
Ensures: in work-item loops, an element is loaded once between what may write it, on one path.

```mlir
// before
scf.for %lx = %c0 to %n step %c1 {
  %v = memref.load %x[%lx] : memref<?xf32>
  %less = arith.cmpf olt, %v, %limit : f32
  %best = scf.if %less -> (f32) {
    %w = memref.load %x[%lx] : memref<?xf32>
    scf.yield %w : f32
  } else {
    scf.yield %limit : f32
  }
  ...
} {spmd.work_items = array<i64: 0>}

// after
scf.for %lx = %c0 to %n step %c1 {
  %v = memref.load %x[%lx] : memref<?xf32>
  %less = arith.cmpf olt, %v, %limit : f32
  %best = scf.if %less -> (f32) {
    scf.yield %v : f32
  } else {
    scf.yield %limit : f32
  }
  ...
} {spmd.work_items = array<i64: 0>}
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from xdsl.context import Context
from xdsl.dialects import func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from spmd.analysis.memory.accesses import accesses_of, may_overlap
from spmd.analysis.memory.sums import Sums
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs
from spmd.passes.work_item_loops.nests import innermost_loops

_Place: TypeAlias = tuple[SSAValue, tuple[frozenset[object], ...]]
"""Memory, and the terms of each index."""

_Loaded: TypeAlias = dict[_Place, SSAValue]


@dataclass(frozen=True)
class ReuseLoadedValuesPass(ModulePass):
    """Loads of what is known go; see the module docstring."""

    name = "reuse-loaded-values"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.body.block.ops:
            if not isinstance(function, func.FuncOp) or function.is_declaration:
                continue
            for loop in innermost_loops(function):
                _reuse_in(loop.body.block, {}, Sums())


def _reuse_in(block: Block, loaded: _Loaded, sums: Sums) -> None:
    """Replace loads in `block` of what is `loaded`, to which others are added."""
    for op in tuple(block.ops):
        if isinstance(op, memref.LoadOp):
            indices = (frozenset(sums.of(each).terms.items()) for each in op.indices)
            place = op.memref, tuple(indices)
            if (known := loaded.get(place)) is not None:
                op.res.replace_all_uses_with(known)
                Rewriter.erase_op(op)
            else:
                loaded[place] = op.res
            continue
        before = dict(loaded) if op.regions else loaded
        _forget(loaded, op)
        flow = RegionBranch.of(op)
        once = flow is not None and flow.runs is Runs.CHOICE
        for region in op.regions:
            # Iterations may find what others wrote.
            known = before if once and len(region.blocks) == 1 else loaded
            for inner in region.blocks:
                _reuse_in(inner, dict(known), sums)


def _forget(loaded: _Loaded, op: Operation) -> None:
    """Drop from `loaded` what may have another value after `op`."""
    if not loaded:
        return
    touched = accesses_of(op)
    if touched.unknown:
        loaded.clear()
        return
    for place in [*loaded]:
        if any(may_overlap(place[0], written) for written in touched.writes):
            del loaded[place]
