"""`scf` and `cf`, structured and not, natively; against plain Python."""

from __future__ import annotations

import numpy as np
import pytest

from spmd.lowering.compiling import compile_object
from spmd.lowering.machine import host_machine
from tests.execution.lowering.native_functions import NativeFunctions


def test_if_with_and_without_else():
    functions = NativeFunctions("""
      func.func @f(%x: i32, %out: memref<1xi32>) -> i32 {
        %c0 = arith.constant 0 : i32
        %c1 = arith.constant 1 : i32
        %i = arith.constant 0 : index
        %neg = arith.cmpi slt, %x, %c0 : i32
        %a, %b = scf.if %neg -> (i32, i32) {
          %m = arith.subi %c0, %x : i32
          scf.yield %m, %c1 : i32, i32
        } else {
          scf.yield %x, %c0 : i32, i32
        }
        scf.if %neg {
          memref.store %a, %out[%i] : memref<1xi32>
        }
        %r = arith.addi %a, %b : i32
        func.return %r : i32
      }""")
    out = np.zeros(1, np.int32)
    assert functions("f", 5, out) == 5
    assert out[0] == 0
    assert functions("f", -5, out) == 6
    assert out[0] == 5


@pytest.mark.parametrize("scalar", ["index", "i8", "i32", "i64"])
def test_for_counts_and_carries(scalar: str):
    functions = NativeFunctions(
        f"""
      func.func @f(%lower: {scalar}, %upper: {scalar}, %step: {scalar}) -> i64 {{
        %zero = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %count, %other = scf.for %i = %lower to %upper step %step
            iter_args(%c = %zero, %d = %one) -> (i64, i64) : {scalar} {{
          %n = arith.addi %c, %one : i64
          scf.yield %n, %c : i64, i64
        }}
        func.return %count : i64
      }}""".replace(": index {", "{")
    )
    for lower, upper, step in (
        *((0, 10, 1), (0, 10, 3), (5, 5, 1), (7, 3, 1), (-20, 20, 7)),
        (-128, 127, 100),
        (100, 127, 20),
    ):
        assert functions("f", lower, upper, step) == len(range(lower, upper, step))


def test_while_with_values_on_both_sides():
    functions = NativeFunctions("""
      func.func @collatz(%n: i64) -> i64 {
        %zero = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        %two = arith.constant 2 : i64
        %three = arith.constant 3 : i64
        %last, %steps = scf.while (%x = %n, %k = %zero) : (i64, i64) -> (i64, i64) {
          %more = arith.cmpi ne, %x, %one : i64
          scf.condition(%more) %x, %k : i64, i64
        } do {
        ^bb0(%x: i64, %k: i64):
          %low = arith.andi %x, %one : i64
          %odd = arith.cmpi eq, %low, %one : i64
          %next = scf.if %odd -> (i64) {
            %t = arith.muli %x, %three : i64
            %u = arith.addi %t, %one : i64
            scf.yield %u : i64
          } else {
            %h = arith.divui %x, %two : i64
            scf.yield %h : i64
          }
          %kn = arith.addi %k, %one : i64
          scf.yield %next, %kn : i64, i64
        }
        func.return %steps : i64
      }""")
    assert functions("collatz", 27) == 111
    assert functions("collatz", 1) == 0


def test_index_switch():
    functions = NativeFunctions("""
      func.func @f(%x: index) -> i32 {
        %r = scf.index_switch %x -> i32
        case 2 {
          %a = arith.constant 20 : i32
          scf.yield %a : i32
        }
        case -5 {
          %b = arith.constant 50 : i32
          scf.yield %b : i32
        }
        default {
          %c = arith.constant 7 : i32
          scf.yield %c : i32
        }
        func.return %r : i32
      }""")
    assert [functions("f", x) for x in (2, -5, 0, 3)] == [20, 50, 7, 7]


def test_parallel_with_reductions():
    functions = NativeFunctions("""
      func.func @f(%m: index, %n: index, %x: memref<?x?xi64>) -> i64 {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %zero = arith.constant 0 : i64
        %large = arith.constant 1000 : i64
        %sum, %least = "scf.parallel"(%c0, %c0, %m, %n, %c1, %c1, %zero, %large) <{
            operandSegmentSizes = array<i32: 2, 2, 2, 2>}> ({
        ^bb0(%i: index, %j: index):
          %v = memref.load %x[%i, %j] : memref<?x?xi64>
          "scf.reduce"(%v, %v) ({
          ^bb0(%a: i64, %b: i64):
            %s = arith.addi %a, %b : i64
            "scf.reduce.return"(%s) : (i64) -> ()
          }, {
          ^bb0(%a: i64, %b: i64):
            %s = arith.minsi %a, %b : i64
            "scf.reduce.return"(%s) : (i64) -> ()
          }) : (i64, i64) -> ()
        }) : (index, index, index, index, index, index, i64, i64) -> (i64, i64)
        %r = arith.muli %sum, %least : i64
        func.return %r : i64
      }""")
    x = np.arange(12, dtype=np.int64).reshape(3, 4) + 2
    assert functions("f", 3, 4, x) == x.sum() * x.min()
    assert functions("f", 0, 4, x) == 0


def test_parallel_without_reductions():
    functions = NativeFunctions("""
      func.func @f(%n: index, %x: memref<?xi64>) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        "scf.parallel"(%c0, %n, %c1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
        ^bb0(%i: index):
          %v = arith.index_cast %i : index to i64
          memref.store %v, %x[%i] : memref<?xi64>
          "scf.reduce"() : () -> ()
        }) : (index, index, index) -> ()
        func.return
      }""")
    x = np.zeros(9, np.int64)
    functions("f", 9, x)
    assert (x == np.arange(9)).all()


def test_execute_region_with_several_paths_out():
    functions = NativeFunctions("""
      func.func @f(%x: i32) -> i32 {
        %c0 = arith.constant 0 : i32
        %c10 = arith.constant 10 : i32
        %r = scf.execute_region -> (i32) {
          %neg = arith.cmpi slt, %x, %c0 : i32
          cf.cond_br %neg, ^out, ^next(%x : i32)
        ^out:
          scf.yield %c0 : i32
        ^next(%y: i32):
          %large = arith.cmpi sgt, %y, %c10 : i32
          cf.cond_br %large, ^done(%c10 : i32), ^done(%y : i32)
        ^done(%z: i32):
          scf.yield %z : i32
        }
        func.return %r : i32
      }""")
    assert [functions("f", x) for x in (-4, 0, 7, 10, 11)] == [0, 0, 7, 10, 10]


def test_blocks_in_any_order_and_loops():
    functions = NativeFunctions("""
      func.func @f(%n: i64) -> i64 {
        %zero = arith.constant 0 : i64
        %one = arith.constant 1 : i64
        cf.br ^head(%zero, %zero : i64, i64)
      ^exit(%r: i64):
        func.return %r : i64
      ^body(%u: i64):
        %t = arith.addi %sum, %u : i64
        %next = arith.addi %u, %one : i64
        cf.br ^head(%next, %t : i64, i64)
      ^never:
        cf.br ^exit(%one : i64)
      ^head(%i: i64, %sum: i64):
        %more = arith.cmpi slt, %i, %n : i64
        cf.cond_br %more, ^body(%i : i64), ^exit(%sum : i64)
      }""")
    assert functions("f", 10) == 45
    assert functions("f", 0) == 0


def test_switch_with_arguments_and_shared_targets():
    functions = NativeFunctions("""
      func.func @f(%x: i8, %y: i32) -> i32 {
        %a = arith.constant 100 : i32
        %b = arith.constant 200 : i32
        cf.switch %x : i8, [
          default: ^join(%y : i32),
          1: ^join(%a : i32),
          -1: ^join(%b : i32),
          5: ^other,
          6: ^other
        ]
      ^join(%v: i32):
        func.return %v : i32
      ^other:
        %c = arith.constant 300 : i32
        func.return %c : i32
      }""")
    got = [functions("f", x, 7) for x in (0, 1, -1, 5, 6)]
    assert got == [7, 100, 200, 300, 300]


def test_memrefs_through_branches():
    functions = NativeFunctions("""
      func.func @f(%c: i1, %x: memref<?xf32>, %y: memref<?xf32>) -> f32 {
        cf.cond_br %c, ^use(%x : memref<?xf32>), ^use(%y : memref<?xf32>)
      ^use(%m: memref<?xf32>):
        %zero = arith.constant 0 : index
        %one = arith.constant 1 : index
        %n = memref.dim %m, %zero : memref<?xf32>
        %last = arith.subi %n, %one : index
        %v = memref.load %m[%last] : memref<?xf32>
        func.return %v : f32
      }""")
    x, y = np.arange(3, dtype=np.float32), np.arange(7, dtype=np.float32)
    assert functions("f", True, x, y) == 2
    assert functions("f", False, x, y) == 6


def test_an_endless_loop_is_kept():
    # Only its text can be looked at: it does not return.
    functions = NativeFunctions("""
      func.func @f(%x: memref<1xi32>) {
        %c0 = arith.constant 0 : index
        cf.br ^again
      ^again:
        cf.br ^again
      }""")
    assert "br label" in compile_object(functions.llvm_ir, host_machine()).llvm_ir()


def test_deep_nesting():
    depth = 60
    text = "%r0 = arith.addi %x, %x : i32\n"
    for level in range(depth):
        text = f"""%r{level + 1} = scf.if %c -> (i32) {{
            {text} scf.yield %r{level} : i32
          }} else {{ scf.yield %x : i32 }}\n"""
    functions = NativeFunctions(f"""
      func.func @f(%c: i1, %x: i32) -> i32 {{ {text} func.return %r{depth} : i32 }}""")
    assert functions("f", True, 4) == 8
    assert functions("f", False, 4) == 4


def test_a_loop_at_the_end_of_a_body_keeps_its_hints_to_itself(
    capfd: pytest.CaptureFixture[str],
):
    """
    LLVM is told to write the inner loop out. It says on stderr if it could not do so with a
    loop that has these hints: here the outer one, whose end is not known.
    """
    functions = NativeFunctions("""
    func.func @f(%x: vector<8xf32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %true = arith.constant true
      %a = memref.alloca() : memref<24xf32>
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        scf.for %i = %c0 to %c3 step %c1 {
          %old = vector.load %a[%i] : memref<24xf32>, vector<8xf32>
          %new = arith.addf %old, %x : vector<8xf32>
          vector.store %new, %a[%i] : memref<24xf32>, vector<8xf32>
        }
        scf.yield
      }
      func.return
    }
    """)
    assert '!"llvm.loop.unroll.full"' in functions.llvm_ir
    assert not capfd.readouterr().err
