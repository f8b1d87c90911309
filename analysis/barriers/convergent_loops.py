"""
In which loops work-items that wait at one sync are in the same iteration.

A value that is the same in all work-items *in one iteration* of a loop is not the same at a
barrier that one of them reaches in its first iteration and another in its second, nor after a
loop that one of them leaves earlier. And only lanes that are in the same iteration of every
loop run a sub-group operation together.

```mlir
^head(%i: index):
  cf.cond_br %more, ^body, ^exit    // may differ: but who leaves waits nowhere in the loop
^body:
  cf.cond_br %c, ^wait, ^latch      // if %c differs, who comes to ^latch is an iteration ahead
^wait:
  spmd.barrier
  cf.br ^latch
^latch:
  cf.br ^head(%next : index)
```

A loop is not convergent where two work-items diverge, in one iteration, onto paths of which
one leads to a sync and one around the loop, if that leads to the same sync in a later
iteration. Paths that all come to one block in the same iteration do not matter: work-items
are together again there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

from spmd.analysis.barriers.region_flow import syncs_ahead, why_not_agreed
from spmd.analysis.barriers.sub_cfgs import Cfg
from spmd.analysis.divergence.analyze import Divergence
from spmd.analysis.graphs.bit_vectors import solve_backward
from spmd.analysis.graphs.cfg import Loop, back_edges, natural_loops
from spmd.analysis.graphs.dominators import immediate_dominators
from spmd.analysis.graphs.traversal import strongly_connected
from spmd.dialects.enclosing import terminator
from spmd.dialects.interfaces.control_flow import Branch, decisions


@dataclass(frozen=True)
class ConvergentLoops:
    """What is known of the loops of one kernel."""

    not_convergent: Mapping[Block, Operation] = field(
        default_factory=dict[Block, Operation]
    )
    """
    The blocks of loops in which work-items may wait at one sync in different iterations.

    Each with a branch at which they may diverge.
    """

    _left_apart: Mapping[Block, frozenset[Block]] = field(
        default_factory=dict[Block, frozenset[Block]]
    )
    """For each block the innermost loop around it that may be left in different iterations."""

    def are_equal(self, value: SSAValue, block: Block) -> bool:
        """
        Whether all work-items that wait at one sync have `value` from the same iteration.

        `block` is the one that defines it.
        """
        if block in self.not_convergent:
            return False
        loop = self._left_apart.get(block)
        return loop is None or all(
            _block_around(use.operation, block) in loop for use in value.uses
        )


def find_convergent_loops(cfg: Cfg, divergence: Divergence) -> ConvergentLoops:
    """Look at all loops of a kernel."""
    ahead = syncs_ahead(cfg.blocks, cfg.branches, terminator)
    diverging = {
        number
        for number, block in enumerate(cfg.blocks)
        if _may_diverge(cfg, block, divergence, ahead)
    }
    if not diverging:
        return ConvergentLoops()
    waiting = frozenset(
        number for number, block in enumerate(cfg.blocks) if cfg.waits(block)
    )
    not_convergent: dict[Block, Operation] = {}
    left_apart: dict[Block, frozenset[Block]] = {}
    back, reducible = back_edges(cfg.edges, 0)
    loops = natural_loops(cfg.edges, back) if reducible else _cycles(cfg.edges)
    # The larger ones first: what is said last of a block is about the innermost loop.
    for loop in sorted(loops.values(), key=lambda loop: -len(loop.nodes)):
        branches = diverging & loop.nodes
        if not branches:
            continue
        blocks = frozenset(cfg.blocks[number] for number in loop.nodes)
        left_apart.update((block, blocks) for block in blocks)
        branch = min(branches)
        if reducible:
            branch = find_diverging_branch(cfg.edges, loop, waiting, branches)
        if branch is not None:
            where = terminator(cfg.blocks[branch])
            not_convergent.update((block, where) for block in blocks)
    return ConvergentLoops(not_convergent, left_apart)


def _cycles(edges: Sequence[Sequence[int]]) -> dict[int, Loop]:
    """The cycles of any graph, as far as one can get from each node of one to each other."""
    return {
        nodes[0]: Loop(nodes[0], frozenset(nodes), None)
        for nodes in strongly_connected(range(len(edges)), edges.__getitem__)
        if len(nodes) > 1 or nodes[0] in edges[nodes[0]]
    }


def find_diverging_branch(
    edges: Sequence[Sequence[int]],
    loop: Loop,
    waiting: frozenset[int],
    branches: Collection[int],
) -> int | None:
    """
    The first of `branches` that brings work-items to one sync in different iterations.

    They come to `waiting` nodes of `loop`, and go on when all are at the same.
    """
    one_iteration = _Iteration(edges, loop, waiting)
    ahead = one_iteration.ahead
    again = ahead[loop.header] & ~one_iteration.next_iteration
    for branch in sorted(branches):
        if branch in one_iteration.joined:
            continue
        paths = [one_iteration.of_edge(to) for to in dict.fromkeys(edges[branch])]
        around = [path & one_iteration.next_iteration > 0 for path in paths]
        others = sum(around)
        if any(
            path & again and others > is_around
            for path, is_around in zip(paths, around, strict=True)
        ):
            return branch
    return None


class _Iteration:
    """What can be run in one iteration of a loop without waiting."""

    def __init__(
        self, edges: Sequence[Sequence[int]], loop: Loop, waiting: frozenset[int]
    ):
        self.loop = loop
        self.edges = {
            node: () if node in waiting else tuple(edges[node]) for node in loop.nodes
        }
        syncs = sorted(waiting & loop.nodes)
        self._bit = {node: 1 << number for number, node in enumerate(syncs)}
        self.next_iteration = 1 << len(syncs)
        """The bit for the next iteration."""

        self.ahead = self._find_ahead()
        """The syncs of the loop that a node leads to in this iteration, as bits."""

        self.joined = self._find_joined()
        """The nodes from which all paths come to one node, or to the next iteration."""

    def of_edge(self, target: int) -> int:
        """What a branch to `target` leads to, as bits."""
        if target == self.loop.header:
            return self.next_iteration
        return self.ahead.get(target, 0)

    def _find_ahead(self) -> dict[int, int]:
        header = self.loop.header
        own = {
            node: self._bit.get(node, 0)
            | (self.next_iteration if header in nexts else 0)
            for node, nexts in self.edges.items()
        }
        inside = {
            node: [target for target in nexts if target in own and target != header]
            for node, nexts in self.edges.items()
        }
        flow = solve_backward(
            inside, inside.__getitem__, lambda n, after: own[n] | after
        )
        return flow.before

    def _find_joined(self) -> dict[int, int]:
        """The immediate post-dominators of nodes, as far as the iteration goes."""
        number = {node: i for i, node in enumerate(self.edges)}
        header, end = len(number), len(number) + 1
        backward: list[list[int]] = [[] for _ in range(end + 1)]
        backward[end].append(header)
        for node, nexts in self.edges.items():
            for target in nexts:
                at = header if target == self.loop.header else number.get(target, end)
                backward[at].append(number[node])
            if not nexts:
                backward[end].append(number[node])
        post = immediate_dominators(end, backward.__getitem__)
        return {node: post[i] for node, i in number.items() if post.get(i, end) != end}


def _may_diverge(
    cfg: Cfg, block: Block, divergence: Divergence, ahead: Mapping[Block, int]
) -> bool:
    """Whether work-items can take different paths after `block`."""
    end = terminator(block)
    targets = set(cfg.branches(block))
    if len(targets) < 2:
        return False
    if Branch.of(end) is not None and all(
        divergence.is_uniform(each.value) for each in decisions(end)
    ):
        return False
    return why_not_agreed(ahead, targets) is not None


def _block_around(op: Operation, sibling: Block) -> Block | None:
    """The block with `op` in or below it that stands in the same region as `sibling`."""
    at: Operation | None = op
    while at is not None and at.parent_region() is not sibling.parent:
        at = at.parent_op()
    return None if at is None else at.parent
