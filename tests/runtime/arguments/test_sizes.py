"""Sizes of launches and work-groups."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spmd.dialects.limits import MAX_EXTENT, MAX_GROUP_SIZE, default_group_size
from spmd.runtime.arguments.sizes import (
    group_size_for,
    make_range,
    required_global_size,
    triple,
)
from spmd.runtime.errors import LaunchError


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (5, (5, 1, 1)),
        (np.int32(5), (5, 1, 1)),
        ((5,), (5, 1, 1)),
        ([5, 6], (5, 6, 1)),
        (np.array([5, 6, 7]), (5, 6, 7)),
    ],
)
def test_missing_sizes_are_one(size: Any, expected: tuple[int, int, int]):
    assert triple("k", "global_size", size, 0) == expected


@pytest.mark.parametrize(
    "size",
    [1.0, "8", None, (1.0, 2), (1, None), True, (4, True), np.True_, np.array([True])],
)
def test_sizes_are_whole_numbers(size: Any):
    with pytest.raises(
        LaunchError, match=r"^k: expected global_size as a whole number"
    ):
        triple("k", "global_size", size, 0)


def test_a_launch_without_a_size_is_told_what_to_write():
    with pytest.raises(
        LaunchError,
        match=r"^k: expected global_size, .* write k\(\.\.\., global_size=n\)",
    ):
        required_global_size("k", None)


@pytest.mark.parametrize("size", [-1, (1, -1), (), (1, 2, 3, 4)])
def test_sizes_are_one_to_three_natural_numbers(size: Any):
    with pytest.raises(
        LaunchError, match=r"^k: expected global_size with one to three"
    ):
        triple("k", "global_size", size, 0)


def test_group_size_is_at_least_one():
    with pytest.raises(LaunchError, match=r"of at least 1, got \(4, 0\)"):
        group_size_for("k", None, (4, 0), (8, 8, 1))


def test_fixed_group_size_may_be_repeated_but_not_contradicted():
    assert group_size_for("k", (16, 16, 1), (16, 16), (1, 1, 1)) == (16, 16, 1)
    assert group_size_for("k", (16, 16, 1), None, (1, 1, 1)) == (16, 16, 1)
    with pytest.raises(
        LaunchError, match=r"group_size \(16, 16\) that.*fixes, got 256"
    ):
        group_size_for("k", (16, 16, 1), 256, (1, 1, 1))


def test_group_size_has_a_limit():
    assert group_size_for("k", None, MAX_GROUP_SIZE, (1, 1, 1))[0] == MAX_GROUP_SIZE
    with pytest.raises(LaunchError, match=r"at most 16384 .* 128 x 128 x 2 = 32768"):
        group_size_for("k", None, (128, 128, 2), (1, 1, 1))


def test_global_size_has_a_limit():
    for size in ((MAX_EXTENT + 1, 1, 1), (2**30, 2**30, 1), (MAX_EXTENT + 1, 0, 1)):
        with pytest.raises(LaunchError, match=r"^k: expected a global_size of at most"):
            make_range("k", size, (1, 1, 1))


@pytest.mark.parametrize(
    ("global_size", "groups", "full"),
    [
        ((0, 2, 1), 0, True),
        ((8, 6, 1), 6, True),
        ((9, 6, 1), 9, False),
        ((8, 5, 1), 6, False),
    ],
)
def test_groups_cover_the_range(
    global_size: tuple[int, int, int], groups: int, full: bool
):
    found = make_range("k", global_size, (4, 2, 1))
    assert (found.groups, found.full) == (groups, full)


def test_default_group_size_does_not_depend_on_the_size_in_one_dimension():
    assert default_group_size((3, 1, 1)) == default_group_size((10**9, 1, 1))


@given(st.tuples(*[st.integers(1, 5000)] * 3))
def test_default_group_size_is_small_enough(size: tuple[int, int, int]):
    x, y, z = default_group_size(size)
    assert 1 <= x * y * z <= 256
