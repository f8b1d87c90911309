"""What is stored of small random graphs, against all sets of values that would do."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain, combinations

from xdsl.dialects import test
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from spmd.analysis.contexts.context_cut import REMATERIALIZED_OPS, choose_stored
from spmd.dialects.element_types import size_in_bytes

Operands = Mapping[SSAValue, Sequence[SSAValue] | None]
"""What each value is computed from; `None` of what can only be stored."""


def values(count: int, bits: Sequence[int]) -> list[SSAValue]:
    return [
        *test.TestOp(result_types=[IntegerType(bits[n]) for n in range(count)]).results
    ]


def random_graph(seed: int) -> tuple[list[SSAValue], Operands]:
    """What is needed, and a graph in which values come after their operands."""
    generator = random.Random(seed)
    count = generator.randrange(2, 9)
    nodes = values(count, [generator.choice((8, 16, 32, 64)) for _ in range(count)])
    operands: dict[SSAValue, Sequence[SSAValue] | None] = {}
    for number, value in enumerate(nodes):
        before = generator.sample(nodes[:number], min(number, generator.randrange(3)))
        operands[value] = before or generator.choice((None, None, ()))
    return generator.sample(nodes, generator.randrange(1, count + 1)), operands


def computed(
    needed: Sequence[SSAValue], stored: Collection[SSAValue], operands: Operands
) -> set[SSAValue] | None:
    """What has to be computed again; `None` if it cannot be."""
    found: set[SSAValue] = set()
    work = [*needed]
    while work:
        value = work.pop()
        if value in stored or value in found:
            continue
        if (inputs := operands[value]) is None:
            return None
        found.add(value)
        work += inputs
    return found


def size(stored: Collection[SSAValue]) -> int:
    return sum(size_in_bytes(value.type) for value in stored)


def test_random_graphs_against_all_sets():
    """The fewest bytes; of several sets with as few, the one that leaves least to compute."""
    sizes: Counter[int] = Counter()
    for seed in range(400):
        needed, operands = random_graph(seed)
        found = choose_stored(
            needed, lambda v: None if (of := operands[v]) is None else (0, of)
        )
        sizes[len(found)] += 1
        sets = chain(*(combinations(operands, n) for n in range(len(operands) + 1)))
        costs = [
            (size(stored), len(again))
            for stored in sets
            if (again := computed(needed, stored, operands)) is not None
        ]
        again = computed(needed, found, operands)
        assert again is not None, seed
        assert (size(found), len(again)) == min(costs), seed
    assert sizes[2] > 50
    assert sizes[3] > 20


def test_what_takes_long_to_compute():
    """A chain of sixteen-bit numbers from one byte."""
    chain_ = values(12, [8] + 11 * [16])
    before = dict(zip(chain_[1:], chain_, strict=False))
    for needed in range(1, 12):
        found = choose_stored(
            [chain_[needed]], lambda v: (1, [before[v]]) if v in before else None
        )
        near = needed <= REMATERIALIZED_OPS
        assert found == {chain_[0] if near else chain_[needed]}
