"""Loops in which work-items that wait at one sync are in different iterations."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import pytest

from spmd.analysis.barriers.convergent_loops import (
    find_convergent_loops,
    find_diverging_branch,
)
from spmd.analysis.barriers.sub_cfgs import Cfg
from spmd.analysis.divergence.analyze import analyze_kernel
from spmd.analysis.graphs.cfg import Loop, back_edges, natural_loops
from spmd.dialects.spmd import BarrierOp, KernelOp
from tests.analysis.explorer import add_back_edge, random_successors
from tests.execution.harness import parsed

MANY = 2
"""Iterations that are not told apart from more."""

Iterations = tuple[int, ...]


def moved(
    edge: tuple[int, int],
    iterations: Iterations,
    loops: Sequence[Loop],
    graph: list[list[int]],
) -> Iterations:
    """The iterations of all loops when a work-item has taken an edge."""
    source, target = edge
    changed = list(iterations)
    for i, loop in enumerate(loops):
        if target == loop.header:
            again = source in loop.nodes
            changed[i] = min(changed[i] + 1, MANY) if again else 0
    return tuple(changed)


def iterations_at_syncs(
    graph: list[list[int]], waiting: frozenset[int], loops: Sequence[Loop]
) -> Iterator[dict[int, set[Iterations]]]:
    """For every place to start from, the iterations in which one can come to each sync."""
    for sync in (None, *sorted(waiting)):
        first = (0, 0) if sync is None else (sync, graph[sync][0])
        none = (0,) * len(loops)
        start = none if sync is None else moved(first, none, loops, graph)
        found: dict[int, set[Iterations]] = {}
        seen = {(first[1], start)}
        worklist = list(seen)
        while worklist:
            node, iterations = worklist.pop()
            if node in waiting:
                found.setdefault(node, set()).add(iterations)
                continue
            for target in graph[node]:
                after = target, moved((node, target), iterations, loops, graph)
                if after not in seen:
                    seen.add(after)
                    worklist.append(after)
        yield found


def not_convergent(
    graph: list[list[int]], waiting: frozenset[int], loops: Mapping[int, Loop]
) -> set[int]:
    """The headers of loops with a sync that two paths lead to in different iterations."""
    every = list(loops.values())
    found: set[int] = set()
    for ends in iterations_at_syncs(graph, waiting, every):
        for sync, iterations in ends.items():
            for i, loop in enumerate(every):
                if sync in loop.nodes and len({one[i] for one in iterations}) > 1:
                    found.add(loop.header)
    return found


def nodes_of(headers: set[int], loops: Mapping[int, Loop]) -> set[int]:
    """All nodes of these loops."""
    return {node for header in headers for node in loops[header].nodes}


def test_random_graphs_against_all_paths_of_two_work_items():
    """Where nothing is uniform, the answer is exact."""
    counts: Counter[bool] = Counter()
    for seed in range(6000):
        generator = random.Random(seed)
        graph = random_successors(generator, generator.randrange(6, 16))
        for _ in range(4):
            add_back_edge(generator, graph)
        alone = [node for node, nexts in enumerate(graph) if len(nexts) == 1]
        waiting = frozenset(node for node in alone if generator.random() < 0.5)
        back, reducible = back_edges(graph, 0)
        assert reducible
        loops = natural_loops(graph, back)
        parts = {node for node, nexts in enumerate(graph) if len(set(nexts)) > 1}
        expected = nodes_of(not_convergent(graph, waiting, loops), loops)
        found = nodes_of(
            {
                header
                for header, loop in loops.items()
                if find_diverging_branch(graph, loop, waiting, parts & loop.nodes)
                is not None
            },
            loops,
        )
        assert found == expected, seed
        counts.update(header in found for header in loops)
    assert min(counts[True], counts[False]) > 500


KERNEL = """
spmd.kernel @k(%x: memref<?xi32>, %n: index, %m: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %mine = arith.index_cast %v : i32 to index
  %mine_again = arith.cmpi ult, %mine, %m : index
  %same = arith.cmpi ult, %n, %m : index
  cf.br ^outer(%c0 : index)
^outer(%a: index):
  {outer}
^head(%b: index):
  %head_value = arith.addi %a, %b : index
  {head}
^body:
  {body}
^wait:
  spmd.barrier
  cf.br ^latch
^latch:
  %next = arith.addi %b, %c1 : index
  cf.br ^head(%next : index)
^exit:
  {exit}
^end:
  spmd.return
}}
"""

INNER = "cf.br ^head(%c0 : index)"
"""What goes to the inner loop."""

UNIFORM = {
    "outer": INNER,
    "head": "cf.cond_br %same, ^body, ^exit",
    "body": "cf.cond_br %same, ^wait, ^latch",
    "exit": "cf.cond_br %same, ^outer(%head_value : index), ^end",
}


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, set[str]()),
        # Who leaves the inner loop meets nobody in it before the next iteration of the outer,
        # where all are in the first iteration of the inner one again; but not in one iteration
        # of the outer one.
        ({"head": "cf.cond_br %mine_again, ^body, ^exit"}, {"inner", "outer"}),
        (
            {"head": "cf.cond_br %mine_again, ^body, ^exit", "exit": "cf.br ^end"},
            set[str](),
        ),
        # Who does not wait may leave the inner loop in the meantime, and come back.
        ({"body": "cf.cond_br %mine_again, ^wait, ^latch"}, {"inner", "outer"}),
        (
            {"body": "cf.cond_br %mine_again, ^wait, ^latch", "exit": "cf.br ^end"},
            {"inner"},
        ),
        # All come to the barrier, in one iteration.
        ({"body": "cf.cond_br %mine_again, ^wait, ^wait"}, set[str]()),
        ({"exit": "cf.cond_br %mine_again, ^outer(%a : index), ^end"}, set[str]()),
    ],
)
def test_which_loops(changes: dict[str, str], expected: set[str]):
    kernel, cfg = split(UNIFORM | changes)
    iterations = find_convergent_loops(cfg, analyze_kernel(kernel))
    names = {"inner": "body", "outer": "exit"}
    found = {
        name
        for name, at in names.items()
        if block(cfg, at) in iterations.not_convergent
    }
    assert found == expected


TOGETHER_AGAIN = """cf.cond_br %mine_again, ^one, ^two
^one:
  cf.br ^both
^two:
  cf.br ^both
^both:
  cf.cond_br %same, ^wait, ^latch"""


def test_paths_that_meet_in_the_same_iteration():
    kernel, cfg = split(UNIFORM | {"body": TOGETHER_AGAIN})
    assert not find_convergent_loops(cfg, analyze_kernel(kernel)).not_convergent


def test_values_of_a_loop_that_is_left_in_different_iterations():
    """Inside they are the same in all that wait; after it they are not."""
    for used_after in (False, True):
        kernel, cfg = split(
            UNIFORM
            | {
                "head": "cf.cond_br %mine_again, ^body, ^exit",
                "exit": "memref.store %v, %x[%head_value] : memref<?xi32>\n  cf.br ^end"
                if used_after
                else "cf.br ^end",
            }
        )
        iterations = find_convergent_loops(cfg, analyze_kernel(kernel))
        home = block(cfg, "head")
        value = home.first_op
        assert value is not None
        assert iterations.are_equal(value.results[0], home) is not used_after
        assert iterations.are_equal(home.args[0], home)


IRREDUCIBLE = """
spmd.kernel @k(%x: memref<?xi32>, %n: i32, %same: i1) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  %mine = arith.cmpi ult, %v, %n : i32
  cf.cond_br %same, ^one, ^two
^one:
  cf.cond_br %mine, ^two, ^end
^two:
  cf.br ^one
^end:
  spmd.barrier
  spmd.return
}
"""


def test_a_cycle_of_two_blocks_that_is_entered_at_both():
    kernel, cfg = split_at_barrier(IRREDUCIBLE)
    _, one, two, *_ = cfg.blocks
    assert {*find_convergent_loops(cfg, analyze_kernel(kernel)).not_convergent} == {
        one,
        two,
    }


def split(texts: dict[str, str]) -> tuple[KernelOp, Cfg]:
    """The kernel with these branches; its barrier ends a block."""
    return split_at_barrier(KERNEL.format(**texts))


def split_at_barrier(text: str) -> tuple[KernelOp, Cfg]:
    module = parsed(text).clone()
    kernel = module.body.block.first_op
    assert isinstance(kernel, KernelOp)
    (barrier,) = (op for op in kernel.walk() if isinstance(op, BarrierOp))
    assert barrier.parent is not None
    assert barrier.next_op is not None
    barrier.parent.split_before(barrier.next_op)
    return kernel, Cfg(tuple(kernel.body.blocks))


def block(cfg: Cfg, name: str):
    """A block of `KERNEL` by its name."""
    names = ("entry", "outer", "head", "body", "wait", "after", "latch", "exit", "end")
    return cfg.blocks[names.index(name)]
