"""`memref`: elements, layouts, allocations, copies and globals, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spmd.dialects.diagnostics import KernelError
from tests.execution.lowering.native_functions import DTYPES, NativeFunctions


@pytest.mark.parametrize("scalar", DTYPES)
def test_elements_of_every_type_are_loaded_and_stored(scalar: str):
    functions = NativeFunctions(f"""
      func.func @f(%x: memref<3x?x{scalar}>, %y: memref<?x3x{scalar}>) {{
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c3 = arith.constant 3 : index
        %n = memref.dim %x, %c1 : memref<3x?x{scalar}>
        scf.for %i = %c0 to %c3 step %c1 {{
          scf.for %j = %c0 to %n step %c1 {{
            %e = memref.load %x[%i, %j] : memref<3x?x{scalar}>
            memref.store %e, %y[%j, %i] : memref<?x3x{scalar}>
          }}
        }}
        func.return
      }}""")
    rng = np.random.default_rng(0)
    x = rng.integers(0, 100, (3, 5)).astype(DTYPES[scalar])
    y = np.zeros((5, 3), DTYPES[scalar])
    functions("f", x, y)
    assert (y == x.T).all()


def test_the_stack_does_not_grow_in_a_loop():
    functions = NativeFunctions("""
      func.func @f(%n: index, %size: index) -> index {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
          %fixed = memref.alloca() : memref<4096xindex>
          %sized = memref.alloca(%size) : memref<?xindex>
          scf.for %k = %c0 to %size step %c1 {
            memref.store %i, %sized[%k] : memref<?xindex>
            memref.store %i, %fixed[%k] : memref<4096xindex>
          }
          %j = arith.remui %i, %size : index
          %a = memref.load %sized[%j] : memref<?xindex>
          %b = memref.load %fixed[%j] : memref<4096xindex>
          %t = arith.addi %a, %b : index
          %next = arith.addi %s, %t : index
          scf.yield %next : index
        }
        func.return %sum : index
      }""")
    # Far more than any stack, if an iteration kept its arrays.
    n = 20_000
    assert functions("f", n, 4000) == n * (n - 1)


def test_an_array_that_outlives_its_iteration_is_not_reused():
    functions = NativeFunctions("""
      func.func @f() -> f32 {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %first = memref.alloca() : memref<1xf32>
        %start = arith.constant 5.0 : f32
        memref.store %start, %first[%c0] : memref<1xf32>
        %last = scf.for %i = %c0 to %c2 step %c1 iter_args(%p = %first)
            -> (memref<1xf32>) {
          %new = memref.alloca() : memref<1xf32>
          %zero = arith.constant 0.0 : f32
          memref.store %zero, %new[%c0] : memref<1xf32>
          %old = memref.load %p[%c0] : memref<1xf32>
          memref.store %old, %new[%c0] : memref<1xf32>
          scf.yield %new : memref<1xf32>
        }
        %r = memref.load %last[%c0] : memref<1xf32>
        func.return %r : f32
      }""")
    assert functions("f") == 5


def test_heap_memory_is_aligned_and_freed():
    functions = NativeFunctions("""
      func.func @f(%n: index) -> index {
        %c0 = arith.constant 0 : index
        %a = memref.alloc(%n) {alignment = 256 : i64} : memref<?x3xf32>
        %b = memref.alloc() : memref<5xi8>
        %last = arith.constant 2 : index
        %x = arith.constant 7.0 : f32
        %c1 = arith.constant 1 : index
        %row = arith.subi %n, %c1 : index
        memref.store %x, %a[%row, %last] : memref<?x3xf32>
        %p = "memref.extract_aligned_pointer_as_index"(%a)
          : (memref<?x3xf32>) -> index
        %q = "memref.extract_aligned_pointer_as_index"(%b) : (memref<5xi8>) -> index
        memref.dealloc %b : memref<5xi8>
        memref.dealloc %a : memref<?x3xf32>
        %c256 = arith.constant 256 : index
        %c64 = arith.constant 64 : index
        %pr = arith.remui %p, %c256 : index
        %qr = arith.remui %q, %c64 : index
        %r = arith.addi %pr, %qr : index
        func.return %r : index
      }""")
    assert functions("f", 1000) == 0


@pytest.mark.parametrize("layout", ["", ", strided<[8, 1], offset: ?>"])
def test_copy(layout: str):
    functions = NativeFunctions(f"""
      func.func @f(%x: memref<?x?xi16{layout.replace("8", "?")}>, %y: memref<?x?xi16>) {{
        "memref.copy"(%x, %y)
          : (memref<?x?xi16{layout.replace("8", "?")}>, memref<?x?xi16>) -> ()
        func.return
      }}""")
    x = np.arange(48, dtype=np.int16).reshape(6, 8)
    if layout:
        x = x[::2, :5]
    y = np.zeros(x.shape, np.int16)
    functions("f", x, y)
    assert (y == x).all()


def test_view_of_bytes():
    functions = NativeFunctions("""
      func.func @f(%bytes: memref<?xi8>, %shift: index, %n: index) {
        %c1 = arith.constant 1 : index
        %v = memref.view %bytes[%shift][%n] : memref<?xi8> to memref<?x2xi32>
        %x = arith.constant 305419896 : i32
        memref.store %x, %v[%c1, %c1] : memref<?x2xi32>
        func.return
      }""")
    data = np.zeros(64, np.int8)
    functions("f", data, 16, 3)
    assert data.view(np.int32).tolist().index(305419896) == 4 + 3
    assert np.count_nonzero(data.view(np.int32)) == 1


def test_metadata():
    functions = NativeFunctions("""
      func.func @f(%v: memref<?x4xf32, strided<[?, 2], offset: ?>>, %out: memref<6xindex>) {
        %base, %offset, %sizes:2, %strides:2 = memref.extract_strided_metadata %v
          : memref<?x4xf32, strided<[?, 2], offset: ?>>
          -> memref<f32>, index, index, index, index, index
        %rank = "memref.rank"(%v)
          : (memref<?x4xf32, strided<[?, 2], offset: ?>>) -> index
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %c3 = arith.constant 3 : index
        %c4 = arith.constant 4 : index
        %c5 = arith.constant 5 : index
        memref.store %offset, %out[%c0] : memref<6xindex>
        memref.store %sizes#0, %out[%c1] : memref<6xindex>
        memref.store %sizes#1, %out[%c2] : memref<6xindex>
        memref.store %strides#0, %out[%c3] : memref<6xindex>
        memref.store %strides#1, %out[%c4] : memref<6xindex>
        memref.store %rank, %out[%c5] : memref<6xindex>
        func.return
      }""")
    out = np.zeros(6, np.int64)
    functions("f", np.zeros((5, 8), np.float32)[:, ::2], out)
    assert out.tolist() == [0, 5, 4, 8, 2, 2]


def test_dimension_chosen_at_run_time():
    functions = NativeFunctions("""
      func.func @f(%v: memref<?x4x?xf32>, %d: index) -> index {
        %n = memref.dim %v, %d : memref<?x4x?xf32>
        func.return %n : index
      }""")
    array = np.zeros((3, 4, 5), np.float32)
    assert [functions("f", array, d) for d in range(3)] == [3, 4, 5]


GLOBALS: dict[str, tuple[str, Any]] = {
    "f32": ("[1.5, -2.0, 0.1]", [1.5, -2.0, 0.1]),
    "i32": ("[1, -2, 2147483647]", [1, -2, 2147483647]),
    "i8": ("[1, -2, 127]", [1, -2, 127]),
    "f16": ("[1.5, -2.0, 0.1]", [1.5, -2.0, 0.1]),
    "bf16": ("[1.5, -2.0, 0.1]", [1.5, -2.0, 0.1]),
    "i1": ("[true, false, true]", [True, False, True]),
    "i64": ("0", [0, 0, 0]),
    "f64": ("3.25", [3.25, 3.25, 3.25]),
}


@pytest.mark.parametrize("scalar", GLOBALS)
def test_globals(scalar: str):
    text, values = GLOBALS[scalar]
    functions = NativeFunctions(f"""builtin.module {{
      "memref.global"() <{{sym_name = "table", type = memref<3x{scalar}>,
        initial_value = dense<{text}> : tensor<3x{scalar}>, sym_visibility = "private",
        constant}}> : () -> ()
      func.func @f(%i: index, %out: memref<1x{scalar}>) {{
        %c0 = arith.constant 0 : index
        %t = memref.get_global @table : memref<3x{scalar}>
        %e = memref.load %t[%i] : memref<3x{scalar}>
        memref.store %e, %out[%c0] : memref<1x{scalar}>
        func.return
      }} }}""")
    for i, value in enumerate(values):
        out = np.zeros(1, DTYPES[scalar])
        functions("f", i, out)
        assert out[0] == np.array(value).astype(DTYPES[scalar])


def test_a_large_global():
    values = ", ".join(map(str, range(1000)))
    functions = NativeFunctions(f"""builtin.module {{
      "memref.global"() <{{sym_name = "expf", type = memref<10x100xi16>,
        initial_value = dense<[{values}]> : tensor<1000xi16>, sym_visibility = "public",
        alignment = 64 : i64}}> : () -> ()
      func.func @f(%i: index, %j: index) -> i16 {{
        %t = memref.get_global @expf : memref<10x100xi16>
        %e = memref.load %t[%i, %j] : memref<10x100xi16>
        func.return %e : i16
      }} }}""")
    assert functions("f", 7, 31) == 731


def test_nontemporal_and_assumed_alignment():
    functions = NativeFunctions("""
      func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
        %c0 = arith.constant 0 : index
        %a = memref.assume_alignment %x, 64 : memref<?xf32>
        %v = memref.load %a[%c0] {nontemporal = true} : memref<?xf32>
        memref.store %v, %y[%c0] {nontemporal = true} : memref<?xf32>
        func.return
      }""")
    memory = np.arange(64, dtype=np.float32)
    skip = -memory.ctypes.data % 64 // 4
    x, y = memory[skip : skip + 4], np.zeros(4, np.float32)
    functions("f", x, y)
    assert y[0] == x[0]


def test_alloca_scope():
    functions = NativeFunctions("""
      func.func @f(%n: index) -> index {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
          %t = "memref.alloca_scope"() ({
            %m = memref.alloca(%n) : memref<?xindex>
            memref.store %i, %m[%i] : memref<?xindex>
            %v = memref.load %m[%i] : memref<?xindex>
            "memref.alloca_scope.return"(%v) : (index) -> ()
          }) : () -> index
          %u = arith.addi %s, %t : index
          scf.yield %u : index
        }
        func.return %r : index
      }""")
    assert functions("f", 20_000) == 20_000 * 19_999 // 2


ATOMICS: dict[int, tuple[str, int]] = {
    1: ("addi", 12),
    2: ("assign", 5),
    4: ("maxs", 7),
    7: ("mins", 5),
    10: ("muli", 35),
    11: ("ori", 7),
    12: ("andi", 5),
    15: ("xori", 2),
}


@pytest.mark.parametrize("kind", ATOMICS, ids=lambda kind: ATOMICS[kind][0])
def test_atomic_rmw(kind: int):
    functions = NativeFunctions(f"""
      func.func @f(%x: memref<?xi32>, %v: i32) -> i32 {{
        %c1 = arith.constant 1 : index
        %old = "memref.atomic_rmw"(%v, %x, %c1) <{{kind = {kind} : i64}}>
          : (i32, memref<?xi32>, index) -> i32
        func.return %old : i32
      }}""")
    x = np.array([7, 7, 7], np.int32)
    assert functions("f", x, 5) == 7
    assert x.tolist() == [7, ATOMICS[kind][1], 7]


def test_a_layout_that_is_no_descriptor_is_an_error():
    with pytest.raises(KernelError, match="identity or strided layout"):
        NativeFunctions("""
          func.func @f(%x: memref<4x4xf32, affine_map<(d0, d1) -> (d1, d0)>>) {
            func.return
          }""")
