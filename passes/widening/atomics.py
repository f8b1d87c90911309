"""
Atomic updates of one element by all lanes: their values are combined first.

```mlir
// before, level 3
%old = spmd.masked %on -> (i32) {
  %old_1 = spmd.atomic_rmw add %v, %count[%c0] : memref<?xi32>
  ...

// after
%part = arith.select %on, %v, %zeros : vector<16xi1>, vector<16xi32>
%total = vector.reduction <add>, %part : vector<16xi32> into i32
%first = spmd.atomic_rmw add %total, %count[%c0] : memref<?xi32>
%before = ... // the exclusive scan of %part, if %old is used
%old = arith.addi %first_lanes, %before : vector<16xi32>
```

Each lane sees the values of the lanes before it, as if they had come one after the other.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.ir import Block, Region, SSAValue

from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import AtomicRmwOp, Kind
from spmd.dialects.spmd.atomics import AtomicKind
from spmd.dialects.spmd.types import combine, neutral_element
from spmd.passes.collectives.lane_scans import scan_lanes
from spmd.passes.widening.collectives import reduce_lanes
from spmd.passes.widening.emitter import clone_with
from spmd.passes.widening.lanes import Active, Uniform, Varying
from spmd.passes.widening.state import Widening


def widen_combined(widening: Widening, op: AtomicRmwOp, active: Active) -> None:
    """One update for all active lanes, and none if there are none."""
    if active.some:
        old = _update(widening, op, active)
    else:
        assert active.mask is not None
        types = [widening.vector_type(op.old.type)] if op.old.first_use else []
        then = Block()
        with widening.into(then):
            old = _update(widening, op, active)
            widening.append(scf.YieldOp(*(() if old is None else (old,))))
        nothing = [widening.dense(0, op.old.type)] if types else []
        otherwise = Region(Block([scf.YieldOp(*nothing)])) if types else None
        some = widening.vote(active.mask)
        guard = scf.IfOp(some, types, Region(then), otherwise)
        widening.append(guard)
        old = guard.results[0] if types else None
    if old is not None:
        widening.hold(op, [Varying(old)])


def _update(widening: Widening, op: AtomicRmwOp, active: Active) -> SSAValue | None:
    """The old value of each lane, if somebody asks for it."""
    kind = _kind(op.kind.data)
    type_ = op.value.type
    neutral = neutral_element(kind, type_)
    nothing = widening.dense(neutral.value.data, type_)
    lanes = widening.vector(widening.of(op.value))
    lanes = widening.in_active(active, lanes, nothing)
    total = hint(reduce_lanes(widening, kind, lanes), op.value)
    array = widening.array(op.memref)
    indices = [widening.once(index, active) for index in op.indices]
    new = clone_with(op, [total, array, *indices], op.result_types)
    first = widening.add(new, op.old)
    if op.old.first_use is None:
        return None
    add, constants = widening.add, widening.constants
    before = scan_lanes(add, constants, kind, lanes, nothing, exclusive=True)
    firsts = widening.vector(Uniform(first))
    if op.kind.data is AtomicKind.SUB:
        return widening.add(arith.SubiOp(firsts, before))
    return hint(widening.add(combine(kind, firsts, before)), op.old)


def _kind(kind: AtomicKind) -> Kind:
    """How the operands of several updates combine."""
    return Kind.ADD if kind is AtomicKind.SUB else Kind(kind.value)
