"""
Which values a work-item must take from one sub-CFG of a kernel to another, and how.

A sub-CFG uses a value that another one defined (or itself, before its last sync). When the
sub-CFG begins, the value is

* loaded from a *cell* if all work-items agree on it: one element for the group,
* *recomputed* if it is a cheap function of ids, of what runs once and of what is stored,
* loaded from a *context* otherwise: one element per work-item.

Cells and contexts are written where the value is defined, in each sub-CFG that defines it.

A value that a sub-CFG defines on some of the ways to a use, and brings along on others, is
*repaired*: it lives in a private variable of the work-item.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import cf, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.barriers.barrier_regions import is_sync
from spmd.analysis.barriers.convergent_loops import LoopRounds
from spmd.analysis.barriers.sub_cfgs import Cfg, SubCfg, end_of, used_from_outside
from spmd.analysis.contexts.context_cut import choose_stored, cost_of
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.spmd import LocalIdOp, ScanOp


@dataclass(frozen=True)
class ContinuationNeeds:
    """The answer for one kernel; collections are in the order of the source."""

    cells: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    stored: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    private: dict[memref.AllocaOp, None] = field(
        default_factory=dict[memref.AllocaOp, None]
    )
    unmovable: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    """Memrefs that cannot be computed again."""

    entered: dict[SubCfg, dict[SSAValue, None]] = field(
        default_factory=dict[SubCfg, dict[SSAValue, None]]
    )
    """What each sub-CFG needs when it begins."""

    repaired: dict[SubCfg, dict[SSAValue, None]] = field(
        default_factory=dict[SubCfg, dict[SSAValue, None]]
    )
    recomputed: dict[SSAValue, None] = field(default_factory=dict[SSAValue, None])
    inputs: dict[Operation, SSAValue] = field(default_factory=dict[Operation, SSAValue])
    """The varying value that goes into a collective."""


class Places:
    """Where the values of a kernel are defined, and which of them are never moved."""

    def __init__(self, cfg: Cfg, once: Container[Operation]):
        self.cfg = cfg
        self._once = once

    def is_once(self, value: SSAValue) -> bool:
        """Whether `value` is computed once per work-group, before all else."""
        owner = value.owner
        if isinstance(owner, Block):
            return owner is self.cfg.blocks[0]
        return owner in self._once

    def block_of(self, value: SSAValue) -> Block:
        """The block that defines `value`."""
        owner = value.owner
        if isinstance(owner, Block):
            return owner
        assert owner.parent is not None
        return owner.parent


def find_continuation_needs(
    places: Places,
    sub_cfgs: tuple[SubCfg, ...],
    divergence: Divergence,
    rounds: LoopRounds,
) -> ContinuationNeeds:
    """Decide for every value of a kernel that is used behind a sync."""
    finder = _Finder(places, divergence, rounds)
    outside = {block: used_from_outside(block) for block in places.cfg.blocks}
    uses = [
        (value, sub_cfg, block)
        for sub_cfg in sub_cfgs
        for block in sub_cfg.blocks
        for value in outside[block]
        if finder.is_brought(value, sub_cfg, block)
    ]
    finder.choose(value for value, _, _ in uses)
    for use in uses:
        finder.use(*use)
    for sync in places.cfg.syncs:
        finder.use_in_collective(sync)
    return finder.needs


class _Finder:
    def __init__(self, places: Places, divergence: Divergence, rounds: LoopRounds):
        self.places = places
        self.divergence = divergence
        self.rounds = rounds
        self.needs = ContinuationNeeds()
        self._chosen: set[SSAValue] = set()

    def is_brought(self, value: SSAValue, sub_cfg: SubCfg, block: Block) -> bool:
        """Whether `value` does not simply stand in front of its use in `block`."""
        return not (
            self.places.is_once(value)
            or isinstance(value.owner, LocalIdOp)
            or way_of(self.places, value, sub_cfg, block) == "defined"
        )

    def choose(self, values: Iterable[SSAValue]) -> None:
        """Decide which values to store, so that all `values` can be had again."""
        varying = filter(self._is_varying, values)
        self._chosen = choose_stored(varying, self._operands_of)

    def use(self, value: SSAValue, sub_cfg: SubCfg, block: Block) -> None:
        """Note that `block`, as a part of `sub_cfg`, uses `value` from another block."""
        open_ = [value]
        while open_:
            value = open_.pop()
            if not self.is_brought(value, sub_cfg, block):
                continue
            if way_of(self.places, value, sub_cfg, block) == "entered":
                self._enter(value, sub_cfg)
            elif self._is_recomputed(value):
                assert isinstance(value.owner, Operation)
                self.needs.recomputed[value] = None
                open_.extend(value.owner.operands)
            else:
                self.needs.repaired.setdefault(sub_cfg, {})[value] = None
                self._enter(value, sub_cfg)

    def _enter(self, value: SSAValue, sub_cfg: SubCfg) -> None:
        """Note that `sub_cfg` needs `value` when it begins."""
        entered = self.needs.entered.setdefault(sub_cfg, {})
        open_ = [value]
        while open_:
            value = open_.pop()
            if (
                value in entered
                or self.places.is_once(value)
                or isinstance(value.owner, LocalIdOp)
            ):
                continue
            entered[value] = None
            owner = value.owner
            if isinstance(owner, memref.AllocaOp):
                self.needs.private[owner] = None
            elif is_given_by(value, sub_cfg):
                continue
            elif self.is_agreed(value):
                self.needs.cells[value] = None
            elif self._is_recomputed(value):
                assert isinstance(owner, Operation)
                self.needs.recomputed[value] = None
                open_.extend(owner.operands)
            elif isinstance(value.type, MemRefType):
                self.needs.unmovable[value] = None
            else:
                self.needs.stored[value] = None

    def use_in_collective(self, sync: Operation) -> None:
        """Note what a collective reads and writes when all work-items are there."""
        if not sync.operands:
            return
        value = sync.operands[0]
        if not self.places.is_once(value) and not self.is_agreed(value):
            self.needs.inputs[sync] = value

    def is_agreed(self, value: SSAValue) -> bool:
        """Whether `value` is the same in all work-items that wait at one sync."""
        return is_agreed(value, self.places, self.divergence, self.rounds)

    def _is_recomputed(self, value: SSAValue) -> bool:
        """Whether `value` is computed again rather than stored."""
        return value not in self._chosen and self._operands_of(value) is not None

    def _is_varying(self, value: SSAValue) -> bool:
        return not (
            self.places.is_once(value)
            or self.is_agreed(value)
            or isinstance(value.owner, LocalIdOp | memref.AllocaOp)
        )

    def _operands_of(self, value: SSAValue) -> tuple[int, Sequence[SSAValue]] | None:
        """What `value` can be computed from again, without what is known everywhere."""
        owner = value.owner
        if isinstance(owner, Block) or (cost := cost_of(owner)) is None:
            return None
        return cost, [
            operand for operand in owner.operands if self._is_varying(operand)
        ]


def is_agreed(
    value: SSAValue,
    places: Places,
    divergence: Divergence,
    rounds: LoopRounds,
) -> bool:
    """Whether `value` is the same in all work-items that wait at one sync."""
    if isinstance(value.type, MemRefType):
        return False
    owner = value.owner
    if isinstance(owner, Operation) and is_sync(owner):
        return not isinstance(owner, ScanOp)
    return divergence.is_uniform(value) and rounds.are_equal(
        value, places.block_of(value)
    )


def may_part(
    sub_cfg: SubCfg,
    places: Places,
    divergence: Divergence,
    rounds: LoopRounds,
) -> bool:
    """
    Whether work-items that run `sub_cfg` can come to different syncs, in any kernel.

    They cannot if every branch depends on what all of them have in common.
    """
    for block in sub_cfg.blocks:
        if len(set(places.cfg.branches(block))) < 2:
            continue
        end = end_of(block)
        if not isinstance(end, cf.ConditionalBranchOp | cf.SwitchOp):
            return True
        condition = end.operands[0]
        if not (
            places.is_once(condition)
            or is_agreed(condition, places, divergence, rounds)
        ):
            return True
    return False


def is_given_by(value: SSAValue, sub_cfg: SubCfg) -> bool:
    """Whether `value` is the result that the group gets where `sub_cfg` begins."""
    return value.owner is sub_cfg.sync and not isinstance(sub_cfg.sync, ScanOp)


def way_of(places: Places, value: SSAValue, sub_cfg: SubCfg, block: Block) -> str:
    """How `value` comes to `block` in `sub_cfg`: "defined", "entered" or "repaired"."""
    owner = value.owner
    if isinstance(owner, Operation) and is_sync(owner):
        return "entered"
    made_in = places.block_of(value)
    if made_in not in sub_cfg or not sub_cfg.leads_to(made_in, block):
        return "entered"
    return "defined" if sub_cfg.dominates(made_in, block) else "repaired"
