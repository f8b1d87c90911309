"""`share-private-arrays` must not change what a sub-group computes."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.dialects.work_groups import is_group_memory
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.passes.sub_groups.share_private_arrays import SharePrivateArraysPass
from tests.execution.harness import LINES, Maker, check_passes
from tests.execution.pipelines.vectorize_kernels import CASES

WITH_ARRAYS = [name for name, case in CASES.items() if "memref.alloca" in case.source]


@pytest.mark.parametrize("width", [2, 8, 64])
@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_one_array_is_as_good_as_one_for_each_lane(name: str, width: int):
    CASES[name].check_in_lanes(width, SharePrivateArraysPass(), MaskDivergencePass())


POWERS = """
spmd.kernel @powers(%n: index, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %i = spmd.global_id x
  %array = memref.alloca() : memref<2xi32>
  memref.store %one, %array[%c0] : memref<2xi32>
  memref.store %one, %array[%c1] : memref<2xi32>
  %v = memref.load %x[%i] : memref<?xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %v) -> (i32) {
    %at = arith.andi %k, %c1 : index
    %power = memref.load %array[%at] : memref<2xi32>
    %next = arith.muli %power, %three : i32
    memref.store %next, %array[%at] : memref<2xi32>
    %all = spmd.reduce add %s across sub_group : i32
    %t = arith.addi %all, %next : i32
    scf.yield %t : i32
  }
  memref.store %sum, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("width", [2, 8])
def test_lanes_that_wait_for_each_other_load_before_any_stores(width: int):
    def arguments(make: Maker) -> list[Any]:
        return [3, make.random("i32", make.n), make.zeros("i32", make.n)]

    size = f") attributes {{sub_group_size = {width} : i64}} {{"
    source = POWERS.replace(") {", size, 1)
    module = check_passes(
        source,
        arguments,
        LINES,
        SpmdToLoopsPass(),
        FormSubGroupsPass(width=width),
        SharePrivateArraysPass(),
    )
    assert any(map(is_group_memory, module.walk()))
