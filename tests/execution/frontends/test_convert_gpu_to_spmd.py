"""Upstream's portable integration tests of `gpu`, with the results that they publish."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from spmd.passes.frontends.convert_gpu_to_spmd import ConvertGpuToSpmdPass
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

# all-reduce-op, all-reduce-region, shuffle, two modules, and sizes in 2 and 3 dimensions.
SOURCE = """
module attributes {gpu.container_module} {
gpu.module @a {
  gpu.func @sum(%dst: memref<?x?x?xf32>) kernel {
    %tx = gpu.thread_id x
    %ty = gpu.thread_id y
    %tz = gpu.thread_id z
    %sx = gpu.block_dim x
    %sy = gpu.block_dim y
    %t0 = arith.muli %tz, %sy : index
    %t1 = arith.addi %ty, %t0 : index
    %t2 = arith.muli %t1, %sx : index
    %idx = arith.addi %tx, %t2 : index
    %t3 = arith.index_cast %idx : index to i32
    %val = arith.sitofp %t3 : i32 to f32
    %sum = gpu.all_reduce add %val uniform {} : (f32) -> (f32)
    memref.store %sum, %dst[%tz, %ty, %tx] : memref<?x?x?xf32>
    gpu.return
  }
}
gpu.module @b {
  gpu.func @sum(%dst: memref<?xf32>) kernel attributes {gpu.known_block_size = array<i32: 35, 1, 1>} {
    %tx = gpu.thread_id x
    %val = arith.index_cast %tx : index to i32
    %xor = gpu.all_reduce %val uniform {
    ^bb(%lhs : i32, %rhs : i32):
      %x = arith.xori %lhs, %rhs : i32
      "gpu.yield"(%x) : (i32) -> ()
    } : (i32) -> (i32)
    %res = arith.sitofp %xor : i32 to f32
    memref.store %res, %dst[%tx] : memref<?xf32>
    gpu.return
  }
  gpu.func @shuffle(%dst: memref<?xf32>) kernel {
    %w = arith.constant 13 : i32
    %four = arith.constant 4 : i32
    %m1 = arith.constant -1.0 : f32
    %tx = gpu.thread_id x
    %t0 = arith.index_cast %tx : index to i32
    %val = arith.sitofp %t0 : i32 to f32
    %shfl, %valid = gpu.shuffle xor %val, %four, %w : f32
    cf.cond_br %valid, ^bb1(%shfl : f32), ^bb0
  ^bb0:
    cf.br ^bb1(%m1 : f32)
  ^bb1(%value: f32):
    memref.store %value, %dst[%tx] : memref<?xf32>
    gpu.return
  }
}
func.func @main(%x: memref<?x?x?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c13 = arith.constant 13 : index
  %c35 = arith.constant 35 : index
  %t = "gpu.wait"() : () -> !gpu.async.token
  "gpu.wait"(%t) : (!gpu.async.token) -> ()
  gpu.launch_func @a::@sum blocks in (%c1, %c1, %c1) threads in (%c13, %c4, %c2) args(%x : memref<?x?x?xf32>)
  gpu.launch_func @b::@sum blocks in (%c1, %c1, %c1) threads in (%c35, %c1, %c1) args(%y : memref<?xf32>)
  gpu.launch_func @b::@shuffle blocks in (%c1, %c1, %c1) threads in (%c13, %c1, %c1) args(%z : memref<?xf32>)
  func.return
}
}
"""

# multiple-all-reduce, and all-reduce of each kind.
REDUCE = """
gpu.module @kernels {
  gpu.func @kernel(%data: memref<2x6xTYPE>, %out: memref<2xTYPE>) kernel {
    %bx = gpu.block_id x
    %tx = gpu.thread_id x
    %val = memref.load %data[%bx, %tx] : memref<2x6xTYPE>
    %r = gpu.all_reduce KIND %val uniform {} : (TYPE) -> TYPE
    memref.store %r, %out[%bx] : memref<2xTYPE>
    gpu.return
  }
}
func.func @main(%data: memref<2x6xTYPE>, %out: memref<2xTYPE>) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %device = "gpu.alloc"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> memref<2x6xTYPE>
  "gpu.memcpy"(%device, %data) {operandSegmentSizes = array<i32: 0, 1, 1>} : (memref<2x6xTYPE>, memref<2x6xTYPE>) -> ()
  gpu.launch_func @kernels::@kernel blocks in (%c2, %c1, %c1) threads in (%c6, %c1, %c1)
      args(%device : memref<2x6xTYPE>, %out : memref<2xTYPE>)
  "gpu.dealloc"(%device) {operandSegmentSizes = array<i32: 0, 1>} : (memref<2x6xTYPE>) -> ()
  func.return
}
"""
DATA = [[0, 1, 2, 4, 8, 16], [2, 3, 6, 7, 10, 11]]

# Lanes that read beyond the width get -1.
SHUFFLES = {
    "xor": [4, 5, 6, 7, 0, 1, 2, 3, 12, -1, -1, -1, 8],
    "down": [4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -1, -1, -1],
    "up": [-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8],
    "idx": [4] * 13,
}

OPTIONS: list[dict[str, Any]] = [
    {},
    {"vectorize": False},
    {"width": 4},
    {"strategy": "continuations", "width": 16},
]


def converted(source: str):
    module = parse(SourceText("gpu.mlir", source))
    ConvertGpuToSpmdPass().apply(make_context(), module)
    module.verify()
    return module


def outputs() -> list[Any]:
    return [np.zeros(shape, np.float32) for shape in ((2, 4, 13), (35,), (13,))]


def expect_published(arrays: list[Any], mode: str) -> None:
    x, y, z = arrays
    assert (x == 5356).all()
    assert (y == 35).all()
    np.testing.assert_array_equal(z, SHUFFLES[mode])


@pytest.mark.parametrize("mode", SHUFFLES)
def test_in_the_interpreter(mode: str):
    got = outputs()
    run_function(
        converted(SOURCE.replace("shuffle xor", f"shuffle {mode}")), "main", got
    )
    expect_published(got, mode)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("mode", SHUFFLES)
def test_as_native_code(mode: str, options: dict[str, Any]):
    source, got = SOURCE.replace("shuffle xor", f"shuffle {mode}"), outputs()
    spmd.compile(source, **options)["main"](*got)
    expect_published(got, mode)


@pytest.mark.parametrize(
    ("kind", "type_", "expected"),
    [
        ("add", "f32", [31, 39]),
        ("mul", "f32", [0, 27720]),
        ("add", "i32", [31, 39]),
        ("min", "i32", [0, 2]),
        ("max", "i32", [16, 11]),
        ("and", "i32", [0, 2]),
        ("or", "i32", [31, 15]),
        ("xor", "i32", [31, 1]),
    ],
)
def test_reductions(kind: str, type_: str, expected: list[int]):
    source = REDUCE.replace("TYPE", type_).replace("KIND", kind)
    element = np.float32 if type_ == "f32" else np.int32
    want = np.array(expected, element)
    if kind == "and":
        want[1] = np.bitwise_and.reduce(DATA[1])
    elif kind == "xor":
        want[1] = np.bitwise_xor.reduce(DATA[1])
    interpreted, native = np.zeros(2, element), np.zeros(2, element)
    run_function(converted(source), "main", [np.array(DATA, element), interpreted])
    spmd.compile(source)["main"](np.array(DATA, element), native)
    np.testing.assert_array_equal(interpreted, want)
    np.testing.assert_array_equal(native, want)
