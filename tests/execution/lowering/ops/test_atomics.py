"""Atomic updates: what they compute, alone and from several threads."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from spmd.dialects.diagnostics import KernelError
from tests.execution.lowering.elementwise import Binary
from tests.execution.lowering.native_functions import DTYPES, NativeFunctions

KINDS: dict[str, Binary] = {
    "add": np.add,
    "sub": np.subtract,
    "min": np.minimum,
    "max": np.maximum,
    "minui": lambda a, b: np.minimum(a.view("u8"), b.view("u8")).view("i8"),
    "maxui": lambda a, b: np.maximum(a.view("u8"), b.view("u8")).view("i8"),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exchange": lambda a, b: b,
}
FLOAT_KINDS = ("add", "sub", "min", "max", "exchange")

SUFFIXES = (
    "",
    " ordering(acquire)",
    " ordering(release)",
    " ordering(acq_rel)",
    " ordering(seq_cst)",
    " scope(work_group)",
)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_atomic_rmw(kind: str, suffix: str):
    scalars = ["i8", "i16", "i32", "i64", "index"]
    if kind in FLOAT_KINDS:
        scalars += ["f32", "f64"]
    functions = NativeFunctions(
        "builtin.module {"
        + "".join(
            f"""
      func.func @{t}(%x: memref<?x{t}>, %v: memref<?x{t}>, %old: memref<?x{t}>) {{
        %c1 = arith.constant 1 : index
        %a = memref.load %v[%c1] : memref<?x{t}>
        %r = spmd.atomic_rmw {kind} %a, %x[%c1]{suffix} : memref<?x{t}>
        memref.store %r, %old[%c1] : memref<?x{t}>
        func.return
      }}"""
            for t in scalars
        )
        + "}"
    )
    for t in scalars:
        dtype = DTYPES[t]
        pairs = [(5, 3), (3, 5), (0, 7), (100, -100), (-1, 1)]
        if t[0] == "f":
            pairs += [(float("nan"), 1), (1, float("nan")), (0.1, 0.2)]
        for memory, value in pairs:
            x = np.array([9, memory, 9]).astype(dtype)
            v, old = np.array([0, value]).astype(dtype), np.zeros(2, dtype)
            with np.errstate(all="ignore"):
                if kind.endswith("ui"):
                    wide = np.array([memory, value], np.int64)
                    number = KINDS[kind](wide[:1], wide[1:])
                else:
                    number = KINDS[kind](x[1:2], v[1:])
            functions(t, x, v, old)
            np.testing.assert_equal(x[1], number.astype(dtype)[0])
            np.testing.assert_equal(old[1], np.array(memory).astype(dtype))
            assert x[0] == x[2] == 9


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("t", ["i8", "i16", "i32", "i64", "index"])
def test_atomic_cas(t: str, suffix: str):
    functions = NativeFunctions(f"""
      func.func @f(%x: memref<?x{t}>, %expected: {t}, %new: {t}, %old: memref<1x{t}>)
          -> i1 {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %o, %won = spmd.atomic_cas %expected, %new, %x[%c1]{suffix} : memref<?x{t}>
        memref.store %o, %old[%c0] : memref<1x{t}>
        func.return %won : i1
      }}""")
    x, old = np.array([1, 2, 3], DTYPES[t]), np.zeros(1, DTYPES[t])
    assert functions("f", x, 2, 7, old)
    assert (x.tolist(), old[0]) == ([1, 7, 3], 2)
    assert not functions("f", x, 2, 9, old)
    assert (x.tolist(), old[0]) == ([1, 7, 3], 7)


@pytest.mark.parametrize("t", ["i32", "f64"])
@pytest.mark.parametrize("number", [0, 1, 9, 10])
def test_threads_do_not_lose_updates(t: str, number: int):
    kind = ("addf", "addi", "", "", "", "", "", "", "", "mulf", "muli")[number]
    if kind.endswith("f") != (t == "f64"):
        return
    functions = NativeFunctions(f"""
      func.func @f(%x: memref<1x{t}>, %v: {t}, %n: index) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        scf.for %i = %c0 to %n step %c1 {{
          %old = "memref.atomic_rmw"(%v, %x, %c0) <{{kind = {number} : i64}}>
            : ({t}, memref<1x{t}>, index) -> {t}
        }}
        func.return
      }}""")
    count = 20_000
    add = kind.startswith("add")
    x = np.array([0 if add else 1], DTYPES[t])
    # Minus one to an even power: a lost update would change the sign sooner or later.
    threads = [
        threading.Thread(target=functions, args=("f", x, 1 if add else -1, count + k))
        for k in (0, 1, 0)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x[0] == (3 * count + 1 if add else -1)


def test_an_update_that_a_type_does_not_have_is_an_error():
    with pytest.raises(KernelError, match="expected a kind of atomic update that f32"):
        NativeFunctions("""
          func.func @f(%x: memref<1xf32>, %v: f32, %i: index) {
            %old = "memref.atomic_rmw"(%v, %x, %i) <{kind = 1 : i64}>
              : (f32, memref<1xf32>, index) -> f32
            func.return
          }""")


def test_bf16_and_f16_are_updated_too():
    functions = NativeFunctions("""builtin.module {
      func.func @bf16(%x: memref<1xbf16>) {
        %c0 = arith.constant 0 : index
        %v = arith.constant 0.25 : bf16
        %old = "memref.atomic_rmw"(%v, %x, %c0) <{kind = 0 : i64}>
          : (bf16, memref<1xbf16>, index) -> bf16
        func.return
      }
      func.func @f16(%x: memref<1xf16>) {
        %c0 = arith.constant 0 : index
        %v = arith.constant 0.25 : f16
        %old = "memref.atomic_rmw"(%v, %x, %c0) <{kind = 3 : i64}>
          : (f16, memref<1xf16>, index) -> f16
        func.return
      } }""")
    x = np.array([1.5], DTYPES["bf16"])
    functions("bf16", x)
    assert x[0] == 1.75
    y = np.array([-1.5], np.float16)
    functions("f16", y)
    assert y[0] == 0.25
