"""Accesses of vectors to memory, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.execution.lowering.elementwise import equal, interesting
from tests.execution.lowering.native_functions import DTYPES, Array, NativeFunctions


def _vector(shape: tuple[int, ...], scalar: str) -> str:
    return f"vector<{'x'.join(map(str, shape))}x{scalar}>"


@pytest.mark.parametrize("scalar", DTYPES)
@pytest.mark.parametrize("width", [1, 4, 16, 64])
def test_masked_accesses_of_every_type(scalar: str, width: int):
    functions = NativeFunctions(f"""builtin.module {{
      func.func @load(%x: memref<?x{scalar}>, %m: memref<?xi1>, %i: index,
          %out: memref<?x{scalar}>) {{
        %c0 = arith.constant 0 : index
        %mask = vector.load %m[%c0] : memref<?xi1>, vector<{width}xi1>
        %old = vector.load %out[%c0] : memref<?x{scalar}>, vector<{width}x{scalar}>
        %v = vector.maskedload %x[%i], %mask, %old : memref<?x{scalar}>,
          vector<{width}xi1>, vector<{width}x{scalar}> into vector<{width}x{scalar}>
        vector.store %v, %out[%c0] : memref<?x{scalar}>, vector<{width}x{scalar}>
        func.return
      }}
      func.func @store(%x: memref<?x{scalar}>, %m: memref<?xi1>, %i: index,
          %from: memref<?x{scalar}>) {{
        %c0 = arith.constant 0 : index
        %mask = vector.load %m[%c0] : memref<?xi1>, vector<{width}xi1>
        %v = vector.load %from[%c0] : memref<?x{scalar}>, vector<{width}x{scalar}>
        vector.maskedstore %x[%i], %mask, %v : memref<?x{scalar}>,
          vector<{width}xi1>, vector<{width}x{scalar}>
        func.return
      }}
      func.func @gather(%x: memref<?x{scalar}>, %m: memref<?xi1>, %i: index,
          %at: memref<?xi32>, %out: memref<?x{scalar}>) {{
        %c0 = arith.constant 0 : index
        %mask = vector.load %m[%c0] : memref<?xi1>, vector<{width}xi1>
        %index = vector.load %at[%c0] : memref<?xi32>, vector<{width}xi32>
        %old = vector.load %out[%c0] : memref<?x{scalar}>, vector<{width}x{scalar}>
        %v = vector.gather %x[%i] [%index], %mask, %old : memref<?x{scalar}>,
          vector<{width}xi32>, vector<{width}xi1>, vector<{width}x{scalar}>
          into vector<{width}x{scalar}>
        vector.store %v, %out[%c0] : memref<?x{scalar}>, vector<{width}x{scalar}>
        func.return
      }}
      func.func @scatter(%x: memref<?x{scalar}>, %m: memref<?xi1>, %i: index,
          %at: memref<?xi32>, %from: memref<?x{scalar}>) {{
        %c0 = arith.constant 0 : index
        %mask = vector.load %m[%c0] : memref<?xi1>, vector<{width}xi1>
        %narrow = vector.load %at[%c0] : memref<?xi32>, vector<{width}xi32>
        %index = arith.index_cast %narrow : vector<{width}xi32> to vector<{width}xindex>
        %v = vector.load %from[%c0] : memref<?x{scalar}>, vector<{width}x{scalar}>
        vector.scatter %x[%i] [%index], %mask, %v : memref<?x{scalar}>,
          vector<{width}xindex>, vector<{width}xi1>, vector<{width}x{scalar}>
        func.return
      }} }}""")
    rng = np.random.default_rng(width)
    values = np.resize(interesting(scalar), 3 * width)
    for mask in (rng.random(width) < 0.5, np.zeros(width, bool), np.ones(width, bool)):
        old = np.resize(values[::-1], width).copy()
        expected = np.where(mask, values[2 : 2 + width], old)
        functions("load", values, mask, 2, old)
        assert equal(old, expected).all()

        x, expected = values.copy(), values.copy()
        new = np.resize(interesting(scalar)[::-1], width)
        functions("store", x, mask, 1, new)
        expected[1 : 1 + width][mask] = new[mask]
        assert equal(x, expected).all()

        # Indices count from `%i`, also backwards; inactive lanes may point anywhere.
        at = rng.permutation(2 * width)[:width].astype(np.int32) - width // 2
        wild = np.where(mask, at, np.int32(2**31 - 1)).astype(np.int32)
        got = np.resize(values[::-1], width).copy()
        expected = got.copy()
        expected[mask] = values[width + at[mask]]
        functions("gather", values, mask, width, wild, got)
        assert equal(got, expected).all()

        x, expected = values.copy(), values.copy()
        functions("scatter", x, mask, width, wild, new)
        expected[width + at[mask]] = new[mask]
        assert equal(x, expected).all()


def test_of_two_lanes_at_one_place_the_last_wins():
    functions = NativeFunctions("""
      func.func @f(%x: memref<?xi32>, %from: memref<?xi32>) {
        %c0 = arith.constant 0 : index
        %index = arith.constant dense<3> : vector<16xi32>
        %mask = arith.constant dense<true> : vector<16xi1>
        %v = vector.load %from[%c0] : memref<?xi32>, vector<16xi32>
        vector.scatter %x[%c0] [%index], %mask, %v : memref<?xi32>,
          vector<16xi32>, vector<16xi1>, vector<16xi32>
        func.return
      }""")
    x = np.zeros(8, np.int32)
    functions("f", x, np.arange(16, dtype=np.int32))
    assert x.tolist() == [0, 0, 0, 15, 0, 0, 0, 0]


@pytest.mark.parametrize("mask", [None, 0b1011_0110])
def test_vectors_along_a_stride(mask: int | None):
    type_ = "memref<?x?xf32, strided<[?, ?], offset: ?>>"
    bits = ", ".join(
        "true" if mask is None or mask >> k & 1 else "false" for k in range(8)
    )
    functions = NativeFunctions(f"""
      func.func @f(%x: {type_}, %i: index, %j: index, %out: memref<3x8xf32>) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %v = vector.load %x[%i, %j] : {type_}, vector<8xf32>
        vector.store %v, %out[%c0, %c0] : memref<3x8xf32>, vector<8xf32>
        %mask = arith.constant dense<[{bits}]> : vector<8xi1>
        %w = vector.maskedload %x[%i, %j], %mask, %v
          : {type_}, vector<8xi1>, vector<8xf32> into vector<8xf32>
        vector.store %w, %out[%c1, %c0] : memref<3x8xf32>, vector<8xf32>
        %step = vector.step : vector<8xindex>
        %zero = arith.constant dense<0.0> : vector<8xf32>
        %g = vector.gather %x[%i, %j] [%step], %mask, %zero : {type_},
          vector<8xindex>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        %three = arith.constant dense<[0, -1, -2, 3, 1, 2, 0, 4]> : vector<8xi16>
        %h = vector.gather %x[%i, %j] [%three], %mask, %g : {type_},
          vector<8xi16>, vector<8xi1>, vector<8xf32> into vector<8xf32>
        %gh = arith.addf %g, %h : vector<8xf32>
        vector.store %gh, %out[%c2, %c0] : memref<3x8xf32>, vector<8xf32>
        %twice = arith.addf %v, %v : vector<8xf32>
        vector.maskedstore %x[%i, %j], %mask, %twice
          : {type_}, vector<8xi1>, vector<8xf32>
        func.return
      }}""")
    x = np.arange(400, dtype=np.float32).reshape(10, 40)
    view = x[::-3, ::3]
    before = view.copy()
    out = np.zeros((3, 8), np.float32)
    functions("f", view, 1, 2, out)
    row = before[1, 2:10]
    on = np.array([mask is None or bool(mask >> k & 1) for k in range(8)])
    assert (out[0] == row).all()
    assert (out[1] == row).all()
    other = before[1, 2 + np.array([0, -1, -2, 3, 1, 2, 0, 4])]
    assert (out[2] == np.where(on, row + other, 0)).all()
    expected = before
    expected[1, 2:10] = np.where(on, 2 * row, row)
    assert (view == expected).all()


def test_loads_and_stores_of_higher_rank():
    functions = NativeFunctions("""
      func.func @f(%x: memref<?x?x?xi1>, %y: memref<?x?xi16>, %i: index, %j: index,
          %outx: memref<2x3x4xi1>, %outy: memref<?x?xi16>) {
        %c0 = arith.constant 0 : index
        %v = vector.load %x[%i, %j, %c0] : memref<?x?x?xi1>, vector<2x3x4xi1>
        vector.store %v, %outx[%c0, %c0, %c0] : memref<2x3x4xi1>, vector<2x3x4xi1>
        %w = vector.load %y[%i, %j] : memref<?x?xi16>, vector<5x3xi16>
        vector.store %w, %outy[%j, %i] : memref<?x?xi16>, vector<5x3xi16>
        func.return
      }""")
    rng = np.random.default_rng(8)
    x = rng.random((5, 6, 7)) < 0.5
    y = rng.integers(0, 100, (8, 9)).astype(np.int16)
    outx, outy = np.zeros((2, 3, 4), bool), np.zeros((8, 9), np.int16)
    functions("f", x, y, 2, 3, outx, outy)
    assert (outx == x[2:4, 3:6, :4]).all()
    expected = np.zeros_like(outy)
    expected[3:8, 2:5] = y[2:7, 3:6]
    assert (outy == expected).all()


def transfer(map_: str, shape: tuple[int, ...], in_bounds: str, mask: str = "") -> Any:
    """Reads and writes of a window of an array of rank 2."""
    type_ = _vector(shape, "f32")
    zeros = ", ".join(["%c0"] * len(shape))
    out = f"memref<{type_[7:]}"
    masked = ", %mask" if mask else ""
    body = ""
    if mask:
        body = f"%mask = arith.constant dense<{mask}> : {_mask_of(map_, shape)}"
    mask_type = f", {_mask_of(map_, shape)}" if mask else ""
    return NativeFunctions(f"""builtin.module {{
      func.func @read(%x: memref<?x?xf32>, %i: index, %j: index, %out: {out}) {{
        %c0 = arith.constant 0 : index
        %pad = arith.constant -1.0 : f32
        {body}
        %v = "vector.transfer_read"(%x, %i, %j, %pad{masked}) <{{
          permutation_map = affine_map<{map_}>, in_bounds = [{in_bounds}],
          operandSegmentSizes = array<i32: 1, 2, 1, {int(bool(mask))}>}}>
          : (memref<?x?xf32>, index, index, f32{mask_type}) -> {type_}
        vector.store %v, %out[{zeros}] : {out}, {type_}
        func.return
      }} }}""")


def _mask_of(map_: str, shape: tuple[int, ...]) -> str:
    dimensions = map_.partition("-> (")[2].rstrip(")").split(", ")
    used = zip(dimensions, shape, strict=True)
    return _vector(tuple(size for dimension, size in used if dimension != "0"), "i1")


GRID = np.arange(70, dtype=np.float32).reshape(7, 10)


def padded(i: int, j: int) -> Array:
    """The grid from an element on, with the padding after its end."""
    whole = np.full((40, 40), -1, np.float32)
    whole[: 7 - i, : 10 - j] = GRID[i:, j:]
    return whole


@pytest.mark.parametrize(("i", "j"), [(0, 0), (3, 5), (6, 9), (5, 7)])
def test_transfer_reads(i: int, j: int):
    source = padded(i, j)
    cases: list[tuple[str, tuple[int, ...], Array]] = [
        ("(d0, d1) -> (d1)", (8,), source[0, :8]),
        ("(d0, d1) -> (d0)", (4,), source[:4, 0]),
        ("(d0, d1) -> (d0, d1)", (3, 4), source[:3, :4]),
        ("(d0, d1) -> (d1, d0)", (4, 3), source[:3, :4].T),
        ("(d0, d1) -> (d1, 0)", (4, 3), np.repeat(source[0, :4, None], 3, axis=1)),
        ("(d0, d1) -> (0, d1)", (2, 4), np.repeat(source[None, 0, :4], 2, axis=0)),
    ]
    for map_, shape, expected in cases:
        unknown = ", ".join(["false"] * len(shape))
        out = np.zeros(shape, np.float32)
        transfer(map_, shape, unknown)("read", GRID, i, j, out)
        assert (out == expected).all(), map_
        if (expected >= 0).all():
            known = ", ".join(["true"] * len(shape))
            out = np.zeros(shape, np.float32)
            transfer(map_, shape, known)("read", GRID, i, j, out)
            assert (out == expected).all(), map_


def test_transfer_read_under_a_mask():
    out = np.zeros((4,), np.float32)
    functions = transfer("(d0, d1) -> (d1)", (4,), "false", "[true, false, true, true]")
    functions("read", GRID, 2, 7, out)
    assert out.tolist() == [27, -1, 29, -1]


def test_transfer_read_of_repeated_elements_under_a_mask():
    """The mask has no dimension for what is repeated."""
    out = np.zeros((4, 2), np.float32)
    map_ = "(d0, d1) -> (d1, 0)"
    functions = transfer(map_, (4, 2), "false, false", "[true, false, true, true]")
    functions("read", GRID, 2, 7, out)
    assert out.T.tolist() == [[27, -1, 29, -1]] * 2


def test_transfer_write():
    functions = NativeFunctions("""
      func.func @f(%x: memref<?x?xf32>, %i: index, %j: index) {
        %v = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : vector<2x3xf32>
        "vector.transfer_write"(%v, %x, %i, %j) <{
          permutation_map = affine_map<(d0, d1) -> (d1, d0)>, in_bounds = [false, false],
          operandSegmentSizes = array<i32: 1, 1, 2, 0>}>
          : (vector<2x3xf32>, memref<?x?xf32>, index, index) -> ()
        func.return
      }""")
    x = np.zeros((4, 5), np.float32)
    functions("f", x, 2, 4)
    assert x[2:, 4:].tolist() == [[1], [2]]
    assert np.count_nonzero(x) == 2
    x = np.zeros((4, 5), np.float32)
    functions("f", x, 1, 1)
    assert (x[1:, 1:3] == np.array([[1, 2, 3], [4, 5, 6]]).T).all()


def test_memrefs_of_vectors():
    functions = NativeFunctions("""
      func.func @f(%out: memref<?xf32>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %m = memref.alloca() : memref<3xvector<4xf32>>
        %v = arith.constant dense<[1.0, 2.0, 3.0, 4.0]> : vector<4xf32>
        memref.store %v, %m[%c1] : memref<3xvector<4xf32>>
        %w = memref.load %m[%c1] : memref<3xvector<4xf32>>
        memref.store %w, %m[%c0] : memref<3xvector<4xf32>>
        %u = memref.load %m[%c0] : memref<3xvector<4xf32>>
        vector.store %u, %out[%c0] : memref<?xf32>, vector<4xf32>
        func.return
      }""")
    out = np.zeros(4, np.float32)
    functions("f", out)
    assert out.tolist() == [1, 2, 3, 4]
