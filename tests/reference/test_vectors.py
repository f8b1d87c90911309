"""Vectors of the interpreter, per work-item and as lanes (level 4)."""

from __future__ import annotations

import numpy as np
import pytest

from spmd.reference import UndefinedBehavior
from tests.reference.functions import call, evaluate

NUMBERS = [1.0, -2.0, 3.5, 0.25]


def vec(op: str, result: str = "vector<4xf32>") -> list[float]:
    """An op on `%v` (NUMBERS), `%m` (1010) and `%i` (0 to 3)."""
    source = f"""
func.func @f(%v: vector<4xf32>, %m: vector<4xi1>, %i: vector<4xi32>, %x: f32) -> {result} {{
  %c1 = arith.constant 1 : index
  %r = {op}
  func.return %r : {result}
}}
"""
    return call(source, NUMBERS, [1, 0, 1, 0], [0, 1, 2, 3], 9.0)[0]


def test_element_by_element():
    assert vec("arith.addf %v, %v : vector<4xf32>") == [2.0, -4.0, 7.0, 0.5]
    assert vec("arith.select %m, %v, %v : vector<4xi1>, vector<4xf32>") == NUMBERS
    assert vec("math.fma %v, %v, %v : vector<4xf32>") == [2.0, 2.0, 15.75, 0.3125]
    expected = [True, False, True, True]
    source = "arith.cmpf ogt, %v, %z : vector<4xf32>"
    text = f"""
func.func @f(%v: vector<4xf32>) -> vector<4xi1> {{
  %z = arith.constant dense<0.0> : vector<4xf32>
  %r = {source}
  func.return %r : vector<4xi1>
}}
"""
    assert call(text, NUMBERS)[0] == expected


def test_taking_apart_and_together():
    assert vec("vector.extract %v[2] : f32 from vector<4xf32>", "f32") == 3.5
    assert vec("vector.extract %v[%c1] : f32 from vector<4xf32>", "f32") == -2.0
    got = vec("vector.insert %x, %v[%c1] : f32 into vector<4xf32>")
    assert got == [1.0, 9.0, 3.5, 0.25]
    got = vec(
        "vector.shuffle %v, %v [3, 6, 0] : vector<4xf32>, vector<4xf32>",
        "vector<3xf32>",
    )
    assert got == [0.25, 3.5, 1.0]
    assert (
        vec("vector.broadcast %x : f32 to vector<2x2xf32>", "vector<2x2xf32>")
        == [9.0] * 4
    )
    got = vec(
        "vector.broadcast %v : vector<4xf32> to vector<2x4xf32>", "vector<2x4xf32>"
    )
    assert got == NUMBERS * 2


def test_reductions_go_in_order():
    assert (
        vec("vector.reduction <add>, %v, %x : vector<4xf32> into f32", "f32") == 11.75
    )
    assert (
        vec("vector.reduction <minimumf>, %v : vector<4xf32> into f32", "f32") == -2.0
    )
    assert vec("vector.reduction <maxui>, %i : vector<4xi32> into i32", "i32") == 3


def test_steps_and_masks():
    assert evaluate("vector.step : vector<3xindex>", [], "vector<3xindex>") == [0, 1, 2]
    for size, want in ((2, [1, 1, 0]), (-1, [0, 0, 0]), (9, [1, 1, 1])):
        got = evaluate(
            "vector.create_mask %0 : vector<3xi1>", [("index", size)], "vector<3xi1>"
        )
        assert got == [bool(x) for x in want]


def test_bits_of_vectors():
    got = evaluate(
        "vector.bitcast %0 : vector<2xi32> to vector<4xi16>",
        [("vector<2xi32>", [0x00020001, -1])],
        "vector<4xi16>",
    )
    assert got == [1, 2, -1, -1]


MEMORY = """
func.func @f(%a: memref<?x4xf32>, %i: index, %j: index, %m: vector<2xi1>,
    %s: vector<2xi32>, %p: vector<2xf32>) -> vector<2xf32> {{
  {}
  func.return %r : vector<2xf32>
}}
"""
WHOLE = np.arange(12, dtype=np.float32).reshape(3, 4)


def in_memory(op: str, *, mask: list[int], indices: list[int], i: int = 1, j: int = 1):
    a = WHOLE.copy()
    result = call(MEMORY.format(op), a, i, j, mask, indices, [-1.0, -2.0])[0]
    return result, a


LOAD = (
    "%r = vector.{} : memref<?x4xf32>, vector<2xi1>, vector<2xf32> into vector<2xf32>"
)
GATHER = (
    "%r = vector.gather %a[%i, %j] [%s], %m, %p : memref<?x4xf32>, vector<2xi32>, "
    "vector<2xi1>, vector<2xf32> into vector<2xf32>"
)


def test_lanes_that_are_off_touch_nothing():
    masked = LOAD.format("maskedload %a[%i, %j], %m, %p")
    assert in_memory(masked, mask=[1, 1], indices=[0, 0])[0] == [5.0, 6.0]
    # The second lane would be outside.
    assert in_memory(masked, mask=[1, 0], indices=[0, 0], j=3)[0] == [7.0, -2.0]
    with pytest.raises(UndefinedBehavior, match=r"\[1, 4\]"):
        in_memory(masked, mask=[1, 1], indices=[0, 0], j=3)
    assert in_memory(GATHER, mask=[1, 1], indices=[2, -5])[0] == [7.0, 0.0]
    assert in_memory(GATHER, mask=[0, 1], indices=[1000, 1])[0] == [-1.0, 6.0]
    with pytest.raises(UndefinedBehavior, match="out of bounds"):
        in_memory(GATHER, mask=[1, 1], indices=[1000, 1])
    store = (
        "vector.maskedstore %a[%i, %j], %m, %p : memref<?x4xf32>, vector<2xi1>, "
        "vector<2xf32>\n%r = arith.addf %p, %p : vector<2xf32>"
    )
    _, a = in_memory(store, mask=[0, 1], indices=[0, 0])
    assert a[1].tolist() == [4.0, 5.0, -2.0, 7.0]
    scatter = (
        "vector.scatter %a[%i, %j] [%s], %m, %p : memref<?x4xf32>, vector<2xi32>, "
        "vector<2xi1>, vector<2xf32>\n%r = arith.addf %p, %p : vector<2xf32>"
    )
    _, a = in_memory(scatter, mask=[1, 1], indices=[3, -1])
    assert (a[2, 0], a[1, 0]) == (-1.0, -2.0)


def test_transfers_pad_where_their_bounds_are_open():
    source = """
func.func @f(%a: memref<?xf32>, %i: index, %x: f32) -> vector<4xf32> {
  %r = vector.transfer_read %a[%i], %x : memref<?xf32>, vector<4xf32>
  vector.transfer_write %r, %a[%i] : vector<4xf32>, memref<?xf32>
  func.return %r : vector<4xf32>
}
"""
    a = np.arange(6, dtype=np.float32)
    assert call(source, a, 4, 9.0)[0] == [4.0, 5.0, 9.0, 9.0]
    assert a.tolist() == [0, 1, 2, 3, 4, 5]
