"""
What control flow with barriers passes on, and what decides about its way.

A varying value that passes through a carrier, as an initial value, an argument of a block
or a result, becomes a `Variable`: a context that is written wherever the source passes a
value on. Uniform ones stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.dialects import scf
from xdsl.ir import Attribute, Operation, Region, SSAValue

from spmd.analysis.barriers.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.enclosing import terminator


@dataclass(eq=False)
class Variable:
    """A varying value that a carrier passes on, or that goes into or out of a collective."""

    op: Operation
    """The carrier or collective."""

    type: Attribute
    name: str | None
    values: list[SSAValue]
    """The block argument and the result it is known as."""

    sources: list[tuple[SSAValue, BarrierRegion]]
    """What it is set to, at the end of which region."""


class Agreed(NamedTuple):
    """An operand that is not proved uniform, but equal in all work-items nevertheless."""

    value: SSAValue
    op: Operation
    operand: int


class PassedValues:
    """Finds the variables of carriers; `passes` are the operands that set one."""

    def __init__(self, regions: BarrierRegions, divergence: Divergence):
        self.regions = regions
        self.divergence = divergence
        self.passes: set[tuple[Operation, int]] = set()

    def _variable(
        self,
        op: Operation,
        values: list[SSAValue],
        sources: list[tuple[SSAValue, BarrierRegion]],
    ) -> Variable:
        return Variable(op, values[0].type, values[0].name_hint, values, sources)

    def of(self, carrier: Operation) -> Iterator[Variable]:
        """The variables of one carrier."""
        match carrier:
            case scf.IfOp() | scf.IndexSwitchOp():
                yields = [
                    _yield_of(region) for region in carrier.regions if region.blocks
                ]
                for i, result in enumerate(carrier.results):
                    # All work-items go the same way, even where that is not proved.
                    if not self.divergence.is_uniform(result) and not all(
                        self.divergence.is_uniform(end.operands[i]) for end in yields
                    ):
                        yield self._variable(
                            carrier,
                            [result],
                            [self.passed_by(end, i) for end in yields],
                        )
            case scf.ForOp():
                yield from self._of_for(carrier)
            case scf.WhileOp():
                yield from self._of_while(carrier)
            case _:
                raise AssertionError(f"{carrier.name} is no carrier that is split")

    def _of_for(self, carrier: scf.ForOp) -> Iterator[Variable]:
        end = _yield_of(carrier.body)
        for i, result in enumerate(carrier.res):
            argument = carrier.body.block.args[i + 1]
            if not self.divergence.is_uniform(argument):
                yield self._variable(
                    carrier,
                    [argument, result],
                    [
                        self.passed_by(carrier, i + 3),
                        self.passed_by(end, i),
                    ],
                )

    def _of_while(self, carrier: scf.WhileOp) -> Iterator[Variable]:
        before = carrier.before_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        end = _yield_of(carrier.after_region)
        variables: dict[SSAValue, Variable] = {}
        for i, argument in enumerate(before.args):
            if not self.divergence.is_uniform(argument):
                variables[argument] = self._variable(
                    carrier,
                    [argument],
                    [
                        self.passed_by(carrier, i),
                        self.passed_by(end, i),
                    ],
                )
        passed_on: list[Variable] = []
        for i, result in enumerate(carrier.res):
            argument = carrier.after_region.block.args[i]
            if self.divergence.is_uniform(argument):
                continue
            source = condition.args[i]
            # A value that the condition passes on unchanged stays where it is.
            if (variable := variables.get(source)) is not None and len(
                variable.values
            ) == 1:
                variable.values.extend((argument, result))
            else:
                passed_on.append(
                    self._variable(
                        carrier,
                        [argument, result],
                        [self.passed_by(condition, i + 1)],
                    )
                )
        yield from variables.values()
        yield from passed_on

    def passed_by(self, end: Operation, index: int) -> tuple[SSAValue, BarrierRegion]:
        """Operand `index` of the operation that passes it on, behind a region."""
        self.passes.add((end, index))
        return end.operands[index], self.regions.region_before(end)


def decisions_of(carrier: Operation) -> tuple[Agreed, ...]:
    """The operands that decide which way control flow takes, with who has them."""
    match carrier:
        case scf.IfOp() | scf.IndexSwitchOp():
            return (Agreed(carrier.operands[0], carrier, 0),)
        case scf.ForOp():
            return tuple(Agreed(carrier.operands[i], carrier, i) for i in range(3))
        case scf.WhileOp():
            condition = carrier.before_region.block.last_op
            assert isinstance(condition, scf.ConditionOp)
            return (Agreed(condition.condition, condition, 0),)
        case _:
            raise AssertionError(f"{carrier.name} decides nothing")


def _yield_of(region: Region) -> Operation:
    end = terminator(region.block)
    return end
