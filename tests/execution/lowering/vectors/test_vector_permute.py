"""Gathers from an array to which a vector was just stored, in registers or not."""

from __future__ import annotations

import numpy as np
import pytest

from spmd.lowering.llvm_binding import llvm
from spmd.lowering.machine import PORTABLE, Machine, host_machine, machine_for
from tests.execution.lowering.native_functions import DTYPES, NativeFunctions

TYPES = ("i8", "i16", "bf16", "f16", "i32", "f32", "index", "i64", "f64")
LANES = (1, 2, 4, 8, 16, 32, 64)
FEATURES: dict[str, bool] = llvm.get_host_cpu_features()


def _machine(name: str) -> Machine:
    if name == "host":
        return host_machine()
    if name == "portable":
        return PORTABLE
    if not FEATURES.get("avx2"):
        pytest.skip("this host has no AVX2")
    return machine_for(cpu=name)


def _permutation(type_: str, lanes: int, index: str) -> str:
    vector, array = f"vector<{lanes}x{type_}>", f"memref<{lanes}x{type_}>"
    return f"""
      func.func @p{lanes}_{index}(%x: {array}, %at: memref<{lanes}x{index}>, %y: {array}) {{
        %c0 = arith.constant 0 : index
        %on = arith.constant dense<true> : vector<{lanes}xi1>
        %stored = memref.alloca() : {array}
        %v = vector.load %x[%c0] : {array}, {vector}
        %i = vector.load %at[%c0] : memref<{lanes}x{index}>, vector<{lanes}x{index}>
        vector.store %v, %stored[%c0] : {array}, {vector}
        %w = vector.gather %stored[%c0] [%i], %on, %v : {array}, vector<{lanes}x{index}>,
          vector<{lanes}xi1>, {vector} into {vector}
        vector.store %w, %y[%c0] : {array}, {vector}
        func.return
      }}"""


@pytest.mark.parametrize("machine", ["host", "x86-64-v3", "portable"])
@pytest.mark.parametrize("type_", TYPES)
def test_every_type_and_length(type_: str, machine: str):
    code = [_permutation(type_, n, i) for n in LANES for i in ("index", "i32")]
    functions = NativeFunctions("\n".join(code), _machine(machine))
    rng = np.random.default_rng(5)
    for lanes in LANES:
        for index in ("index", "i32"):
            x = rng.bytes(lanes * np.dtype(DTYPES[type_]).itemsize)
            source = np.frombuffer(x, DTYPES[type_]).copy()
            at = rng.integers(0, lanes, lanes).astype(DTYPES[index])
            got = np.zeros_like(source)
            functions(f"p{lanes}_{index}", source, at, got)
            assert got.tobytes() == source[at].tobytes()


@pytest.mark.parametrize(
    "changed",
    [
        ("vector.store %v, %stored[%c0]", "vector.store %v, %stored[%c1]"),
        ("%stored[%c0] [%i], %on", "%stored[%c0] [%i], %some"),
        ("%stored[%c0] [%i], %on", "%stored[%c1] [%i], %on"),
        (
            "        %w =",
            "        memref.store %one, %stored[%c1] : memref<16xi32>\n%w =",
        ),
    ],
)
def test_other_gathers_are_gathers(changed: tuple[str, str]):
    old, new = changed
    text = _permutation("i32", 16, "i32")
    assert old in text
    text = text.replace(old, new).replace(
        "%c0 = ",
        "%c1 = arith.constant 1 : index\n%one = arith.constant 1 : i32\n"
        "%some = arith.cmpi eq, %m, %m : vector<16xi32>\n%c0 = ",
    )
    text = text.replace(
        "%c1 = arith.constant 1 : index",
        "%c1 = arith.constant 1 : index\n%m = arith.constant dense<1> : vector<16xi32>",
    )
    assert "permute" not in NativeFunctions(text).llvm_ir
