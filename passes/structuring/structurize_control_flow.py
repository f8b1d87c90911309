"""
Branches and loops instead of blocks.

Each cycle of blocks becomes one loop, each branch an `scf.if` or `scf.index_switch`: see
`structuring.plan`. A loop that is left only where it begins becomes an `scf.while` with
that condition, or an `scf.for` if it counts up to a bound; any other one an `scf.while`
that decides at its end. What stands after several paths stands there once, so that every
barrier and sub-group operation is still one, and the work-items that met there still do.

```mlir
// before
  cf.cond_br %skip, ^rest(%v : f32), ^work
^work:
  %w = arith.mulf %v, %v : f32
  cf.br ^rest(%w : f32)
^rest(%r: f32):
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return

// after
  %r = scf.if %skip -> (f32) {
    scf.yield %v : f32
  } else {
    %w = arith.mulf %v, %v : f32
    scf.yield %w : f32
  }
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
```

Requires: `check-barriers`, which reads the branches of the source.
Ensures: kernels of one block, without `cf.br`, `cf.cond_br`, `cf.switch` and
`scf.execute_region`. A loop of blocks that is entered in two places is an error.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.dialects.spmd import KernelOp
from spmd.dialects.spmd.kernel import kernels_in


@dataclass(frozen=True)
class StructurizeControlFlowPass(ModulePass):
    """Structured control flow instead of blocks; see the module docstring."""

    name = "structurize-control-flow"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            structurize_kernel(kernel)


def structurize_kernel(kernel: KernelOp, *, allow_irreducible: bool = False) -> None:
    """
    Do to one kernel what the pass does to all of a module.

    Loops with several entries can be structured too; they are refused because no analysis
    of the source understands them.
    """
    regions = [op for op in kernel.walk() if isinstance(op, scf.ExecuteRegionOp)]
    if regions or len(kernel.body.blocks) > 1:
        # Imported only here: most kernels are structured as they are.
        from spmd.passes.structuring.structurize import structurize_regions

        structurize_regions(kernel, regions, allow_irreducible=allow_irreducible)
