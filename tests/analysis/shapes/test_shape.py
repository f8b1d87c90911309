"""The laws of the lattice, by enumeration."""

from __future__ import annotations

import random
from itertools import product
from math import gcd

from spmd.analysis.shapes.shape import UNDEF, VARYING, Shape, join_all
from tests.analysis.concrete import all_shapes, describes, vectors_of

SHAPES = [UNDEF, *all_shapes()]
PAIRS = list(product(SHAPES, SHAPES))


def test_join_is_commutative_and_idempotent():
    for a, b in PAIRS:
        assert a.join(b) == b.join(a)
        assert a.join(a) == a


def test_join_is_associative():
    generator = random.Random(1)
    for _ in range(15_000):
        a, b, c = generator.choices(SHAPES, k=3)
        assert a.join(b).join(c) == a.join(b.join(c)), (str(a), str(b), str(c))


def test_join_describes_the_lanes_of_both():
    for a, b in PAIRS:
        joined = a.join(b)
        for shape in (a, b):
            assert shape <= joined
            if not shape.is_undef:
                for lanes in vectors_of(shape, samples=3):
                    assert describes(joined, lanes), (str(a), str(b), lanes)


def test_join_is_the_least_upper_bound():
    for a, b in PAIRS:
        joined = a.join(b)
        for bound in SHAPES:
            if a <= bound and b <= bound:
                assert joined <= bound, (str(a), str(b), str(bound))


def test_order_is_inclusion_of_lanes():
    for a, b in PAIRS:
        if a <= b and not a.is_undef:
            assert all(describes(b, lanes) for lanes in vectors_of(a, samples=3))


def test_order_is_antisymmetric_with_top_and_bottom():
    for a, b in PAIRS:
        assert UNDEF <= a <= VARYING
        if a <= b and b <= a:
            assert a == b


def test_chains_end():
    generator = random.Random(2)
    for _ in range(300):
        shape, steps = UNDEF, 0
        for _ in range(200):
            other = Shape.strided(generator.randint(-9, 9), generator.randint(0, 720))
            if generator.random() < 0.5:
                other = Shape.varying(generator.randint(1, 720))
            raised = shape.join(other)
            steps += raised != shape
            shape = raised
        assert steps <= 14


def test_lane_alignment_divides_every_lane():
    for shape in all_shapes():
        for lanes in vectors_of(shape):
            assert describes(Shape.varying(shape.lane_alignment), lanes)


def test_predicates():
    assert Shape.uniform(8).is_uniform
    assert Shape.uniform(8).is_strided
    assert Shape.contiguous().stride == 1
    assert not Shape.contiguous().is_uniform
    assert Shape.strided(-1).stride == -1
    assert Shape.varying().is_varying
    assert not Shape.varying().is_strided
    assert Shape.uniform(0).is_zero
    assert UNDEF.is_undef
    assert UNDEF.is_uniform
    assert not UNDEF.is_varying


def test_uniform_lanes_do_not_wrap():
    assert Shape.strided(0, 8, wraps=True) == Shape.uniform(8)


def test_wrapping_keeps_powers_of_two():
    assert Shape.strided(1, 12, wraps=True).alignment == 4
    assert Shape.strided(3, 0, wraps=True).alignment == 0


def test_text():
    assert str(Shape.uniform()) == "uniform"
    assert str(Shape.uniform(8)) == "uniform align 8"
    assert str(Shape.contiguous(16)) == "contiguous align 16"
    assert str(Shape.strided(-4, 2, wraps=True)) == "stride -4 align 2 wrapping"
    assert str(Shape.varying(4)) == "varying align 4"


def test_join_of_many():
    assert join_all([]) == UNDEF
    assert join_all([Shape.uniform(8), Shape.uniform(12)]) == Shape.uniform(4)
    assert join_all([Shape.uniform(), Shape.contiguous()]) == VARYING


def test_lane_alignment_is_the_largest_there_is():
    """Where lanes wrap around, only powers of two go on to divide them."""
    for stride, alignment in product((1, 2, 3, 6, 12), (0, 1, 3, 4, 6, 9, 12, 20)):
        plain = Shape.strided(stride, alignment)
        assert plain.lane_alignment == gcd(stride, alignment)
        wrapped = Shape.strided(stride, alignment, wraps=True)
        firsts = range(0, 256, alignment) if alignment else (0,)
        lanes = [(first + i * stride) % 256 for first in firsts for i in range(256)]
        assert gcd(*lanes) == wrapped.lane_alignment
