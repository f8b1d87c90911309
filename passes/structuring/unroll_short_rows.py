"""
Loops over the few elements of a point or a pixel, written out.

`for c in range(3): out[i, c] = 255 - image[i, c]` has work-items that access every third element
in each iteration. Written out, they access all that lies between them, which are loads
and stores of whole vectors (`combine-strided-accesses`).

```mlir
// before
scf.for %c = %c0 to %c2 step %c1 {
  %v = memref.load %x[%i, %c] : memref<?x2xf32>
  memref.store %v, %y[%i, %c] : memref<?x2xf32>
}
// after
%v = memref.load %x[%i, %c0] : memref<?x2xf32>
memref.store %v, %y[%i, %c0] : memref<?x2xf32>
%v_1 = memref.load %x[%i, %c1] : memref<?x2xf32>
memref.store %v_1, %y[%i, %c1] : memref<?x2xf32>
```

A loop is written out if it runs no more often than such a row has elements, accesses them in no
other loop in it, and has nothing in it that work-items do together. LLVM writes out loops
as short, but later.

Requires: level 0.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.access_patterns import element_strides
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.known_iterations import known_iterations
from spmd.dialects.building import ConstantPool
from spmd.dialects.interfaces.speculation import is_speculatable
from spmd.dialects.rewriting import trip_count
from spmd.dialects.spmd import convergence_of
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.work_groups import is_private
from spmd.passes.rematerialization.unrolling import Unroller
from spmd.passes.targets import LONGEST_STEP

MOST_OPERATIONS = 256
"""That a loop becomes."""


@dataclass(frozen=True)
class UnrollShortRowsPass(ModulePass):
    """Writes out loops over points and pixels; see the module docstring."""

    name = "unroll-short-rows"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            constants = ConstantPool(kernel.body.blocks[0])
            loops = [each for each in kernel.walk() if isinstance(each, scf.ForOp)]
            for loop in reversed(loops):
                trips = trip_count(loop)
                if trips is None or trips > LONGEST_STEP:
                    continue
                if len(inside := list(loop.body.walk())) * trips > MOST_OPERATIONS:
                    continue
                if any(map(convergence_of, inside)) or not _goes_along_row(loop):
                    continue
                iterations = known_iterations(loop, trips)
                assert iterations is not None, "the loop has bounds that are known"
                Unroller(loop, constants).unroll(iterations)


def _goes_along_row(loop: scf.ForOp) -> bool:
    """Whether each iteration accesses an element of a short row, of which work-items have others."""
    counter, blocks = loop.body.block.args[0], [loop.body.block]
    while blocks:
        for op in blocks.pop().ops:
            if isinstance(op, scf.IfOp):
                blocks += [region.block for region in op.regions if region.blocks]
            elif isinstance(op, memref.LoadOp | memref.StoreOp) and _is_along_row(
                op, counter
            ):
                return True
    return False


def _is_along_row(op: memref.LoadOp | memref.StoreOp, counter: SSAValue) -> bool:
    """Whether `counter` says where in a short row `op` accesses an element."""
    if is_private(op.memref):
        return False
    along = [counter in reachable([index], _computed_from) for index in op.indices]
    strides = element_strides(op.memref)
    rows = zip(along, along[1:], strides, strict=False)
    return any(
        not outer and inner and stride is not None and 0 < stride <= LONGEST_STEP
        for outer, inner, stride in rows
    )


def _computed_from(value: SSAValue) -> Sequence[SSAValue]:
    op = value.owner
    return () if isinstance(op, Block) or not is_speculatable(op) else op.operands
