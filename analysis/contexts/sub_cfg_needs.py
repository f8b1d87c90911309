"""
Which values a work-item must take from one sub-CFG of a kernel to another, and how.

A sub-CFG uses a value that another one defined (or itself, before its last sync). Slots and
contexts are written where the value is defined, in each sub-CFG that defines it.

A value that a sub-CFG defines on some of the paths to a use, and brings along on others, is
*joined*: it lives in a private variable of the work-item.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.barriers.convergent_loops import ConvergentLoops
from spmd.analysis.barriers.sub_cfgs import Cfg, SubCfg
from spmd.analysis.contexts.needs import Needs, Resolver, Values
from spmd.analysis.divergence.analyze import Divergence
from spmd.dialects.enclosing import block_of, terminator, used_from_outside
from spmd.dialects.interfaces.control_flow import Branch, decisions
from spmd.dialects.spmd import LocalIdOp, ScanOp, is_sync


class Reaches(Enum):
    """How a value comes to a block of a sub-CFG."""

    BY_DEFINITION = auto()
    """The sub-CFG defines it on every path."""

    BY_ENTRY = auto()
    """It is there when the sub-CFG begins, and not defined on any path."""

    BY_JOIN = auto()
    """Paths of both kinds lead to the block."""


@dataclass(frozen=True)
class SubCfgNeeds:
    """The answer for one kernel; collections are in the order of the source."""

    values: Needs[SubCfg]
    joined: Mapping[SubCfg, Values]
    inputs: Sequence[Operation]
    """The collectives with a varying value that goes in."""


@dataclass(frozen=True)
class SubCfgValues:
    """Where the values of a kernel are defined, and what all work-items know of them."""

    cfg: Cfg
    divergence: Divergence
    rounds: ConvergentLoops
    once: Container[Operation]
    """What runs once per work-group, before all else."""

    def is_once(self, value: SSAValue) -> bool:
        """Whether `value` is computed once per work-group, before all else."""
        owner = value.owner
        if isinstance(owner, Block):
            return owner is self.cfg.blocks[0]
        return owner in self.once

    def is_uniform(self, value: SSAValue) -> bool:
        """Whether `value` is the same in all work-items that wait at one sync, no memref."""
        if isinstance(value.type, MemRefType):
            return False
        owner = value.owner
        if isinstance(owner, Operation) and is_sync(owner):
            return not isinstance(owner, ScanOp)
        return self.divergence.is_uniform(value) and self.rounds.are_equal(
            value, block_of(value)
        )

    def may_diverge(self, sub_cfg: SubCfg) -> bool:
        """
        Whether work-items that run `sub_cfg` can come to different syncs, in any kernel.

        They cannot if every branch depends on what all of them have in common.
        """
        for block in sub_cfg.blocks:
            if len(set(self.cfg.branches(block))) < 2:
                continue
            end = terminator(block)
            if Branch.of(end) is None or not all(
                self.is_once(each.value) or self.is_uniform(each.value)
                for each in decisions(end)
            ):
                return True
        return False


def find_sub_cfg_needs(facts: SubCfgValues, sub_cfgs: Sequence[SubCfg]) -> SubCfgNeeds:
    """Decide for every value of a kernel that is used after a sync."""
    finder = _Finder(facts)
    outside = {block: used_from_outside(block) for block in facts.cfg.blocks}
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
    inputs = [
        sync
        for sync in facts.cfg.syncs
        if sync.operands
        and not facts.is_once(sync.operands[0])
        and not facts.is_uniform(sync.operands[0])
    ]
    return SubCfgNeeds(finder.needs, finder.joined, inputs)


class _Finder(Resolver[SubCfg]):
    def __init__(self, facts: SubCfgValues):
        self.facts = facts
        self.joined: dict[SubCfg, Values] = {}

    def is_once(self, value: SSAValue) -> bool:
        return self.facts.is_once(value)

    def is_uniform(self, value: SSAValue) -> bool:
        return self.facts.is_uniform(value)

    def is_brought(self, value: SSAValue, sub_cfg: SubCfg, block: Block) -> bool:
        """Whether the definition of `value` does not simply precede its use in `block`."""
        return not (
            self.is_once(value)
            or isinstance(value.owner, LocalIdOp)
            or reaches(value, sub_cfg, block) is Reaches.BY_DEFINITION
        )

    def use(self, value: SSAValue, sub_cfg: SubCfg, block: Block) -> None:
        """Note that `block`, as a part of `sub_cfg`, uses `value` from another block."""
        worklist = [value]
        while worklist:
            value = worklist.pop()
            if not self.is_brought(value, sub_cfg, block):
                continue
            if reaches(value, sub_cfg, block) is Reaches.BY_ENTRY:
                self.enter(value, sub_cfg)
            elif self.is_rematerialized(value):
                assert isinstance(value.owner, Operation)
                self.needs.rematerialized[value] = None
                worklist.extend(value.owner.operands)
            else:
                self.joined.setdefault(sub_cfg, {})[value] = None
                self.enter(value, sub_cfg)

    def is_given(self, value: SSAValue, place: SubCfg) -> bool:
        return is_given_by(value, place)


def is_given_by(value: SSAValue, sub_cfg: SubCfg) -> bool:
    """Whether `value` is the result that the group gets where `sub_cfg` begins."""
    return value.owner is sub_cfg.sync and not isinstance(sub_cfg.sync, ScanOp)


def reaches(value: SSAValue, sub_cfg: SubCfg, block: Block) -> Reaches:
    """How `value` comes to `block` in `sub_cfg`."""
    owner = value.owner
    if isinstance(owner, Operation) and is_sync(owner):
        return Reaches.BY_ENTRY
    home = block_of(value)
    if home not in sub_cfg or not sub_cfg.leads_to(home, block):
        return Reaches.BY_ENTRY
    if sub_cfg.dominates(home, block):
        return Reaches.BY_DEFINITION
    return Reaches.BY_JOIN
