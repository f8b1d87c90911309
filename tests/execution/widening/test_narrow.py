"""Arithmetic of `index` in lanes, of which no more than 32 bits are asked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spmd.runtime.options import Width
from tests.execution.harness import LINES, Maker, check_native_launches

KERNEL = """
spmd.kernel @narrow(%at: memref<?xi32>, %places: memref<?xindex>, %s: memref<512xi32>,
                    %z: memref<512xi32>, %y: memref<?xi32>, %shift: index, %far: index) {
  %c511 = arith.constant 511 : index
  %c5 = arith.constant 5 : index
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %a32 = memref.load %at[%i] : memref<?xi32>
  %by = memref.load %places[%i] : memref<?xindex>
  %a = arith.index_cast %a32 : i32 to index
  // What goes far beyond 32 bits and comes back, by what lanes share and what they do not.
  %up = arith.shli %a, %shift : index
  %up_by = arith.shli %a, %by : index
  %sum = arith.addi %up, %far : index
  %product = arith.muli %sum, %up_by : index
  %down = arith.shrui %lid, %shift : index
  %down_by = arith.shrui %i, %by : index
  %sign = arith.shrsi %a, %shift : index
  %sign_by = arith.shrsi %a, %by : index
  %less = arith.cmpi slt, %a, %sign_by : index
  %least = arith.minsi %a, %sign_by : index
  %most = arith.maxui %down, %down_by : index
  %chosen = arith.select %less, %least, %up : index
  %p = arith.xori %product, %most : index
  %q = arith.subi %chosen, %sign : index
  %pi = arith.andi %p, %c511 : index
  %qi = arith.andi %q, %c511 : index
  %v = memref.load %s[%pi] : memref<512xi32>
  %w = memref.load %s[%qi] : memref<512xi32>
  %both = arith.addi %v, %w : i32
  memref.store %both, %y[%i] : memref<?xi32>
  // An index that only some lanes need, which is wide where it is asked in full.
  %in = arith.cmpi slt, %lid, %c5 : index
  scf.if %in {
    %once = arith.muli %lid, %lid : index
    %some = arith.addi %once, %c5 : index
    %even = arith.cmpi ne, %some, %far : index
    %bit = arith.extui %even : i1 to i32
    memref.store %bit, %z[%some] : memref<512xi32>
  }
  spmd.return
}
"""


@pytest.mark.parametrize("far", [0, 3, (1 << 40) + 9, -(1 << 33)])
@pytest.mark.parametrize(
    ("shift", "width"), [(0, 16), (7, 4), (31, 8), (32, 16), (63, 64)]
)
def test_low_bits_are_as_in_wide_numbers(shift: int, far: int, width: Width):
    def arguments(make: Maker) -> list[Any]:
        random = np.random.default_rng(shift)
        ends = [-(1 << 31), (1 << 31) - 1, -1, 0, 1]
        at = random.integers(-(1 << 31), 1 << 31, make.n, np.int32)
        at[: len(ends)] = ends[: make.n]
        by = random.integers(0, 64, make.n, np.int64)
        table = random.integers(0, 1 << 20, 512, np.int32)
        return [
            at,
            by,
            table,
            np.zeros(512, np.int32),
            make.zeros("i32", make.n),
            shift,
            far,
        ]

    check_native_launches(KERNEL, arguments, LINES[1:3], width=width)
