"""What terms cost lanes of any shape: facts that hold whatever the prices are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from spmd.passes.sub_groups.choices.lane_terms import LaneShape, Term, price

SHAPES = [
    LaneShape((0,), (8,)),
    LaneShape((1,), (8,)),
    LaneShape((0, 1), (4, 2)),
    LaneShape((0, 1), (8, 4)),
]
TERMS = [
    Term(strides, bits, depth, is_access)
    for strides, bits, depth, is_access in product(
        product((0, 1, 2, None), repeat=2), (8, 32), (0, 1), (False, True)
    )
]


def test_nothing_is_free():
    for term, shape in product(TERMS, SHAPES):
        assert price(term, shape, 256, 1) > 0, (term, shape)


def test_a_walk_goes_through_registers_and_memory():
    """Rows are loaded and stored, and loaded again by columns, with shuffles in between."""
    row = LaneShape((0,), (8,))
    for bits in (8, 16, 32):
        walk = Term((2, 2), bits, 1, True, walks=True)
        in_rows = replace(walk, strides=(1, 1))
        assert price(walk, row, 256, 1) > 2 * price(in_rows, row, 8 * bits, 1)


def test_sums_in_wider_registers_cost_no_more():
    sums = [term for term in TERMS if not term.is_access]
    for term, shape in product(sums, SHAPES):
        assert price(term, shape, 512, 1) <= price(term, shape, 128, 1), (term, shape)


def test_work_items_share_what_loops_load_from_memory_of_all():
    for term in TERMS:
        own = replace(term, is_private=True)
        assert term.is_shared == (term.is_access and term.depth > 0)
        assert not own.is_shared
        assert own.along is None


def test_short_steps_are_vectors_and_others_gathers():
    """The longer the step, the more of these; beyond eight elements lanes load one by one."""
    for shape in SHAPES[:2] + SHAPES[3:]:
        costs = [
            price(Term((step, step), 32, 0, True, offsets=((0, 0),)), shape, 256, 1)
            for step in (2, 3, 4, None)
        ]
        assert costs == sorted(costs), shape
        assert costs[0] < costs[-1], shape
