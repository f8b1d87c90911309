"""Vectors of f16 in code that is not optimised, for CPUs that do not convert them."""

from __future__ import annotations

import numpy as np
import pytest

import spmd
from spmd.lowering.machine import host_machine

KERNEL = """
spmd.kernel @k(%x: memref<32xf16>, %beyond: f16, %rows: memref<?x?xf64>, %y: memref<?xf16>) {
  %c3 = arith.constant 3 : index
  %c31 = arith.constant 31 : index
  %many = arith.constant 100 : index
  %i = spmd.global_id x
  %group = spmd.group_id x
  %start = arith.andi %group, %c31 : index
  %some = vector.transfer_read %x[%start], %beyond {in_bounds = [false]} : memref<32xf16>, vector<2xf16>
  %zero = arith.constant 0.0 : f64
  %zeros = vector.broadcast %zero : f64 to vector<2xf64>
  %others = vector.shuffle %zeros, %zeros [1, 3] : vector<2xf64>, vector<2xf64>
  %larger = arith.maximumf %some, %some : vector<2xf16>
  %low = arith.andi %i, %c31 : index
  %at = arith.addi %low, %c3 : index
  vector.transfer_write %others, %rows[%i, %at] {in_bounds = [false]} : vector<2xf64>, memref<?x?xf64>
  %largest = vector.reduction <maximumf>, %larger : vector<2xf16> into f16
  %case = arith.andi %group, %c3 : index
  scf.index_switch %case
  case 0 {
    scf.yield
  }
  default {
    scf.yield
  }
  %high = arith.cmpi ugt, %i, %many : index
  %all = spmd.all %high across work_group
  %twice = arith.addf %largest, %largest : f16
  memref.store %twice, %y[%i] : memref<?xf16>
  spmd.return
}
"""


def test_the_largest_half_is_found():
    """LLVM 22 takes the first one twice, beside zeros of f64."""
    if not host_machine().is_x86:
        pytest.skip("expected x86-64")
    kernel = spmd.compile(KERNEL, target="x86-64", vectorize=False)["k"]
    x, y = 1 + np.arange(32, dtype=np.float16), np.zeros(33, np.float16)
    kernel(x, np.float16(0), np.zeros((33, 64)), y, global_size=33, group_size=33)
    assert (y == 4).all()
