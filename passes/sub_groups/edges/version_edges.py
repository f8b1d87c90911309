"""
Loads around oneself, and loops over windows, where no lane is near an edge.

Beyond the edge of an array a stencil takes the last element, or begins again at the other
side: lanes load `x[max(i - 1, 0)]` or `x[(i + 1) % n]`. In all sub-groups but those at an edge
they are neighbours, which nothing proves. It is asked what the first lane and the last one
load: where an index rises by at most one from lane to lane, and in the end by one for each,
it rose by one everywhere.

```mlir
// before
spmd.sub_group (%i) shape [16] at (%base) {
  %left = arith.subi %i, %c1 : index
  %at = arith.maxsi %left, %c0 : index
  %v = memref.load %x[%at] : memref<?xf32>
  ...
}

// after
spmd.sub_group (%i) shape [16] at (%base) {
  %left_first = arith.subi %base, %c1 : index
  %at_first = arith.maxsi %left_first, %c0 : index
  %end = arith.addi %base, %c15 : index
  %left_last = arith.subi %end, %c1 : index
  %at_last = arith.maxsi %left_last, %c0 : index
  %span = arith.subi %at_last, %at_first : index
  %inside = arith.cmpi eq, %span, %c15 : index
  %v = scf.if %inside -> (f32) {
    %ahead = arith.subi %i, %base : index
    %here = arith.addi %at_first, %ahead : index
    %w = memref.load %x[%here] : memref<?xf32>
    scf.yield %w : f32
  } else {
    %left = arith.subi %i, %c1 : index
    %at = arith.maxsi %left, %c0 : index
    %w = memref.load %x[%at] {spmd.near_edge} : memref<?xf32>
    scf.yield %w : f32
  }
  ...
}
```

A loop over a window, `for k = max(i - w, 0) to min(i + w, n)`, is one over a window that lanes go
over together, with one counter, where both of its ends rise by one from lane to lane:

```mlir
// before
%sum = scf.for %k = %low to %high step %c1 iter_args(%s = %zero) -> (f32) {
  %v = memref.load %x[%k] : memref<?xf32>
  ...
}

// after; %neighbours and %rises are asked of %high as well
%span = arith.subi %low_last, %low_first : index
%neighbours = arith.cmpi eq, %span, %c15 : index
%rises = arith.cmpi slt, %low_first, %low_last : index
...
%sum = scf.if %inside -> (f32) {
  %ahead = arith.subi %i, %base : index
  %t = scf.for %k = %low_first to %high_first step %c1 iter_args(%s = %zero) -> (f32) {
    %k_1 = arith.addi %k, %ahead : index
    %v = memref.load %x[%k_1] : memref<?xf32>
    ...
  }
  scf.yield %t : f32
} else {
  ...  // the loop as it was
}
```

A loop over what a window has of an array, `for k = max(r - i, 0) to min(m, n + r - i)`, is one that
lanes run together where the first lane and the last one have the same ends: these never rise from
lane to lane.

*Legality.* What rises by at most one, and falls, is in `analysis/divergence/edges.py`. Where numbers
may wrap around, which takes them `2^64` back, it is asked as well whether the last lane has the
larger one, or the smaller one of what falls. What is computed for the first and the last lane has
no overflow flags, as these may not exist or not be active, and divides by what others divide
by, but for -1.

Requires: level 2.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.access_patterns import element_strides
from spmd.analysis.divergence.analyze import analyze_sub_group
from spmd.analysis.divergence.edges import Edges, bends
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.remainders import is_remainder
from spmd.dialects.building import Builder, ConstantPool, Rematerializer, run_beside
from spmd.dialects.enclosing import function_around, is_outside
from spmd.dialects.interfaces.computation import FunctionOfOperands, is_unsigned
from spmd.dialects.interfaces.memory import MemoryAccess, loaded_memory
from spmd.dialects.rewriting import hint, named
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NEAR_EDGE
from spmd.passes.targets import LONGEST_STEP

FEWEST_LANES = 4
"""In a row of lanes, for which that is worth it."""


@dataclass(frozen=True)
class VersionEdgesPass(ModulePass):
    """Neighbours, where no lane is near an edge; see the module docstring."""

    name = "version-edges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in [each for each in op.walk() if isinstance(each, SubGroupOp)]:
            if group.lane_shape[0] < FEWEST_LANES:
                continue
            if any(
                _may_be_window(op, group) or _may_be_at_an_edge(op, group)
                for op in group.walk()
            ):
                _version_in(group)


def _may_be_window(op: Operation, group: SubGroupOp) -> bool:
    """Whether lanes may begin the loop `op` at one number each, or end it so."""
    return isinstance(op, scf.ForOp) and not (
        is_outside(op.lb, group) and is_outside(op.ub, group)
    )


def _may_be_at_an_edge(op: Operation, group: SubGroupOp) -> bool:
    """Whether `op` loads from what lanes share, at a place that is bent somehow."""
    memory, access = loaded_memory(op), MemoryAccess.of(op)
    if (
        memory is None
        or access is None
        or access.atomic
        or NEAR_EDGE in op.attributes
        or not is_outside(memory, group)
    ):
        return False
    indices = access.indices(op) or ()
    close = zip(indices, map(_is_close, element_strides(memory)), strict=False)
    starts = [index for index, is_close in close if is_close]
    return any(bends(each.owner) for each in reachable(starts, _terms))


def _is_close(stride: int | None) -> bool:
    """Whether lanes so far apart access whole vectors."""
    return stride is not None and 0 < abs(stride) <= LONGEST_STEP


def _terms(index: SSAValue) -> Sequence[SSAValue]:
    """What is cast or added to make `index`."""
    added = isinstance(op := index.owner, arith.AddiOp | arith.SubiOp)
    return op.operands if added or isinstance(op, arith.IndexCastOp) else ()


def _version_in(group: SubGroupOp) -> None:
    versions = _Versions(group)
    for loop in [each for each in group.walk() if isinstance(each, scf.ForOp)]:
        if versions.edges.is_window(loop) and versions.accesses_along(loop):
            versions.version_window(loop)
        elif versions.edges.runs_together(loop):
            versions.version_loop(loop)
    for load in [each for each in group.walk() if _may_be_at_an_edge(each, group)]:
        place = versions.place_along(load)
        if place is not None and versions.edges.rises(load.operands[place]):
            versions.version_load(load, place)


class _Versions:
    """Code for lanes that are neighbours, beside that for any."""

    def __init__(self, group: SubGroupOp):
        base, self._lane = group.bases[0], group.body.block.args[0]
        across = range(1, len(group.lane_shape))
        self.edges = Edges(analyze_sub_group(group), self._lane, across=across)
        self._base = base
        self._ahead = group.lane_shape[0] - 1
        self._constants = ConstantPool(function_around(group).body.blocks[0])

    def _in_lane(self, value: SSAValue, own: SSAValue) -> SSAValue | None:
        """What `value` is in the lane that has `own`, as far as that is known."""
        if value is self._lane:
            return own
        return value if self.edges.is_shared(value) else None

    def _asked(
        self, at: Builder, values: Sequence[SSAValue], own: SSAValue, role: str
    ) -> Rematerializer:
        """What computes `values` in the lane whose own is `own`, again."""
        lane = Rematerializer(at, lambda value: self._in_lane(value, own), True)
        for value in values:
            lane.get(value)
        for old, new in lane.values.items():
            if self._in_lane(old, own) is None:
                new.name_hint = named(old, role)
                self._divide_by_no_minus_one(new.owner)
        return lane

    def _divide_by_no_minus_one(self, op: Operation | Block) -> None:
        """Let `op`, if it is a signed remainder, divide by 1 instead, which leaves as much."""
        if isinstance(op, Block) or not is_remainder(op) or is_unsigned(op):
            return
        divisor = op.operands[1]
        if self.edges.may_be_minus_one(divisor):
            at, number = Builder.before(op), self._constants.number
            is_minus_one = arith.CmpiOp(divisor, number(-1, divisor.type), "eq")
            one = number(1, divisor.type)
            safe = arith.SelectOp(at.add(is_minus_one), one, divisor)
            op.operands[1] = at.add(safe, divisor)

    def _ends(
        self, at: Builder, *values: SSAValue
    ) -> tuple[Rematerializer, Rematerializer]:
        """What `values` are in the first lane, and in the last one."""
        first = self._asked(at, values, self._base, "first")
        ahead = self._constants.index(self._ahead)
        end = at.add(arith.AddiOp(self._base, ahead), "end")
        return first, self._asked(at, values, end, "last")

    def _inside(
        self, at: Builder, first: SSAValue, last: SSAValue, name: str
    ) -> SSAValue:
        """Whether all lanes are neighbours, if they rise by at most one each."""
        span = at.add(arith.SubiOp(last, first), "span")
        ahead = self._constants.number(self._ahead, span.type)
        return at.add(arith.CmpiOp(span, ahead, "eq"), name)

    def _agree(
        self,
        at: Builder,
        ends: tuple[Rematerializer, Rematerializer],
        value: SSAValue,
    ) -> Iterator[SSAValue]:
        """Whether the first lane and the last one choose the same for `value`."""
        first, last = ends
        for op in self.edges.conditions(value):
            both = first.get(op.result), last.get(op.result)
            yield at.add(arith.CmpiOp(*both, "eq"), "agreed")
            compared = op.rhs if self.edges.is_shared(op.lhs) else op.lhs
            if not self.edges.is_shared(compared):
                yield self._rises(at, ends, compared)

    def _rises(
        self, at: Builder, ends: tuple[Rematerializer, Rematerializer], value: SSAValue
    ) -> SSAValue:
        """Whether `value` is larger in the last lane: what wraps around falls."""
        first, last = (lane.get(value) for lane in ends)
        return at.add(arith.CmpiOp(first, last, "slt"), "rises")

    def _all_of(self, at: Builder, tests: Sequence[SSAValue]) -> SSAValue:
        """Whether all `tests` hold."""
        inside = reduce(lambda one, two: at.add(arith.AndIOp(one, two)), tests)
        return hint(inside, "inside")

    def place_along(self, op: Operation) -> int | None:
        """Which operand of an access rises from lane to lane, where these are close in memory."""
        access = MemoryAccess.of(op)
        indices = () if access is None else access.indices(op)
        if access is None or not indices:
            return None
        (memory,) = {*access.reads(op), *access.writes(op)}
        place = self.edges.rising(memory, indices)
        if place is None or not _is_close(element_strides(memory)[place]):
            return None
        return place + len(op.operands) - len(indices)

    def version_load(self, load: Operation, place: int) -> None:
        """Put a load from neighbours beside `load`, which is made where they are none."""
        at, index = Builder.before(load), load.operands[place]
        ends = self._ends(at, index)
        first, last = (lane.get(index) for lane in ends)
        rising = self.edges.without_shared(index)
        wraps = self.edges.may_fall_far(rising)
        conditions = self.edges.conditions(index)
        name = "neighbours" if wraps or conditions else "inside"
        tests = [self._inside(at, first, last, name), *self._agree(at, ends, index)]
        if wraps:
            tests.append(self._rises(at, ends, rising))
        inside = self._all_of(at, tests)

        def load_near(at: Builder) -> Sequence[SSAValue]:
            here = at.add(arith.AddiOp(first, self._offset(at, index.type)), "here")
            again = load.clone()
            again.operands[place] = here
            at.append(again)
            return again.results

        block = load.parent
        far = run_beside([load], inside, load_near)
        load.attributes[NEAR_EDGE] = UnitAttr()
        _sink(index, block, far)

    def version_loop(self, loop: scf.ForOp) -> None:
        """Put a loop that all lanes run from one number to another beside `loop`."""
        at, ends = Builder.before(loop), self.edges.ends_that_fall(loop)
        first, last = self._ends(at, *ends)
        tests = [
            at.add(arith.CmpiOp(first.get(end), last.get(end), "eq"), "together")
            for end in ends
        ]
        for part in {part: None for end in ends for part in self.edges.made_of(end)}:
            # A number that wraps around rises.
            falls = arith.CmpiOp(first.get(part), last.get(part), "sge")
            tests.append(at.add(falls, "falls"))
        inside = self._all_of(at, tests)

        def run_together(at: Builder) -> Sequence[SSAValue]:
            again = loop.clone()
            shared = {end: first.get(end) for end in ends}
            again.operands = [shared.get(each, each) for each in loop.operands]
            at.append(again)
            return again.results

        far = run_beside([loop], inside, run_together)
        for op in loop.walk():
            if op is loop or MemoryAccess.of(op) is not None:
                op.attributes[NEAR_EDGE] = UnitAttr()
        for end in ends:
            _sink(end, at.point.block, far)

    def version_window(self, loop: scf.ForOp) -> None:
        """Put a loop that lanes run equally often beside `loop`, with one counter for all."""
        at, bounds = Builder.before(loop), (loop.lb, loop.ub)
        first, last = ends = self._ends(at, *bounds)
        tests: list[SSAValue] = []
        for bound in bounds:
            rising = self.edges.without_shared(bound)
            tests.append(
                self._inside(at, first.get(rising), last.get(rising), "neighbours")
            )
            tests.append(self._rises(at, ends, bound))
            if rising is not bound and self.edges.may_fall_far(rising):
                tests.append(self._rises(at, ends, rising))
            tests += self._agree(at, ends, bound)
        inside = self._all_of(at, tests)

        def count_together(at: Builder) -> Sequence[SSAValue]:
            offset = self._offset(at, loop.lb.type)
            again = loop.clone()
            again.operands = (*map(first.get, bounds), *loop.operands[2:])
            at.append(again)
            body = again.body.block
            counter, first_op = body.args[0], body.first_op
            assert first_op is not None, "a loop has a terminator"
            here = arith.AddiOp(counter, offset)
            counter.replace_all_uses_with(here.result)
            here.operands = (counter, offset)
            Builder.before(first_op).add(here, counter)
            return again.results

        accesses, block = self.accesses_along(loop), loop.parent
        far = run_beside([loop], inside, count_together)
        for op in (loop, *accesses):
            op.attributes[NEAR_EDGE] = UnitAttr()
        for bound in (loop.lb, loop.ub):
            _sink(bound, block, far)

    def accesses_along(self, loop: scf.ForOp) -> Sequence[Operation]:
        """What accesses one element after the other in `loop`, which is over a window."""
        found: list[Operation] = []
        for op in loop.walk():
            place = self.place_along(op)
            if place is not None and self.edges.window_of(op.operands[place]) is loop:
                found.append(op)
        return found

    def _offset(self, at: Builder, type_: Attribute) -> SSAValue:
        """How far each lane is ahead of the first one."""
        offset = at.add(arith.SubiOp(self._lane, self._base), "ahead")
        if offset.type == type_:
            return offset
        return at.add(arith.IndexCastOp(offset, type_), "ahead")


def _sink(value: SSAValue, from_: Block | None, block: Block) -> None:
    """Move what makes `value` in one block, and is used only in another, to its head."""
    op, first = value.owner, block.first_op
    if isinstance(op, Block) or op.parent is not from_:
        return
    if FunctionOfOperands.of(op) is None:
        return
    used = [use.operation.parent for result in op.results for use in result.uses]
    if any(user is not block for user in used) or not used:
        return
    assert first is not None, "the block has a terminator"
    op.detach()
    block.insert_op_before(op, first)
    for operand in op.operands:
        _sink(operand, from_, block)
