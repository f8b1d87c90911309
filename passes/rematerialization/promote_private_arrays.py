"""
Makes values of the elements of private arrays that are known by number.

What GPU programmers call a tile in registers is a private array that loops of few iterations
walk through. These loops are written out, and what is loaded is what was stored last: loops
around carry it, a barrier keeps as many numbers as are still asked for, and masks leave it alone.

```mlir
// before
%acc = memref.alloca() : memref<2xf32>
scf.for %i = %c0 to %c2 step %c1 {
  memref.store %zero, %acc[%i] : memref<2xf32>
}
scf.for %k = %c0 to %n step %c1 {
  scf.for %i = %c0 to %c2 step %c1 {
    %v = memref.load %x[%k, %i] : memref<?x2xf32>
    %old = memref.load %acc[%i] : memref<2xf32>
    %new = arith.addf %old, %v : f32
    memref.store %new, %acc[%i] : memref<2xf32>
  }
}
// after
%sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero, %b = %zero) -> (f32, f32) {
  %v = memref.load %x[%k, %c0] : memref<?x2xf32>
  %new = arith.addf %a, %v : f32
  %v_1 = memref.load %x[%k, %c1] : memref<?x2xf32>
  %new_1 = arith.addf %b, %v_1 : f32
  scf.yield %new, %new_1 : f32, f32
}
```

*Legality.* All that uses the array, or a view of it, are loads and stores, in `scf.if`, `scf.for` and `scf.while`,
at indices that are computed of constants and of counters of loops whose bounds are so, too.
What was never written is poison.

*What it costs.* Code for each iteration. So loops are written out only for an array that work-items
keep across a barrier, which would have to be memory of the group otherwise, and if the kernel grows by
no more than `MOST_OPERATIONS` for it and those before it. LLVM does the same with the others later.

Source: scalar replacement of aggregates, S. S. Muchnick, *Advanced Compiler Design and
Implementation*, 1997, section 12.2; D. Callahan, S. Carr, K. Kennedy, *Improving register
allocation for subscripted variables*, PLDI 1990, for arrays in loops.

Requires: structured control flow around the array.
Ensures: no kernel has an array of which this is legal and worth its cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref, scf, ub
from xdsl.dialects.builtin import DYNAMIC_INDEX, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.known_iterations import known_iterations
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.interfaces.view_folding import ViewFolding, accessed
from spmd.dialects.interfaces.views import makes_view, underlying_object
from spmd.dialects.rewriting import (
    constant_index,
    erase_dead_ops,
    merge_equal_ops,
    replace,
)
from spmd.dialects.spmd import KernelOp, is_sync
from spmd.dialects.spmd.kernel import kernels_in
from spmd.passes.rematerialization.promotion import Promoter, why_not_followed
from spmd.passes.rematerialization.unrolling import Unroller

MOST_OPERATIONS = 1024
"""By which a kernel grows at the most."""


@dataclass(frozen=True)
class PromotePrivateArraysPass(ModulePass):
    """Values in the place of elements of private arrays; see the module docstring."""

    name = "promote-private-arrays"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in kernels_in(op):
            promote_private_arrays(kernel)


def promote_private_arrays(kernel: KernelOp) -> None:
    """Do to one kernel what the pass does to all of a module."""
    if not any(isinstance(op, memref.AllocaOp) for op in kernel.walk()):
        return
    _fold_views(kernel)
    _unroll(kernel, _loops_to_unroll(kernel))
    for op in tuple(kernel.walk()):
        if isinstance(op, memref.AllocaOp) and (places := _places(op)) is not None:
            _promote(op, places)
    erase_dead_ops(kernel.body)


def _fold_views(kernel: KernelOp) -> None:
    """Let accesses through views of private arrays name elements of the arrays."""

    def is_private(memory: SSAValue) -> bool:
        array = underlying_object(memory).owner
        return isinstance(array, memref.AllocaOp) and array is not memory.owner

    ops = tuple(kernel.walk())
    if not any(map(makes_view, ops)):
        return
    constants = ConstantPool(kernel.body.blocks[0])
    for op in ops:
        position = accessed(op)
        if position is not None and is_private(op.operands[position]):
            ViewFolding(position, is_private, constants).fold(op)
    erase_dead_ops(kernel.body)


def _loops_to_unroll(kernel: KernelOp) -> dict[Operation, None]:
    """The loops that are written out, those around others first."""
    meeting = {
        block for op in kernel.walk() if is_sync(op) for block in _blocks_around(op)
    }
    blocks, ranges = kernel.body.blocks, IntegerRanges()
    size = _size(blocks, {}, ranges)
    chosen = dict[Operation, None]()
    for array in kernel.walk() if meeting else ():
        if isinstance(array, memref.AllocaOp) and _innermost(array) in meeting:
            more = chosen | (_loops_of(array) or {})
            if _size(blocks, more, ranges) - size <= MOST_OPERATIONS:
                chosen = more
    return {op: None for op in kernel.walk() if op in chosen} if chosen else chosen


def _blocks_around(op: Operation) -> Iterator[Block]:
    """The blocks that `op` stands in, the innermost first."""
    block = op.parent
    while block is not None:
        yield block
        around = block.parent_op()
        block = around and around.parent


def _innermost(array: memref.AllocaOp) -> Block | None:
    """The innermost block around all that uses `array`."""
    common: list[Block] | None = None
    for use in array.memref.uses:
        around = list(_blocks_around(use.operation))
        common = around if common is None else [b for b in common if b in around]
    return common[0] if common else None


def _loops_of(array: memref.AllocaOp) -> dict[Operation, None] | None:
    """The loops in each of whose iterations accesses know their element; `None`: they never do."""
    top = parent_block(array)
    loops = dict[Operation, None]()
    asked: list[SSAValue] = []
    for use in array.memref.uses:
        op = use.operation
        if why_not_followed(op, array.memref, top) is not None:
            return None
        assert isinstance(op, memref.LoadOp | memref.StoreOp)
        asked.extend(op.indices)
    seen = set(asked)
    while asked:
        value = asked.pop()
        before = _computed_from(value, loops)
        if before is None:
            return None
        asked.extend(v for v in before if v not in seen)
        seen.update(before)
    return loops


def _computed_from(
    value: SSAValue, loops: dict[Operation, None]
) -> Sequence[SSAValue] | None:
    """What an integer is computed from, if all that may be known; a counter adds its loop."""
    owner = value.owner
    if isinstance(owner, Block):
        loop = owner.parent_op()
        if not isinstance(loop, scf.ForOp) or value is not owner.args[0]:
            return None
        loops[loop] = None
        return (loop.lb, loop.ub, loop.step)
    if isinstance(owner, arith.ConstantOp):
        return ()
    if FunctionOfOperands.of(owner) is None or bit_width(value.type) is None:
        return None
    return owner.operands


def _size(
    blocks: Sequence[Block], unrolled: dict[Operation, None], ranges: IntegerRanges
) -> int:
    """How many operations there are, at the most, when loops are written out."""
    size = 0
    for block in blocks:
        for op in block.ops:
            inside = sum(_size(r.blocks, unrolled, ranges) for r in op.regions)
            size += (
                inside * _most_iterations(op, ranges) if op in unrolled else 1 + inside
            )
    return size


def _most_iterations(loop: Operation, ranges: IntegerRanges) -> int:
    """How often a counted loop runs at the most; not at all if it counts downwards."""
    assert isinstance(loop, scf.ForOp)
    first, end, step = map(ranges.of, (loop.lb, loop.ub, loop.step))
    return max(0, -(-(end.high - first.low) // max(1, step.low)))


def _unroll(kernel: KernelOp, chosen: dict[Operation, None]) -> None:
    """Write out the `chosen` loops, with those in their copies, the outermost first."""
    constants = ConstantPool(kernel.body.blocks[0])
    waiting: list[Operation] = [*reversed(list(chosen))]
    copies: list[Operation] = []

    def copied(op: Operation, copy: Operation) -> None:
        if op.regions:
            for old, new in zip(op.walk(), copy.walk(), strict=True):
                if old in chosen:
                    copies.append(new)

    while waiting:
        loop = waiting.pop()
        assert isinstance(loop, scf.ForOp)
        iterations = known_iterations(loop, MOST_OPERATIONS)
        if iterations is None:
            continue
        inside, block = set(loop.walk()), parent_block(loop)
        copies.clear()
        Unroller(loop, constants, copied).unroll(iterations)
        waiting = [*(op for op in waiting if op not in inside), *reversed(copies)]
        chosen |= dict.fromkeys(copies)
        if not copies:
            merge_equal_ops(block)


def _promote(array: memref.AllocaOp, places: dict[Operation, tuple[int, ...]]) -> None:
    """Replace the accesses of `array`, each at its place."""
    top = parent_block(array)
    numbers = {place: n for n, place in enumerate(sorted(set(places.values())))}
    at = Builder.before(array)
    undefined = at.add(ub.PoisonOp(array.memref.type.element_type), "undefined")
    accesses = {op: numbers[place] for op, place in places.items()}
    promoter = Promoter(accesses, array.memref.name_hint)
    promoter.promote(top, [undefined] * len(numbers))
    replace(array, (), (None,))


def _places(array: memref.AllocaOp) -> dict[Operation, tuple[int, ...]] | None:
    """Which element of `array` each of its accesses touches, if it can be promoted."""
    top, shape = parent_block(array), array.memref.type.get_shape()
    places = dict[Operation, tuple[int, ...]]()
    for use in array.memref.uses:
        op = use.operation
        if why_not_followed(op, array.memref, top) is not None:
            return None
        assert isinstance(op, memref.LoadOp | memref.StoreOp)
        known = [constant_index(index) for index in op.indices]
        place = tuple(i for i in known if i is not None)
        if len(place) < len(known) or not all(
            # What is accessed exists, whatever a size comes to.
            i >= 0 and (i < n or n == DYNAMIC_INDEX)
            for i, n in zip(place, shape, strict=True)
        ):
            return None
        places[op] = place
    return places
