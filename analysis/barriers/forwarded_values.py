"""
What control flow with barriers forwards, and the conditions of its paths.

A varying value that passes through a carrier, as an initial value, an argument of a block
or a result, becomes a `Variable`: a context that is written wherever the source passes a
value on. Uniform ones stay what they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.interfaces.control_flow import phis


@dataclass(eq=False)
class Variable:
    """A varying value that a carrier forwards, or that goes into or out of a collective."""

    op: Operation
    """The carrier or collective."""

    type: Attribute
    name: str | None
    values: list[SSAValue]
    """The block argument and the result it is known as."""

    sources: list[tuple[SSAValue, BarrierRegion]]
    """What it is set to, at the end of which region."""


class PassedValues:
    """Finds the variables of carriers; `passes` are the operands that set one."""

    def __init__(self, regions: BarrierRegions, divergence: Divergence):
        self.regions = regions
        self.divergence = divergence
        self.passes: set[tuple[Operation, int]] = set()

    def of(self, carrier: Operation) -> Iterable[Variable]:
        """The variables of one carrier."""
        found: dict[SSAValue, Variable] = {}
        is_uniform = self.divergence.is_uniform
        for phi in phis(carrier):
            values = [source.value for source in phi.sources]
            # All work-items take the same path, even where that is not proved.
            if is_uniform(phi.values[0]) or all(map(is_uniform, values)):
                continue
            known = found.get(values[0]) if len(values) == 1 else None
            if known is not None and len(known.values) == 1:
                # A value that a condition passes on unchanged stays where it is.
                known.values.extend(phi.values)
                continue
            found[phi.values[0]] = Variable(
                carrier,
                phi.values[0].type,
                phi.values[0].name_hint,
                list(phi.values),
                [self.passed_by(source.op, source.position) for source in phi.sources],
            )
        return found.values()

    def passed_by(self, end: Operation, index: int) -> tuple[SSAValue, BarrierRegion]:
        """Operand `index` of the operation that forwards it, after a region."""
        self.passes.add((end, index))
        return end.operands[index], self.regions.region_before(end)
