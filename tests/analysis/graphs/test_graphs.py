"""The graph toolbox beside the definitions of what it finds, on random graphs."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from spmd.analysis.graphs.bit_vectors import bits_of, numbers, solve_backward
from spmd.analysis.graphs.dominators import (
    dominates,
    dominators_without_cycles,
    immediate_dominators,
)
from spmd.analysis.graphs.traversal import (
    post_order,
    reachable,
    reverse_post_order,
    strongly_connected,
)

Edges = Sequence[Sequence[int]]
SEEDS = range(60)


def random_graph(seed: int, *, cycles: bool = True) -> Edges:
    """A graph whose nodes have up to three successors, of which some are the same."""
    choose = random.Random(seed)
    size = choose.randint(1, 9)
    return [
        [
            choose.randrange(first, size)
            for _ in range(choose.randint(0, 3) if first < size else 0)
        ]
        for first in (0 if cycles else node + 1 for node in range(size))
    ]


def leads_to(edges: Edges, without: int | None = None) -> list[set[int]]:
    """What each node leads to on paths that avoid a node: all pairs, until none is new."""
    found = [{node} - {without} for node in range(len(edges))]
    for _ in edges:
        for node, nexts in enumerate(edges):
            if node != without:
                found[node] = found[node].union(*(found[n] for n in nexts))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_reachable_and_the_orders_hold_what_the_starts_lead_to(seed: int):
    edges = random_graph(seed)
    starts = [seed % len(edges), seed // 7 % len(edges)]
    expected = set[int]().union(*(leads_to(edges)[start] for start in starts))
    assert set(reachable(starts, edges.__getitem__)) == expected
    assert set(post_order(starts, edges.__getitem__)) == expected


@pytest.mark.parametrize("seed", SEEDS)
def test_a_node_follows_all_that_it_leads_to_in_post_order(seed: int):
    edges = random_graph(seed, cycles=False)
    place = {n: i for i, n in enumerate(post_order([0], edges.__getitem__))}
    assert all(place[n] > place[after] for n in place for after in edges[n])
    assert list(place)[::-1] == reverse_post_order(0, edges.__getitem__)


@pytest.mark.parametrize("seed", SEEDS)
def test_strongly_connected_nodes_lead_to_each_other(seed: int):
    edges = random_graph(seed)
    leads = leads_to(edges)
    components = strongly_connected(range(len(edges)), edges.__getitem__)
    assert sorted(node for nodes in components for node in nodes) == [
        *range(len(edges))
    ]
    earlier: set[int] = set()
    for component in components:
        for node in component:
            both = {n for n in leads[node] if node in leads[n]}
            assert both == set(component)
            assert not leads[node] & earlier
        earlier.update(component)


@pytest.mark.parametrize("seed", SEEDS)
def test_without_its_dominators_a_node_is_not_reached(seed: int):
    edges = random_graph(seed)
    dominator = immediate_dominators(0, edges.__getitem__)
    assert list(dominator) == reverse_post_order(0, edges.__getitem__)
    for a in dominator:
        missed = leads_to(edges, without=a)[0]
        for b in dominator:
            assert dominates(dominator, a, b) is (b not in missed)


@pytest.mark.parametrize("seed", SEEDS)
def test_dominators_without_cycles_are_dominators(seed: int):
    choose = random.Random(seed)
    before: list[list[int]] = [[]]
    for node in range(1, 40):
        near = max(0, node - 4)
        before.append(
            [choose.randrange(near, node) for _ in range(choose.randint(1, 2))]
        )
    after = [[n for n in range(40) if node in before[n]] for node in range(40)]
    dominator = immediate_dominators(0, after.__getitem__)
    assert dominators_without_cycles(before) == [dominator[node] for node in range(40)]


@pytest.mark.parametrize("seed", SEEDS)
def test_sets_of_a_backward_problem_are_the_least(seed: int):
    edges = random_graph(seed)
    choose = random.Random(seed)
    uses, kills = ([choose.getrandbits(6) for _ in edges] for _ in range(2))

    def transfer(node: int, after: int) -> int:
        return uses[node] | after & ~kills[node]

    before = [0] * len(edges)
    after = [0] * len(edges)
    for _ in range(6 * len(edges) + 1):
        after = [
            bits_of(b for n in nexts for b in numbers(before[n])) for nexts in edges
        ]
        before = [transfer(node, after[node]) for node in range(len(edges))]
    flow = solve_backward(range(len(edges)), edges.__getitem__, transfer)
    assert [flow.before[node] for node in range(len(edges))] == before
    assert [flow.after[node] for node in range(len(edges))] == after


def test_bits_are_the_numbers_of_a_set():
    assert bits_of([5, 0, 5, 70]) == 1 << 70 | 0b100001
    assert list(numbers(1 << 70 | 0b100001)) == [0, 5, 70]
