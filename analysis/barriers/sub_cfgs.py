"""
How a kernel of blocks falls apart at its barriers, if control flow is left as it is.

A *resume point* is the begin of the kernel, or what follows a sync (a barrier or a
collective of the work-group). Its *sub-CFG* is all that a work-item can run from there to
the next sync. A block belongs to each sub-CFG that can run it.

```mlir
  ...                           // point 0: this block, then ^loop as far as its barrier
  cf.br ^loop
^loop:
  spmd.barrier
  ...                           // point 1: from here around ^loop, or to ^exit
  cf.cond_br %c, ^loop, ^exit
^exit:
  spmd.return
```
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation

from spmd.analysis.graphs.dominators import dominates, immediate_dominators
from spmd.analysis.graphs.traversal import reachable
from spmd.dialects.enclosing import parent_block, terminator
from spmd.dialects.interfaces.cached import cached_property
from spmd.dialects.spmd import is_sync


@dataclass(frozen=True)
class Cfg:
    """
    The blocks of a kernel in which every sync is the last operation of its block.

    What follows a sync is the block after its own.
    """

    blocks: tuple[Block, ...]

    @cached_property
    def number(self) -> Mapping[Block, int]:
        """The place of each block in `blocks`."""
        return {block: number for number, block in enumerate(self.blocks)}

    @cached_property
    def syncs(self) -> tuple[Operation, ...]:
        """The syncs that end blocks, in the order of the blocks."""
        ends = (terminator(block) for block in self.blocks)
        return tuple(end for end in ends if is_sync(end))

    def after(self, sync: Operation) -> Block:
        """The block that work-items run when all have reached `sync`."""
        block = parent_block(sync)
        return self.blocks[self.number[block] + 1]

    def waits(self, block: Block) -> bool:
        """Whether work-items wait for each other at the end of `block`."""
        return is_sync(terminator(block))

    def branches(self, block: Block) -> Sequence[Block]:
        """Where a work-item can go from `block` without waiting."""
        end = terminator(block)
        return () if is_sync(end) else end.successors

    def successors(self, block: Block) -> Sequence[Block]:
        """Where a work-item can go from `block`."""
        end = terminator(block)
        return (self.after(end),) if is_sync(end) else end.successors

    @cached_property
    def edges(self) -> list[list[int]]:
        """`successors`, as numbers."""
        return [
            [self.number[after] for after in self.successors(block)]
            for block in self.blocks
        ]


@dataclass(eq=False)
class SubCfg:
    """All that a work-item can run from one resume point to the next sync."""

    sync: Operation | None
    """After which it begins; `None` for the begin of the kernel."""

    blocks: tuple[Block, ...]
    """In reverse post-order; the first is where it begins."""

    ends: tuple[Block, ...]
    """The blocks that end in a sync or return."""

    _dominator: Mapping[Block, Block]
    _branches: Callable[[Block], Sequence[Block]]
    _after: dict[Block, dict[Block, None]] = field(
        default_factory=dict[Block, dict[Block, None]]
    )

    @property
    def start(self) -> Block:
        """Where it begins."""
        return self.blocks[0]

    def __contains__(self, block: Block) -> bool:
        return block in self._dominator

    def dominates(self, a: Block, b: Block) -> bool:
        """Whether a work-item that runs `b` has always run `a` before, from the start."""
        return dominates(self._dominator, a, b)

    def leads_to(self, a: Block, b: Block) -> bool:
        """Whether a work-item can run `b` after it has run `a`."""
        if a not in self._after:
            self._after[a] = reachable(self._branches(a), self._branches)
        return b in self._after[a]


def find_sub_cfgs(cfg: Cfg) -> tuple[SubCfg, ...]:
    """The sub-CFG of every resume point that can be reached, the kernel's begin first."""
    branches = {block: cfg.branches(block) for block in cfg.blocks}.__getitem__
    found: dict[Operation | None, SubCfg] = {}
    worklist: list[Operation | None] = [None]
    while worklist:
        sync = worklist.pop(0)
        if sync in found:
            continue
        start = cfg.blocks[0] if sync is None else cfg.after(sync)
        dominator = immediate_dominators(start, branches)
        ends = tuple(block for block in dominator if not branches(block))
        found[sync] = SubCfg(sync, tuple(dominator), ends, dominator, branches)
        worklist.extend(end for end in map(terminator, ends) if is_sync(end))
    return tuple(found.values())
