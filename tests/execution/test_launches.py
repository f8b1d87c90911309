"""Host functions that launch kernels compute the same at levels 0 and 1."""

from typing import Any

import numpy as np
import pytest

from spmd.passes.spmd_to_loops import SpmdToLoopsPass
from spmd.reference import UndefinedBehavior, run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

KERNELS = """
spmd.kernel @rotate(%by: index, %x: memref<?xi32>, %y: memref<?xi32>,
    %tile: memref<?x2xi32, #spmd.memory<local>>) SIZE{
  %c1 = arith.constant 1 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %g = spmd.num_groups x
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%l, %c1] : memref<?x2xi32, #spmd.memory<local>>
  spmd.barrier
  %o = arith.addi %l, %by : index
  %other = arith.remui %o, %n : index
  %w = memref.load %tile[%other, %c1] : memref<?x2xi32, #spmd.memory<local>>
  %h = arith.index_cast %g : index to i32
  %s = arith.addi %w, %v : i32
  %t = arith.addi %s, %h : i32
  memref.store %t, %y[%i] : memref<?xi32>
  spmd.return
}
spmd.kernel @plane(%w: index, %z: memref<?xi32>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %lx = spmd.local_id x
  %row = arith.muli %gy, %w : index
  %i = arith.addi %row, %gx : index
  %v = memref.load %z[%i] : memref<?xi32>
  %l = arith.index_cast %lx : index to i32
  %s = arith.addi %v, %l : i32
  memref.store %s, %z[%i] : memref<?xi32>
  spmd.return
}
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


@pytest.mark.parametrize(("n", "e"), [(16, 8), (20, 8), (7, 16), (0, 4), (12, 1)])
@pytest.mark.parametrize("fixed", [False, True])
def test_launches_of_a_host_function(n: int, e: int, fixed: bool):
    size = f"attributes {{work_group_size = array<i64: {e}>}} " if fixed else ""
    module = parse(SourceText("kernel.mlir", KERNELS.replace("SIZE", size)))

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
    text = KERNELS.replace("SIZE", "")
    module = parse(SourceText("kernel.mlir", text))
    SpmdToLoopsPass().apply(make_context(), module)
    x, y, z = (np.zeros(32, np.int32) for _ in range(3))
    with pytest.raises(UndefinedBehavior, match=message):
        run_function(module, "host", [n, e, 5, 4, x, y, z])
    assert not y.any()
