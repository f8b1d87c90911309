"""
Short loops, of which iterations access what lies between the work-items, written out.

`for c in range(3): out[i, c] = 255 - image[i, c]` has work-items that access every third element
in each iteration. Written out, they access all that lies between them, which are loads
and stores of whole vectors (`combine-strided-accesses`). So do `x[4 * i + k]`, and `x[i ^ k]`, by
which neighbours trade places in a fashion that is known only if `k` is a number.

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

A loop is written out if it runs no more often than a row has elements that is accessed as a whole,
accesses them in no other loop in it, and has nothing in it that work-items do together. LLVM writes
out loops as short, but later.

Requires: level 0.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.access_patterns import access_pattern, element_strides
from spmd.analysis.divergence.analyze import Divergence, analyze_kernel
from spmd.analysis.divergence.known_places import KnownPlaces
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.known_iterations import known_iterations
from spmd.dialects.building import ConstantPool
from spmd.dialects.interfaces.speculation import is_speculatable
from spmd.dialects.rewriting import trip_count
from spmd.dialects.spmd import KernelOp, convergence_of
from spmd.dialects.spmd.kernel import kernels_in
from spmd.dialects.work_groups import is_private
from spmd.passes.rematerialization.unrolling import Unroller
from spmd.passes.targets import LONGEST_STEP

MOST_OPERATIONS = 256
"""That a loop becomes."""

FEW_APART = 4
"""Elements from one work-item to the next; tiles (`tile-walks`) are better for more."""

LANES = 16
"""Of which is asked how they trade places; as many as begin at a multiple of so many."""


@dataclass(frozen=True)
class UnrollShortLoopsPass(ModulePass):
    """Writes out loops that interleave; see the module docstring."""

    name = "unroll-short-loops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            constants = ConstantPool(kernel.body.blocks[0])
            loops = [each for each in kernel.walk() if isinstance(each, scf.ForOp)]
            items = _WorkItems(kernel)
            for loop in reversed(loops):
                if not (_is_short(loop) and items.interleave_in(loop)):
                    continue
                iterations = known_iterations(loop, LONGEST_STEP)
                assert iterations is not None, "the loop has bounds that are known"
                Unroller(loop, constants).unroll(iterations)
                items = _WorkItems(kernel)


def _is_short(loop: scf.ForOp) -> bool:
    trips, inside = trip_count(loop), [*loop.body.walk()]
    return (
        trips is not None
        and trips <= LONGEST_STEP
        and len(inside) * trips <= MOST_OPERATIONS
        and not any(map(convergence_of, inside))
    )


@dataclass(frozen=True)
class _WorkItems:
    """The work-items of a kernel, of which neighbours along x become lanes."""

    kernel: KernelOp

    @cached_property
    def _divergence(self) -> Divergence:
        return analyze_kernel(self.kernel)

    def interleave_in(self, loop: scf.ForOp) -> bool:
        """Whether iterations of `loop` access what others leave out."""
        counter, blocks = loop.body.block.args[0], [loop.body.block]
        while blocks:
            for op in blocks.pop().ops:
                if isinstance(op, scf.IfOp):
                    blocks += [region.block for region in op.regions if region.blocks]
                elif (
                    isinstance(op, memref.LoadOp | memref.StoreOp)
                    and not is_private(op.memref)
                    and counter in reachable(op.indices, _computed_from)
                    and (_is_along_row(op, counter) or self._trade_places(op, counter))
                ):
                    return True
        return False

    def _trade_places(
        self, op: memref.LoadOp | memref.StoreOp, counter: SSAValue
    ) -> bool:
        """Whether work-items are few elements apart, or would be if `counter` were a number."""
        stride = access_pattern(self._divergence, op).stride
        if stride is not None:
            inside = counter in reachable(op.indices[-1:], _computed_from)
            return inside and 1 < abs(stride) <= FEW_APART
        unknown, known = (
            KnownPlaces(self._divergence, 0, LANES, numbers).span(op)
            for numbers in (frozenset[SSAValue](), frozenset({counter}))
        )
        return unknown is None and known is not None


def _is_along_row(op: memref.LoadOp | memref.StoreOp, counter: SSAValue) -> bool:
    """Whether `counter` says where in a short row `op` accesses an element."""
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
