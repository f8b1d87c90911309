"""Sync and temporal dependence: the examples of the literature, and two lanes' real runs."""

from __future__ import annotations

import random

import pytest

from spmd.analysis.divergence.control_divergence import divergent_blocks
from spmd.analysis.graphs.cfg import Graph, back_edges
from spmd.analysis.graphs.dominators import dominates
from spmd.analysis.graphs.split_graph import split_graph
from tests.analysis.explorer import explore, random_graph, random_successors


@pytest.mark.slow
def test_exact_on_random_reducible_graphs():
    generator = random.Random(7)
    pairs = syncs = temporals = 0
    for _ in range(2000):
        graph = random_graph(generator, generator.randrange(3, 9))
        for branch, nexts in enumerate(graph.successors):
            if len(nexts) > 1:
                found = divergent_blocks(graph, branch)
                sync, temporal = explore(graph, branch)
                assert set(found.sync) == sync, (graph, branch)
                assert set(found.temporal) == temporal, (graph, branch)
                pairs += 1
                syncs += len(sync)
                temporals += len(temporal)
    assert pairs > 3000
    assert syncs > 3000
    assert temporals > 400


def test_exact_also_when_the_graph_is_deep():
    """Loops in loops, left by several levels at once."""
    generator = random.Random(8)
    deep = 0
    for _ in range(3000):
        graph = random_graph(generator, 8)
        nested = [loop for loop in graph.loops.values() if loop.parent is not None]
        if nested and deep < 40:
            deep += 1
            for branch in sorted(nested[0].nodes):
                if len(graph.successors[branch]) > 1:
                    found = divergent_blocks(graph, branch)
                    assert (set(found.sync), set(found.temporal)) == explore(
                        graph, branch, iterations=2
                    )
    assert deep == 40


# Graphs


def is_topological(graph: Graph) -> bool:
    back = set(back_edges(graph.successors, 0)[0])
    return all(
        a < b or (a, b) in back
        for a, nexts in enumerate(graph.successors)
        for b in nexts
    )


def test_block_index():
    generator = random.Random(9)
    for _ in range(500):
        graph = random_graph(generator, generator.randrange(2, 16))
        assert is_topological(graph)
        for loop in graph.loops.values():
            nodes = sorted(loop.nodes)
            assert nodes == list(range(nodes[0], nodes[-1] + 1)), "loops have no gaps"
            assert nodes[0] == loop.header
            latches = [n for n in nodes if loop.header in graph.successors[n]]
            assert latches == [nodes[-1]], (
                "the latch is the last node, and the only one"
            )


def test_dominated_nodes_have_no_gaps_inside_of_a_loop_level():
    generator = random.Random(10)
    for _ in range(300):
        graph = random_graph(generator, generator.randrange(2, 12))
        for node in range(len(graph.successors)):
            level = [
                n
                for n, around in enumerate(graph.innermost)
                if around == graph.innermost[node]
            ]
            below = [n for n in level if dominates(graph.dominator, node, n)]
            assert below == [n for n in level if below[0] <= n <= below[-1]]


def test_split_graphs_have_the_form_that_is_needed():
    generator = random.Random(11)
    for _ in range(500):
        graph = random_graph(generator, generator.randrange(2, 16))
        for nexts in graph.successors:
            assert len(nexts) == len(set(nexts))
        for header, loop in graph.loops.items():
            entries = [p for p in graph.predecessors[header] if p not in loop.nodes]
            assert len(entries) == 1
            for leaving in graph.exits[header]:
                assert len(graph.predecessors[leaving]) == 1


def test_splitting_keeps_the_paths():
    generator = random.Random(12)
    for _ in range(300):
        successors = random_successors(generator, generator.randrange(2, 12))
        split = split_graph(successors)
        assert split is not None
        for source, target in split.node.items():
            for position, next_ in enumerate(successors[source]):
                steps = (*split.path.get((source, position), ()), split.node[next_])
                at = target
                for step in steps:
                    assert step in split.graph.successors[at]
                    at = step


def test_irreducible_graphs_are_refused():
    assert split_graph([[1, 2], [2, 3], [1], []]) is None


def test_two_edges_to_the_same_block():
    split = split_graph([[1, 1], []])
    assert split is not None
    found = divergent_blocks(split.graph, split.node[0])
    assert found.sync == (split.node[1],)
