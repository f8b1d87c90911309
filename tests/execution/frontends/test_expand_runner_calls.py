"""Upstream's tests print by functions of MLIR's runner: what they print, and wrong calls of them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import spmd
from spmd.passes.frontends.expand_runner_calls import ExpandRunnerCallsPass
from spmd.reference import run_function
from spmd.runtime.errors import SourceText
from spmd.runtime.parsing import make_context, parse

PRINTING = """
func.func @main(%x: memref<TYPE>) {
  %any = memref.cast %x : memref<TYPE> to memref<*xELEMENT>
  call @printMemrefNAME(%any) : (memref<*xELEMENT>) -> ()
  return
}
func.func private @printMemrefNAME(memref<*xELEMENT>)
"""
NAMES = {"f32": "F32", "f64": "F64", "i8": "I8", "i64": "I64", "index": "Ind"}


def written(x: np.ndarray, depth: int = 1) -> str:
    """By the rules of upstream."""
    if x.ndim == 0:
        return format(float(x), "g") if x.dtype.kind == "f" else str(x)
    line = "\n" if x.ndim > 1 else ""
    between = f", {line}{' ' * depth}"
    return f"[{between.join(written(each, depth + 1) for each in x)}]"


@pytest.mark.parametrize("element", NAMES)
@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 1, 2, 2), (0, 3)])
def test_elements(
    capsys: pytest.CaptureFixture[str], element: str, shape: tuple[int, ...]
):
    dtype = np.dtype({"f32": "f4", "f64": "f8", "i8": "i1"}.get(element, "i8"))
    rng = np.random.default_rng(3)
    lowest = -50 if element != "index" else 0
    x = np.array(rng.random(shape) * 100 + lowest).astype(dtype)
    type_ = "x".join([*map(str, shape), element])
    source = (
        PRINTING.replace("TYPE", type_)
        .replace("ELEMENT", element)
        .replace("NAME", NAMES[element])
    )
    spmd.compile(source)["main"](x)
    module = parse(SourceText("runner.mlir", source))
    ExpandRunnerCallsPass().apply(make_context(), module)
    module.verify()
    run_function(module, "main", [x])
    sizes = ", ".join(map(str, shape))
    strides = ", ".join(str(n // x.itemsize) for n in x.strides)
    data = written(x) if shape else f"[{written(x)}]"
    head = rf"Unranked Memref base@ = 0x[0-9a-f]+ rank = {x.ndim} offset = 0 "
    # Where there are no elements, nobody needs strides.
    steps = re.escape(strides) if x.size else r"\d, \d"
    rest = rf"sizes = \[{sizes}\] strides = \[{steps}\] data = \n{re.escape(data)}\n"
    assert re.fullmatch(f"({head}{rest}){{2}}", capsys.readouterr().out)


TWICE = """
gpu.module @kernels {
  gpu.func @twice(%x: memref<?xi32>) kernel {
    %i = gpu.global_id x
    %v = memref.load %x[%i] : memref<?xi32>
    %w = arith.addi %v, %v : i32
    memref.store %w, %x[%i] : memref<?xi32>
    gpu.return
  }
}
func.func @made(%n: index) -> memref<?xi32> {
  %c1 = arith.constant 1 : index
  %v = arith.constant 21 : i32
  %x = memref.alloc(%n) : memref<?xi32>
  call @fillResource1DInt(%x, %v) : (memref<?xi32>, i32) -> ()
  gpu.launch_func @kernels::@twice blocks in (%c1, %c1, %c1) threads in (%n, %c1, %c1)
      args(%x : memref<?xi32>)
  return %x : memref<?xi32>
}
func.func @main() {
  %c3 = arith.constant 3 : index
  %x = call @made(%c3) : (index) -> memref<?xi32>
  %any = memref.cast %x : memref<?xi32> to memref<*xi32>
  gpu.host_register %any : memref<*xi32>
  call @printMemrefI32(%any) : (memref<*xi32>) -> ()
  return
}
func.func private @fillResource1DInt(memref<?xi32>, i32)
func.func private @printMemrefI32(memref<*xi32>)
"""


def test_memory_that_a_function_makes(capsys: pytest.CaptureFixture[str]):
    program = spmd.compile(TWICE)
    assert list(program) == ["twice", "main"]
    program["main"]()
    assert capsys.readouterr().out.endswith("[42,  42,  42]\n")


@pytest.mark.parametrize(
    ("call", "types", "message"),
    [
        ("@printMemrefF32()", "()", "expected 1 arguments for @printMemrefF32, got 0"),
        ("@printMemrefF32(%n)", "(i64)", "expected a memref, or a memref.cast of one, got i64"),
        ("@fillResource1DFloat(%n, %n)", "(i64, i64)", "expected a memref, or a memref.cast"),
        ("@fillResource1DInt(%x, %n)", "(memref<4xi32>, i64)", "expected a value of type i32, got i64"),
        ("@printF32()", "()", "expected a value for each of the 1 places"),
    ],
)  # fmt: skip
def test_wrong_calls(call: str, types: str, message: str):
    name, _, _ = call.partition("(")
    source = f"""
func.func private {name}{types}
func.func @main(%n: i64, %x: memref<4xi32>) {{
  call {call} : {types} -> ()
  return
}}"""
    with pytest.raises(spmd.CompileError, match=re.escape(message)) as error:
        spmd.compile(source)
    assert error.value.line == 4


PRINTS = r"""
func.func @f(%a: index) {
  %b = arith.constant -1.5 : bf16
  %h = arith.constant -2.5 : f16
  %s = arith.constant 0.25 : f32
  %d = arith.constant 1.0e300 : f64
  %t = arith.constant true
  spmd.print "{:g} {:g} {:g} {:g} {u} {}\0A"(%b, %h, %s, %d, %t, %a) : bf16, f16, f32, f64, i1, index
  func.return
}
"""


def test_numbers_of_all_types(capsys: pytest.CaptureFixture[str]):
    run_function(parse(SourceText("prints.mlir", PRINTS)), "f", [3])
    assert capsys.readouterr().out == "-1.5 -2.5 0.25 1e+300 1 3\n"
    spmd.compile(PRINTS)["f"](3)
    assert capsys.readouterr().out == "-1.5 -2.5 0.25 1e+300 1 3\n"
