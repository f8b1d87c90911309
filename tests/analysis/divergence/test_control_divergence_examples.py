"""
Graphs from the literature on control divergence, with the answers worked out by hand.

The names of the graphs are those of the figures in S. Moll, "Vectorization System for
Unstructured Codes with a Data-parallel Compiler IR", Saarland University, 2021.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from spmd.analysis.divergence.control_divergence import divergent_blocks
from spmd.analysis.graphs.split_graph import SplitGraph, split_graph


@dataclass(frozen=True)
class Example:
    """A graph, a block whose branch is varying, and where that makes values differ."""

    name: str
    edges: str
    branch: str
    sync: str = ""
    temporal: str = ""


FIGURE_7_3 = "P>A A>B,D B>C,E C>D,F D>A E>X F>X"
FIGURE_7_6 = "P>H H>W,a a>b,d b>c,Y c>d,Z d>X,H W>J X>J Y>K Z>K J>K"
FIGURE_7_7A = "p>0 0>1 1>2,7 2>3,5 3>4,8 4>5,9 5>0"
FIGURE_7_8 = "p>0 0>1,10 1>2,3 2>3,5,9 3>1,4 4>6 5>7 6>7 7>0,8 8>9,10 9>11 10>11"
FIGURE_7_9A = "P>H H>D,B B>C,Q C>E,Q Q>H D>F E>F"
FIGURE_7_9B = "A>B,C B>D,E C>D D>F E>F"
FIGURE_7_9C = "A>B,D B>F,C C>E,D D>E E>F"
FIGURE_7_9D = "A>B,C,D B>J C>J J>K D>K"
KILL_EXIT = "entry>body body>ux,latch latch>dx,body ux>exit dx>exit"
STRESS = "en>A,O A>B,C B>M C>Q M>N,O N>P,end O>P P>X Q>Y X>Z Y>Z Z>end"

EXAMPLES = [
    Example("7.1a diamond", "A>B,C B>D C>D", "A", sync="D"),
    Example("7.1c loop", "A>B B>B,X", "B", temporal="X"),
    Example("7.3", FIGURE_7_3, "A", sync="D X", temporal="E F"),
    Example("7.6", FIGURE_7_6, "a", sync="d K", temporal="Y Z"),
    Example("7.7a", FIGURE_7_7A, "2", sync="5", temporal="8 9"),
    Example("7.8", FIGURE_7_8, "1", sync="3 7 9 11", temporal="5 9"),
    Example("7.9a H", FIGURE_7_9A, "H", sync="F", temporal="D"),
    Example("7.9a B", FIGURE_7_9A, "B", sync="Q F", temporal="E"),
    Example("7.9a C", FIGURE_7_9A, "C", sync="F", temporal="E"),
    Example("7.9b A", FIGURE_7_9B, "A", sync="D F"),
    Example("7.9b B", FIGURE_7_9B, "B", sync="F"),
    Example("7.9c A", FIGURE_7_9C, "A", sync="D E F"),
    Example("7.9c B", FIGURE_7_9C, "B", sync="F"),
    Example("7.9c C", FIGURE_7_9C, "C", sync="E"),
    Example("7.9d switch", FIGURE_7_9D, "A", sync="J K"),
    Example("kill exit, body", KILL_EXIT, "body", sync="exit", temporal="ux"),
    Example("kill exit, latch", KILL_EXIT, "latch", sync="exit", temporal="dx"),
    Example("stress A", STRESS, "A", sync="Z end"),
    Example("stress en", STRESS, "en", sync="O P Z end"),
    Example("stress M", STRESS, "M", sync="P end"),
    Example("stress N", STRESS, "N", sync="end"),
]


class Named:
    """A graph whose blocks have names."""

    def __init__(self, text: str):
        lines = [line.split(">") for line in text.split()]
        targets = {source: nexts.split(",") for source, nexts in lines}
        names = dict.fromkeys(
            name for source, nexts in targets.items() for name in (source, *nexts)
        )
        self.names = list(names)
        self.successors = [
            [self.names.index(n) for n in targets.get(name, [])] for name in self.names
        ]
        split = split_graph(self.successors)
        assert split is not None
        self.split: SplitGraph = split

    def __call__(self, places: tuple[int, ...]) -> set[str]:
        """The blocks at some nodes; a split edge counts for the block it leads to."""
        found: set[str] = set()
        number = {node: i for i, node in self.split.node.items()}
        for node in places:
            while node not in number:
                (node,) = self.split.graph.successors[node]
            found.add(self.names[number[node]])
        return found


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example(example: Example):
    named = Named(example.edges)
    node = named.split.node[named.names.index(example.branch)]
    found = divergent_blocks(named.split.graph, node)
    assert named(found.sync) == set(example.sync.split())
    assert named(found.temporal) == set(example.temporal.split())


def test_exits_that_lanes_take_together_do_not_meet():
    """Figure 7.7b: of a loop that acts as one node only the divergent exit counts."""
    # Both 5 and 6 lead to 7, but no two lanes part for them.
    named = Named("p>0 0>1 1>2,8 2>3,5 3>4,6 4>1 5>7 6>7 7>0,x")
    node = named.split.node[named.names.index("1")]
    found = divergent_blocks(named.split.graph, node)
    assert "7" not in named(found.sync)
