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

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import memref, scf, ub
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.barriers.own_elements import OwnElements
from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.dialects.building import Builder
from spmd.dialects.enclosing import terminator
from spmd.dialects.rewriting import hint, locate, replace
from spmd.dialects.spmd import KernelOp, LocalAllocOp, is_sync
from spmd.dialects.spmd.kernel import kernels_in


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
            _Promoter(array.memref, element).block(kernel.body.blocks[0], first)
            replace(array, (), (None,))


def _why_not_promote(
    array: LocalAllocOp, kernel: KernelOp, elements: OwnElements
) -> str | None:
    """Why the elements of `array` have to stay in memory."""
    memory, indices = array.memref, None
    for use in memory.uses:
        op = use.operation
        if (
            not isinstance(op, memref.LoadOp | memref.StoreOp)
            or op.memref is not memory
        ):
            return f"{op.name} may look at any of its elements"
        if indices is not None and indices != tuple(op.indices):
            return "there are several indices"
        indices = tuple(op.indices)
        around = op.parent_op()
        while around is not None and around is not kernel:
            if not isinstance(around, scf.IfOp | scf.ForOp | scf.WhileOp):
                return f"{around.name} does not pass values on"
            around = around.parent_op()
    if indices is None or not elements.is_own(memory, indices):
        return "work-items may look at the elements of others"
    return None


class _Promoter:
    """Follows the value of one element through the code that runs in order."""

    def __init__(self, memory: SSAValue, element: Attribute):
        self._memory = memory
        self._element = element
        self._touching: set[Operation] = set()
        """What loads or stores the element, or contains what does."""
        self._changing: set[Operation] = set()
        for use in memory.uses:
            op: Operation | None = use.operation
            stores = isinstance(op, memref.StoreOp)
            while op is not None:
                self._touching.add(op)
                if stores:
                    self._changing.add(op)
                op = op.parent_op()

    def block(self, block: Block, value: SSAValue) -> SSAValue:
        """Replace accesses in `block`, which begins with `value`; what it ends with."""
        for op in tuple(block.ops):
            if op not in self._touching:
                continue
            match op:
                case memref.LoadOp():
                    replace(op, (), (hint(value, op.res),))
                case memref.StoreOp():
                    value = op.value
                    replace(op, ())
                case scf.IfOp():
                    value = self._branch(op, value)
                case scf.ForOp():
                    value = self._counted(op, value)
                case scf.WhileOp():
                    value = self._loop(op, value)
                case _:
                    raise AssertionError(f"{op.name} does not pass values on")
        return value

    def _branch(self, op: scf.IfOp, value: SSAValue) -> SSAValue:
        ends = [self.block(r.block, value) if r.blocks else value for r in op.regions]
        if op not in self._changing:
            return value
        then, other = (op.detach_region(region) for region in tuple(op.regions))
        if not other.blocks:
            other.add_block(Block((scf.YieldOp(),)))
        for region, end in zip((then, other), ends, strict=True):
            _give(region.block, end)
        types = [*op.result_types, self._element]
        return _instead(op, scf.IfOp(op.cond, types, then, other))

    def _counted(self, op: scf.ForOp, value: SSAValue) -> SSAValue:
        body = op.body.block
        if op not in self._changing:
            self.block(body, value)
            return value
        carried = body.insert_arg(self._element, len(body.args))
        _give(body, self.block(body, hint(carried, value)))
        region = op.detach_region(op.body)
        starts = (*op.iter_args, value)
        return _instead(op, scf.ForOp(op.lb, op.ub, op.step, starts, region))

    def _loop(self, op: scf.WhileOp, value: SSAValue) -> SSAValue:
        regions = op.before_region, op.after_region
        if op not in self._changing:
            for region in regions:
                self.block(region.block, value)
            return value
        for region in regions:
            block = region.block
            carried = block.insert_arg(self._element, len(block.args))
            _give(block, self.block(block, hint(carried, value)))
        before, after = (op.detach_region(region) for region in regions)
        types = [*op.result_types, self._element]
        return _instead(op, scf.WhileOp((*op.arguments, value), types, before, after))


def _give(block: Block, value: SSAValue) -> None:
    """Let the end of `block` give on `value`, too."""
    end = terminator(block)
    end.operands = (*end.operands, value)


def _instead(old: Operation, new: scf.IfOp | scf.ForOp | scf.WhileOp) -> SSAValue:
    """Put `new` in the place of `old`, which has one result less; this result."""
    new.attributes = old.attributes
    locate(new, old)
    results: Sequence[SSAValue] = new.results
    replace(old, new, results[:-1])
    return results[-1]
