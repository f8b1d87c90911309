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

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.traits import is_side_effect_free

from spmd.analysis.accesses import is_integer_division, may_trap
from spmd.analysis.barrier_regions import (
    BarrierRegion,
    BarrierRegions,
    is_group_collective,
)
from spmd.analysis.divergence import Divergence
from spmd.dialects.spmd import BroadcastOp, LocalIdOp, ScanOp, SubGroupQueryOp

RECOMPUTED_OPS = 8
"""The longest chain of operations that is recomputed rather than stored."""

DIVISION_COST = 3
"""What an integer division by a constant counts for."""


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


@dataclass(frozen=True)
class ContextNeeds:
    """The answer for one kernel; all collections are in the order of the source."""

    regions: BarrierRegions
    cells: tuple[SSAValue, ...]
    stored: tuple[SSAValue, ...]
    private: tuple[memref.AllocaOp, ...]
    unmovable: tuple[SSAValue, ...]
    """Memrefs that cannot be computed again."""

    variables: tuple[Variable, ...]
    moved: tuple[SSAValue, ...]
    """Every value that is known under another name in some region."""

    varying: frozenset[SSAValue]
    """Block arguments and results of carriers that no longer exist after the split."""

    _needs: dict[BarrierRegion, dict[SSAValue, bool]]
    _passed: dict[BarrierRegion, tuple[tuple[SSAValue, Variable], ...]]
    _agreed: dict[BarrierRegion, list[Agreed]]
    _inputs: dict[Operation, Variable]
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

    def agreed_at_end_of(self, region: BarrierRegion) -> Sequence[Agreed]:
        """The operands of what ends `region` that all work-items agree on there."""
        return self._agreed.get(region, ())

    def input_of(self, collective: Operation) -> Variable | None:
        """What keeps the varying values that go into `collective`."""
        return self._inputs.get(collective)

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
    unmovable: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    moved: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    needs: dict[BarrierRegion, dict[SSAValue, bool]] = field(
        default_factory=dict[BarrierRegion, dict[SSAValue, bool]]
    )
    recomputed: dict[Operation, None] = field(default_factory=dict[Operation, None])
    variable_of: dict[SSAValue, Variable] = field(
        default_factory=dict[SSAValue, Variable]
    )
    live: dict[Variable, None] = field(default_factory=dict[Variable, None])
    agreed: dict[BarrierRegion, list[Agreed]] = field(
        default_factory=dict[BarrierRegion, list[Agreed]]
    )
    inputs: dict[Operation, Variable] = field(default_factory=dict[Operation, Variable])
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
            tuple(self.unmovable),
            tuple(self.live),
            tuple(self.moved),
            frozenset(self.variable_of),
            self.needs,
            {region: tuple(values) for region, values in passed.items()},
            self.agreed,
            self.inputs,
            frozenset(self.recomputed),
        )

    def find(self) -> None:
        for carrier in self.regions.carriers:
            for variable in self._variables_of(carrier):
                for value in variable.values:
                    self.variable_of[value] = variable
        decisions = [
            d for carrier in self.regions.carriers for d in decisions_of(carrier)
        ]
        for sync in self.regions.syncs:
            decisions.extend(self._decisions_of_sync(sync))
        self._passes.update(
            (d.op, d.operand) for d in decisions if self._varies(d.value)
        )
        for region in self.regions.regions:
            for op in region.ops:
                self._costs[op] = cost_of(op, self._cost)
                for value in op.results:
                    self._look_at_uses(value, region)
        for value in self.variable_of:
            self._look_at_uses(value, None)
        for variable in self.inputs.values():
            self._keep(variable)
            self._drain()
        for decision in decisions:
            if self._varies(decision.value):
                region = self.regions.region_before(decision.op)
                self.agreed.setdefault(region, []).append(decision)
                self._bring(decision.value, region)
                self._drain()
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
        self._drain()

    def _drain(self) -> None:
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
        elif is_memref and not is_view(owner):
            self.unmovable[value] = None
        elif is_memref or not is_too_expensive(self._costs[owner]):
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
            if self.variable_of.get(source) is not variable:
                self._bring(source, region)

    def _bring(self, value: SSAValue, region: BarrierRegion) -> None:
        """Note that `value` is passed on at the end of `region`."""
        if not self._is_once(value) and (
            self._region_making(value) is not region
            or isinstance(value.owner, LocalIdOp)
        ):
            self._open.append((value, region, False))

    def _varies(self, value: SSAValue) -> bool:
        """Whether each work-item has its own `value`, as far as we know."""
        return value in self.variable_of or not (
            self.divergence.is_uniform(value) or self._is_once(value)
        )

    def _is_once(self, value: SSAValue) -> bool:
        """Whether `value` is computed once per work-group."""
        return value not in self.variable_of and self._region_making(value) is None

    def _region_making(self, value: SSAValue) -> BarrierRegion | None:
        owner = value.owner
        return self.regions.region_of(owner) if isinstance(owner, Operation) else None

    def _cost(self, value: SSAValue) -> int | None:
        """What `value` costs as an operand; `None` if it cannot be had again."""
        if value in self.variable_of:
            return None
        if not self._varies(value):
            return 0
        assert isinstance(value.owner, Operation)
        return self._costs[value.owner]

    # Variables.

    def _decisions_of_sync(self, sync: Operation) -> Iterator[Agreed]:
        """Note what goes into and comes out of a collective; what it decides by."""
        if not is_group_collective(sync):
            return
        value = sync.operands[0]
        if self._varies(value):
            source = self._passed_by(sync, 0)
            self.inputs[sync] = Variable(
                sync, value.type, value.name_hint, [], [source]
            )
        if isinstance(sync, ScanOp) and not self.divergence.is_uniform(sync.result):
            result = sync.result
            self.variable_of[result] = Variable(
                sync, result.type, result.name_hint, [result], []
            )
        if isinstance(sync, BroadcastOp):
            yield Agreed(sync.source, sync, 1)

    def _variable(
        self,
        op: Operation,
        values: list[SSAValue],
        sources: list[tuple[SSAValue, BarrierRegion]],
    ) -> Variable:
        return Variable(op, values[0].type, values[0].name_hint, values, sources)

    def _variables_of(self, carrier: Operation) -> Iterator[Variable]:
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
            if not self.divergence.is_uniform(argument):
                yield self._variable(
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
                variables[argument] = self._variable(
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
                        [self._passed_by(condition, i + 1)],
                    )
                )
        yield from variables.values()
        yield from passed_on

    def _passed_by(self, end: Operation, index: int) -> tuple[SSAValue, BarrierRegion]:
        """Operand `index` of the operation that passes it on, behind a region."""
        self._passes.add((end, index))
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


def cost_of(
    op: Operation,
    operand_cost: Callable[[SSAValue], int | None],
    *,
    any_memref: bool = False,
) -> int:
    """The operations it takes to compute `op` from ids and what runs once."""
    if isinstance(op, LocalIdOp):
        return 0
    if not (is_cheap(op) or (any_memref and is_view(op))):
        return RECOMPUTED_OPS + 1
    cost = DIVISION_COST if is_integer_division(op) else 1
    for operand in op.operands:
        more = operand_cost(operand)
        cost += RECOMPUTED_OPS if more is None else more
    return min(cost, RECOMPUTED_OPS + 1)


def is_too_expensive(cost: int) -> bool:
    """Whether to store a value rather than to compute it again at this cost."""
    return cost > RECOMPUTED_OPS


def is_view(op: Operation) -> bool:
    """Whether `op` makes a memref from another one, and has no effect."""
    return not op.regions and bool(op.operands) and is_side_effect_free(op)


def is_cheap(op: Operation) -> bool:
    """Whether computing `op` again costs no more than loading its result."""
    return isinstance(op, SubGroupQueryOp) or (
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
