"""
Collectives that compute what they combine.

What goes into a collective of the work-group lies in a context, which a loop over the
work-items fills. A loop that does nothing else, and little, becomes part of the loop that
combines the values; then nothing has to be kept.

```mlir
// before
scf.for %lx = %c0 to %local_size_x step %c1 {
  %gid = arith.addi %base_x, %lx overflow<nsw, nuw> : index
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %v, %v_context[%lx] : memref<256xf32>
} {spmd.work_items = array<i64: 0>}
%sum = scf.for %ix = %c0 to %local_size_x step %c1 iter_args(%total = %zero) -> (f32) {
  %v_1 = memref.load %v_context[%ix] : memref<256xf32>
  %next = arith.addf %total, %v_1 fastmath<reassoc> : f32
  scf.yield %next : f32
}
// after
%sum = scf.for %ix = %c0 to %local_size_x step %c1 iter_args(%total = %zero) -> (f32) {
  %gid = arith.addi %base_x, %ix overflow<nsw, nuw> : index
  %v = memref.load %x[%gid] : memref<?xf32>
  %next = arith.addf %total, %v fastmath<reassoc> : f32
  scf.yield %next : f32
}
```

The loads see the same memory later, as nothing is written in between. More than a few
operations, and those that LLVM does not vectorize in such a loop, stay in a loop over
work-items, which `vectorize` takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from spmd.dialects.building import Builder
from spmd.dialects.enclosing import parent_block
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.cost import is_library_function
from spmd.dialects.interfaces.speculation import is_integer_division
from spmd.dialects.rewriting import has_no_effect
from spmd.dialects.spmd import KernelOp
from spmd.dialects.work_groups import CONTEXT, is_work_item_loop

MOST_OPERATIONS = 8
"""What may be computed while the values are combined."""


def fuse_collectives(kernel: KernelOp) -> None:
    """Do away with contexts that are filled only to be combined in the next loop."""
    for context in tuple(kernel.body.block.ops):
        if isinstance(context, memref.AllocaOp) and CONTEXT in context.attributes:
            _fuse(context)


Nest = Sequence[scf.ForOp]
"""Loops that have nothing but each other, the outermost first."""


def _bounds(nest: Nest) -> list[tuple[SSAValue, ...]]:
    return [(loop.lb, loop.ub, loop.step) for loop in nest]


def _ids(nest: Nest) -> tuple[SSAValue, ...]:
    return tuple(loop.body.block.args[0] for loop in nest)


def _nest_around(op: Operation, *, work_items: bool, depth: int) -> Nest | None:
    """The `depth` loops around `op`, if they are over the work-items or carry one value."""
    loops: list[scf.ForOp] = []
    for _ in range(depth):
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp) or is_work_item_loop(loop) != work_items:
            return None
        if len(loop.iter_args) != (0 if work_items else 1):
            return None
        body = loop.body.block
        if loops and (op.prev_op is not None or op.next_op is not body.last_op):
            return None
        loops.append(loop)
        op = loop
    return loops[::-1]


def _fuse(context: memref.AllocaOp) -> None:
    uses = [use.operation for use in context.memref.uses]
    loads = [op for op in uses if isinstance(op, memref.LoadOp)]
    stores = {op.parent: op for op in uses if isinstance(op, memref.StoreOp)}
    if len(loads) != len(stores) or len(loads) + len(stores) != len(uses):
        return
    pairs: list[_Pair] = []
    for load in loads:
        pair = _pair_of(load, stores)
        if pair is None:
            return
        pairs.append(pair)
    for pair in pairs:
        pair.fuse()
    Rewriter.erase_op(context)


@dataclass(frozen=True)
class _Pair:
    """Loops that fill a context, and those after them that combine what is in it."""

    filling: Nest
    folding: Nest
    store: memref.StoreOp
    load: memref.LoadOp

    def moved(self) -> list[Operation]:
        """What computes the values that go into the context."""
        return [op for op in _without_end(self.store) if op is not self.store]

    def why_not(self) -> str | None:
        """Why the values may not, or should not, be computed by the second loops."""
        if _bounds(self.filling) != _bounds(self.folding):
            return "the loops are over different work-items"
        indices = tuple(self.store.indices), tuple(self.load.indices)
        if indices != (_ids(self.filling), _ids(self.folding)):
            return "a work-item's value is not its own element"
        moved = self.moved()
        if len(moved) > MOST_OPERATIONS or not all(map(_may_move, moved)):
            return "a loop over work-items does it better"
        if not all(
            op is self.load or has_no_effect(op) for op in _without_end(self.load)
        ):
            return "the second loops do more than to combine values"
        return None

    def fuse(self) -> None:
        Builder.before(self.load).move(self.moved())
        self.load.res.replace_all_uses_with(self.store.value)
        for old, new in zip(_ids(self.filling), _ids(self.folding), strict=True):
            old.replace_all_uses_with(new)
        Rewriter.erase_op(self.load)
        Rewriter.erase_op(self.filling[0])


def _pair_of(
    load: memref.LoadOp, stores: Mapping[Block | None, memref.StoreOp]
) -> _Pair | None:
    """The loops around `load` with those right before them, if they can be fused."""
    depth = len(load.indices)
    folding = _nest_around(load, work_items=False, depth=depth)
    if not depth or folding is None:
        return None
    before = folding[0].prev_op
    while before is not None and has_no_effect(before):
        before = before.prev_op
    innermost = before
    for _ in range(depth - 1):
        if isinstance(innermost, scf.ForOp):
            innermost = innermost.body.block.first_op
    if not isinstance(innermost, scf.ForOp):
        return None
    store = stores.get(innermost.body.block)
    filling = store and _nest_around(store, work_items=True, depth=depth)
    if store is None or filling is None:
        return None
    pair = _Pair(filling, folding, store, load)
    return pair if pair.why_not() is None else None


def _may_move(op: Operation) -> bool:
    if isinstance(op, memref.LoadOp):
        return True
    return Elementwise.of(op) is not None and not (
        is_integer_division(op) or is_library_function(op)
    )


def _without_end(op: Operation) -> list[Operation]:
    """The operations of the block of `op` but for the last one."""
    block = parent_block(op)
    return [other for other in block.ops if other is not block.last_op]
