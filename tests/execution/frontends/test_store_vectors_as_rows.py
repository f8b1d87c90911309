"""Arrays of vectors compute what they do as arrays with one more dimension."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.passes.frontends.store_vectors_as_rows import StoreVectorsAsRowsPass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.work_item_loops.split_vectors import SplitVectorsPass
from spmd.runtime.parsing import make_context
from tests.execution.harness import (
    Launch,
    Maker,
    check_passes,
    make,
    parsed,
    run_module,
)

SOURCE = """
spmd.kernel @turn(%x: memref<?xvector<3xi16>>, %y: memref<?xvector<3xi16>>)
    attributes {work_group_size = array<i64: 16>} {
  %c15 = arith.constant 15 : index
  %two = arith.constant 2 : index
  %i = spmd.global_id x
  %l = spmd.local_id x
  %tile = spmd.local_alloc : memref<16xvector<3xi16>, #spmd.memory<local>>
  %own = memref.alloca() : memref<2xvector<3xi16>>
  %v = memref.load %x[%i] : memref<?xvector<3xi16>>
  memref.store %v, %tile[%l] : memref<16xvector<3xi16>, #spmd.memory<local>>
  spmd.barrier
  %other = arith.subi %c15, %l : index
  %w = memref.load %tile[%other] : memref<16xvector<3xi16>, #spmd.memory<local>>
  %odd = arith.remui %i, %two : index
  memref.store %w, %own[%odd] : memref<2xvector<3xi16>>
  %u = memref.load %own[%odd] : memref<2xvector<3xi16>>
  %sum = arith.muli %u, %v : vector<3xi16>
  memref.store %sum, %y[%i] : memref<?xvector<3xi16>>
  spmd.return
}
"""


def expected(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, 16, 3)[:, ::-1].reshape(-1, 3) * x


@pytest.mark.parametrize("options", [{}, {"vectorize": False}, {"width": 4}], ids=str)
def test_native(options: dict[str, object]):
    x = np.random.default_rng(0).integers(-99, 99, (48, 3)).astype(np.int16)
    y = np.zeros_like(x)
    kernel = spmd.compile(SOURCE, **options)["turn"]  # pyright: ignore[reportArgumentType]
    kernel(x, y, global_size=48)
    assert np.array_equal(y, expected(x))
    with pytest.raises(spmd.LaunchError, match="3"):
        kernel(x[:, :2].copy(), y, global_size=48)


def test_passes():
    def arguments(make: Maker):
        x = make.integers("i16", -99, 99, make.n, 3)
        return [x, make.zeros("i16", make.n, 3)]

    module = parsed(SOURCE).clone()
    StoreVectorsAsRowsPass().apply(make_context(), module)
    module.verify()
    launch = Launch((32,), (16,))
    x, y = make(arguments, launch)
    run_module(module, "turn", [x, y], launch)
    assert np.array_equal(y, expected(x))
    steps = SpmdToLoopsPass(), SplitVectorsPass()
    check_passes(str(module), arguments, [launch], *steps)


def test_host_functions():
    source = """
spmd.kernel @double(%x: memref<?xvector<2xf32>>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xvector<2xf32>>
  %w = arith.addf %v, %v : vector<2xf32>
  memref.store %w, %x[%i] : memref<?xvector<2xf32>>
  spmd.return
}
func.func @twice(%x: memref<?xvector<2xf32>>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xvector<2xf32>>
  spmd.launch @double global(%n) of(%c64) (%x) : memref<?xvector<2xf32>>
  spmd.launch @double global(%n) of(%c64) (%x) : memref<?xvector<2xf32>>
  func.return
}
"""
    x = np.arange(20, dtype=np.float32).reshape(-1, 2)
    want = 4 * x
    spmd.compile(source)["twice"](x)
    assert np.array_equal(x, want)
