"""`func`: calls, results, and names that somebody else uses already."""

from __future__ import annotations

import numpy as np
import pytest

from spmd.dialects.diagnostics import KernelError
from spmd.lowering.emit import emit_llvm
from tests.execution.lowering.native_functions import NativeFunctions, parse_module


def test_recursion():
    functions = NativeFunctions("""
      func.func @fib(%n: i64) -> i64 {
        %two = arith.constant 2 : i64
        %one = arith.constant 1 : i64
        %small = arith.cmpi slt, %n, %two : i64
        %r = scf.if %small -> (i64) {
          scf.yield %n : i64
        } else {
          %a = arith.subi %n, %one : i64
          %b = arith.subi %n, %two : i64
          %x = func.call @fib(%a) : (i64) -> i64
          %y = func.call @fib(%b) : (i64) -> i64
          %s = arith.addi %x, %y : i64
          scf.yield %s : i64
        }
        func.return %r : i64
      }""")
    assert functions("fib", 20) == 6765


def test_several_results_with_memrefs_among_them():
    functions = NativeFunctions("""builtin.module {
      func.func private @split(%x: memref<?xf32>, %at: index, %scale: f32)
          -> (memref<?xf32, strided<[1], offset: ?>>, f32, index, i1) {
        %c0 = arith.constant 0 : index
        %n = memref.dim %x, %c0 : memref<?xf32>
        %rest = arith.subi %n, %at : index
        %v = memref.subview %x[%at] [%rest] [1]
          : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
        %t = arith.constant true
        %twice = arith.addf %scale, %scale : f32
        func.return %v, %twice, %rest, %t
          : memref<?xf32, strided<[1], offset: ?>>, f32, index, i1
      }
      func.func private @same(%x: memref<?xf32, strided<[1], offset: ?>>)
          -> memref<?xf32, strided<[1], offset: ?>> {
        func.return %x : memref<?xf32, strided<[1], offset: ?>>
      }
      func.func @f(%x: memref<?xf32>, %at: index) -> f32 {
        %c0 = arith.constant 0 : index
        %s = arith.constant 1.5 : f32
        %v, %t, %n, %yes = func.call @split(%x, %at, %s) : (memref<?xf32>, index, f32)
          -> (memref<?xf32, strided<[1], offset: ?>>, f32, index, i1)
        %w = func.call @same(%v) : (memref<?xf32, strided<[1], offset: ?>>)
          -> memref<?xf32, strided<[1], offset: ?>>
        %e = memref.load %w[%c0] : memref<?xf32, strided<[1], offset: ?>>
        %m = memref.dim %w, %c0 : memref<?xf32, strided<[1], offset: ?>>
        %sum = arith.addi %m, %n : index
        %i = arith.index_cast %sum : index to i32
        %k = arith.sitofp %i : i32 to f32
        %p = arith.mulf %e, %t : f32
        %q = arith.addf %p, %k : f32
        %r = arith.select %yes, %q, %e : f32
        func.return %r : f32
      } }""")
    x = np.arange(10, dtype=np.float32)
    assert functions("f", x, 4) == 4 * 3 + 6 + 6


def test_results_of_every_size():
    for scalar, value in (("i1", True), ("i8", -3), ("i16", -300), ("f64", 0.5)):
        functions = NativeFunctions(f"""
          func.func @f(%x: {scalar}) -> {scalar} {{ func.return %x : {scalar} }}""")
        assert functions("f", value) == value


@pytest.mark.parametrize("name", ["exp", "expf", "erf", "memcpy", "malloc", "puts"])
def test_functions_may_have_names_of_the_c_library(name: str):
    functions = NativeFunctions(f"""builtin.module {{
      func.func @{name}(%x: f64) -> f64 {{
        %y = math.exp %x : f64
        %z = math.erf %y : f64
        %m = memref.alloc() : memref<100xf64>
        %c0 = arith.constant 0 : index
        memref.store %z, %m[%c0] : memref<100xf64>
        %r = memref.load %m[%c0] : memref<100xf64>
        memref.dealloc %m : memref<100xf64>
        func.return %r : f64
      }}
      func.func @caller(%x: f64) -> f64 {{
        %y = func.call @{name}(%x) : (f64) -> f64
        func.return %y : f64
      }} }}""")
    import math

    for function in (name, "caller"):
        assert abs(functions(function, 0.25) - math.erf(math.exp(0.25))) < 1e-12


def test_functions_of_the_c_library_can_be_called():
    functions = NativeFunctions("""builtin.module {
      func.func private @hypot(f64, f64) -> f64
      func.func @f(%x: f64, %y: f64) -> f64 {
        %r = func.call @hypot(%x, %y) : (f64, f64) -> f64
        func.return %r : f64
      } }""")
    assert functions("f", 3, 4) == 5


def test_a_function_that_nobody_defines_is_an_error():
    with pytest.raises(KernelError, match="for nobody_defines_this"):
        NativeFunctions("""builtin.module {
          func.func private @nobody_defines_this()
          func.func @f() {
            func.call @nobody_defines_this() : () -> ()
            func.return
          } }""")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "func.func @f(%x: tensor<4xf32>) { func.return }",
            r"func\.func @f cannot be written as LLVM IR: expected an integer, .* got tensor",
        ),
        (
            """func.func @f(%x: memref<4xf32>) {
              %t = "bufferization.to_tensor"(%x) : (memref<4xf32>) -> tensor<4xf32>
              func.return }""",
            r"bufferization\.to_tensor cannot be written as LLVM IR: expected ops of",
        ),
        (
            "spmd.kernel @k() { spmd.return }",
            r"spmd\.kernel cannot .* run the pass spmd-to-loops first",
        ),
        (
            "func.func @f() { spmd.barrier func.return }",
            r"spmd\.barrier cannot .* run the pass spmd-to-loops first",
        ),
        (
            """func.func @f(%x: memref<?xf32>) -> memref<?xf32> attributes {spmd.host_function} {
              func.return %x : memref<?xf32> }""",
            r"expected scalar results of the host function @f, got memref<\?xf32>",
        ),
        (
            """func.func @f() attributes {spmd.host_function} { func.return }
            func.func @f.call() { func.return }""",
            r"expected no function @f\.call: that is the native entry of @f",
        ),
        (
            """func.func @f(%x: index) attributes {spmd.work_group_function} {
              spmd.sub_group (%i) shape [4] at (%x) { }
              func.return }""",
            r"spmd\.sub_group cannot .* run the pass vectorize first",
        ),
        (
            """func.func @f(%x: vector<[4]xf32>) {
              %y = arith.addf %x, %x : vector<[4]xf32>
              func.return }""",
            r"expected a vector of fixed size, got vector<\[4\]xf32>",
        ),
        (
            """func.func @f(%x: memref<?xf32>, %i: index) {
              %y = vector.load %x[%i] {alignment = 12 : i64} : memref<?xf32>, vector<4xf32>
              func.return }""",
            "expected an alignment that is a power of two, got 12",
        ),
    ],
)
def test_what_has_no_llvm_form_is_named(text: str, message: str):
    module = parse_module(text)
    with pytest.raises(KernelError, match=message):
        emit_llvm(module)
