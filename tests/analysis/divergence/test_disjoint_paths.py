"""
Lanes that diverge at a branch meet in z iff two paths lead from the branch to z that share no
other block: by enumeration of all paths through random graphs without loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from spmd.analysis.divergence.control_divergence import divergent_blocks
from spmd.analysis.graphs.split_graph import split_graph
from spmd.analysis.graphs.traversal import reverse_post_order


@st.composite
def graphs(draw: st.DrawFn) -> list[list[int]]:
    """Successors of up to eight blocks, all after the first; no loops."""
    size = draw(st.integers(2, 8))
    successors: list[list[int]] = [[] for _ in range(size)]
    for node in range(1, size):
        successors[draw(st.integers(0, node - 1))].append(node)
    for source in range(size - 1):
        more = st.sets(st.integers(source + 1, size - 1), max_size=2)
        for target in sorted(draw(more)):
            if target not in successors[source]:
                successors[source].append(target)
    return successors


def paths(
    successors: Sequence[Sequence[int]], start: int, goal: int
) -> Iterator[tuple[int, ...]]:
    """The blocks between `start` and `goal`, for every path."""
    for node in successors[start]:
        if node == goal:
            yield ()
        else:
            for rest in paths(successors, node, goal):
                yield (node, *rest)


@settings(max_examples=300, derandomize=True, deadline=None)
@given(successors=graphs())
def test_join_is_divergent_after_two_disjoint_paths(successors: list[list[int]]):
    split = split_graph(successors)
    assert split is not None
    for branch in reverse_post_order(0, successors.__getitem__):
        if len(successors[branch]) < 2:
            continue
        found = divergent_blocks(split.graph, split.node[branch])
        assert found.temporal == ()
        for block, node in split.node.items():
            all_paths = list(paths(successors, branch, block))
            disjoint = any(
                not set(one) & set(other)
                for i, one in enumerate(all_paths)
                for other in all_paths[i + 1 :]
            )
            assert (node in found.sync) == disjoint, (branch, block)
