"""
What a work-item costs, in cycles of one core: as scalar code, and as one lane of several.

Scalar code runs one work-item after the other. A core begins some four simple operations in
a cycle, but a branch that it predicts wrongly costs as much as sixty, and values that a loop
carries keep it waiting. Lanes share each operation of a vector register. What they cannot
share is access to elements anywhere in memory, of which a gather does one after the other, as
scalar code does; and where they leave a loop or take a branch at different times, those that
are done wait for the others.

The prices stand in `passes/targets.py`. What is not known is assumed: that loops run eight
times, that branches are taken by half.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import log2

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.divergence.access_patterns import access_pattern
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.divergence.edges import Edges
from spmd.analysis.divergence.known_places import KnownPlaces
from spmd.analysis.divergence.prefix import compares_ids
from spmd.analysis.graphs.traversal import reachable
from spmd.analysis.memory.rows import takes_digits
from spmd.analysis.memory.tables import operations_of_look_up, table_length
from spmd.analysis.memory.walks import Walks
from spmd.analysis.ranges.short_integers import SHORT
from spmd.dialects.element_types import memref_type
from spmd.dialects.enclosing import is_streamed, used_from_outside
from spmd.dialects.interfaces.computation import Elementwise
from spmd.dialects.interfaces.control_flow import RegionBranch, Runs, decisions
from spmd.dialects.interfaces.cost import CostClass, cost_class
from spmd.dialects.interfaces.views import underlying_object
from spmd.dialects.rewriting import trip_count
from spmd.dialects.spmd import AtomicCasOp, AtomicRmwOp
from spmd.dialects.spmd.types import is_float
from spmd.dialects.work_groups import is_work_item_loop
from spmd.passes.memory.lower_atomics import needs_no_instruction
from spmd.passes.sub_groups.choices.elements import element_bits
from spmd.passes.sub_groups.choices.latency import is_near, is_own, wait
from spmd.passes.sub_groups.choices.turns import takes_turns
from spmd.passes.sub_groups.choices.vector_code import is_vector_code
from spmd.passes.sub_groups.vector_forms import has_vector_form
from spmd.passes.targets import (
    EQUAL_STEPS,
    FAR_GATHER,
    FAR_LINE,
    LANES,
    LINES,
    LOADED_FIRST,
    LONGEST_STEP,
    LOOP_TRIPS,
    MISPREDICTION,
    MOVED,
    NARROW,
    ROWS,
    SCALAR,
    SCATTER,
    STORE,
    STRIDED,
    TESTED,
    TRANSPOSED,
    UNDER_MASK,
    Target,
)

TESTS_OF_LANES = "tests of lanes"


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
    edges: Edges
    dimension: int
    others: Sequence[int]
    """Further dimensions with lanes."""
    lanes: int
    target: Target
    are_all: bool = True
    """Whether there is a work-item for each lane."""
    walks: Walks = field(default_factory=Walks)
    short: Container[SSAValue] = ()
    """What lanes compute in 16 bits."""
    _tested: dict[Operation, float] = field(default_factory=dict[Operation, float])

    @cached_property
    def places(self) -> KnownPlaces:
        """Where lanes go that do not go in equal steps."""
        return KnownPlaces(self.divergence, self.dimension, self.lanes)

    def of_block(self, block: Block) -> Cycles:
        """All operations of `block`, once."""
        return sum(map(self._of, block.ops), Cycles())

    def _of(self, op: Operation) -> Cycles:
        flow = RegionBranch.of(op)
        if flow is None:
            return self._of_operation(op)
        blocks = (block for region in op.regions for block in region.blocks)
        inner = sum(map(self.of_block, blocks), Cycles())
        diverges = self._diverges(op)
        if flow.runs is Runs.LOOP:
            count, end = trips(op), Cycles()
            foreseen = isinstance(op, scf.ForOp) and self._is_foreseen(op)
            foreseen = foreseen and not self._takes_turns(op)
            runs = count if foreseen else trip_count(op)
            scalar = max(inner.scalar, wait(op, inner.scalar, runs))
            if is_vector_code(op, self.walks):
                bits = max(map(_bits_of, op.walk()))
                scalar = self._on_registers(scalar, bits)
                # What a register has of each result is put together at the end.
                steps = log2(self._per_register(bits))
                end = Cycles(scalar=len(op.results) * MOVED * steps)
            inner = replace(inner, scalar=scalar)
            if not diverges:
                return inner.times(count, count) + end
            # From none to twice as many, unless they take turns: lanes wait for the last.
            most = count + 1 if self._takes_turns(op) else 2 * count
            wrong = 0 if foreseen else MISPREDICTION
            return inner.times(count, most) + Cycles(wrong) + end
        if flow.runs is Runs.CHOICE:
            if not diverges:
                return inner.times(1 / 2, 1 / 2)
            # In vector code a condition is a choice of values, which nothing predicts.
            chosen = self._is_foreseen(op) or is_vector_code(op.parent_op(), self.walks)
            wrong = 0 if chosen else MISPREDICTION / 4
            return inner.times(1 / 2, 1) + Cycles(wrong)
        return inner

    def _diverges(self, op: Operation) -> bool:
        """Whether lanes mostly diverge in `op`, of which there may be a version for neighbours."""
        along = (self.dimension, *self.others)
        return any(self.divergence.is_divergent(op, d) for d in along) and not (
            isinstance(op, scf.ForOp)
            and (self.edges.is_window(op) or self.edges.runs_together(op))
        )

    def _of_operation(self, op: Operation) -> Cycles:
        cost = sum(map(_scalar, op.walk()), 0.0)
        uniform = self.divergence.is_uniform
        if not has_vector_form(op, uniform):
            values = [*used_from_outside(op), *(r for r in op.results if r.first_use)]
            moved = sum(not uniform(value) for value in values)
            lanes = cost + moved * MOVED
            return Cycles(
                cost, lanes, (lanes, f"{op.name} in one lane after the other")
            )
        if isinstance(op, memref.LoadOp | memref.StoreOp):
            return self._of_access(op)
        kind = cost_class(op)
        if self._is_of_address(op, kind):
            return Cycles()
        if all(map(uniform, (*op.operands, *op.results))):
            return Cycles(cost, cost / self.lanes)
        if any(self.edges.digit(each) is not None for each in op.results):
            return Cycles(cost, cost / self.lanes)  # Mostly of the first lane.
        bits = max(map(self._bits, (*op.operands, *op.results)), default=0)
        lanes = self._on_registers(LANES[kind], bits)
        if self.target.converts_one_by_one and _converts_long(op):
            lanes = 2 * MOVED
        return Cycles(cost, lanes, (lanes, op.name))

    def _of_access(self, op: memref.LoadOp | memref.StoreOp) -> Cycles:
        is_store = isinstance(op, memref.StoreOp)
        scalar = STORE if is_store else SCALAR[CostClass.MEMORY]
        pattern = access_pattern(self.divergence, op, self.dimension)
        bits = element_bits(memref_type(op.memref).element_type)
        tests = self._tests(op, bits)
        stride = pattern.stride
        if pattern.private and (stride == 0 or not tests):
            # What lanes have at one place is side by side; in stacks they mostly are there.
            stride = 1
        if stride is None:
            stride = self.edges.step(op)
        if stride == 0:
            return Cycles(scalar, scalar / self.lanes)
        if stride in (1, -1):
            if isinstance(op, memref.LoadOp) and not pattern.private and _walks_far(op):
                scalar += FAR_LINE
            if stride == 1 and is_store and is_work_item_loop(op.parent_op()):
                scalar += LOADED_FIRST * bits * is_streamed(op.memref)
            if tests and bits < self.target.masked_load:
                return Cycles(scalar, tests, (tests, TESTS_OF_LANES))
            return Cycles(scalar, self._on_registers(LANES[CostClass.MEMORY], bits))
        if stride is None and not tests and (span := self.places.span(op)) is not None:
            times = -(-span // self.lanes)
            if times <= LONGEST_STEP:
                times += UNDER_MASK * (self._tests_in(op.parent_op()) > 0)
                return Cycles(scalar, self._on_registers(STRIDED * times, bits))
        if stride is None and takes_digits(
            op.indices, self._is_strided, self._leaves_gaps
        ):
            return Cycles(scalar, self._on_registers(ROWS, bits))
        if (
            stride is not None
            and abs(stride) <= LONGEST_STEP
            and (not is_store or self._leaves_no_gaps(op, stride))
        ):
            return Cycles(scalar, self._on_registers(STRIDED * abs(stride), bits))
        if any(access_pattern(self.divergence, op, d).stride == 1 for d in self.others):
            steps = log2(self._per_register(bits))
            lanes = self._on_registers(LANES[CostClass.MEMORY] + steps, bits)
            return Cycles(scalar, lanes, (lanes, "transposed tiles"))
        if self._goes_along_memory(op):
            lanes = self._on_registers(TRANSPOSED, bits)
            return Cycles(scalar, lanes, (lanes, "transposed tiles"))
        looked_up = None if is_store else self._look_up(op, bits)
        if looked_up is not None:
            return Cycles(scalar, looked_up, (looked_up, "permutations"))
        each, what = (
            (SCATTER, "scatters") if is_store else (self._gather(op, stride), "gathers")
        )
        if bits < 32:
            each += NARROW
            tests = 0
            if is_store or not self.target.gathers_narrow:
                # No machine has these: lanes are asked one by one.
                tests = self._tests_in(op.parent_op())
        each += tests
        return Cycles(scalar, each, (each, what))

    def _tests(self, op: memref.LoadOp | memref.StoreOp, bits: int) -> float:
        """What it costs per lane to ask whether it is active, if that is needed for `op`."""
        target = self.target
        is_store = isinstance(op, memref.StoreOp)
        if bits >= (target.masked_store if is_store else target.masked_load):
            return 0
        if not is_store and target.loads_whole and not is_own(op.memref):
            return 0
        return self._tests_in(op.parent_op())

    def _tests_in(self, around: Operation | None) -> float:
        """The same of whatever is in `around`."""
        if around is None or is_work_item_loop(around):
            return 0 if self.are_all else TESTED
        if (known := self._tested.get(around)) is not None:
            return known
        if (
            self._diverges(around)
            and not self._is_steady(around)
            and not self._takes_turns(around)
        ):
            flow = RegionBranch.of(around)
            is_choice = flow is not None and flow.runs is Runs.CHOICE
            cost = TESTED + is_choice * MISPREDICTION / 4
        else:
            cost = self._tests_in(around.parent_op())
        self._tested[around] = cost
        return cost

    def _takes_turns(self, op: Operation) -> bool:
        return takes_turns(op, self.divergence, self.dimension, self.lanes)

    def _is_steady(self, op: Operation) -> bool:
        """Whether mostly all lanes take one path, as what decides compares ids."""
        return all(compares_ids(self.divergence, each.value) for each in decisions(op))

    def _is_foreseen(self, op: Operation) -> bool:
        """Whether ids alone decide: in scalar code work-items follow a pattern."""
        found = reachable([each.value for each in decisions(op)], self._computed_from)
        return all(self._is_strided(at) or self._computed_from(at) for at in found)

    def _computed_from(self, value: SSAValue) -> Sequence[SSAValue]:
        """What `value` is computed from, unless it grows steadily from lane to lane."""
        op = value.owner
        if self._is_strided(value) or isinstance(op, Block):
            return ()
        return op.operands if Elementwise.of(op) else ()

    def _goes_along_memory(self, op: memref.LoadOp | memref.StoreOp) -> bool:
        """Whether lanes access tiles, of which the loop around `op` is one side."""
        loop = op.parent_op()
        return loop is not None and op in self.walks and not self._diverges(loop)

    def _look_up(self, op: memref.LoadOp, bits: int) -> float | None:
        """What a lane takes that loads from an array which registers hold."""
        target, length = self.target, table_length(op.memref)
        if length is None or target.arch != "x86_64":
            return None
        found = operations_of_look_up(length, bits, target.register_bits)
        return None if found is None else found * LANES[CostClass.SIMPLE]

    def _gather(self, op: memref.LoadOp, stride: int | None) -> float:
        if is_near(op.memref):
            return self.target.gather * (1 if stride is None else EQUAL_STEPS)
        walks = all(map(self._is_strided, op.indices))
        return FAR_GATHER if walks else self.target.gather

    def _leaves_gaps(self, value: SSAValue) -> bool:
        """Whether `value` is known to grow by more than one from lane to lane."""
        return abs(self.divergence.shape(value, self.dimension).stride or 0) > 1

    def _leaves_no_gaps(self, op: memref.StoreOp, stride: int) -> bool:
        """Whether stores beside `op` fill the elements between those of lanes."""
        block = op.parent
        assert block is not None, "ops stand in blocks"
        beside = (
            each
            for each in block.ops
            if isinstance(each, memref.StoreOp) and each.memref is op.memref
        )
        strides = (
            access_pattern(self.divergence, each, self.dimension).stride
            for each in beside
        )
        return sum(each == stride for each in strides) >= abs(stride)

    def _on_registers(self, cycles: float, bits: int) -> float:
        return cycles / min(self.lanes, self._per_register(bits))

    def _per_register(self, bits: int) -> int:
        return max(1, self.target.register_bits // max(bits, 8))

    def _bits(self, value: SSAValue) -> int:
        if value in self.short:
            return SHORT
        is_constant = isinstance(value.owner, arith.ConstantOp)
        return 0 if is_constant else element_bits(value.type)

    def _is_of_address(self, op: Operation, kind: CostClass) -> bool:
        """Whether what `op` computes is known but for what is part of addresses either way."""
        if not op.results or kind > CostClass.CONSTANT_DIVISION:
            return False
        if all(map(self._is_strided, op.results)):
            return kind is CostClass.SIMPLE
        return not isinstance(op, arith.CmpiOp) and all(
            self.places.of(each) is not None for each in op.results
        )

    def _is_strided(self, value: SSAValue) -> bool:
        return self.divergence.shape(value, self.dimension).is_strided


def _scalar(op: Operation) -> float:
    """What `op` costs as scalar code; some atomics are plain code."""
    if isinstance(op, AtomicRmwOp | AtomicCasOp) and needs_no_instruction(op):
        return 2 * SCALAR[CostClass.MEMORY] + SCALAR[CostClass.SIMPLE]
    return SCALAR[cost_class(op)]


def _walks_far(op: memref.LoadOp) -> bool:
    """Whether a long loop around `op` goes from row to row of its array."""
    loop = op.parent_op()
    if not isinstance(loop, scf.ForOp) or is_work_item_loop(loop):
        return False
    array = underlying_object(op.memref).owner
    return trips(loop) >= LINES and not isinstance(array, memref.AllocaOp)


def trips(loop: Operation) -> float:
    """How often a loop runs, as far as that is known."""
    known = trip_count(loop)
    return LOOP_TRIPS if known is None else known


def _converts_long(op: Operation) -> bool:
    """Whether `op` makes a float of an integer of 64 bits, or the other way round."""
    if len(op.operands) != 1 or len(op.results) != 1 or isinstance(op, arith.BitcastOp):
        return False
    one, other = op.operands[0], op.results[0]
    if is_float(one.type) == is_float(other.type):
        return False
    return element_bits((other if is_float(one.type) else one).type) == 64


def _bits_of(op: Operation) -> int:
    """The bits of the widest number that `op` loads or computes, but for indices."""
    values = [each for each in op.results if not isinstance(each.type, IndexType)]
    return max((element_bits(each.type) for each in values), default=0)
