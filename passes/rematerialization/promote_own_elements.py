"""
Makes values of elements of local memory that only one work-item reads and writes.

An array with an element for each work-item, which no other one looks at, is no memory that
they share. What a work-item adds up there is carried by its loops, is seen by the passes that
follow (`solve-recurrences`), and stays in registers.

```mlir
// before
%tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
memref.store %zero, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
scf.for %i = %c0 to %n step %c1 {
  %old = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  %new = arith.addi %old, %v : i32
  memref.store %new, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
}
%sum = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
// after
%sum = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (i32) {
  %new = arith.addi %old, %v : i32
  scf.yield %new : i32
}
```

*Legality.* All that uses the array are loads and stores at the same indices, which a work-item
computes once and which differ between all work-items of a group, in `scf.if`, `scf.for` and
`scf.while`. Nobody sees the memory then but its owner, in the order of its program. What was
never written is poison. A kernel with barriers or collectives left is not touched: what is needed
after them lies in memory anyway.

Requires: `hoist-ids`, `drop-redundant-barriers`.
Ensures: no kernel without barriers has such an array.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from spmd.analysis.barriers.own_elements import OwnElements
from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.building import Builder
from spmd.dialects.rewriting import replace
from spmd.dialects.spmd import KernelOp, LocalAllocOp, is_sync
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.rematerialization.promotion import Promoter, why_not_followed


@dataclass(frozen=True)
class PromoteOwnElementsPass(ModulePass):
    """Values in the place of own elements; see the module docstring."""

    name = "promote-own-elements"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            promote_own_elements(kernel)


def promote_own_elements(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    arrays = [op for op in kernel.body.blocks[0].ops if isinstance(op, LocalAllocOp)]
    if not arrays or len(kernel.body.blocks) > 1 or any(map(is_sync, kernel.walk())):
        return
    elements = OwnElements(kernel, lambda: analyze_kernel(kernel))
    for array in arrays:
        if _why_not_promote(array, kernel, elements) is None:
            element = array.memref.type.element_type
            at = Builder.before(array)
            first = at.add(ub.PoisonOp(element), "undefined")
            accesses = {use.operation: 0 for use in array.memref.uses}
            Promoter(accesses).promote(kernel.body.blocks[0], (first,))
            replace(array, (), (None,))


def _why_not_promote(
    array: LocalAllocOp, kernel: KernelOp, elements: OwnElements
) -> str | None:
    """Why the elements of `array` have to stay in memory."""
    memory, indices = array.memref, None
    for use in memory.uses:
        op = use.operation
        reason = why_not_followed(op, memory, kernel.body.blocks[0])
        if reason is not None:
            return reason
        assert isinstance(op, memref.LoadOp | memref.StoreOp)
        if indices is not None and indices != tuple(op.indices):
            return "there are several indices"
        indices = tuple(op.indices)
    if indices is None or not elements.is_own(memory, indices):
        return "work-items may look at the elements of others"
    return None
