"""Code in a sub-group that is there twice: for lanes that are near no edge, and for others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from xdsl.dialects import scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.building import Builder, Rematerializer, run_beside
from spmd.dialects.interfaces.computation import FunctionOfOperands
from spmd.dialects.spmd import SubGroupOp
from spmd.dialects.work_groups import LIKELY, NEAR_EDGE


def ops_from(
    group: SubGroupOp, starts: AbstractSet[Operation | Block]
) -> tuple[Sequence[Operation], Sequence[Operation]]:
    """The operations of `group` before the first that is or has one of `starts`, and the others."""
    *ops, _ = group.body.block.ops
    first = next(n for n, op in enumerate(ops) if not starts.isdisjoint(op.walk()))
    return ops[:first], ops[first:]


def likely_branches(at: Builder, condition: SSAValue) -> tuple[Region, Region]:
    """What is done where `condition` holds, which it does mostly, and where it does not."""
    taken, otherwise = Region(Block()), Region(Block())
    choice = scf.IfOp(condition, (), taken, otherwise)
    choice.attributes[LIKELY] = UnitAttr()
    at.append(choice)
    return taken, otherwise


def load_in_parts(
    load: Operation,
    inside: SSAValue,
    there: Mapping[SSAValue, SSAValue],
    beyond: Mapping[SSAValue, SSAValue],
) -> Operation:
    """
    Load by what `there` says in place of some values where lanes are inside, else by `beyond`.

    What chooses between the loads.
    """

    def load_inside(at: Builder) -> Sequence[SSAValue]:
        copy = load.clone()
        at.append(copy)
        _load_by(there, copy)
        return copy.results

    far = run_beside([load], inside, load_inside)
    _load_by(beyond, load)
    choice = far.parent_op()
    assert choice is not None, "the block stands in a branch"
    choice.attributes[NEAR_EDGE] = UnitAttr()
    return choice


def _load_by(new: Mapping[SSAValue, SSAValue], load: Operation) -> None:
    index = Rematerializer(Builder.before(load), lambda each: with_new(each, new))
    load.operands = [index.get(each) for each in load.operands]


def with_new(value: SSAValue, new: Mapping[SSAValue, SSAValue]) -> SSAValue | None:
    """What `value` is with something `new` in place of others, if it is not to be computed."""
    if value in new:
        return new[value]
    op = value.owner
    if isinstance(op, Block) or FunctionOfOperands.of(op) is None:
        return value
    made_of = reachable([value], operands)
    return value if new.keys().isdisjoint(made_of) else None


def operands(value: SSAValue) -> Sequence[SSAValue]:
    """What `value` is computed from, if it is."""
    return () if isinstance(value.owner, Block) else value.owner.operands
