"""
Which values a work-item must take from one barrier region to another, and how.

A value that is made in one region and used in another (or outside of all regions) is

* a *cell* if all work-items agree on it: one element for the group,
* *recomputed* where it is used if it is a cheap function of ids and of what runs once,
* *stored* in a context otherwise: one element per work-item.

A varying value that control flow with barriers passes on (a loop-carried value, a result)
is a *variable*: a context that is written wherever the source passes a value on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from spmd.analysis.accesses import may_trap
from spmd.analysis.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.divergence import Divergence
from spmd.dialects.spmd import LocalIdOp

RECOMPUTED_OPS = 8
"""The longest chain of operations that is recomputed rather than stored."""


@dataclass(eq=False)
class Variable:
    """A varying value that a carrier passes on."""

    carrier: Operation
    values: list[SSAValue]
    """The block argument and the result it is known as."""

    sources: list[tuple[SSAValue, BarrierRegion]]
    """What it is set to, at the end of which region."""


@dataclass(frozen=True)
class ContextNeeds:
    """The answer for one kernel; all collections are in the order of the source."""

    regions: BarrierRegions
    cells: tuple[SSAValue, ...]
    stored: tuple[SSAValue, ...]
    private: tuple[memref.AllocaOp, ...]
    variables: tuple[Variable, ...]
    moved: tuple[SSAValue, ...]
    """Every value that is known under another name in some region."""

    varying: frozenset[SSAValue]
    """Block arguments and results of carriers that no longer exist after the split."""

    _needs: dict[BarrierRegion, dict[SSAValue, bool]]
    _passed: dict[BarrierRegion, tuple[tuple[SSAValue, Variable], ...]]
    _recomputed: frozenset[Operation]

    def used_in(self, region: BarrierRegion) -> Iterator[SSAValue]:
        """The values from elsewhere that operations of `region` use."""
        needs = self._needs.get(region, {})
        return (value for value, is_used in needs.items() if is_used)

    def all_of(self, region: BarrierRegion) -> Iterable[SSAValue]:
        """The values from elsewhere that `region` uses or only passes on."""
        return self._needs.get(region, {})

    def passed_at_end_of(
        self, region: BarrierRegion
    ) -> tuple[tuple[SSAValue, Variable], ...]:
        """The variables that `region` sets last, and to what."""
        return self._passed.get(region, ())

    def is_recomputed(self, value: SSAValue) -> bool:
        """Whether `value` is recomputed in every region but its own that needs it."""
        return value.owner in self._recomputed


def find_context_needs(regions: BarrierRegions, divergence: Divergence) -> ContextNeeds:
    """Decide for every value of a kernel that crosses a barrier."""
    finder = _Finder(regions, divergence)
    finder.find()
    return finder.result()


@dataclass
class _Finder:
    regions: BarrierRegions
    divergence: Divergence
    cells: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    stored: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    private: dict[memref.AllocaOp, None] = field(
        default_factory=dict[memref.AllocaOp, None]
    )
    moved: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    needs: dict[BarrierRegion, dict[SSAValue, bool]] = field(
        default_factory=dict[BarrierRegion, dict[SSAValue, bool]]
    )
    recomputed: dict[Operation, None] = field(default_factory=dict[Operation, None])
    variable_of: dict[SSAValue, Variable] = field(
        default_factory=dict[SSAValue, Variable]
    )
    live: dict[Variable, None] = field(default_factory=dict[Variable, None])
    _costs: dict[Operation, int] = field(default_factory=dict[Operation, int])
    _passes: set[tuple[Operation, int]] = field(
        default_factory=set[tuple[Operation, int]]
    )
    _open: list[tuple[SSAValue, BarrierRegion, bool]] = field(
        default_factory=list[tuple[SSAValue, BarrierRegion, bool]]
    )

    def result(self) -> ContextNeeds:
        passed: dict[BarrierRegion, list[tuple[SSAValue, Variable]]] = {}
        for variable in self.live:
            for source, region in variable.sources:
                if self.variable_of.get(source) is not variable:
                    passed.setdefault(region, []).append((source, variable))
        return ContextNeeds(
            self.regions,
            tuple(self.cells),
            tuple(self.stored),
            tuple(self.private),
            tuple(self.live),
            tuple(self.moved),
            frozenset(self.variable_of),
            self.needs,
            {region: tuple(values) for region, values in passed.items()},
            frozenset(self.recomputed),
        )

    def find(self) -> None:
        for carrier in self.regions.carriers:
            for variable in self._variables_of(carrier):
                for value in variable.values:
                    self.variable_of[value] = variable
        for region in self.regions.regions:
            for op in region.ops:
                self._costs[op] = self._cost_of(op)
                for value in op.results:
                    self._look_at_uses(value, region)
        for value in self.variable_of:
            self._look_at_uses(value, None)
        for alloca in self.private:
            for use in alloca.memref.uses:
                region = self.regions.region_of(use.operation)
                assert region is not None, "only work-items use private memory"
                self._need(alloca.memref, region)

    def _look_at_uses(self, value: SSAValue, made_in: BarrierRegion | None) -> None:
        everywhere = isinstance(value.owner, LocalIdOp)
        for use in value.uses:
            region = self.regions.region_of(use.operation)
            if region is None:
                if (
                    value not in self.variable_of
                    and (use.operation, use.index) not in self._passes
                ):
                    self._agree_on(value)
            elif region is not made_in or everywhere:
                self._need(value, region)

    def _need(self, value: SSAValue, region: BarrierRegion) -> None:
        """Note that `region` needs `value` from elsewhere, and what follows from it."""
        self._open.append((value, region, True))
        while self._open:
            self._need_one(*self._open.pop())

    def _need_one(self, value: SSAValue, region: BarrierRegion, is_used: bool) -> None:
        here = self.needs.setdefault(region, {})
        if value in here and (here[value] or not is_used):
            return
        here[value] = is_used
        self.moved[value] = None
        owner = value.owner
        if isinstance(owner, LocalIdOp):
            return
        if (variable := self.variable_of.get(value)) is not None:
            self._keep(variable)
            return
        assert isinstance(owner, Operation), "block arguments cross as variables"
        is_memref = isinstance(value.type, MemRefType)
        if isinstance(owner, memref.AllocaOp):
            self.private[owner] = None
        elif self.divergence.is_uniform(value) and not is_memref:
            self._agree_on(value)
        elif is_memref or self._costs[owner] <= RECOMPUTED_OPS:
            self.recomputed[owner] = None
            for operand in owner.operands:
                if not self._is_once(operand):
                    self._open.append((operand, region, is_used))
        else:
            self.stored[value] = None

    def _agree_on(self, value: SSAValue) -> None:
        self.cells[value] = None
        self.moved[value] = None

    def _keep(self, variable: Variable) -> None:
        """Keep `variable` in a context, with all that it is ever set to."""
        if variable in self.live:
            return
        self.live[variable] = None
        for source, region in variable.sources:
            if self._is_once(source) or self.variable_of.get(source) is variable:
                continue
            if self._region_making(source) is not region or isinstance(
                source.owner, LocalIdOp
            ):
                self._open.append((source, region, False))

    def _is_once(self, value: SSAValue) -> bool:
        """Whether `value` is computed once per work-group."""
        return value not in self.variable_of and self._region_making(value) is None

    def _region_making(self, value: SSAValue) -> BarrierRegion | None:
        owner = value.owner
        return self.regions.region_of(owner) if isinstance(owner, Operation) else None

    def _cost_of(self, op: Operation) -> int:
        """The operations it takes to compute `op` from ids and what runs once."""
        if isinstance(op, LocalIdOp):
            return 0
        if not is_cheap(op):
            return RECOMPUTED_OPS + 1
        cost = 1
        for operand in op.operands:
            if operand in self.variable_of:
                return RECOMPUTED_OPS + 1
            if not self.divergence.is_uniform(operand):
                assert isinstance(operand.owner, Operation)
                cost += self._costs[operand.owner]
        return min(cost, RECOMPUTED_OPS + 1)

    # Variables.

    def _variables_of(self, carrier: Operation) -> Iterator[Variable]:
        match carrier:
            case scf.IfOp() | scf.IndexSwitchOp():
                yields = [
                    _yield_of(region) for region in carrier.regions if region.blocks
                ]
                for i, result in enumerate(carrier.results):
                    if not self.divergence.is_uniform(result):
                        yield Variable(
                            carrier,
                            [result],
                            [self._passed_by(end, i) for end in yields],
                        )
            case scf.ForOp():
                yield from self._variables_of_for(carrier)
            case scf.WhileOp():
                yield from self._variables_of_while(carrier)
            case _:
                raise AssertionError(f"{carrier.name} is no carrier that is split")

    def _variables_of_for(self, carrier: scf.ForOp) -> Iterator[Variable]:
        end = _yield_of(carrier.body)
        for i, result in enumerate(carrier.res):
            argument = carrier.body.block.args[i + 1]
            if not (
                self.divergence.is_uniform(argument)
                and self.divergence.is_uniform(result)
            ):
                yield Variable(
                    carrier,
                    [argument, result],
                    [
                        self._passed_by(carrier, i + 3),
                        self._passed_by(end, i),
                    ],
                )

    def _variables_of_while(self, carrier: scf.WhileOp) -> Iterator[Variable]:
        before = carrier.before_region.block
        condition = before.last_op
        assert isinstance(condition, scf.ConditionOp)
        end = _yield_of(carrier.after_region)
        variables: dict[SSAValue, Variable] = {}
        for i, argument in enumerate(before.args):
            if not self.divergence.is_uniform(argument):
                variables[argument] = Variable(
                    carrier,
                    [argument],
                    [
                        self._passed_by(carrier, i),
                        self._passed_by(end, i),
                    ],
                )
        passed_on: list[Variable] = []
        for i, result in enumerate(carrier.res):
            argument = carrier.after_region.block.args[i]
            if self.divergence.is_uniform(argument) and self.divergence.is_uniform(
                result
            ):
                continue
            source = condition.args[i]
            # A value that the condition passes on unchanged stays where it is.
            if (variable := variables.get(source)) is not None and len(
                variable.values
            ) == 1:
                variable.values.extend((argument, result))
            else:
                passed_on.append(
                    Variable(
                        carrier,
                        [argument, result],
                        [self._passed_by(condition, i + 1)],
                    )
                )
        yield from variables.values()
        yield from passed_on

    def _passed_by(self, end: Operation, index: int) -> tuple[SSAValue, BarrierRegion]:
        """Operand `index` of the operation that passes it on, behind a region."""
        self._passes.add((end, index))
        return end.operands[index], self.regions.region_before(end)


def is_cheap(op: Operation) -> bool:
    """Whether computing `op` again costs no more than loading its result."""
    return (
        op.name.startswith("arith.")
        and not op.regions
        and not may_trap(op)
        and not isinstance(op, arith.DivfOp)
        and is_side_effect_free(op)
    )


def _yield_of(region: Region) -> Operation:
    end = region.block.last_op
    assert end is not None, "a region of structured control flow has a terminator"
    return end
