"""
A heat equation three times: by `stencil`, as a kernel, and by xDSL's lowering and LLVM alone.

All on one thread, in turns; prints the least microseconds of a step, in Markdown.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from xdsl.transforms.experimental.convert_stencil_to_ll_mlir import (
    ConvertStencilToLLMLIRPass,
)
from xdsl.transforms.shape_inference import ShapeInferencePass

import spmd
from spmd.lowering.emit import emit_llvm
from spmd.lowering.machine import host_machine
from spmd.lowering.native import compile_native
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

SIZES = (126, 510, 1000, 2000)

KERNEL = """
spmd.kernel @heat(%from: memref<?x?xf32>, %to: memref<?x?xf32>, %rate: f32) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %four = arith.constant 4.0 : f32
  %w_at = spmd.global_id x
  %n_at = spmd.global_id y
  %x = arith.addi %w_at, %one : index
  %y = arith.addi %n_at, %one : index
  %e_at = arith.addi %w_at, %two : index
  %s_at = arith.addi %n_at, %two : index
  %here = memref.load %from[%y, %x] : memref<?x?xf32>
  %n = memref.load %from[%n_at, %x] : memref<?x?xf32>
  %s = memref.load %from[%s_at, %x] : memref<?x?xf32>
  %w = memref.load %from[%y, %w_at] : memref<?x?xf32>
  %e = memref.load %from[%y, %e_at] : memref<?x?xf32>
  %ns = arith.addf %n, %s : f32
  %we = arith.addf %w, %e : f32
  %around = arith.addf %ns, %we : f32
  %same = arith.mulf %here, %four : f32
  %flow = arith.subf %around, %same : f32
  %change = arith.mulf %flow, %rate : f32
  %new = arith.addf %here, %change : f32
  memref.store %new, %to[%y, %x] : memref<?x?xf32>
  spmd.return
}
"""


def stencil_text(size: int) -> str:
    """The module of example 10, with a field of `size` x `size` and its border."""
    folder = Path(__file__).parents[2] / "examples"
    sys.path.insert(0, str(folder))
    source: str = import_module("10_stencil").SOURCE
    sys.path.remove(str(folder))
    return source.format(border=size + 2, inner=size + 1)


def llvm_alone(text: str, *arguments: Any) -> Callable[[], object]:
    """A call of `@heat` on arrays and a number: the loops that xDSL makes, and no pass of ours."""
    module = parse(SourceText("stencil.mlir", text))
    for step in (ShapeInferencePass(), ConvertStencilToLLMLIRPass()):
        step.apply(make_context(), module)
    native = compile_native(emit_llvm(module, host_machine()))
    *arrays, rate = arguments
    passed: list[Any] = []
    for array in arrays:
        strides = [step // array.itemsize for step in array.strides]
        pointer = ctypes.c_void_p(array.ctypes.data)
        numbers = map(ctypes.c_int64, (0, *array.shape, *strides))
        passed += [pointer, pointer, *numbers]
    passed.append(ctypes.c_float(rate))
    call = ctypes.CFUNCTYPE(None, *map(type, passed))(native.address("heat"))
    setattr(call, "native", native)  # the code lives as long as who calls it
    return partial(call, *passed)


def measure(size: int, turns: int = 30) -> list[float]:
    """The least seconds of a step of each form."""
    text = stencil_text(size)
    field = np.random.default_rng(1).random((size + 2, size + 2), np.float32)
    targets = [field.copy() for _ in range(3)]
    kernel = spmd.compile(KERNEL)["heat"]
    calls: list[Callable[[], object]] = [
        spmd.compile(text)["heat"].bind(field, targets[0], 0.1, threads=1),
        kernel.bind(field, targets[1], 0.1, global_size=(size, size), threads=1),
        llvm_alone(text, field, targets[2], 0.1),
    ]
    for call in calls:
        call()
    for target in targets[1:]:
        np.testing.assert_array_equal(target, targets[0])
    count = max(1, min(1000, 4_000_000 // size**2))
    least = [float("inf")] * len(calls)
    for _ in range(turns):
        for n, call in enumerate(calls):
            start = perf_counter()
            for _ in range(count):
                call()
            least[n] = min(least[n], (perf_counter() - start) / count)
    return least


if __name__ == "__main__":
    print("| field | by `stencil` | as a kernel | LLVM alone | LLVM by `stencil` |")
    print("| --- | --- | --- | --- | --- |")
    for size in SIZES:
        least = measure(size)
        numbers = " | ".join(f"{1e6 * each:.1f}" for each in least)
        print(f"| {size} x {size} | {numbers} | {least[2] / least[0]:.2f} |")
