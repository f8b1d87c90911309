"""
Stencils without edges, for sub-groups none of whose lanes is near one.

What a stencil loads beyond an edge is the last element, or the first one of the other side. A
sub-group asks once whether any of its lanes does so, in any iteration of its loops; in the interior
of an array indices are sums, of which rows of lanes share what they load. At the border lanes
inside load by the sum, and those beyond it what the lane at the edge does, or a period away.

```mlir
// before
spmd.sub_group (%i) shape [16] at (%base) {
  %a = arith.subi %i, %c1 : index
  %left = arith.maxsi %a, %c0 : index
  %b = arith.addi %i, %c1 : index
  %right = arith.minsi %b, %end : index
  %v = memref.load %x[%left] : memref<?xf32>
  %w = memref.load %x[%right] : memref<?xf32>
  ...
}

// after
spmd.sub_group (%i) shape [16] at (%base) {
  %a = arith.subi %i, %c1 : index
  %a_least = arith.subi %base, %c1 : index
  %least_inside = arith.cmpi sge, %a_least, %c0 : index
  %i_last = arith.addi %base, %c15 : index
  %b_most = arith.addi %i_last, %c1 : index
  %most_inside = arith.cmpi sle, %b_most, %end : index
  %interior = arith.andi %least_inside, %most_inside : i1
  scf.if %interior {
    %b = arith.addi %i, %c1 : index
    %v = memref.load %x[%a] : memref<?xf32>
    %w = memref.load %x[%b] : memref<?xf32>
    ...
  } else {
    %border = arith.ori %least_inside, %most_inside : i1
    scf.if %border {
      %edge = arith.select %least_inside, %i_last, %base : index
      %before = arith.subi %edge, %c1 : index
      %left = arith.maxsi %before, %c0 : index
      %beyond = memref.load %x[%left] : memref<?xf32>
      %inside = arith.cmpi sge, %a, %c0 : index
      %v = scf.if %inside -> (f32) {
        %u = memref.load %x[%a] : memref<?xf32>
        scf.yield %u : f32
      } else {
        scf.yield %beyond : f32
      }
      ...
    } else {
      ...  // as before: lanes are beyond both edges
    } {spmd.likely}
  } {spmd.likely}
}
```

Halide's compiler parts loops into a prologue, a steady state and an epilogue for the same (its
`PartitionLoops`); here each sub-group is asked at run time, for whatever indices of that form
someone wrote. `version-edges` looks at what is left.

*Legality.* What bends, and what is asked, is in `analysis/divergence/interiors.py`. A number that
wraps around between the least and the greatest has fallen, which is asked where ranges do not
exclude it. What is computed ahead has no overflow flags, and cannot trap. A lane is beyond one
edge at the border, never beyond both, so that the first lane or the last one is if any is; it
loads what all others load there, if these differ in nothing else.

Requires: level 2.
Ensures: the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from spmd.analysis.divergence.interiors import Beyond, Interiors, Straight
from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.building import (
    Builder,
    ConstantPool,
    Rematerializer,
)
from spmd.dialects.interfaces.memory import loaded_memory
from spmd.dialects.rewriting import erase_dead_ops, hint
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import NEAR_EDGE, NOT_VECTORIZED
from spmd.passes.sub_groups.edges.bent_accesses import (
    BentAccesses,
    bent_accesses,
    straighten,
    write_number,
)
from spmd.passes.sub_groups.edges.questions import Question
from spmd.passes.sub_groups.edges.versions import (
    likely_branches,
    load_in_parts,
    operands,
    ops_from,
    with_new,
)


@dataclass(frozen=True)
class VersionInteriorsPass(ModulePass):
    """Sums as indices, where no lane is near an edge; see the module docstring."""

    name = "version-interiors"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in [each for each in op.walk() if isinstance(each, SubGroupOp)]:
            if NOT_VECTORIZED not in group.attributes:
                _version(group)


def _version(group: SubGroupOp) -> None:
    """Put what `group` does from its first bent value on beside the same of the interior."""
    interiors = Interiors(group, group.body.block.args)
    accesses = bent_accesses(group, interiors)
    if not accesses:
        return
    bent = {value: each for found in accesses.values() for value, each in found.items()}
    before, body = ops_from(group, _bending(bent, interiors))
    at = Builder.before(body[0])
    question = Question(group, interiors, at, before, bent.values())
    versions = _Versions(body, bent, question.constants, interiors)
    interior, outside = likely_branches(at, question.interior())
    with at.into(interior.block):
        versions.straighten(at)
        at.append(scf.YieldOp())
    erase_dead_ops(interior)
    lane = group.body.block.args[0]
    loads = _loads_along(lane, accesses, interiors)
    elsewhere: Region | None = outside
    if loads:
        values = dict.fromkeys(loads.values())
        with at.into(outside.block):
            border, elsewhere = outside, None
            near = question.border([bent[value] for value in values])
            if near is not None:
                border, elsewhere = likely_branches(at, near)
                at.append(scf.YieldOp())
        with at.into(border.block):
            edges = {value: question.edge_lane(bent[value].number) for value in values}
            versions.split(at, loads, lane, edges)
            at.append(scf.YieldOp())
        erase_dead_ops(border)
    if elsewhere is None:
        for op in reversed(body):
            op.detach()
            op.erase()
        return
    for access, value in loads.items():
        # Ids may go through many periods, in most of which `version-edges` finds neighbours.
        if bent[value].period is None:
            access.attributes[NEAR_EDGE] = StringAttr("near several edges")
    with at.into(elsewhere.block):
        at.move(body)
        at.append(scf.YieldOp())


def _bending(
    bent: Mapping[SSAValue, Straight], interiors: Interiors
) -> set[Operation | Block]:
    """What computes bent values of sums."""
    made_of = reachable(
        bent, lambda value: () if interiors.is_sum(value) else operands(value)
    )
    return {value.owner for value in made_of if not interiors.is_sum(value)}


def _loads_along(
    lane: SSAValue, accesses: BentAccesses, interiors: Interiors
) -> Mapping[Operation, SSAValue]:
    """The loads by one value that is bent along rows of lanes, in a way that is known."""
    loads: dict[Operation, SSAValue] = {}
    for access, bent in accesses.items():
        along = [v for v, each in bent.items() if lane in interiors.steps(each.number)]
        if loaded_memory(access) is not None and len(along) == 1:
            (value,) = along
            if bent[value].beyond is not Beyond.UNKNOWN:
                loads[access] = value
    return loads


class _Parts(NamedTuple):
    """What a bent value is in lanes that are inside, and in the others, beyond one edge."""

    inside: SSAValue
    number: SSAValue
    beyond: SSAValue


class _Versions:
    """Copies of some operations, for lanes that are near no edge, or near one."""

    def __init__(
        self,
        ops: Sequence[Operation],
        bent: Mapping[SSAValue, Straight],
        constants: ConstantPool,
        interiors: Interiors,
    ):
        self._interiors = interiors
        self._ops = ops
        self._bent = bent
        self._constants = constants

    def straighten(self, at: Builder) -> None:
        """Copy the operations to a point, with sums in place of what is bent."""
        copies: dict[SSAValue, SSAValue] = {}
        self._copy(at, copies)
        straighten(self._bent, copies)

    def split(
        self,
        at: Builder,
        loads: Mapping[Operation, SSAValue],
        lane: SSAValue,
        edges: Mapping[SSAValue, SSAValue],
    ) -> None:
        """
        Copy the operations to a point, with two loads in place of one by a bent value.

        Lanes inside load by the number, the others by what is beyond. `edges` are the lanes
        in which a value is beyond if it is so in any.
        """
        copies: dict[SSAValue, SSAValue] = {}
        self._copy(at, copies)
        parts = {
            value: self._parts(Builder.after(copies[value]), value, copies, lane, edge)
            for value, edge in edges.items()
        }
        for load, value in loads.items():
            copy = copies[load.results[0]].owner
            assert isinstance(copy, Operation), "a load has a result"
            inside, number, beyond = parts[value]
            bent = copies[value]
            choice = load_in_parts(copy, inside, {bent: number}, {bent: beyond})
            if self._lane_at_edge_loads(load, value, lane):
                *loading, _ = choice.regions[1].block.ops
                Builder.before(choice).move(loading)

    def _lane_at_edge_loads(
        self, load: Operation, value: SSAValue, lane: SSAValue
    ) -> bool:
        """Whether what other lanes load beyond is what the lane at the edge loads, if it is there."""
        return (
            self._bent[value].beyond is Beyond.CONSTANT
            and self._interiors.runs_in_all_lanes(load)
            and all(
                self._interiors.is_shared_along(each, lane, value)
                for each in load.operands
            )
        )

    def _parts(
        self,
        at: Builder,
        value: SSAValue,
        copies: Mapping[SSAValue, SSAValue],
        lane: SSAValue,
        edge: SSAValue,
    ) -> _Parts:
        straight = self._bent[value]
        tests: list[SSAValue] = []
        for test in straight.tests:
            number, bound = write_number(at, test.number, copies), test.bound
            if isinstance(bound, int):
                bound = self._constants.number(bound, number.type)
            bound = copies.get(bound, bound)
            tests.append(at.add(arith.CmpiOp(number, bound, test.predicate)))
        inside = reduce(lambda a, b: at.add(arith.AndIOp(a, b)), tests)
        number = write_number(at, straight.number, copies)
        there = Rematerializer(
            at, lambda each: with_new(each, {lane: edge}), speculates=True
        )
        beyond = there.get(copies[value])
        if straight.beyond is Beyond.SHIFTED:
            shift = at.add(arith.SubiOp(beyond, there.get(number)), "shift")
            beyond = at.add(arith.AddiOp(number, shift))
        return _Parts(hint(inside, "inside"), number, hint(beyond, "beyond"))

    def _copy(self, at: Builder, copies: dict[SSAValue, SSAValue]) -> None:
        at.append(*(op.clone(copies) for op in self._ops))
