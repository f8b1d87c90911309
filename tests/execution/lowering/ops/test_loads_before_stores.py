"""
A value that was loaded is the old one, whatever is stored to its place afterwards.

LLVM 22 moves masked loads after such stores (llvm-project issue 215453): our own, and those
that its vectorizer makes of branches.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd
from tests.execution.harness import DTYPES, Launch, Maker, check_native
from tests.execution.lowering.native_functions import NativeFunctions

LAUNCH = Launch((1000,), (64,))


def test_masked_load_and_select():
    functions = NativeFunctions("""
      func.func @f(%x: memref<8xi32>, %m: memref<8xi1>, %new: memref<8xi32>) {
        %c0 = arith.constant 0 : index
        %zero = arith.constant dense<0> : vector<8xi32>
        %mask = vector.load %m[%c0] : memref<8xi1>, vector<8xi1>
        %v = vector.load %new[%c0] : memref<8xi32>, vector<8xi32>
        %old = vector.maskedload %x[%c0], %mask, %zero
          : memref<8xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
        vector.maskedstore %x[%c0], %mask, %v
          : memref<8xi32>, vector<8xi1>, vector<8xi32>
        %other = arith.addi %v, %v : vector<8xi32>
        %r = arith.select %mask, %old, %other : vector<8xi1>, vector<8xi32>
        vector.store %r, %new[%c0] : memref<8xi32>, vector<8xi32>
        func.return
      }""")
    x, new = np.arange(8, dtype=np.int32), np.arange(100, 108, dtype=np.int32)
    mask = np.arange(8) % 3 == 0
    expected = np.where(mask, x, 2 * new), np.where(mask, new, x)
    functions("f", x, mask, new)
    assert (new == expected[0]).all()
    assert (x == expected[1]).all()


def swap(scalar: str) -> str:
    """What is kept if it is on is swapped with `%y`."""
    return f"""
spmd.kernel @swap(%on: memref<?xi32>, %x: memref<?x{scalar}> {{spmd.noalias}},
    %y: memref<?x{scalar}> {{spmd.noalias}}) {{
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %c = memref.load %on[%i] : memref<?xi32>
  %new = memref.load %y[%i] : memref<?x{scalar}>
  %is_on = arith.cmpi sgt, %c, %zero : i32
  %r = scf.if %is_on -> ({scalar}) {{
    %old = memref.load %x[%i] : memref<?x{scalar}>
    memref.store %new, %x[%i] : memref<?x{scalar}>
    scf.yield %old : {scalar}
  }} else {{
    scf.yield %new : {scalar}
  }}
  memref.store %r, %y[%i] : memref<?x{scalar}>
  spmd.return
}}
"""


def arguments_of(scalar: str):
    def arguments(make: Maker) -> list[Any]:
        on = make.integers("i32", -5, 6, make.n)
        return [on, make.random(scalar, make.n), make.random(scalar, make.n)]

    return arguments


ARGUMENTS = {scalar: arguments_of(scalar) for scalar in DTYPES}


@pytest.mark.parametrize("scalar", DTYPES)
@pytest.mark.parametrize("vectorize", [False, True])
def test_conditional_swap(scalar: str, vectorize: bool):
    check_native(swap(scalar), ARGUMENTS[scalar], LAUNCH, vectorize=vectorize)


PRIVATE = """
spmd.kernel @private(%on: memref<?xi32>, %x: memref<?xi32> {spmd.noalias},
    %y: memref<?xi32> {spmd.noalias}) {
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %kept = memref.alloca() : memref<i32>
  %c = memref.load %on[%i] : memref<?xi32>
  memref.store %c, %kept[] : memref<i32>
  %is_on = arith.cmpi sgt, %c, %zero : i32
  scf.if %is_on {
    %old = memref.load %x[%i] : memref<?xi32>
    memref.store %c, %x[%i] : memref<?xi32>
    memref.store %old, %kept[] : memref<i32>
  }
  %r = memref.load %kept[] : memref<i32>
  memref.store %r, %y[%i] : memref<?xi32>
  spmd.return
}
"""


@pytest.mark.parametrize("vectorize", [False, True])
def test_private_variable(vectorize: bool):
    check_native(PRIVATE, ARGUMENTS["i32"], LAUNCH, vectorize=vectorize)


def test_plain_copies_are_left_to_llvm():
    kernel = spmd.compile(
        """
spmd.kernel @copy(%x: memref<?xi32>, %y: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %y[%i] : memref<?xi32>
  spmd.return
}
""",
        vectorize=False,
    )
    assert "freeze" not in kernel.ir("spmd-llvm")
