"""
Loads around oneself, where no lane is near an edge.

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

*Legality.* The smaller and the larger of two signed numbers rise by at most one where both do.
A remainder of what rises by one rises by one, or falls, also if it is made positive after.
What lanes share may be added in the end. Falls of `2^64` in all, where numbers wrap around, are
none in memory. What is computed for the first and the last lane has no overflow flags, as
these may not exist or not be active, and divides by what others divide by, which is not -1.

Requires: level 2.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.access_patterns import element_strides
from spmd.analysis.divergence.analyze import Divergence, analyze_sub_group
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.ranges.integer_range import bit_width
from spmd.analysis.ranges.ranges import IntegerRanges
from spmd.dialects.building import Builder, ConstantPool, Rematerializer, run_beside
from spmd.dialects.enclosing import function_around, is_outside
from spmd.dialects.interfaces.computation import (
    FunctionOfOperands,
    compares_integers,
    is_shift,
    is_unsigned,
)
from spmd.dialects.interfaces.memory import MemoryAccess, loaded_memory
from spmd.dialects.interfaces.speculation import IntegerDivision
from spmd.dialects.names import PREDICATES
from spmd.dialects.rewriting import constant_index, named
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NEAR_EDGE

NO_FLAGS = {"overflowFlags": arith.IntegerOverflowAttr("none")}

MOST_ASKED = 16
"""Operations that are computed again for a lane."""

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
            loads = [load for load in group.walk() if _may_be_at_an_edge(load, group)]
            if loads:
                _version_in(group, loads)


def _may_be_at_an_edge(op: Operation, group: SubGroupOp) -> bool:
    """Whether `op` loads from rows that lanes share, at a place that is bent somehow."""
    memory, access = loaded_memory(op), MemoryAccess.of(op)
    if (
        memory is None
        or access is None
        or access.atomic
        or not is_outside(memory, group)
    ):
        return False
    indices = access.indices(op)
    if not indices or element_strides(memory)[-1] != 1:
        return False
    return any(_bends(each.owner) for each in reachable(indices[-1:], _terms))


def _terms(index: SSAValue) -> Sequence[SSAValue]:
    """What is cast or added to make `index`."""
    added = isinstance(op := index.owner, arith.AddiOp | arith.SubiOp)
    return op.operands if added or isinstance(op, arith.IndexCastOp) else ()


def _bends(op: Operation | Block) -> bool:
    """Whether equal steps of its operands may give others."""
    if isinstance(op, Block):
        return False
    return (
        isinstance(op, arith.SelectOp)
        or (compares_integers(op) and not isinstance(op, arith.CmpiOp))
        or _is_remainder(op)
    )


def _is_remainder(op: Operation | Block) -> bool:
    if isinstance(op, Block) or (division := IntegerDivision.of(op)) is None:
        return False
    return division.quotient is None


def _version_in(group: SubGroupOp, loads: Sequence[Operation]) -> None:
    edges = _Edges(group)
    for load in loads:
        _, *outer, last = load.operands
        shared = all(edges.divergence.shape(each).is_uniform for each in outer)
        if shared and edges.rises(last):
            edges.version(load, last)


class _Edges:
    """What is known of the lanes of one sub-group, and asked of its first and last ones."""

    def __init__(self, group: SubGroupOp):
        self.divergence: Divergence = analyze_sub_group(group)
        self._group = group
        self._constants = ConstantPool(function_around(group).body.blocks[0])
        self._ranges = IntegerRanges()
        self._known: dict[SSAValue, bool] = {}

    # What rises by at most one from lane to lane

    def rises(self, index: SSAValue) -> bool:
        """Whether it does, modulo `2^64`, and is not known to rise by one everywhere."""
        return (
            not self.divergence.shape(index).is_strided
            and self._is_asked_easily(index)
            and self._rises_modulo(index)
        )

    def _rises_modulo(self, value: SSAValue) -> bool:
        op = value.owner
        if isinstance(op, arith.AddiOp):
            a, b = op.operands
            return (self._is_shared(a) and self._rises_modulo(b)) or (
                self._is_shared(b) and self._rises_modulo(a)
            )
        if isinstance(op, arith.SubiOp):
            return self._is_shared(op.rhs) and self._rises_modulo(op.lhs)
        if isinstance(op, arith.IndexCastOp):
            return bit_width(op.input.type) == 64 and self._rises_modulo(op.input)
        return self._rises(value)

    def _rises(self, value: SSAValue) -> bool:
        """The same of signed numbers, which do not wrap."""
        if value not in self._known:
            self._known[value] = self._is_steady(value) or self._bent_rises(value)
        return self._known[value]

    def _bent_rises(self, value: SSAValue) -> bool:
        op = value.owner
        if isinstance(op, Block) or bit_width(value.type) != 64:
            return False
        if isinstance(op, arith.SelectOp):
            rest = self._rounded_down(op)
            return rest is not None and self._rises(rest)
        if isinstance(op, arith.IndexCastOp):
            return self._rises(op.input)
        if _is_remainder(op):
            number, divisor = op.operands
            return self._is_steady(number) and self._may_divide(op, divisor)
        if not compares_integers(op):
            return False
        known = self._is_steady if is_unsigned(op) else self._rises
        return all(map(known, op.operands))

    def _may_divide(self, op: Operation, divisor: SSAValue) -> bool:
        """Whether `divisor` is the same for all lanes, and no lane divides by -1."""
        positive = is_unsigned(op) or self._ranges.of(divisor).is_non_negative
        return positive and self._is_shared(divisor)

    def _rounded_down(self, op: arith.SelectOp) -> SSAValue | None:
        """The remainder `r` of `r < 0 ? r + d : r`, where the signs of `r` and `d` differ."""
        rest, more, asked = op.rhs, op.lhs.owner, op.cond.owner
        division = rest.owner
        if not _is_remainder(division) or not isinstance(more, arith.AddiOp):
            return None
        assert isinstance(division, Operation), "a remainder is none of a block"
        divisor = division.operands[1]
        if set(more.operands) != {rest, divisor} or is_unsigned(division):
            return None
        if isinstance(asked, arith.AndIOp):
            one, two = asked.lhs.owner, asked.rhs.owner
            tests = [each for each in (one, two) if isinstance(each, arith.CmpiOp)]
            differs = any(self._compares(each, "ne", {rest}) for each in tests)
            sign = any(self._compares(each, "slt", {rest, divisor}) for each in tests)
            return rest if differs and sign else None
        is_test = isinstance(asked, arith.CmpiOp)
        return rest if is_test and self._compares(asked, "slt", {rest}) else None

    def _compares(self, op: arith.CmpiOp, how: str, values: set[SSAValue]) -> bool:
        """Whether `op` compares with 0 a value, or the exclusive or of two."""
        side = op.lhs.owner
        both = set(side.operands) if isinstance(side, arith.XOrIOp) else {op.lhs}
        zero = constant_index(op.rhs) == 0
        return zero and PREDICATES[op.predicate.value.data] == how and both == values

    def _is_steady(self, value: SSAValue) -> bool:
        """Whether it rises by one from lane to lane, or is the same in all."""
        others = range(1, len(self._group.lane_shape))
        return self.divergence.shape(value).stride in (0, 1) and all(
            self.divergence.shape(value, each).is_uniform for each in others
        )

    def _is_shared(self, value: SSAValue) -> bool:
        return self.divergence.is_uniform(value)

    # The first lane and the last one

    def _is_asked_easily(self, index: SSAValue) -> bool:
        """Whether little code that may run for any lane makes `index` of the lane's own."""
        worklist, seen = [index], set[SSAValue]()
        while worklist:
            value = worklist.pop()
            if value in seen or self._in_lane(value, value) is not None:
                continue
            seen.add(value)
            op = value.owner
            if isinstance(op, Block) or FunctionOfOperands.of(op) is None:
                return False
            if is_shift(op) or bit_width(value.type) is None or len(seen) > MOST_ASKED:
                return False
            if IntegerDivision.of(op) is not None and not _is_remainder(op):
                return False
            worklist += op.operands
        return True

    def _in_lane(self, value: SSAValue, own: SSAValue) -> SSAValue | None:
        """What `value` is in the lane that has `own`, as far as that is known."""
        if value is self._group.body.block.args[0]:
            return own
        return value if self._is_shared(value) else None

    def _asked(
        self, at: Builder, index: SSAValue, own: SSAValue, role: str
    ) -> SSAValue:
        """The index of the lane whose own is `own`, computed again."""
        lane = Rematerializer(at, lambda value: self._in_lane(value, own))
        found = lane.get(index)
        for old, new in lane.values.items():
            op = new.owner
            if self._in_lane(old, own) is None and isinstance(op, Operation):
                op.properties |= NO_FLAGS if "overflowFlags" in op.properties else {}
                new.name_hint = named(old, role)
        return found

    def version(self, load: Operation, index: SSAValue) -> None:
        """Put a load from neighbours beside `load`, which is made where they are none."""
        at, constants = Builder.before(load), self._constants
        base, lane = self._group.bases[0], self._group.body.block.args[0]
        ahead = constants.index(self._group.lane_shape[0] - 1)
        first = self._asked(at, index, base, "first")
        end = at.add(arith.AddiOp(base, ahead), "end")
        last = self._asked(at, index, end, "last")
        span = at.add(arith.SubiOp(last, first), "span")
        inside = at.add(arith.CmpiOp(span, ahead, "eq"), "inside")

        def load_near(at: Builder) -> Sequence[SSAValue]:
            offset = at.add(arith.SubiOp(lane, base), "ahead")
            here = at.add(arith.AddiOp(first, offset), "here")
            again = load.clone()
            again.operands = (*load.operands[:-1], here)
            at.append(again)
            return again.results

        block = load.parent
        far = run_beside([load], inside, load_near)
        load.attributes[NEAR_EDGE] = UnitAttr()
        _sink(index, block, far)


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
