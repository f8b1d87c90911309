"""Masks that a loop and a branch pass on, for any number of lanes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.execution.lowering.native_functions import DTYPES, NativeFunctions


def source(lanes: int, type_: str) -> str:
    mask, numbers = f"vector<{lanes}xi1>", f"vector<{lanes}x{type_}>"
    less = "cmpf ogt" if type_[0] == "f" else "cmpi sgt"
    cast = "sitofp" if type_[0] == "f" else "extsi" if type_ == "i64" else "trunci"
    if type_ == "i32":
        cast = "bitcast"
    return f"""
func.func @f(%x: memref<{lanes}x{type_}>, %y: memref<{lanes}x{type_}>, %told: memref<2xi32>, %n: index, %m: index) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %on = arith.constant dense<true> : {mask}
  %off = arith.constant dense<false> : {mask}
  %none = arith.constant dense<0{".0" if type_[0] == "f" else ""}> : {numbers}
  %v = vector.load %x[%c0] : memref<{lanes}x{type_}>, {numbers}
  %left, %odd = scf.for %k = %c0 to %n step %c1 iter_args(%left = %on, %odd = %off) -> ({mask}, {mask}) {{
    %k32 = arith.index_cast %k : index to i32
    %bound = arith.{cast} %k32 : i32 to {type_}
    %bounds = vector.broadcast %bound : {type_} to {numbers}
    %above = arith.{less}, %v, %bounds : {numbers}
    %next = arith.select %left, %above, %off : {mask}, {mask}
    %turned = arith.xori %odd, %above : {mask}
    scf.yield %next, %turned : {mask}, {mask}
  }}
  %few = arith.cmpi sle, %m, %c1 : index
  %picked = scf.if %few -> ({mask}) {{
    %both = arith.select %left, %on, %odd : {mask}, {mask}
    scf.yield %both : {mask}
  }} else {{
    scf.yield %left : {mask}
  }}
  %some = vector.reduction <or>, %picked : {mask} into i1
  %all = vector.reduction <and>, %picked : {mask} into i1
  %w = arith.select %picked, %v, %none : {mask}, {numbers}
  vector.store %w, %y[%c0] : memref<{lanes}x{type_}>, {numbers}
  %some32 = arith.extui %some : i1 to i32
  %all32 = arith.extui %all : i1 to i32
  memref.store %some32, %told[%c0] : memref<2xi32>
  memref.store %all32, %told[%c1] : memref<2xi32>
  func.return
}}"""


@pytest.mark.parametrize("type_", ["i8", "i32", "f64"])
@pytest.mark.parametrize("lanes", [1, 2, 3, 4, 8, 9, 12, 16, 33, 64])
def test_masks_of_any_length(lanes: int, type_: str):
    functions = NativeFunctions(source(lanes, type_))
    rng = np.random.default_rng(lanes)
    last = np.zeros(lanes)
    last[-1] = 9
    for numbers in (last, 9 - last, np.full(lanes, 9), rng.integers(0, 5, lanes)):
        for n in (0, 1, 3):
            for m in (0, 5):
                x = numbers.astype(DTYPES[type_])
                y, told = np.zeros_like(x), np.zeros(2, np.int32)
                functions("f", x, y, told, n, m)
                above = np.array([x > k for k in range(n)]).reshape(n, lanes)
                picked = above.all(0)
                if m <= 1:
                    picked |= above.sum(0) % 2 == 1
                np.testing.assert_array_equal(y, np.where(picked, x, 0))
                assert tuple(told) == (picked.any(), picked.all())
