"""
Which values a work-item must take from one barrier region to another, and how.

A value that is made in one region and used in another (or outside of all regions) is

* a *cell* if all work-items agree on it: one element for the group,
* *recomputed* where it is used if it is a cheap function of ids, of what runs once and of
  what is stored,
* *stored* in a context otherwise: one element per work-item (`context_cut` decides).

A varying value that control flow with barriers passes on (a loop-carried value, a result)
is a *variable*: a context that is written wherever the source passes a value on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import (
    BarrierRegion,
    BarrierRegions,
    is_group_collective,
)
from spmd.analysis.barriers.forwarded_values import (
    Agreed,
    PassedValues,
    Variable,
    decisions_of,
)
from spmd.analysis.contexts.context_cut import choose_stored, cost_of, is_view
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.spmd import BroadcastOp, LocalIdOp, ScanOp


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
    if sizes := finder.sizes_of_private_arrays():
        agreed = dict.fromkeys(sizes)
        finder = _Finder(regions, divergence, cells=agreed, moved=agreed.copy())
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
    _plain: dict[SSAValue, dict[BarrierRegion, bool]] = field(
        default_factory=dict[SSAValue, dict[BarrierRegion, bool]]
    )
    """Values that are to be stored or recomputed, and where they are needed."""

    _in_place: set[SSAValue] = field(default_factory=set[SSAValue])
    _open: list[tuple[SSAValue, BarrierRegion, bool]] = field(
        default_factory=list[tuple[SSAValue, BarrierRegion, bool]]
    )

    def __post_init__(self) -> None:
        self._passed = PassedValues(self.regions, self.divergence)

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

    def sizes_of_private_arrays(self) -> Sequence[SSAValue]:
        """
        The dynamic sizes of private arrays that work-items compute.

        The language says that all have the same, so that they are cells even where it
        is not proved.
        """
        return [
            size
            for alloca in self.private
            for size in alloca.dynamic_sizes
            if self._region_making(size) is not None
        ]

    def find(self) -> None:
        for carrier in self.regions.carriers:
            for variable in self._passed.of(carrier):
                for value in variable.values:
                    self.variable_of[value] = variable
        decisions = [
            d for carrier in self.regions.carriers for d in decisions_of(carrier)
        ]
        for sync in self.regions.syncs:
            decisions.extend(self._decisions_of_sync(sync))
        self._passed.passes.update(
            (d.op, d.operand) for d in decisions if self._varies(d.value)
        )
        for region in self.regions.regions:
            for op in region.ops:
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
        self._choose()
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
                    and (use.operation, use.index) not in self._passed.passes
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
        elif not (self._varies(value) or is_memref):
            self._agree_on(value)
        elif is_memref and not is_view(owner):
            self.unmovable[value] = None
        else:
            self._plain.setdefault(value, {})[region] = is_used

    def _choose(self) -> None:
        """Decide what is stored and what is recomputed."""
        number = -1
        # What is recomputed can need a variable, whose own values are needed then.
        while number != len(self._plain):
            number = len(self._plain)
            self._in_place = set(self._find_in_place())
            needed = (value for value in self._plain if value not in self._in_place)
            chosen = choose_stored(needed, self._operands_of) | self._in_place
            self.stored.clear()
            self.recomputed.clear()
            for value, regions in tuple(self._plain.items()):
                for region, is_used in regions.items():
                    self._bring_about(value, region, is_used, chosen)
            self._drain()

    def _find_in_place(self) -> Iterator[SSAValue]:
        """
        The values that can lie in the context of what they are passed on as.

        They are needed for nothing else, and from where they are made to where they are
        passed on nobody needs what was there before.
        """
        place = {region: i for i, region in enumerate(self.regions.regions)}
        for variable in self.live:
            for source, region in variable.sources:
                regions = self._plain.get(source)
                if regions is None or any(regions.values()):
                    continue
                made_in = self._region_making(source)
                assert made_in is not None
                if not any(
                    value in self.needs.get(between, ())
                    for between in self.regions.regions[
                        place[made_in] + 1 : place[region] + 1
                    ]
                    for value in variable.values
                ) and not isinstance(source.type, MemRefType):
                    yield source

    def _bring_about(
        self,
        value: SSAValue,
        region: BarrierRegion,
        is_used: bool,
        chosen: set[SSAValue],
    ) -> None:
        """Note what `region` needs to have `value`."""
        open_ = [value]
        seen: set[SSAValue] = set()
        while open_:
            value = open_.pop()
            if value in seen or self._is_once(value):
                continue
            seen.add(value)
            owner = value.owner
            if value in chosen and value not in self.variable_of:
                self.stored[value] = None
                self._note(value, region, is_used)
            elif self._operands_of(value) is None or not (
                self._varies(value) or isinstance(value.type, MemRefType)
            ):
                self._open.append((value, region, is_used))
            else:
                assert isinstance(owner, Operation)
                self.recomputed[owner] = None
                self._note(value, region, is_used)
                open_.extend(owner.operands)

    def _note(self, value: SSAValue, region: BarrierRegion, is_used: bool) -> None:
        here = self.needs.setdefault(region, {})
        here[value] = is_used or here.get(value, False)
        self.moved[value] = None

    def _operands_of(self, value: SSAValue) -> tuple[int, Sequence[SSAValue]] | None:
        """What `value` can be computed from again, without what is known everywhere."""
        if value in self.variable_of:
            return None
        owner = value.owner
        assert isinstance(owner, Operation), "block arguments cross as variables"
        if isinstance(owner, LocalIdOp):
            return 0, ()
        cost = cost_of(owner)
        if cost is None:
            return None
        return cost, [
            operand for operand in owner.operands if self._is_varying(operand)
        ]

    def _is_varying(self, value: SSAValue) -> bool:
        variable = self.variable_of.get(value)
        if variable is not None:
            return variable not in self.live
        return (
            (self._varies(value) or isinstance(value.type, MemRefType))
            and not self._is_once(value)
            and value not in self._in_place
            and not isinstance(value.owner, LocalIdOp | memref.AllocaOp)
        )

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
            self.divergence.is_uniform(value)
            or self._is_once(value)
            or value in self.cells
        )

    def _is_once(self, value: SSAValue) -> bool:
        """Whether `value` is computed once per work-group."""
        return value not in self.variable_of and self._region_making(value) is None

    def _region_making(self, value: SSAValue) -> BarrierRegion | None:
        owner = value.owner
        return self.regions.region_of(owner) if isinstance(owner, Operation) else None

    def _decisions_of_sync(self, sync: Operation) -> Iterator[Agreed]:
        """Note what goes into and comes out of a collective; what it decides by."""
        if not is_group_collective(sync):
            return
        value = sync.operands[0]
        if self._varies(value):
            source = self._passed.passed_by(sync, 0)
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
