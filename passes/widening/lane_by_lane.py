"""
Ops without a vector form: a loop over the active lanes around one op alone.

What the op needs of each lane is stored before the loop, and what it gives is loaded as
vectors after it. Memrefs that differ between lanes are made in the loop.

```mlir
// before, level 3
%old = spmd.masked %on -> (i32) {
  %old_1 = spmd.atomic_rmw add %v, %h[%bin] : memref<?xi32>
  ...

// after
vector.store %v, %v_lanes[%c0] : memref<16xi32>, vector<16xi32>
vector.store %bin, %bin_lanes[%c0] : memref<16xindex>, vector<16xindex>
%votes = ... // the bits of the mask
%full = arith.cmpi eq, %votes, %c65535_i64 : i64
scf.if %full {
  scf.for %lane = %c0 to %c16 step %c1 {
    %v_1 = memref.load %v_lanes[%lane] : memref<16xi32>
    %bin_1 = memref.load %bin_lanes[%lane] : memref<16xindex>
    %old_1 = spmd.atomic_rmw add %v_1, %h[%bin_1] : memref<?xi32>
    memref.store %old_1, %old_lanes[%lane] : memref<16xi32>
  }
} else {
  scf.while (%rest = %votes) ... {
    %lane = ... // the lowest bit of %rest that is set
    ... // the same
  }
} {spmd.access = "lane by lane", spmd.why = "spmd.atomic_rmw has no vector form"}
%old = vector.load %old_lanes[%c0] : memref<16xi32>, vector<16xi32>
```
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math, memref, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.hints import isa

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.building import Rematerializer
from spmd.dialects.element_types import memref_type, storage_type
from spmd.dialects.enclosing import used_from_outside
from spmd.dialects.rewriting import hint, named
from spmd.dialects.work_groups import aligned_alloca
from spmd.passes.widening.accesses.addresses import remark
from spmd.passes.widening.collectives import ballot
from spmd.passes.widening.lanes import Active, Prefix, Rows, Strided, Uniform, Varying
from spmd.passes.widening.state import Widening


def widen_lane_by_lane(
    widening: Widening, op: Operation, active: Active, why: str
) -> None:
    """Run `op` in one active lane after the other; `why` is what a user reads."""
    stored = _stored(widening, op)
    kept = {
        result: _Slot.of(widening, result)
        for result in op.results
        if result.first_use is not None and not isinstance(result.type, MemRefType)
    }

    def run(lane: SSAValue) -> None:
        of_lane = Rematerializer(
            widening, lambda value: _of_lane(widening, value, lane, stored)
        )
        for value in used_from_outside(op):
            of_lane.get(value)
        new = op.clone(of_lane.values)
        widening.append(new)
        for old, result in zip(op.results, new.results, strict=True):
            hint(result, old)
            if old in kept:
                kept[old].store(widening, result, lane)

    lanes = _in_active_lanes(widening, active, run)
    remark(lanes, "lane by lane", why)
    widening.append(lanes)
    for result, slot in kept.items():
        widening.lanes[result] = Varying(hint(slot.load(widening), result))


@dataclass(frozen=True)
class _Slot:
    """Memory with an element for each lane."""

    memory: SSAValue
    type: Attribute
    """Of the value; bits are stored as bytes."""

    @staticmethod
    def of(widening: Widening, value: SSAValue) -> _Slot:
        array = aligned_alloca(MemRefType(storage_type(value.type), [widening.width]))
        hint(array.memref, named(value, "lanes"))
        widening.at_function_head(array)
        return _Slot(array.memref, value.type)

    @property
    def _stored_type(self) -> Attribute:
        return storage_type(self.type)

    def fill(self, widening: Widening, lanes: SSAValue) -> None:
        """Store a vector."""
        if self._stored_type != self.type:
            wide = widening.vector_type(self._stored_type)
            lanes = widening.add(arith.ExtUIOp(lanes, wide))  # pyright: ignore[reportArgumentType]
        widening.append(vector.StoreOp(lanes, self.memory, [widening.zero]))

    def load(self, widening: Widening) -> SSAValue:
        """The elements of all lanes; garbage in those that stored none."""
        wide = widening.vector_type(self._stored_type)
        lanes = widening.add(vector.LoadOp(self.memory, [widening.zero], wide))
        if self._stored_type != self.type:
            narrow = widening.vector_type(self.type)
            lanes = widening.add(arith.TruncIOp(lanes, narrow))  # pyright: ignore[reportArgumentType]
        return lanes

    def store(self, widening: Widening, value: SSAValue, lane: SSAValue) -> None:
        """Store what one lane has."""
        stored = self._stored_type
        if isa(stored, IntegerType) and stored != self.type:
            value = widening.add(arith.ExtUIOp(value, stored))
        widening.append(memref.StoreOp.get(value, self.memory, [lane]))

    def load_one(self, widening: Widening, lane: SSAValue) -> SSAValue:
        """What one lane has."""
        value = widening.add(memref.LoadOp.get(self.memory, [lane]))
        if isa(self.type, IntegerType) and self.type != self._stored_type:
            value = widening.add(arith.TruncIOp(value, self.type))
        return value


def _stored(widening: Widening, op: Operation) -> dict[SSAValue, _Slot]:
    """Where what differs between lanes, and `op` needs, is found in a loop over them."""

    def made_of(value: SSAValue) -> tuple[SSAValue, ...]:
        if value in widening.private:
            return widening.private[value].extents
        if value in widening.lane_views:
            assert isinstance(value.owner, Operation)
            return tuple(value.owner.operands)
        return ()

    slots: dict[SSAValue, _Slot] = {}
    for value in reachable(used_from_outside(op), made_of):
        if isinstance(value.type, MemRefType):
            continue
        match widening.of(value):
            case Varying() | Prefix() | Rows() as held:
                slots[value] = _Slot.of(widening, value)
                slots[value].fill(widening, widening.vector(held))
            case _:
                pass
    return slots


def _of_lane(
    widening: Widening, value: SSAValue, lane: SSAValue, stored: dict[SSAValue, _Slot]
) -> SSAValue | None:
    """What `lane` has of a value; `None` if it is a view, which is made there."""
    if value in widening.lane_views:
        return None
    if isinstance(value.type, MemRefType):
        private = widening.private.get(value)
        if private is None or private.part is None:
            return widening.array(value)
        start = widening.add(arith.MuliOp(lane, private.part))
        sizes = [
            found
            for extent in private.extents
            if (found := _of_lane(widening, extent, lane, stored)) is not None
        ]
        view = memref.ViewOp.build(
            operands=[private.array, start, sizes], result_types=[memref_type(value)]
        )
        return widening.add(view, value)
    if value in stored:
        return hint(stored[value].load_one(widening, lane), value)
    match widening.of(value):
        case Uniform(scalar=scalar):
            return scalar
        case Strided(first=first, stride=stride):
            steps = lane
            if not isinstance(first.type, IndexType):
                steps = widening.add(arith.IndexCastOp(steps, first.type))
            if stride != 1:
                factor = widening.constants.number(stride, first.type)
                steps = widening.add(arith.MuliOp(steps, factor))
            return widening.add(arith.AddiOp(first, steps), value)
        case _:
            raise AssertionError("what differs between lanes is stored")


def _in_active_lanes(
    widening: Widening, active: Active, run: Callable[[SSAValue], None]
) -> Operation:
    """What runs the code that `run` writes for a lane, for the active ones in order."""
    match active.mask:
        case None | Prefix() as mask:
            return _counted(widening, mask, run)
        case held:
            votes = ballot(widening, widening.vector(held))
            # A loop of known length is unrolled, and nobody looks for the next lane.
            bits = (1 << widening.width) - 1 if widening.width < 64 else -1
            every = widening.constants.number(bits, votes.type)
            full = widening.add(arith.CmpiOp(votes, every, "eq"), "full")
            then, otherwise = Block(), Block()
            with widening.into(then):
                widening.append(_counted(widening, None, run), scf.YieldOp())
            with widening.into(otherwise):
                widening.append(_while_bits(widening, votes, run), scf.YieldOp())
            return scf.IfOp(full, (), Region(then), Region(otherwise))


def _counted(
    widening: Widening, mask: Prefix | None, run: Callable[[SSAValue], None]
) -> scf.ForOp:
    """A loop over the first lanes."""
    end = widening.constants.number(widening.width, IndexType())
    if mask is not None:
        end = widening.add(arith.MinSIOp(mask.count, end), named(mask.count, "lanes"))
    one = widening.constants.number(1, IndexType())
    body = Block(arg_types=[IndexType()])
    with widening.into(body):
        run(hint(body.args[0], "lane"))
        widening.append(scf.YieldOp())
    return scf.ForOp(widening.zero, end, one, (), body)


def _while_bits(
    widening: Widening, votes: SSAValue, run: Callable[[SSAValue], None]
) -> scf.WhileOp:
    """A loop over the bits that are set: the lowest one is next, and is cleared then."""
    number = votes.type
    test, body = Block(arg_types=[number]), Block(arg_types=[number])
    (rest,) = test.args
    hint(rest, "rest")
    with widening.into(test):
        none = widening.constants.number(0, number)
        go_on = widening.add(arith.CmpiOp(rest, none, "ne"))
        widening.append(scf.ConditionOp(go_on, rest))
    (rest,) = body.args
    hint(rest, "rest")
    with widening.into(body):
        place = widening.add(math.CountTrailingZerosOp(rest))
        run(widening.add(arith.IndexCastOp(place, IndexType()), "lane"))
        one = widening.constants.number(1, number)
        less = widening.add(arith.SubiOp(rest, one))
        widening.append(scf.YieldOp(widening.add(arith.AndIOp(rest, less))))
    return scf.WhileOp([votes], [number], Region(test), Region(body))
