"""
Which values a work-item must take from one barrier region to another, and how.

A varying value that control flow with barriers forwards (a loop-carried value, a result)
is a *variable*: a context that is written wherever the source forwards a value. What a
collective decides by, or control flow whose condition is not proved uniform, is known
where a region ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import BarrierRegion, BarrierRegions
from spmd.analysis.contexts.needs import Needs, Resolver
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.interfaces.control_flow import Operand, decisions, phis
from spmd.dialects.spmd import BroadcastOp, LocalIdOp, ScanOp, is_group_collective


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


@dataclass(frozen=True)
class RegionNeeds:
    """The answer for one kernel; all collections are in the order of the source."""

    regions: BarrierRegions
    values: Needs[BarrierRegion | None]
    variables: tuple[Variable, ...]
    forwarded: frozenset[SSAValue]
    """Block arguments and results of carriers that no longer exist after the split."""

    agreed: Mapping[BarrierRegion, Sequence[Operand]]
    """The operands of what ends a region that all work-items agree on there."""

    inputs: Mapping[Operation, Variable]
    """What keeps the varying values that go into a collective."""

    _set_by: Mapping[BarrierRegion, Sequence[tuple[SSAValue, Variable]]]

    def entered_by(self, region: BarrierRegion) -> Mapping[SSAValue, bool]:
        """The values from elsewhere that `region` uses (true) or only forwards."""
        return self.values.entered.get(region, {})

    def set_by(self, region: BarrierRegion) -> Sequence[tuple[SSAValue, Variable]]:
        """The variables that `region` sets last, and to what."""
        return self._set_by.get(region, ())

    @property
    def renamed(self) -> Iterable[SSAValue]:
        """Every value that is known under another name in some region, or outside."""
        return dict.fromkeys(chain.from_iterable(self.values.entered.values()))


def find_region_needs(regions: BarrierRegions, divergence: Divergence) -> RegionNeeds:
    """Decide for every value of a kernel that crosses a barrier."""
    needs = _Finder(regions, divergence).find()
    # The language says that all work-items ask for arrays of the same size, even where
    # that is not proved.
    sizes = [
        size
        for alloca in needs.values.private
        for size in alloca.dynamic_sizes
        if _region_defining(size, regions) is not None
    ]
    return _Finder(regions, divergence, sizes).find() if sizes else needs


class _Finder(Resolver[BarrierRegion | None]):
    """The place `None` is what runs once per work-group."""

    def __init__(
        self,
        regions: BarrierRegions,
        divergence: Divergence,
        sizes: Sequence[SSAValue] = (),
    ):
        self.regions = regions
        self.divergence = divergence
        self._passes: set[tuple[Operation, int]] = set()
        """The operands that set a variable."""

        self._sizes = frozenset(sizes)
        self._demands: dict[tuple[SSAValue, BarrierRegion | None], bool] = {
            (size, None): True for size in sizes
        }
        self._variable_of: dict[SSAValue, Variable] = {}
        self._live: dict[Variable, None] = {}
        self._in_place: frozenset[SSAValue] = frozenset()

    def find(self) -> RegionNeeds:
        """Demand what is used, then choose until no more variables are needed for that."""
        regions = self.regions
        for carrier in regions.carriers:
            for variable in self._variables_of(carrier):
                self._variable_of.update(dict.fromkeys(variable.values, variable))
        decided = [d for carrier in regions.carriers for d in decisions(carrier)]
        inputs: dict[Operation, Variable] = {}
        for sync in filter(is_group_collective, regions.syncs):
            decided.extend(self._look_at_collective(sync, inputs))
        decided = [d for d in decided if self._varies(d.value)]
        self._passes.update(decided)
        for region in regions.regions:
            for op in region.ops:
                for value in op.results:
                    self._look_at_uses(value, region)
        for value in self._variable_of:
            self._look_at_uses(value, None)
        for variable in inputs.values():
            self._keep(variable)
        agreed: dict[BarrierRegion, list[Operand]] = {}
        for decision in decided:
            region = regions.region_before(decision.op)
            agreed.setdefault(region, []).append(decision)
            self._forward(decision.value, region)
        self._resolve()
        set_by: dict[BarrierRegion, list[tuple[SSAValue, Variable]]] = {}
        for variable in self._live:
            for source, region in variable.sources:
                if self._variable_of.get(source) is not variable:
                    set_by.setdefault(region, []).append((source, variable))
        return RegionNeeds(
            regions,
            self.needs,
            tuple(self._live),
            frozenset(self._variable_of),
            agreed,
            inputs,
            set_by,
        )

    def _variables_of(self, carrier: Operation) -> Iterable[Variable]:
        """What carries the varying values that pass through `carrier`; uniform ones stay."""
        found: dict[SSAValue, Variable] = {}
        is_uniform = self.divergence.is_uniform
        for phi in phis(carrier):
            first = phi.values[0]
            values = [source.value for source in phi.sources]
            # All work-items take the same path, even where that is not proved.
            if is_uniform(first) or all(map(is_uniform, values)):
                continue
            known = found.get(values[0]) if len(values) == 1 else None
            if known is not None and len(known.values) == 1:
                # A value that a condition passes on unchanged stays where it is.
                known.values.extend(phi.values)
                continue
            sources = [self._passed_by(*source) for source in phi.sources]
            found[first] = Variable(
                carrier, first.type, first.name_hint, list(phi.values), sources
            )
        return found.values()

    def _passed_by(self, end: Operation, index: int) -> tuple[SSAValue, BarrierRegion]:
        """Operand `index` of the operation that forwards it, after a region."""
        self._passes.add((end, index))
        return end.operands[index], self.regions.region_before(end)

    def _look_at_collective(
        self, sync: Operation, inputs: dict[Operation, Variable]
    ) -> Iterator[Operand]:
        """Note what goes into and comes out of a collective; what it decides by."""
        value = sync.operands[0]
        if self._varies(value):
            source = self._passed_by(sync, 0)
            inputs[sync] = Variable(sync, value.type, value.name_hint, [], [source])
        if isinstance(sync, ScanOp) and not self.divergence.is_uniform(sync.result):
            result = sync.result
            self._variable_of[result] = Variable(
                sync, result.type, result.name_hint, [result], []
            )
        if isinstance(sync, BroadcastOp):
            yield Operand(sync, 1)

    # Demands.

    def _look_at_uses(self, value: SSAValue, home: BarrierRegion | None) -> None:
        everywhere = isinstance(value.owner, LocalIdOp)
        for use in value.uses:
            region = self.regions.region_of(use.operation)
            if region is None:
                if (
                    value not in self._variable_of
                    and (use.operation, use.index) not in self._passes
                ):
                    self._demands[value, None] = True
            elif region is not home or everywhere:
                self._demand(value, region, True)

    def _demand(self, value: SSAValue, region: BarrierRegion, is_used: bool) -> None:
        """Note that `region` needs `value` from elsewhere."""
        key = value, region
        self._demands[key] = is_used or self._demands.get(key, False)
        if (variable := self._variable_of.get(value)) is not None:
            self._keep(variable)

    def _keep(self, variable: Variable) -> None:
        """Keep `variable` in a context, with all that it is ever set to."""
        worklist = [variable]
        while worklist:
            variable = worklist.pop()
            if variable in self._live:
                continue
            self._live[variable] = None
            for source, region in variable.sources:
                of_source = self._variable_of.get(source)
                if of_source is None:
                    self._forward(source, region)
                elif of_source is not variable:
                    self._demands.setdefault((source, region), False)
                    worklist.append(of_source)

    def _forward(self, value: SSAValue, region: BarrierRegion) -> None:
        """Note that `value` is forwarded at the end of `region`."""
        home = _region_defining(value, self.regions)
        if not self.is_once(value) and (
            home is not region or isinstance(value.owner, LocalIdOp)
        ):
            self._demand(value, region, False)

    # Answers.

    def _resolve(self) -> None:
        known = None
        while known != len(self._demands):
            known = len(self._demands)
            self._in_place = frozenset(self._find_in_place())
            self.choose((value for value, _ in self._demands), self._in_place)
            for (value, region), is_used in tuple(self._demands.items()):
                self.enter(value, region, is_used)
        for alloca in self.needs.private:
            for use in alloca.memref.uses:
                region = self.regions.region_of(use.operation)
                assert region is not None, "only work-items use private memory"
                self.enter(alloca.memref, region)

    def _find_in_place(self) -> Iterator[SSAValue]:
        """
        The values that can lie in the context of what they are forwarded as.

        They are needed for nothing else, and from where they are defined to where they are
        forwarded nobody needs what was there before.
        """
        number = {region: i for i, region in enumerate(self.regions.regions)}
        used: dict[SSAValue, bool] = {}
        for (value, _), is_used in self._demands.items():
            used[value] = is_used or used.get(value, False)
        for variable in self._live:
            for source, region in variable.sources:
                home = _region_defining(source, self.regions)
                if (
                    used.get(source) is False
                    and home is not None
                    and super().is_varying(source)
                    and not isinstance(source.type, MemRefType)
                    and not any(
                        (value, between) in self._demands
                        for between in self.regions.regions[
                            number[home] + 1 : number[region] + 1
                        ]
                        for value in variable.values
                    )
                ):
                    yield source

    def is_once(self, value: SSAValue) -> bool:
        return (
            value not in self._variable_of
            and _region_defining(value, self.regions) is None
        )

    def is_uniform(self, value: SSAValue) -> bool:
        return not isinstance(value.type, MemRefType) and not self._varies(value)

    def is_given(self, value: SSAValue, place: BarrierRegion | None) -> bool:
        variable = self._variable_of.get(value)
        assert variable is None or variable in self._live, "each use demands it"
        return variable is not None

    def is_varying(self, value: SSAValue) -> bool:
        if (variable := self._variable_of.get(value)) is not None:
            return variable not in self._live
        return value not in self._in_place and super().is_varying(value)

    def _varies(self, value: SSAValue) -> bool:
        """Whether each work-item has its own `value`, as far as we know."""
        return value in self._variable_of or not (
            value in self._sizes
            or self.divergence.is_uniform(value)
            or self.is_once(value)
        )


def _region_defining(value: SSAValue, regions: BarrierRegions) -> BarrierRegion | None:
    owner = value.owner
    return regions.region_of(owner) if isinstance(owner, Operation) else None
