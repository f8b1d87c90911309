"""
The meaning of upstream's portable integration tests of `gpu`, with the results they publish.

A test has the name of one in `mlir/test/Integration/GPU`. What is printed there is an array
here. Those are left out that wait for another launch (`concurrent-kernels`), use what only one
vendor has (clusters, matrices, TMA), or look at the binary.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from tests.execution.frontends.gpu_programs import OPTIONS, expect, f32, i32, launch

DATA = [[0, 1, 2, 4, 8, 16], [2, 3, 6, 7, 10, 11]]


@pytest.mark.parametrize(
    ("kind", "type_", "expected"),
    [
        ("add", "f32", [31, 39]),
        ("mul", "f32", [0, 27720]),
        ("minimumf", "f32", [0, 2]),
        ("maxnumf", "f32", [16, 11]),
        ("add", "i32", [31, 39]),
        ("mul", "i64", [0, 27720]),
        ("min", "i32", [0, 2]),
        ("max", "i32", [16, 11]),
        ("minsi", "i32", [0, 2]),
        ("maxsi", "i32", [16, 11]),
        ("minui", "i16", [0, 2]),
        ("maxui", "i64", [16, 11]),
        ("and", "i32", [0, 2]),
        ("or", "i32", [31, 15]),
        ("xor", "i32", [31, 1]),
    ],
)
def test_all_reduce(kind: str, type_: str, expected: list[int]):
    body = f"""
    %val = memref.load %data[%bx, %tx] : memref<2x6x{type_}>
    %reduced = gpu.all_reduce {kind} %val uniform {{}} : ({type_}) -> ({type_})
    memref.store %reduced, %sum[%bx] : memref<2x{type_}>"""
    if kind == "and":
        expected = [0, int(np.bitwise_and.reduce(DATA[1]))]
    arguments = f"%data: memref<2x6x{type_}>, %sum: memref<2x{type_}>"
    source = launch(body, arguments, "%c6, %c1, %c1", "%c2, %c1, %c1")
    element = np.dtype(type_.replace("i", "int").replace("f32", "float32"))
    expect(source, [np.array(DATA, element)], [np.array(expected, element)])


def test_all_reduce_op():
    source = launch(
        """
    %t0 = arith.muli %tz, %block_y : index
    %t1 = arith.addi %ty, %t0 : index
    %t2 = arith.muli %t1, %block_x : index
    %idx = arith.addi %tx, %t2 : index
    %t3 = arith.index_cast %idx : index to i32
    %val = arith.sitofp %t3 : i32 to f32
    %sum = gpu.all_reduce add %val uniform {} : (f32) -> (f32)
    memref.store %sum, %dst[%tz, %ty, %tx] : memref<?x?x?xf32>""",
        "%dst: memref<?x?x?xf32>",
        "%c13, %c4, %c2",
    )
    expect(source, [], [np.full((2, 4, 13), 5356, np.float32)])


def test_all_reduce_region():
    source = launch(
        """
    %val = arith.index_cast %tx : index to i32
    %xor = gpu.all_reduce %val uniform {
    ^bb(%lhs : i32, %rhs : i32):
      %xor = arith.xori %lhs, %rhs : i32
      "gpu.yield"(%xor) : (i32) -> ()
    } : (i32) -> (i32)
    %res = arith.sitofp %xor : i32 to f32
    memref.store %res, %dst[%tx] : memref<?xf32>""",
        "%dst: memref<?xf32>",
        "%c35, %c1, %c1",
    )
    expect(source, [], [np.full(35, 35, np.float32)])


def test_multiple_all_reduce():
    source = launch(
        """
    %val = memref.load %data[%bx, %tx] : memref<2x6xf32>
    %reduced0 = gpu.all_reduce add %val uniform {} : (f32) -> (f32)
    memref.store %reduced0, %sum[%bx] : memref<2xf32>
    %reduced1 = gpu.all_reduce mul %val uniform {} : (f32) -> (f32)
    memref.store %reduced1, %mul[%bx] : memref<2xf32>""",
        "%data: memref<2x6xf32>, %sum: memref<2xf32>, %mul: memref<2xf32>",
        "%c6, %c1, %c1",
        "%c2, %c1, %c1",
    )
    sums, products = f32([31, 39]), f32([0, 27720])
    expect(source, [f32(DATA)], [sums, products])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        # Of the first, upstream has the result; lanes that read beyond the width get -1.
        ("xor", [4, 5, 6, 7, 0, 1, 2, 3, 12, -1, -1, -1, 8]),
        ("down", [4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -1, -1, -1]),
        ("up", [-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
        ("idx", [4] * 13),
    ],
)
def test_shuffle(mode: str, expected: list[int]):
    source = launch(
        f"""
    %t0 = arith.index_cast %tx : index to i32
    %val = arith.sitofp %t0 : i32 to f32
    %width = arith.index_cast %block_x : index to i32
    %offset = arith.constant 4 : i32
    %shfl, %valid = gpu.shuffle {mode} %val, %offset, %width : f32
    cf.cond_br %valid, ^bb1(%shfl : f32), ^bb0
  ^bb0:
    %m1 = arith.constant -1.0 : f32
    cf.br ^bb1(%m1 : f32)
  ^bb1(%value : f32):
    memref.store %value, %dst[%tx] : memref<?xf32>""",
        "%dst: memref<?xf32>",
        "%c13, %c1, %c1",
    )
    expect(source, [], [f32(expected)])


def test_two_modules():
    one = launch(
        """
    %t0 = arith.index_cast %tx : index to i32
    memref.store %t0, %dst[%tx] : memref<?xi32>""",
        "%dst: memref<?xi32>",
        "%c13, %c1, %c1",
    )
    start, end = one.index("  gpu.launch"), one.index("  return")
    source = one[:end] + one[start:end] + one[end:]
    assert list(spmd.compile(source)) == ["main_kernel", "main_kernel_1", "main"]
    expect(source, [], [np.arange(13, dtype=np.int32)])


KERNEL = """
module @add attributes {gpu.container_module} {
  func.func @main(%a: memref<TYPE>, %b: memref<TYPE>, %c: memref<TYPE>) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %0 = gpu.wait async
    %x, %1 = gpu.alloc async [%0] () : memref<TYPE>
    %2 = gpu.memcpy async [%1] %x, %a : memref<TYPE>, memref<TYPE>
    %y = gpu.alloc host_shared () : memref<TYPE, 1>
    memref.copy %b, %y : memref<TYPE> to memref<TYPE, 1>
    %z = gpu.alloc () : memref<TYPE>
    %3 = gpu.launch_func async [%2] @kernels::@kernel blocks in (%c2, %c2, %c2)
        threads in (%c1, %c1, %c1) args(%x : memref<TYPE>, %y : memref<TYPE, 1>, %z : memref<TYPE>)
    gpu.wait [%3]
    gpu.memcpy %c, %z : memref<TYPE>, memref<TYPE>
    %4 = gpu.wait async
    %5 = gpu.dealloc async [%4] %x : memref<TYPE>
    %6 = gpu.dealloc async [%5] %y : memref<TYPE, 1>
    gpu.wait [%6]
    gpu.dealloc %z : memref<TYPE>
    return
  }
  gpu.module @kernels {
    gpu.func @kernel(%arg0: memref<TYPE>, %arg1: memref<TYPE, 1>, %arg2: memref<TYPE>) kernel attributes {gpu.known_block_size = array<i32: 1, 1, 1>, gpu.known_grid_size = array<i32: 2, 2, 2>} {
      %0 = gpu.block_id  x
      %1 = gpu.block_id  y
      %2 = gpu.block_id  z
      %3 = memref.load %arg0[%0, %1, %2] : memref<TYPE>
      %4 = memref.load %arg1[%0, %1, %2] : memref<TYPE, 1>
      %5 = arith.ADD %3, %4 : ELEMENT
      memref.store %5, %arg2[%0, %1, %2] : memref<TYPE>
      gpu.return
    }
  }
}
"""


def test_gpu_memcpy_addf32_to_spirv():
    a = f32([[[1.2, 2.3], [4.5, 5.8]], [[7.2, 8.3], [10.5, 11.8]]])
    b = f32([[[1.1, 2.2], [3.3, 4.4]], [[5.5, 6.6], [7.7, 8.8]]])
    source = KERNEL.replace("TYPE", "2x2x2xELEMENT").replace("ELEMENT", "f32")
    expect(source.replace("ADD", "addf"), [a, b], [a + b])
    assert [f"{x:g}" for x in (a + b).ravel()[:4]] == ["2.3", "4.5", "7.8", "10.2"]


def test_gpu_addi64_to_spirv():
    a = np.arange(8, dtype=np.int64).reshape(2, 2, 2) << 40
    source = KERNEL.replace("TYPE", "2x2x2xELEMENT").replace("ELEMENT", "i64")
    expect(source.replace("ADD", "addi"), [a, a], [2 * a])


def test_gpu_reluf32_to_spirv():
    source = """
    gpu.module @test_kernel {
      gpu.func @test_relu(%arg0: memref<4x5xf32>, %arg1: memref<4x5xf32>) kernel {
        %zero = arith.constant 0.000000e+00 : f32
        %0 = gpu.block_id  x
        %1 = gpu.block_id  y
        %2 = memref.load %arg0[%0, %1] : memref<4x5xf32>
        %3 = arith.cmpf ogt, %2, %zero : f32
        %4 = arith.select %3, %2, %zero : f32
        memref.store %4, %arg1[%0, %1] : memref<4x5xf32>
        gpu.return
      }
    }
    func.func @main(%x: memref<4x5xf32>, %y: memref<4x5xf32>) {
      %c5 = arith.constant 5 : i64
      %c4 = arith.constant 4 : i64
      %c1 = arith.constant 1 : i64
      gpu.launch_func @test_kernel::@test_relu blocks in (%c4, %c5, %c1)
          threads in (%c1, %c1, %c1) : i64 args(%x : memref<4x5xf32>, %y : memref<4x5xf32>)
      return
    }"""
    x = f32(
        [
            [-0.1, -0.2, -0.3, 0.4, 0.5],
            [0.1, -0.2, 0.3, -0.4, 0.5],
            [0.1, 0.2, 0.3, -0.4, -0.5],
            [0.1, 0.2, 0.3, 0.4, 0.5],
        ]
    )
    expect(source, [x], [np.maximum(x, 0)])


def test_gpu_to_cubin():
    source = """
    func.func @other_func(%arg0 : f32, %arg1 : memref<?xf32>) {
      %cst = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %cst2 = memref.dim %arg1, %c0 : memref<?xf32>
      gpu.launch blocks(%bx, %by, %bz) in (%grid_x = %cst, %grid_y = %cst, %grid_z = %cst)
                 threads(%tx, %ty, %tz) in (%block_x = %cst2, %block_y = %cst, %block_z = %cst) {
        memref.store %arg0, %arg1[%tx] : memref<?xf32>
        gpu.terminator
      }
      return
    }
    func.func @main(%arg0: memref<5xf32>) {
      %22 = memref.cast %arg0 : memref<5xf32> to memref<?xf32>
      %cast = memref.cast %22 : memref<?xf32> to memref<*xf32>
      gpu.host_register %cast : memref<*xf32>
      %24 = arith.constant 1.0 : f32
      call @other_func(%24, %22) : (f32, memref<?xf32>) -> ()
      return
    }"""
    expect(source, [], [np.ones(5, np.float32)])


def test_alloc_host_shared():
    source = """
    func.func @main(%out: memref<1xi32>) {
      %c1 = arith.constant 1 : index
      %c0 = arith.constant 0 : index
      %c1000_i32 = arith.constant 1000 : i32
      %memref = gpu.alloc  host_shared () : memref<1xi32>
      memref.store %c1000_i32, %memref[%c0] : memref<1xi32>
      gpu.launch blocks(%arg0, %arg1, %arg2) in (%arg6 = %c1, %arg7 = %c1, %arg8 = %c1) threads(%arg3, %arg4, %arg5) in (%arg9 = %c1, %arg10 = %c1, %arg11 = %c1) {
        %1 = memref.load %memref[%c0] : memref<1xi32>
        %2 = arith.addi %1, %1 : i32
        memref.store %2, %memref[%c0] : memref<1xi32>
        gpu.terminator
      }
      %0 = memref.load %memref[%c0] : memref<1xi32>
      memref.store %0, %out[%c0] : memref<1xi32>
      return
    }"""
    expect(source, [], [i32([2000])])


def test_async():
    # With tokens, where upstream has regions of `async`.
    source = """
    func.func @main(%h0: memref<?xi32>, %sum: memref<?xi32>) {
      %c1 = arith.constant 1 : index
      %count = arith.constant 2 : index
      %t0 = gpu.wait async
      %b0, %t1 = gpu.alloc async [%t0] (%count) : memref<?xi32>
      %t2 = gpu.memcpy async [%t1] %b0, %h0 : memref<?xi32>, memref<?xi32>
      %b1, %t3 = gpu.alloc async [%t2] (%count) : memref<?xi32>
      %t4 = gpu.memcpy async [%t3] %b1, %b0 : memref<?xi32>, memref<?xi32>
      %b2, %t5 = gpu.alloc async [%t2] (%count) : memref<?xi32>
      %t6 = gpu.memcpy async [%t5] %b2, %b0 : memref<?xi32>, memref<?xi32>
      %t7 = gpu.launch async [%t4, %t6] blocks(%bx, %by, %bz) in (%grid_x = %c1, %grid_y = %c1, %grid_z = %c1)
                   threads(%tx, %ty, %tz) in (%block_x = %count, %block_y = %c1, %block_z = %c1) {
        %v1 = memref.load %b1[%tx] : memref<?xi32>
        %v2 = memref.load %b2[%tx] : memref<?xi32>
        %both = arith.addi %v1, %v2 : i32
        memref.store %both, %sum[%tx] : memref<?xi32>
        gpu.terminator
      }
      %t8 = gpu.dealloc async [%t7] %b0 : memref<?xi32>
      %t9 = gpu.dealloc async [%t7] %b1 : memref<?xi32>
      gpu.dealloc [%t7] %b2 : memref<?xi32>
      gpu.wait [%t8, %t9]
      return
    }"""
    expect(source, [i32([42, 42])], [i32([84, 84])])


TALKING = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @hello() kernel {
      %0 = gpu.thread_id x
      %csti8 = arith.constant 2 : i8
      %cstf32 = arith.constant 3.0 : f32
      gpu.printf "Hello from %lld, %d, %f\\n", %0, %csti8, %cstf32  : index, i8, f32
      gpu.return
    }
    gpu.func @test_assert(%c0: i1, %c1: i1) kernel {
      %0 = gpu.thread_id x
      cf.assert %c1, "passing assertion"
      gpu.printf "thread %lld: print after passing assertion\\n" %0 : index
      gpu.barrier // So that both print, which nothing else promises.
      cf.assert %c0, "failing assertion" loc(callsite(callsite("callee_func_name"("callee_file.cc":7:9) at "caller_file.cc":10:8) at "caller2_file.cc":11:12))
      gpu.printf "thread %lld: print after failing assertion\\n" %0 : index
      gpu.return
    }
  }
  func.func @main() {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@hello blocks in (%c1, %c1, %c1) threads in (%c2, %c1, %c1)
    return
  }
  func.func @fails() {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0_i1 = arith.constant 0 : i1
    %c1_i1 = arith.constant 1 : i1
    gpu.launch_func @kernels::@test_assert blocks in (%c1, %c1, %c1)
        threads in (%c2, %c1, %c1) args(%c0_i1 : i1, %c1_i1 : i1)
    return
  }
}
"""


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_printf(capsys: pytest.CaptureFixture[str], options: dict[str, Any]):
    spmd.compile(TALKING, **options)["main"]()
    lines = ("Hello from 0, 2, 3.000000\n", "Hello from 1, 2, 3.000000\n")
    assert capsys.readouterr().out == "".join(lines)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_assert(capsys: pytest.CaptureFixture[str], options: dict[str, Any]):
    with pytest.raises(spmd.LaunchError, match=r"test_assert: .*failing assertion"):
        spmd.compile(TALKING, **options)["fails"]()
    printed = capsys.readouterr().out.splitlines()
    assert printed == [f"thread {n}: print after passing assertion" for n in (0, 1)]
