"""Vectors of work-items compute as scalars what they computed as vectors."""

from __future__ import annotations

from typing import Any

import pytest

from spmd.passes.masking.mask_divergence import MaskDivergencePass
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.passes.sub_groups.form_sub_groups import FormSubGroupsPass
from spmd.passes.work_item_loops.split_vectors import SplitVectorsPass
from tests.execution.harness import Launch, Maker, check_native, check_passes

LAUNCHES = (Launch((64,), (32,)), Launch((45,), (16,)))

ELEMENTS = """
spmd.kernel @elements(%x: memref<?xi32>, %f: memref<?xf64>, %y: memref<?x4xi32>, %s: memref<?x6xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %odds = arith.constant dense<[1, 3, 5, 7]> : vector<4xi32>
  %zero = arith.constant dense<0.0> : vector<3xf64>
  %i = spmd.global_id x
  %at = arith.muli %i, %c4 : index
  %v = vector.load %x[%at] : memref<?xi32>, vector<4xi32>
  %w = arith.muli %v, %odds : vector<4xi32>
  %place = arith.andi %i, %c3 : index
  %one = vector.extract %w[%place] : i32 from vector<4xi32>
  %ones = vector.broadcast %one : i32 to vector<4xi32>
  %less = arith.cmpi slt, %v, %ones : vector<4xi32>
  %u = arith.select %less, %w, %ones : vector<4xi1>, vector<4xi32>
  %most = vector.reduction <maxsi>, %u : vector<4xi32> into i32
  %all = vector.reduction <xor>, %u, %most : vector<4xi32> into i32
  %put = vector.insert %all, %u[%place] : i32 into vector<4xi32>
  %turned = vector.shuffle %put, %v [3, 4, 1, 6] : vector<4xi32>, vector<4xi32>
  vector.store %turned, %y[%i, %c0] : memref<?x4xi32>, vector<4xi32>
  %fv = vector.load %f[%at] : memref<?xf64>, vector<3xf64>
  %even = arith.cmpi eq, %place, %c0 : index
  %sum, %last = scf.for %k = %c0 to %place step %c1 iter_args(%a = %zero, %b = %fv) -> (vector<3xf64>, vector<3xf64>) {
    %big = arith.cmpi sgt, %most, %all : i32
    %c = scf.if %big -> (vector<3xf64>) {
      %n = arith.negf %b : vector<3xf64>
      scf.yield %n : vector<3xf64>
    } else {
      %m = vector.fma %b, %fv, %a : vector<3xf64>
      scf.yield %m : vector<3xf64>
    }
    %d = arith.addf %a, %c : vector<3xf64>
    scf.yield %d, %c : vector<3xf64>, vector<3xf64>
  }
  vector.store %sum, %s[%i, %c0] : memref<?x6xf64>, vector<3xf64>
  %least = vector.reduction <minimumf>, %last : vector<3xf64> into f64
  %total = vector.reduction <add>, %last, %least : vector<3xf64> into f64
  memref.store %least, %s[%i, %c4] : memref<?x6xf64>
  memref.store %total, %s[%i, %c5] : memref<?x6xf64>
  spmd.return
}
"""


def elements(make: Maker) -> list[Any]:
    return [
        make.integers("i32", -99, 99, 4 * make.n),
        make.random("f64", 4 * make.n),
        make.zeros("i32", make.n, 4),
        make.zeros("f64", make.n, 6),
    ]


def test_elements():
    module = check_passes(
        ELEMENTS,
        elements,
        LAUNCHES,
        SpmdToLoopsPass(),
        SplitVectorsPass(),
        FormSubGroupsPass(4),
        MaskDivergencePass(),
    )
    assert "vector.load" not in str(module)


@pytest.mark.parametrize("width", ["auto", 1, 4, 16])
def test_native(width: int | str):
    for launch in LAUNCHES:
        check_native(ELEMENTS, elements, launch, width=width)


ROWS = """
spmd.kernel @rows(%table: memref<32xi32>, %y: memref<?xi32>)
    attributes {work_group_size = array<i64: 4, 2>, sub_group_size = 4 : i64} {
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %i = spmd.global_id x
  %j = spmd.global_id y
  %width = spmd.global_size x
  %row = arith.muli %j, %width : index
  %item = arith.addi %row, %i : index
  %number = arith.index_cast %item : index to i32
  %place = arith.andi %width, %c1 : index
  %four = vector.load %table[%width] : memref<32xi32>, vector<4xi32>
  %mixed = vector.insert %number, %four[%place] : i32 into vector<4xi32>
  %v = vector.reduction <add>, %mixed : vector<4xi32> into i32
  %sum = spmd.reduce add %v across sub_group : i32
  memref.store %sum, %y[%item] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("global_size", [(8, 4), (4, 2), (7, 3)])
def test_rows_of_sub_groups_with_a_vector_from_outside(global_size: tuple[int, int]):
    """Its elements are taken outside of all work-item loops, which stay a nest."""

    def arguments(make: Maker) -> list[Any]:
        return [make.integers("i32", 0, 99, 32), make.zeros("i32", make.n)]

    launch = Launch(global_size, (4, 2))
    check_native(ROWS, arguments, launch)
    check_native(ROWS, arguments, launch, vectorize=False)
    check_passes(ROWS, arguments, (launch,), SpmdToLoopsPass(), VectorizePass())
