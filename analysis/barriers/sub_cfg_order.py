"""Which sub-CFG of a kernel can follow on which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from xdsl.ir import Operation

from spmd.analysis.barriers.sub_cfgs import SubCfg
from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.enclosing import terminator
from spmd.dialects.spmd import is_sync

THE_END = 0
"""The number of the end of the kernel; syncs count from 1."""


@dataclass(frozen=True)
class SubCfgOrder:
    """The edges between sub-CFGs; `None` is the end of the kernel."""

    first: SubCfg
    following: Mapping[SubCfg, Sequence[SubCfg | None]]
    number: Mapping[Operation | None, int]
    """Of each sync, and of the end."""

    _predecessors: Mapping[SubCfg | None, int]

    @staticmethod
    def of(sub_cfgs: Sequence[SubCfg]) -> SubCfgOrder:
        """The order of what `find_sub_cfgs` has found."""
        of_sync = {sub_cfg.sync: sub_cfg for sub_cfg in sub_cfgs}
        following = {
            sub_cfg: tuple(
                dict.fromkeys(
                    of_sync[end] if is_sync(end) else None
                    for end in map(terminator, sub_cfg.ends)
                )
            )
            for sub_cfg in sub_cfgs
        }
        syncs = (None, *(sub_cfg.sync for sub_cfg in sub_cfgs[1:]))
        number = {sync: n for n, sync in enumerate(syncs, THE_END)}
        predecessors = Counter(chain.from_iterable(following.values()))
        return SubCfgOrder(sub_cfgs[0], following, number, predecessors)

    def only_successor(self, sub_cfg: SubCfg) -> SubCfg | None:
        """What always follows on `sub_cfg`, and on nothing else."""
        nexts = self.following[sub_cfg]
        if len(nexts) == 1 and nexts[0] and self._predecessors[nexts[0]] == 1:
            return nexts[0]
        return None

    def chain(self, head: SubCfg) -> Iterator[SubCfg]:
        """`head`, and what always follows."""
        current: SubCfg | None = head
        while current is not None:
            yield current
            current = self.only_successor(current)

    def heads_after(self, sub_cfg: SubCfg) -> Sequence[SubCfg]:
        """What can run after `sub_cfg` and does not always follow on one other."""

        def nexts(at: SubCfg) -> Iterator[SubCfg]:
            return (after for after in self.following[at] if after is not None)

        found = reachable(nexts(sub_cfg), nexts)
        chained = {self.only_successor(at) for at in found}
        heads = (at for at in found if at not in chained)
        return sorted(heads, key=lambda head: self.number[head.sync])
