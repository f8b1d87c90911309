"""A function of another frontend, without an spmd op, made native by the stock tool."""

import ctypes
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from harness import blocks, report, seconds, write_stages
from numpy.typing import NDArray

from spmd.lowering.loading.object_code import NativeCode
from spmd.lowering.native import compile_native

Floats = NDArray[np.float32]

# One step of heat flow on a grid, eight columns at a time.
SOURCE = """
func.func @diffuse(%from: memref<?x?xf32>, %to: memref<?x?xf32>, %rate: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %four = arith.constant dense<4.0> : vector<8xf32>
  %rates = vector.broadcast %rate : f32 to vector<8xf32>
  %rows = memref.dim %from, %c0 : memref<?x?xf32>
  %columns = memref.dim %from, %c1 : memref<?x?xf32>
  %last_row = arith.subi %rows, %c1 : index
  %last_column = arith.subi %columns, %c1 : index
  %nothing = arith.constant dense<0.0> : vector<8xf32>
  scf.for %row = %c1 to %last_row step %c1 {
    %above = arith.subi %row, %c1 : index
    %below = arith.addi %row, %c1 : index
    scf.for %column = %c1 to %last_column step %c8 {
      %count = arith.subi %last_column, %column : index
      %mask = vector.create_mask %count : vector<8xi1>
      %left = arith.subi %column, %c1 : index
      %right = arith.addi %column, %c1 : index
      %here = vector.maskedload %from[%row, %column], %mask, %nothing
          : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %n = vector.maskedload %from[%above, %column], %mask, %nothing
          : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %s = vector.maskedload %from[%below, %column], %mask, %nothing
          : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %w = vector.maskedload %from[%row, %left], %mask, %nothing
          : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %e = vector.maskedload %from[%row, %right], %mask, %nothing
          : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
      %ns = arith.addf %n, %s : vector<8xf32>
      %we = arith.addf %w, %e : vector<8xf32>
      %around = arith.addf %ns, %we : vector<8xf32>
      %same = arith.mulf %here, %four : vector<8xf32>
      %flow = arith.subf %around, %same : vector<8xf32>
      %change = arith.mulf %flow, %rates : vector<8xf32>
      %next = arith.addf %here, %change : vector<8xf32>
      vector.maskedstore %to[%row, %column], %mask, %next
          : memref<?x?xf32>, vector<8xi1>, vector<8xf32>
    }
  }
  func.return
}
"""


def to_llvm(source: str) -> str:
    """LLVM IR from the stock `xdsl-opt`, which finds the target by itself."""
    tool = Path(sys.executable).with_name("xdsl-opt")
    command = [tool, "-t", "spmd-llvm"]
    return subprocess.run(
        command, input=source, capture_output=True, text=True, check=True
    ).stdout


def descriptor(array: Floats) -> tuple[int, ...]:
    """How MLIR passes a memref: pointers, offset, sizes, strides in elements."""
    strides = (stride // array.itemsize for stride in array.strides)
    return array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides


def bind(native: NativeCode, source: Floats, target: Floats, rate: float):
    """The native function, ready to be called on these arrays."""
    memref = [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 5
    function = ctypes.CFUNCTYPE(None, *memref, *memref, ctypes.c_float)(
        native.address("diffuse")
    )
    arguments = *descriptor(source), *descriptor(target), rate
    return lambda: function(*arguments)


def with_numpy(source: Floats, target: Floats, rate: float) -> None:
    rows, columns = source.shape
    t = np.empty((8, columns - 2), np.float32)
    for inner in blocks(rows - 2, 8):
        at = slice(inner.start + 1, inner.stop + 1)
        flow, same = target[at, 1:-1], t[: inner.stop - inner.start]
        np.add(source[inner, 1:-1], source[at.start + 1 : at.stop + 1, 1:-1], out=flow)
        np.add(source[at, :-2], source[at, 2:], out=same)
        np.add(flow, same, out=flow)
        np.multiply(source[at, 1:-1], np.float32(4), out=same)
        np.subtract(flow, same, out=flow)
        np.multiply(flow, np.float32(rate), out=flow)
        np.add(source[at, 1:-1], flow, out=flow)


def main(rows: int = 2000, columns: int = 2000) -> None:
    heat = np.random.default_rng(9).random((rows, columns), np.float32)
    got, expected = heat.copy(), heat.copy()
    with_numpy(heat, expected, 0.1)

    start = perf_counter()
    llvm_ir = to_llvm(SOURCE)
    native = compile_native(llvm_ir)
    compiled = perf_counter() - start
    diffuse = bind(native, heat, got, 0.1)
    diffuse()
    np.testing.assert_array_equal(got, expected)

    run = seconds(diffuse)
    numpy = seconds(lambda: with_numpy(heat, expected, 0.1))
    stages = iter([("source", SOURCE), ("spmd-llvm", llvm_ir)])
    name = Path(__file__).stem
    report(name, compiled, run, numpy, write_stages(name, stages))


if __name__ == "__main__":
    main()
