"""Host functions that launch kernels compute the same at levels 0 and 1."""

from typing import Any

import numpy as np
import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.reference import UndefinedBehavior, run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.work_item_loops.launch_kernels import SIZES, rotate_and_plane

HOST = """
func.func @host(%n: index, %e: index, %w: index, %h: index,
    %x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi32>) -> index {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  spmd.launch @rotate global(%n) of(%e) (%c1, %x, %y, local(%e))
    : index, memref<?xi32>, memref<?xi32>, memref<?x2xi32, #spmd.memory<local>>
  %g = arith.divui %n, %e : index
  spmd.launch @rotate groups(%g) of(%e) (%c2, %y, %x, local(%e))
    : index, memref<?xi32>, memref<?xi32>, memref<?x2xi32, #spmd.memory<local>>
  spmd.launch @plane global(%w, %h) of(%c2, %c3) (%w, %z) : index, memref<?xi32>
  func.return %g : index
}
"""


@pytest.mark.parametrize(("n", "e"), SIZES)
@pytest.mark.parametrize("fixed", [False, True])
def test_launches_of_a_host_function(n: int, e: int, fixed: bool):
    source = rotate_and_plane(e if fixed else None) + HOST
    module = parse(SourceText("kernel.mlir", source))

    def arguments() -> list[Any]:
        rng = np.random.default_rng(n)
        x, y, z = (rng.integers(-99, 99, 32).astype(np.int32) for _ in range(3))
        return [n, e, 5, 4, x, y, z]

    want, got = arguments(), arguments()
    result = run_function(module, "host", want)
    SpmdToLoopsPass().apply(make_context(), module)
    module.verify()
    assert run_function(module, "host", got) == result
    for a, b in zip(got[4:], want[4:], strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_group_that_is_too_large_in_three_dimensions():
    """Each dimension alone would do, and any two."""
    source = """
spmd.kernel @k() {
  spmd.return
}
func.func @host(%n: index, %e: index) {
  spmd.launch @k global(%n) of(%e, %e, %e) ()
  func.return
}"""
    module = parse(SourceText("kernel.mlir", source))
    SpmdToLoopsPass().apply(make_context(), module)
    with pytest.raises(UndefinedBehavior, match="at most 16384 work-items in a group"):
        run_function(module, "host", [1, 32])


@pytest.mark.parametrize(
    ("n", "e", "message"),
    [
        (-8, 8, "expected sizes from 0 to 281474976710656"),
        (1 << 49, 8, "expected sizes from 0 to 281474976710656"),
        (8, 0, "expected a group size from 1 to 16384"),
        (8, -1, "expected a group size from 1 to 16384"),
        (8, 16385, "expected a group size from 1 to 16384"),
    ],
)
def test_wrong_sizes_fail_an_assertion(n: int, e: int, message: str):
    module = parse(SourceText("kernel.mlir", rotate_and_plane() + HOST))
    SpmdToLoopsPass().apply(make_context(), module)
    x, y, z = (np.zeros(32, np.int32) for _ in range(3))
    with pytest.raises(UndefinedBehavior, match=message):
        run_function(module, "host", [n, e, 5, 4, x, y, z])
    assert not y.any()
