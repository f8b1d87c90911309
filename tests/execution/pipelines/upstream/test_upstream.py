"""What the passes write is MLIR: upstream's tools read it without `spmd`, and run it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

import spmd
from spmd.dialects.element_types import is_memref
from spmd.lowering.machine import host_machine
from spmd.lowering.native import compile_native
from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse
from tests.execution.cases import CASES, Case
from tests.execution.harness import DTYPES, Array, expected, kernel_name, make
from tests.execution.harness.comparing import assert_same
from tests.execution.lowering.native_functions import NativeFunctions
from tests.execution.pipelines.upstream.mlir_tools import run, to_llvm_ir

ROOT = Path(__file__).resolve().parents[4]
FOLDERS = ("tests/kernels/cases", "examples", "benchmarks/suite")
CACHE_LINE = 64
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.mlir"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_upstream_reads_what_passes_write(path: Path):
    """Sub-groups and atomics stay operations of `spmd` until `vectorize`."""
    module = parse(SourceText(path.name, path.read_text()))
    texts: list[str] = []
    SpmdToLoopsPass().apply(make_context(), module)
    if not any(op.name.startswith("spmd.") for op in module.walk()):
        texts.append(str(module))
    VectorizePass().apply(make_context(), module)
    texts.append(str(module))
    run("mlir-opt", "\n// -----\n".join(texts), "--split-input-file")


TRUNCATION = """
define bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %kept = lshr i32 %bits, 16
  %odd = and i32 %kept, 1
  %half = add i32 %odd, 32767
  %sum = add i32 %bits, %half
  %rounded = lshr i32 %sum, 16
  %quiet = or i32 %kept, 64
  %is_nan = fcmp uno float %x, %x
  %chosen = select i1 %is_nan, i32 %quiet, i32 %rounded
  %short = trunc i32 %chosen to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}
"""
"""What LLVM calls on CPUs without an instruction for it: a function of compiler-rt."""


class Upstream(NativeFunctions):
    """Functions that MLIR's own passes have lowered."""

    def __init__(self, module: ModuleOp):
        # Upstream's stack has no address spaces.
        self.llvm_ir = to_llvm_ir(str(module).replace(", 3 : i64>", ">"))
        if "bfloat" in self.llvm_ir:
            self.llvm_ir += TRUNCATION
        self.native = compile_native(self.llvm_ir, host_machine(), opt=1)
        self.types = {
            op.sym_name.data: op.function_type
            for op in module.ops
            if isinstance(op, FuncOp)
        }


NO_C_TYPE = {"floats_f16", "floats_bf16"}
"""Kernels that take scalars which ctypes cannot pass."""


def passed(type_: Attribute, value: Any) -> Any:
    """A bool is a byte in memory, and local memory is the caller's."""
    if isinstance(value, spmd.LocalMemory):
        assert is_memref(type_)
        return np.zeros(value.shape, DTYPES[str(type_.element_type)])
    if isinstance(value, np.ndarray):
        array = cast(Array, value)
        return array.view(np.int8) if array.dtype == np.bool_ else array
    return value


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.name not in NO_C_TYPE], ids=str
)
def test_upstream_computes_the_same(case: Case):
    launch = case.launches[-1]
    module = parse(SourceText("kernel.mlir", case.source))
    name = kernel_name(module)
    SpmdToLoopsPass().apply(make_context(), module)
    VectorizePass().apply(make_context(), module)
    functions = Upstream(module)
    made = make(case.arguments, launch)
    types = functions.types[name].inputs.data
    arguments = [
        passed(type_, value) for type_, value in zip(types, made, strict=False)
    ]
    sizes = [
        size + (1,) * (3 - len(size))
        for size in (launch.group_size, launch.global_size)
    ]
    scratch: list[Array] = []
    if f"{name}.scratch_bytes" in functions.types:
        size = functions(f"{name}.scratch_bytes", *sizes[0])
        memory = np.zeros(size + CACHE_LINE, np.int8)
        scratch = [memory[-memory.ctypes.data % CACHE_LINE :][:size]]
    for group in product(*(range(-(-n // e)) for e, n in zip(*sizes, strict=True))):
        functions(name, *arguments, *group, *sizes[0], *sizes[1], *scratch)
    want = expected(case.source, case.arguments, launch)
    assert_same(made, want, case.tolerance, f"by MLIR's own passes, {launch}")
