"""
Ends of a launch in vector code: one test for all lanes, and words about the first that fails.

```mlir
// before
%some = spmd.any %bad across sub_group
scf.if %some {
  spmd.masked %bad {
    spmd.fail "{} is too much"(%i) : index
  }
}

// after, where %i is 3 more from lane to lane
%some = vector.reduction <or>, %bad : vector<16xi1> into i1
scf.if %some {
  %places = arith.select %bad, %lane, %c16_lanes : vector<16xi1>, vector<16xindex>
  %failing = vector.reduction <minui>, %places : vector<16xindex> into index
  %ahead = arith.muli %failing, %c3 : index
  %i_1 = arith.addi %i, %ahead : index
  spmd.fail "{} is too much"(%i_1) : index
}
```
"""

from __future__ import annotations

from xdsl.dialects import arith, cf, scf, vector
from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.dialects.vector import CombiningKindFlag
from xdsl.ir import Block, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.dialects.rewriting import hint
from spmd.dialects.spmd import FailOp
from spmd.passes.widening.emitter import clone_with, reduction
from spmd.passes.widening.lanes import Active, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening


def widen_assert(widening: Widening, op: cf.AssertOp, active: Active) -> None:
    """No active lane may fail."""
    held = widening.of(op.arg)
    if active.mask is not None:
        lanes = widening.in_active(active, widening.vector(held), widening.all_on())
        held = Varying(lanes)
    widening.append(cf.AssertOp(widening.vote(held, every=True), op.msg))


def widen_fail(widening: Widening, op: FailOp, active: Active) -> None:
    """The first active lane fails, if there is one."""
    if active.mask is not None and not active.some:
        failing = Block()
        with widening.into(failing):
            widen_fail(widening, op, Active(active.mask))
            widening.append(scf.YieldOp())
        some = widening.vote(active.mask)
        widening.append(scf.IfOp(some, (), Region(failing)))
        return
    lane = None if active.first else _first_active(widening, active)
    values = [_of_lane(widening, value, lane) for value in op.values]
    widening.append(clone_with(op, values, ()))


def _first_active(widening: Widening, active: Active) -> SSAValue:
    """The number of the first active lane."""
    index = IndexType()
    places = widening.in_active(active, widening.steps(index, 1), widening.width)
    first = reduction(places, CombiningKindFlag.MINUI, index)
    return widening.add(first, "failing")


def _of_lane(widening: Widening, value: SSAValue, lane: SSAValue | None) -> SSAValue:
    """What `lane` has of `value`; without one, lane 0."""
    held = widening.of(value)
    if lane is None:
        return widening.of_lane(held, 0)
    match held:
        case Uniform(scalar=scalar):
            return scalar
        case Strided(first=first, stride=stride):
            ahead = lane
            if first.type != lane.type:
                ahead = widening.add(arith.IndexCastOp(lane, first.type))
            step = widening.constants.number(stride, first.type)
            ahead = widening.add(arith.MuliOp(ahead, step), "ahead")
            return hint(widening.add(arith.AddiOp(first, ahead)), value)
        case _:
            lanes = widening.vector(held)
            assert isa(lanes.type, VectorType)
            extract = vector.ExtractOp(lanes, [lane], lanes.type.element_type)
            return widening.add(extract, value)
