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


def _taken(type_: str, length: int, lanes: int) -> str:
    """`lanes` elements of a vector of `length`, which is stored for nothing else."""
    long, array = f"vector<{length}x{type_}>", f"memref<{length}x{type_}>"
    short, to = f"vector<{lanes}x{type_}>", f"memref<{lanes}x{type_}>"
    return f"""
      func.func @p{length}_{lanes}(%x: {array}, %at: memref<{lanes}xi32>, %y: {to}) {{
        %c0 = arith.constant 0 : index
        %on = arith.constant dense<true> : vector<{lanes}xi1>
        %stored = memref.alloca() : {array}
        %v = vector.load %x[%c0] : {array}, {long}
        %i = vector.load %at[%c0] : memref<{lanes}xi32>, vector<{lanes}xi32>
        %old = vector.load %y[%c0] : {to}, {short}
        vector.store %v, %stored[%c0] : {array}, {long}
        %w = vector.gather %stored[%c0] [%i], %on, %old : {array}, vector<{lanes}xi32>,
          vector<{lanes}xi1>, {short} into {short}
        vector.store %w, %y[%c0] : {to}, {short}
        func.return
      }}"""


@pytest.mark.parametrize("machine", ["host", "x86-64-v3", "portable"])
@pytest.mark.parametrize("type_", TYPES)
def test_more_or_fewer_lanes_than_elements(type_: str, machine: str):
    shapes = [(n, lanes) for n in LANES for lanes in (4, 16, 32) if n != lanes]
    code = [_taken(type_, *shape) for shape in shapes]
    functions = NativeFunctions("\n".join(code), _machine(machine))
    rng = np.random.default_rng(7)
    for length, lanes in shapes:
        x = rng.bytes(length * np.dtype(DTYPES[type_]).itemsize)
        source = np.frombuffer(x, DTYPES[type_]).copy()
        at = rng.integers(0, length, lanes).astype(np.int32)
        got = np.zeros(lanes, source.dtype)
        functions(f"p{length}_{lanes}", source, at, got)
        assert got.tobytes() == source[at].tobytes()
    if machine == "host" and FEATURES.get("avx2") and type_ == "f32":
        assert "@spmd.permute.v16f32.32(" in functions.llvm_ir


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
def test_other_gathers_take_what_is_in_memory(changed: tuple[str, str]):
    old, new = changed
    text = _permutation("i32", 16, "i32")
    stored = "call <16 x i32> @spmd.permute.v16i32(<16 x i32> %v,"
    if FEATURES.get("avx2"):
        assert stored in NativeFunctions(text).llvm_ir
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
    assert stored not in NativeFunctions(text).llvm_ir


def _look_up(type_: str, length: int, lanes: int) -> str:
    vector, array = f"vector<{lanes}x{type_}>", f"memref<{lanes}x{type_}>"
    return f"""
      func.func @t{length}_{lanes}(%x: memref<{length}x{type_}>, %at: memref<{lanes}xi32>,
          %old: {array}, %y: {array}) {{
        %c0 = arith.constant 0 : index
        %end = arith.constant dense<{length}> : vector<{lanes}xi32>
        %v = vector.load %old[%c0] : {array}, {vector}
        %i = vector.load %at[%c0] : memref<{lanes}xi32>, vector<{lanes}xi32>
        %on = arith.cmpi ult, %i, %end : vector<{lanes}xi32>
        %w = vector.gather %x[%c0] [%i], %on, %v : memref<{length}x{type_}>,
          vector<{lanes}xi32>, vector<{lanes}xi1>, {vector} into {vector}
        vector.store %w, %y[%c0] : {array}, {vector}
        func.return
      }}"""


@pytest.mark.parametrize("machine", ["host", "x86-64-v3", "portable"])
@pytest.mark.parametrize("type_", ["i1", *TYPES])
def test_tables_of_every_length(type_: str, machine: str):
    """Lanes that ask for something beyond are not active, and keep what they have."""
    lengths = (1, 2, 3, 8, 11, 16, 20, 32, 40, 50, 64)
    shapes = [(n, lanes) for n in lengths for lanes in (4, 32)]
    code = [_look_up(type_, *shape) for shape in shapes]
    functions = NativeFunctions("\n".join(code), _machine(machine))
    rng, dtype = np.random.default_rng(6), np.dtype(DTYPES[type_])

    def some(count: int):
        if type_ == "i1":
            return rng.integers(0, 2, count).astype(dtype)
        return np.frombuffer(rng.bytes(count * dtype.itemsize), dtype).copy()

    for length, lanes in shapes:
        table, old = some(length), some(lanes)
        at = rng.integers(0, length + 2, lanes).astype(np.int32)
        at[0] = -1
        got = np.zeros_like(old)
        functions(f"t{length}_{lanes}", table, at, old, got)
        inside = (at >= 0) & (at < length)
        want = np.where(inside, table[np.where(inside, at, 0)], old)
        assert got.tobytes() == want.tobytes()
