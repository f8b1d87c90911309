"""
What a work-item costs, in cycles of one core: as scalar code, and as one lane of several.

Scalar code runs one work-item after the other. A core begins some four simple operations in
a cycle, but a branch that it predicts wrongly costs as much as sixty, and values that a loop
carries keep it waiting. Lanes share each operation of a vector register. What they cannot
share is access to elements anywhere in memory, of which a gather does one after the other, as
scalar code does; and where they leave a loop or take a branch at different times, those that
are done wait for the others.

The numbers are rough ones of large x86 cores with AVX-512, set such that scalar code is chosen
where it was measured to be quicker: on a Zen 5, for the benchmarks and some twenty kernels of
other suites. What is not known is assumed: that loops run eight times, that branches are
taken by half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects import memref, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.divergence.prefix import compares_ids
from spmd.analysis.memory.rows import takes_digits
from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import used_from_outside
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions, phis
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.rewriting import constant_index
from spmd.dialects.spmd.types import is_float
from spmd.passes.memory.whole_vectors import LONGEST_STEP
from spmd.passes.sub_groups.vector_forms import has_vector_form
from spmd.passes.sub_groups.vector_width import element_bits

LOOP_TRIPS = 8
"""How often a loop runs, of which nothing is known."""

MISPREDICTION = 15
"""A branch that went the other way."""

_SCALAR = {
    CostClass.FREE: 0,
    CostClass.SIMPLE: 0.3,
    CostClass.CONSTANT_DIVISION: 1,
    CostClass.MEMORY: 0.5,
    CostClass.SLOW: 4,
    CostClass.LIBRARY: 40,
    CostClass.ATOMIC: 20,
    CostClass.INTEGER_DIVISION: 8,
}
"""One operation among others that do not wait for it."""

_VECTOR = {
    CostClass.FREE: 0,
    CostClass.SIMPLE: 0.7,
    CostClass.CONSTANT_DIVISION: 4,
    CostClass.MEMORY: 1,
    CostClass.SLOW: 10,
    CostClass.LIBRARY: 25,
    CostClass.ATOMIC: 20,
    CostClass.INTEGER_DIVISION: 30,
}
"""One operation on a register, masks included."""

_LATENCY = {
    CostClass.FREE: 0,
    CostClass.SIMPLE: 1,
    CostClass.CONSTANT_DIVISION: 4,
    CostClass.MEMORY: 14,
    CostClass.SLOW: 13,
    CostClass.LIBRARY: 40,
    CostClass.ATOMIC: 20,
    CostClass.INTEGER_DIVISION: 12,
}
"""
From an operand to the result, of integers.

What follows pointers, or searches, finds its elements in the second cache at best.
"""

FLOAT_LATENCY = 4

GATHER, SCATTER = 1.1, 0.9
"""Per lane; nobody waits for what is stored."""

ROWS = 4
"""On registers: lanes are asked, and rows of them put together."""

TRANSPOSED = 6
"""On registers: columns of a tile, with shuffles."""

NARROW = 1
"""More for elements of less than 32 bits, which no machine gathers."""


@dataclass(frozen=True)
class Cycles:
    """What each work-item costs, and what of lanes costs most."""

    scalar: float = 0
    lanes: float = 0
    dearest: tuple[float, str] = (0, "")

    def __add__(self, other: Cycles) -> Cycles:
        return Cycles(
            self.scalar + other.scalar,
            self.lanes + other.lanes,
            max(self.dearest, other.dearest),
        )

    def times(self, scalar: float, lanes: float) -> Cycles:
        """For code that runs so often."""
        each, what = self.dearest
        return Cycles(self.scalar * scalar, self.lanes * lanes, (each * lanes, what))


@dataclass(frozen=True)
class Estimate:
    """Cycles of the code in work-item loops, with so many `lanes`, mostly along `dimension`."""

    divergence: Divergence
    dimension: int
    others: Sequence[int]
    """Further dimensions with lanes."""
    lanes: int
    register_bits: int

    def of_block(self, block: Block) -> Cycles:
        """All operations of `block`, once."""
        return sum(map(self._of, block.ops), Cycles())

    def _of(self, op: Operation) -> Cycles:
        flow = RegionBranch.of(op)
        if flow is None:
            return self._of_operation(op)
        blocks = (block for region in op.regions for block in region.blocks)
        inner = sum(map(self.of_block, blocks), Cycles())
        diverges = self.divergence.is_divergent(op)
        if flow.runs is Runs.LOOP:
            trips = _trips(op)
            inner = replace(inner, scalar=max(inner.scalar, _carried_latency(op)))
            if not diverges:
                return inner.times(trips, trips)
            # From none to twice as many: lanes wait for the last.
            return inner.times(trips, 2 * trips) + Cycles(MISPREDICTION)
        if flow.runs is Runs.CHOICE:
            if not diverges:
                return inner.times(1 / 2, 1 / 2)
            decides = [each.value for each in decisions(op)]
            steady = all(compares_ids(self.divergence, value) for value in decides)
            return inner.times(1 / 2, 1) + Cycles(0 if steady else MISPREDICTION / 4)
        return inner

    def _of_operation(self, op: Operation) -> Cycles:
        cost = sum((_SCALAR[cost_class(each)] for each in op.walk()), 0.0)
        uniform = self.divergence.is_uniform
        if not has_vector_form(op, uniform):
            values = [*used_from_outside(op), *(r for r in op.results if r.first_use)]
            moved = sum(not uniform(value) for value in values)
            lanes = cost + moved * _SCALAR[CostClass.MEMORY]
            return Cycles(
                cost, lanes, (lanes, f"{op.name} in one lane after the other")
            )
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            return self._of_access(op, cost)
        if all(map(uniform, (*op.operands, *op.results))):
            return Cycles(cost, cost / self.lanes)
        if op.results and all(map(self._is_strided, op.results)):
            return Cycles()  # Part of addresses either way.
        bits = max(map(_bits, (*op.operands, *op.results)), default=0)
        lanes = self._on_registers(_VECTOR[cost_class(op)], bits)
        return Cycles(cost, lanes, (lanes, op.name))

    def _of_access(self, op: memref.LoadOp | memref.StoreOp, scalar: float) -> Cycles:
        pattern = access_pattern(self.divergence, op, self.dimension)
        stride = 1 if pattern.private else pattern.stride
        if stride == 0:
            return Cycles(scalar, scalar / self.lanes)
        bits = element_bits(memref_type(op.memref).element_type)
        if stride is not None and abs(stride) <= LONGEST_STEP:
            return Cycles(scalar, self._on_registers(abs(stride), bits))
        if stride is None and takes_digits(op.indices, self._is_strided):
            return Cycles(scalar, self._on_registers(ROWS, bits))
        if any(access_pattern(self.divergence, op, d).stride == 1 for d in self.others):
            return Cycles(scalar, self._on_registers(TRANSPOSED, bits))
        is_store = isinstance(op, memref.StoreOp)
        each, what = (SCATTER, "scatters") if is_store else (GATHER, "gathers")
        if bits < 32:
            each += NARROW
        return Cycles(scalar, each, (each, what))

    def _on_registers(self, cycles: float, bits: int) -> float:
        return cycles / min(self.lanes, max(1, self.register_bits // max(bits, 32)))

    def _is_strided(self, value: SSAValue) -> bool:
        return self.divergence.shape(value, self.dimension).is_strided


def _trips(loop: Operation) -> float:
    if isinstance(loop, scf.ForOp):
        first, end, step = map(constant_index, (loop.lb, loop.ub, loop.step))
        if first is not None and end is not None and step:
            return max(0, (end - first) // step)
    return LOOP_TRIPS


def _bits(value: SSAValue) -> int:
    return element_bits(value.type)


def _carried_latency(loop: Operation) -> float:
    """The longest delay in an iteration from what it gets to what it hands on."""
    carried = [phi for phi in phis(loop) if isinstance(phi.values[0], BlockArgument)]
    delays: dict[SSAValue, float] = {}
    for phi in carried:
        if phi.values[0].owner is loop.regions[0].blocks[0]:
            delays[phi.values[0]] = 0
    _follow(loop, delays)
    ends = (
        source for phi in carried for source in phi.sources if phi.values[0] in delays
    )
    return max((delays.get(source.value, 0) for source in ends), default=0)


def _follow(op: Operation, delays: dict[SSAValue, float]) -> None:
    """Add the longest delays up to what is computed in `op`."""
    for region in op.regions:
        for phi in phis(op):
            # What another region hands to this one.
            known = [delays[s.value] for s in phi.sources if s.value in delays]
            for value in phi.values if known else ():
                delays.setdefault(value, max(known))
        for block in region.blocks:
            for inner in block.ops:
                _follow(inner, delays)
    known = [delays[operand] for operand in op.operands if operand in delays]
    for result in op.results if known else ():
        latency = _LATENCY[cost_class(op)]
        if is_float(result.type) and latency == 1:
            latency = FLOAT_LATENCY
        delays[result] = max(delays.get(result, 0), max(known) + latency)
