"""What kernels promise of their launches, and code that relies on it."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import spmd
from spmd.runtime.compiling.native_code import compile_kernel
from tests.runtime.test_kernel import FIXED, SCALE, kernel


def test_an_array_that_is_marked_small_is():
    k = kernel(SCALE.replace("%y: memref<?xf32>", "%y: memref<?xf32> {spmd.small}"))
    x = np.ones(256, np.float32)
    with pytest.raises(
        spmd.LaunchError, match=r"1 to 1073741823 elements .*%y.* marked"
    ):
        k(3, x, x[:0], global_size=0)


def test_a_promise_of_full_groups_is_held_against_the_launch():
    full = kernel(FIXED.replace("{work_group", "{spmd.full_groups, work_group"))
    out = np.zeros(24, np.int64)
    full(out, global_size=24)
    assert_array_equal(out, 8)
    message = (
        r"expected a global_size that is a multiple of the group_size 8, .* got 23"
    )
    for launch in (full, full.bind, full.check):
        with pytest.raises(spmd.LaunchError, match=message):
            launch(out, global_size=23)


def test_a_promise_of_few_work_items_is_held_against_the_launch():
    few = kernel(FIXED.replace("{work_group", "{spmd.few_items, work_group"))
    out = np.zeros(24, np.int64)
    few(out, global_size=24)
    assert_array_equal(out, 8)
    message = "expected a global_size of less than 1073741824 work-items, .* got"
    for launch in (few, few.bind, few.check):
        with pytest.raises(spmd.LaunchError, match=message):
            launch(out, global_size=(1 << 15, 1 << 15))


def test_code_for_few_work_items_runs_no_more(monkeypatch: pytest.MonkeyPatch):
    compiled: list[bool] = []

    def counted(unit: Any, op: Any, groups: Any, constants: Any) -> Any:
        compiled.append(groups.small)
        return compile_kernel(unit, op, groups, constants)

    monkeypatch.setattr("spmd.runtime.compiling.native_code.compile_kernel", counted)
    x, k = np.ones(256, np.float32), kernel(SCALE)
    for items, made in ((256, 1), ((1 << 30) - 256, 1), (1 << 30, 2), (256, 2)):
        k.bind(1, x, x.copy(), global_size=items)
        assert len(compiled) == made
    assert compiled == [True, False]
