"""
Lets control flow pass other values on than it did.

A value that control flow passes on is made again, where it arrives, from others that are
passed on in its place, behind all that stay.

```mlir
// before
%r = scf.for ... iter_args(%v = %first) -> (index) {
  ...
  scf.yield %next : index
}
// after: %v is made of %a and %b
%ra, %rb = scf.for ... iter_args(%a = %first_a, %b = %first_b) -> (index, i1) {
  %v = ...
  ...
  scf.yield %next_a, %next_b : index, i1
}
%r = ...
```
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from xdsl.dialects import cf, scf
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.rewriter import Rewriter

from spmd.analysis.barriers.forwarding import Place, passed_on
from spmd.dialects.enclosing import parent_block
from spmd.dialects.rewriting import hint, insert_before, locate

PlaceT = TypeVar("PlaceT", bound=Place)
PlaceT_contra = TypeVar("PlaceT_contra", bound=Place, contravariant=True)


class Replacement(Protocol[PlaceT_contra]):
    """What is passed on in the place of values."""

    def types_of(self, place: PlaceT_contra) -> Sequence[Attribute]:
        """The types of what is passed on instead."""
        ...

    def make_again(
        self,
        old: SSAValue,
        place: PlaceT_contra,
        values: Sequence[SSAValue],
        anchor: Operation,
    ) -> SSAValue:
        """Make in front of `anchor`, from what has arrived, what replaces `old`."""
        ...

    def give(
        self, value: SSAValue, place: PlaceT_contra, op: Operation
    ) -> Sequence[SSAValue]:
        """What `op` passes on instead of `value`, made in front of it."""
        ...


def replace_passed(places: Sequence[PlaceT], by: Replacement[PlaceT]) -> None:
    """Let control flow pass other values on at `places`."""
    now: dict[Operation, Operation] = {}
    of_result: dict[Operation, list[PlaceT]] = {}
    for place in places:
        for value in place.values:
            if isinstance(value, OpResult):
                of_result.setdefault(value.op, []).append(place)
                continue
            block = value.owner
            assert not isinstance(block, Operation)
            new = [
                block.insert_arg(type_, len(block.args)) for type_ in by.types_of(place)
            ]
            first = block.first_op
            assert first is not None, "a block has a terminator"
            value.replace_all_uses_with(by.make_again(value, place, new, first))
            block.erase_arg(block.args[block.args.index(value)])
    for op, own in of_result.items():
        now[op] = _rebuild(op, own, by)
    passing: dict[Operation, list[tuple[int, int, PlaceT]]] = {}
    for place in places:
        for op, group, position in place.edges:
            passing.setdefault(op, []).append((group, position, place))
    for op, operands in passing.items():
        _pass_on(now.get(op, op), operands, by)


def _rebuild(
    op: Operation, places: Sequence[PlaceT], by: Replacement[PlaceT]
) -> Operation:
    """Replace `op` by one that has other results."""
    chosen = {place.values[-1] for place in places}
    kept = [result for result in op.results if result not in chosen]
    types = [result.type for result in kept]
    for place in places:
        types += by.types_of(place)
    new = type(op).create(
        operands=op.operands,
        result_types=types,
        properties=op.properties,
        attributes=op.attributes,
        regions=[op.detach_region(region) for region in tuple(op.regions)],
    )
    insert_before(op, new)
    for before, after in zip(kept, new.results, strict=False):
        before.replace_all_uses_with(hint(after, before))
    rest = iter(new.results[len(kept) :])
    for place in places:
        old = place.values[-1]
        values = [next(rest) for _ in by.types_of(place)]
        old.replace_all_uses_with(by.make_again(old, place, values, op))
    Rewriter.erase_op(op)
    return new


def _pass_on(
    op: Operation,
    operands: Sequence[tuple[int, int, PlaceT]],
    by: Replacement[PlaceT],
) -> None:
    groups = [list(values) for values in passed_on(op)]
    dropped = {(group, position) for group, position, _ in operands}
    lists = [
        [v for i, v in enumerate(values) if (group, i) not in dropped]
        for group, values in enumerate(groups)
    ]
    for group, position, place in operands:
        lists[group] += by.give(groups[group][position], place, op)
    _let_pass_on(op, lists)


def _let_pass_on(op: Operation, groups: Sequence[Sequence[SSAValue]]) -> None:
    """Let `op` pass on these values, for each successor; the inverse of `passed_on`."""
    match op:
        case scf.ForOp():
            op.operands = (op.lb, op.ub, op.step, *groups[0])
        case scf.ConditionOp():
            op.operands = (op.condition, *groups[0])
        case cf.ConditionalBranchOp():
            ways = op.then_block, groups[0], op.else_block, groups[1]
            _put_in_place_of(op, cf.ConditionalBranchOp(op.cond, *ways))
        case cf.SwitchOp():
            new = cf.SwitchOp(
                op.flag,
                op.default_block,
                groups[0],
                op.case_values,
                op.case_blocks,
                groups[1:],
            )
            _put_in_place_of(op, new)
        case _:
            op.operands = groups[0]


def _put_in_place_of(op: Operation, new: Operation) -> None:
    locate(new, op)
    new.attributes = op.attributes
    block = parent_block(op)
    block.insert_op_before(new, op)
    block.erase_op(op)
