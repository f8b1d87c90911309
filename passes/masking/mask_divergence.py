"""
Level 2 to level 3: inside a sub-group only uniform branches and loops.

* A divergent `scf.if` or `scf.index_switch` becomes straight-line code: each branch runs
  in `spmd.masked`, or in all lanes where that can do no harm. A branch with loops,
  uniform memory accesses or much work is skipped if no lane wants it (`spmd.any`).
* A divergent loop runs while any lane lives. Values of finished lanes are kept only
  if somebody reads them after the loop; all other state of finished lanes is garbage.
* A private array of dynamic size has no elements where a lane is inactive.
* A `count` of a sub-group becomes a mask around its whole body. What is 0 in all lanes, such as
  `%v & 0`, becomes a constant: an inactive lane has garbage.
* Uniform branches and loops stay. Under a mask they run only where some lane is active,
  since their conditions mean nothing elsewhere. Conditions whose uniformity does not
  outlast the masks are asked of the active lanes (`masking/conditions.py`).
* A branch that several paths lead to, on each of which a uniform branch decided last, is
  skipped where none of them decided for it (`masking/bounds.py`).

A mask is narrowed by `arith.select %mask, %condition, %false`: `arith.andi` would let
the garbage of an inactive lane through.

Requires: level 2; every `spmd.sub_group` body passes `why_not_vectorizable`.
Ensures: no branch or loop in a sub-group is divergent; masked regions have one block
without control flow; no sub-group has a `count`.

```mlir
// before
spmd.sub_group (%lx) shape [16] at (%first) {
  %v = memref.load %x[%lx] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  scf.if %positive {
    memref.store %v, %y[%lx] : memref<?xf32>
  }
  %r = scf.while (%a = %v) : (f32) -> f32 {
    %more = arith.cmpf ogt, %a, %one : f32
    scf.condition(%more) %a : f32
  } do {
  ^bb0(%a: f32):
    %half = arith.mulf %a, %c : f32
    scf.yield %half : f32
  }
  memref.store %r, %z[%lx] : memref<?xf32>
}

// after
spmd.sub_group (%lx) shape [16] at (%first) {
  %v = memref.load %x[%lx] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  spmd.masked %positive {
    memref.store %v, %y[%lx] : memref<?xf32>
  }
  %live, %r = scf.while (%live = %true, %a = %v) : (i1, f32) -> (i1, f32) {
    %more = arith.cmpf ogt, %a, %one : f32
    %active = arith.select %live, %more, %false : i1
    %some = spmd.any %active across sub_group
    scf.condition(%some) %active, %a : i1, f32
  } do {
  ^bb0(%live: i1, %a: f32):
    %half = arith.mulf %a, %c : f32
    %kept = arith.select %live, %half, %a : f32
    scf.yield %live, %kept : i1, f32
  }
  memref.store %r, %z[%lx] : memref<?xf32>
}
```
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.divergence.analyze import Divergence, analyze_sub_group
from spmd.dialects.building import ConstantPool
from spmd.dialects.enclosing import function_around
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.control_flow import decisions
from spmd.dialects.remarks import MaskedDivergence, is_listened_to, remark
from spmd.dialects.rewriting import replace
from spmd.dialects.spmd import SubGroupOp, ends_launch
from spmd.dialects.work_groups import NEAR_EDGE
from spmd.passes.masking.control import mask_sub_group


@dataclass(frozen=True)
class MaskDivergencePass(ModulePass):
    """Makes control flow in sub-groups uniform; see the module docstring."""

    name = "mask-divergence"

    skip: bool = True
    """Skips branches that no lane takes, also where that is not needed but pays."""

    keep_uniform: bool = True
    """Leaves uniform branches and loops as they are."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        groups = [each for each in op.walk() if isinstance(each, SubGroupOp)]
        for group in groups:
            if not group.counts and not any(op.regions for op in group.body.block.ops):
                continue  # All lanes exist, and none can part from the others.
            divergence = analyze_sub_group(group)
            if is_listened_to():
                _explain(group, divergence)
            _fold_zeros(group, divergence)
            mask_sub_group(
                group, divergence, skip=self.skip, keep_uniform=self.keep_uniform
            )


def _fold_zeros(group: SubGroupOp, divergence: Divergence) -> None:
    """
    Make what is 0 in all lanes a constant, such as `%v & 0`.

    Of what is computed from numbers that only the active lanes have, nothing else is the same
    in all of them. Where the others have garbage it would be no address or view of all.
    """
    constants = ConstantPool(function_around(group).body.block)
    dimensions = range(divergence.dimensions)
    for op in tuple(group.body.walk()):
        if FunctionOfOperands.of(op) is not None and all(
            divergence.shape(result, d).is_zero
            for result in op.results
            for d in dimensions
        ):
            zeros = [constants.zero(result.type) for result in op.results]
            replace(op, (), zeros)


def _explain(group: SubGroupOp, divergence: Divergence) -> None:
    """Say where the lanes of `group` diverge, and why."""
    for op in group.body.walk():
        if isinstance(op, scf.IfOp) and ends_launch(op.true_region.block):
            continue  # One test for all lanes: nothing runs under masks.
        if isinstance(op, scf.IfOp) and NEAR_EDGE in op.attributes:
            continue  # Loads of lanes at the border of an array, which are few.
        if decisions(op) and divergence.is_divergent(op):
            first, *chain = divergence.why_divergent(op).split("\n")
            reason = first.partition("is divergent: ")[2] or first
            near = "near an edge, " if NEAR_EDGE in op.attributes else ""
            why = near + "; ".join((reason, *chain[-1:]))
            remark(MaskedDivergence, op, group, why)
