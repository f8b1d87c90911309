"""The options of `spmd.compile`."""

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.sub_groups_to_loops import SubGroupsToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.work_item_loops.place_polls import PlacePollsPass
from spmd.runtime.options import CompileOptions

KERNEL = "spmd.kernel @k() {\n  spmd.return\n}"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"width": 3}, r"'width': expected one of 'auto', 1, 2, 4, .* 64, got 3"),
        ({"width": 128}, "'width': expected one of .* got 128"),
        ({"shape": [4, 2]}, r"'shape': expected a tuple of lanes .*, got \[4, 2\]"),
        ({"shape": (3,)}, "'shape': expected a shape of at most three powers of two"),
        ({"shape": (32, 16)}, "with a product of at most 256, got 32,16"),
        ({"shape": (4,), "width": 4}, "expected a width or a shape, got both"),
        ({"width": True}, "'width': expected one of .* got True"),
        ({"width": 4.0}, "'width': expected one of .* got 4.0"),
        ({"strategy": "loops"}, "'strategy': expected one of 'auto', .* got 'loops'"),
        ({"strategy": None}, "'strategy': expected one of .* got None"),
        (
            {"target": "gpu"},
            "'target': expected one of 'host', 'x86-64', .*, got 'gpu'",
        ),
        ({"vectorize": 1}, "'vectorize': expected one of True, False, got 1"),
        ({"specialize": 0}, "'specialize': expected one of True, False, got 0"),
        (
            {"check_barriers": "yes"},
            "'check_barriers': expected one of True, False, got 'yes'",
        ),
        ({"check_barriers": 1}, "'check_barriers': expected one of True, .* got 1"),
        ({"widht": 8}, "expected one of the options .*'widht'; did you mean 'width'"),
    ],
)
def test_wrong_option_lists_what_is_allowed(given: dict[str, Any], message: str):
    with pytest.raises(spmd.CompileError, match=message):
        spmd.compile(KERNEL, **given)


def test_options_choose_the_passes():
    assert CompileOptions(width=8).passes() == (
        SpmdToLoopsPass(target="host"),
        VectorizePass(width=8, target="host"),
        PlacePollsPass(),
    )
    given = CompileOptions(
        vectorize=False,
        strategy="fission",
        divergent_barriers="allow",
        target="rv64gcv",
    )
    to_loops = SpmdToLoopsPass(
        strategy="fission", divergent_barriers="allow", target="rv64gcv"
    )
    assert given.passes() == (to_loops, SubGroupsToLoopsPass(), PlacePollsPass())
    to_loops = SpmdToLoopsPass(check_barriers=True, target="host")
    assert CompileOptions(check_barriers=True).passes()[0] == to_loops


NEIGHBOURS = """
spmd.kernel @neighbours(%x: memref<?xi64>) {
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<256xi64, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %v = memref.load %x[%i] : memref<?xi64>
  memref.store %v, %tile[%l] : memref<256xi64, #spmd.memory<local>>
  %scale = arith.index_cast %n : index to i64
  %own = arith.muli %v, %scale : i64
  spmd.barrier
  %next = arith.addi %l, %c1 : index
  %at = arith.remui %next, %n : index
  %w = memref.load %tile[%at] : memref<256xi64, #spmd.memory<local>>
  %sum = arith.addi %own, %w : i64
  memref.store %sum, %x[%i] : memref<?xi64>
  spmd.return
}
"""


@pytest.mark.parametrize("vectorize", [True, False])
def test_one_code_runs_groups_of_all_sizes(vectorize: bool):
    program = spmd.compile(NEIGHBOURS, specialize=False, vectorize=vectorize)
    one = program.kernels["neighbours"]
    each = spmd.compile(NEIGHBOURS, vectorize=vectorize).kernels["neighbours"]
    codes = set[str]()
    for size in (16, 3, 100, 256, 1):
        got, want = np.arange(200), np.arange(200)
        one(got, global_size=200, group_size=size)
        each(want, global_size=200, group_size=size)
        np.testing.assert_array_equal(got, want)
        codes.add(one.assembly(group_size=size))
    assert len(codes) == 1
    assert each.assembly(group_size=16) != each.assembly(group_size=3)
    # What is shown is what runs.
    shown = one.ir("spmd-to-loops", group_size=16)
    assert shown == one.ir("spmd-to-loops")
    assert "@neighbours.scratch_bytes" in shown


def test_a_size_that_the_kernel_fixes_stays_fixed():
    fixed = NEIGHBOURS.replace(
        ") {", ") attributes {work_group_size = array<i64: 4>} {", 1
    )
    kernel = spmd.compile(fixed, specialize=False)["neighbours"]
    for rest in ([], [25, 26]):  # the last group may be smaller
        x = np.arange(8 + len(rest))
        kernel(x, global_size=x.size)
        np.testing.assert_array_equal(x, [1, 6, 11, 12, 21, 26, 31, 32, *rest])
    with pytest.raises(spmd.LaunchError, match="expected the group_size 4"):
        kernel(x, global_size=8, group_size=8)
