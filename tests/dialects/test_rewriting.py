"""Loops whose bounds are constants."""

from __future__ import annotations

import pytest
from xdsl.ir import Block

from spmd.dialects.building import ConstantPool
from spmd.dialects.rewriting import known_numbers


@pytest.mark.parametrize(
    ("bounds", "count"),
    [
        ((0, 7, 2), 4),
        ((7, 0, 2), 0),
        ((0, 7, -1), None),
        ((-(2**63), 2**63 - 1, 1), None),  # more than Python's `len` counts to
        ((-(2**63), 2**63 - 1, 1 << 60), None),
    ],
)
def test_what_a_loop_counts(bounds: tuple[int, int, int], count: int | None):
    block = Block()
    constants = ConstantPool(block)
    numbers = known_numbers(*map(constants.index, bounds))
    assert (None if numbers is None else len(numbers)) == count
