"""Group memory in scratch memory does what it does on the stack."""

from typing import Any

import pytest
from xdsl.dialects import func

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from tests.execution.harness import (
    LINES,
    PLANES,
    Launch,
    Maker,
    check_native,
    check_passes,
)


def kernel(tile: int, more: int) -> str:
    """Local memory of constant size, and a context in between."""
    return f"""
spmd.kernel @tiles(%x: memref<?xi32>, %y: memref<?xi16>) {{
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %nx = spmd.global_size x
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %c1 = arith.constant 1 : index
  %a = spmd.local_alloc : memref<{tile}xi32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<{more}x3xi16, #spmd.memory<local>>
  %row = arith.muli %gy, %nx : index
  %i = arith.addi %row, %gx : index
  %before = arith.muli %ly, %sx : index
  %item = arith.addi %before, %lx : index
  %items = arith.muli %sx, %sy : index
  %v = memref.load %x[%i] : memref<?xi32>
  %w = memref.load %y[%i] : memref<?xi16>
  memref.store %v, %a[%item] : memref<{tile}xi32, #spmd.memory<local>>
  memref.store %w, %b[%item, %c1] : memref<{more}x3xi16, #spmd.memory<local>>
  spmd.barrier
  %next = arith.addi %item, %c1 : index
  %other = arith.remui %next, %items : index
  %p = memref.load %a[%other] : memref<{tile}xi32, #spmd.memory<local>>
  %q = memref.load %b[%other, %c1] : memref<{more}x3xi16, #spmd.memory<local>>
  %s = arith.addi %p, %v : i32
  %t = arith.addi %q, %w : i16
  memref.store %s, %x[%i] : memref<?xi32>
  memref.store %t, %y[%i] : memref<?xi16>
  spmd.return
}}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.random("i32", make.n), make.random("i16", make.n)]


@pytest.mark.parametrize("launch", [*LINES, *PLANES], ids=str)
@pytest.mark.parametrize(("tile", "more"), [(64, 64), (5000, 64), (64, 5001)])
def test_small_and_large(launch: Launch, tile: int, more: int):
    source = kernel(tile, more)
    module = check_passes(
        source, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
    )
    names = [op.sym_name.data for op in module.ops if isinstance(op, func.FuncOp)]
    assert names == ["tiles", "tiles.scratch_bytes"]
    check_native(source, arguments, launch, vectorize=False)
