"""Loops whose first iterations all lanes run compute what they did as one loop."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.masking.split_off_full_iterations import SplitOffFullIterationsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from tests.execution.harness import Launch, Maker, check_native, check_passes

LAUNCH = Launch((64,), (32,))


def kernel(begin: str, step: str) -> str:
    """
    Sums of elements and counters, what the last iteration had, and the same in a branch.

    Bounds may be negative, and then elements are counted from the end.
    """
    return f"""
spmd.kernel @walk(%from32: i32, %n32: i32, %step32: i32, %x: memref<?xi32>, %y: memref<?xi32>) {{
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c63 = arith.constant 63 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %from = arith.index_cast %from32 : i32 to index
  %n = arith.index_cast %n32 : i32 to index
  %any_step = arith.index_cast %step32 : i32 to index
  %step = arith.maxsi %any_step, %c1 : index
  %even = arith.andi %gid, %c1 : index
  %ahead = {begin}
  %begin = arith.addi %from, %ahead : index
  %sum, %last = scf.for %i = %begin to %n step {step} iter_args(%s = %zero, %l = %zero) -> (i32, i32) {{
    %place = arith.andi %i, %c63 : index
    %v = memref.load %x[%place] : memref<?xi32>
    %i32 = arith.index_cast %i : index to i32
    %odd = arith.cmpi sgt, %v, %zero : i32
    %more = scf.if %odd -> (i32) {{
      %both = arith.addi %s, %v : i32
      scf.yield %both : i32
    }} else {{
      scf.yield %s : i32
    }}
    %next = arith.addi %more, %i32 : i32
    scf.yield %next, %i32 : i32, i32
  }}
  %result = arith.xori %sum, %last : i32
  memref.store %result, %y[%gid] : memref<?xi32>
  spmd.return
}}
"""


BEGINS = {
    "next": "arith.addi %lid, %c0 : index",
    "third": "arith.muli %lid, %c3 : index",
    "back": "arith.subi %c3, %lid : index",
    "any": "arith.addi %even, %lid : index",
}


@pytest.mark.parametrize("step", ["%step", "%c63"])
@pytest.mark.parametrize("begin", BEGINS)
def test_loops_in_lanes(begin: str, step: str):
    source = kernel(BEGINS[begin], step)
    for first, n, size in [(0, 100, 32), (0, 5, 1), (-40, 20, 7), (9, 3, 5)]:

        def arguments(make: Maker, bounds: tuple[int, ...] = (first, n, size)):
            return [*bounds, make.integers("i32", -9, 9, 64), make.zeros("i32", make.n)]

        check_passes(
            source,
            arguments,
            [LAUNCH],
            SpmdToLoopsPass(),
            FormSubGroupsPass(width=16),
            SplitOffFullIterationsPass(),
            MaskDivergencePass(),
        )
        check_native(source, arguments, LAUNCH, width=8)


REST = """
spmd.kernel @rest(%n32: i32, %x: memref<?xi32>, %y: memref<?xi32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %lid = spmd.local_id x
  %step = arith.constant STEP : index
  %n = arith.index_cast %n32 : i32 to index
  %sum = scf.for %i = %lid to %n step %step iter_args(%s = %zero) -> (i32) {
    %v = memref.load %x[%i] : memref<?xi32>
    %thrice = arith.muli %s, %three : i32
    %more = arith.addi %thrice, %v : i32
    scf.yield %more : i32
  }
  memref.store %sum, %y[%lid] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("step", [62, 63, 64, 130])
def test_every_rest(step: int):
    """Counts of iterations that leave any number of lanes one more, or two with the first step."""
    rest = REST.replace("STEP", str(step))
    program = spmd.compile(rest, width=64)
    x = np.random.default_rng(step).integers(-9, 9, 130).astype(np.int32)
    for n in range(131):
        sums, expected = np.zeros((2, 64), np.int32)
        program["rest"](n, x, sums, global_size=64, group_size=64)
        for i in range(0, n, step):
            lanes = slice(0, min(64, n - i))
            expected[lanes] = 3 * expected[lanes] + x[i : i + 64][: n - i]
        np.testing.assert_array_equal(sums, expected)
