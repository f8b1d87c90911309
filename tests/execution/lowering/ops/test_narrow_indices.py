"""
Indices that wrap around in a few bits.

LLVM 22 leaves out a test for one of two widths (llvm-project issue 191382): its vectorizer
reads beyond where the narrower index wraps.
"""

from __future__ import annotations

from typing import Any

import pytest
from xdsl.dialects.func import FuncOp

from spmd.lowering.ops.narrow_indices import wrap_in_different_widths
from tests.execution.harness import Launch, Maker, check_native, parsed

INDICES = {
    "and": "arith.andi %local, %c{mask} : i32",
    "remainder": "arith.remui %local, %c{size} : i32",
}


def kernel(how: str, wide: int, narrow: int) -> str:
    """Reads two tables at the local id, each at a remainder of its own."""
    indices = [INDICES[how].format(mask=size - 1, size=size) for size in (wide, narrow)]
    numbers = sorted({wide - 1, wide, narrow - 1, narrow})
    constants = "\n  ".join(f"%c{n} = arith.constant {n} : i32" for n in numbers)
    return f"""
spmd.kernel @lookup(%a: memref<?xi32> {{spmd.noalias}}, %b: memref<?xi64> {{spmd.noalias}},
    %x: memref<?xi32> {{spmd.noalias}}, %y: memref<?xi64> {{spmd.noalias}}) {{
  {constants}
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %local = arith.index_cast %lid : index to i32
  %j32 = {indices[0]}
  %k32 = {indices[1]}
  %j = arith.index_cast %j32 : i32 to index
  %k = arith.index_cast %k32 : i32 to index
  %v = memref.load %a[%j] : memref<?xi32>
  memref.store %v, %x[%i] : memref<?xi32>
  %w = memref.load %b[%k] : memref<?xi64>
  memref.store %w, %y[%i] : memref<?xi64>
  spmd.return
}}
"""


def arguments(make: Maker) -> list[Any]:
    return [
        make.random("i32", 256),
        make.random("i64", 256),
        make.zeros("i32", make.n),
        make.zeros("i64", make.n),
    ]


@pytest.mark.parametrize("vectorize", [False, True], ids=["loops", "vectors"])
@pytest.mark.parametrize("how", INDICES)
@pytest.mark.parametrize(("wide", "narrow"), [(32, 4), (4, 32), (128, 16), (16, 16)])
def test_tables_of_two_sizes(how: str, wide: int, narrow: int, vectorize: bool):
    for launch in (
        Launch((30,), (30,)),
        Launch((130,), (100,)),
        Launch((128,), (128,)),
        Launch((40,), (1,)),
    ):
        check_native(kernel(how, wide, narrow), arguments, launch, vectorize=vectorize)


def wraps(indices: str) -> bool:
    module = parsed(
        f"""
        func.func @f(%x: memref<?xi32>, %i: index, %n: index) {{
          %c3 = arith.constant 3 : index
          %c8 = arith.constant 8 : index
          %c31 = arith.constant 31 : index
          {indices}
          %v = memref.load %x[%j] : memref<?xi32>
          memref.store %v, %x[%k] : memref<?xi32>
          func.return
        }}"""
    )
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    return wrap_in_different_widths(function)


@pytest.mark.parametrize(
    ("indices", "expected"),
    [
        ("%j = arith.andi %i, %c3 : index\n%k = arith.andi %c31, %i : index", True),
        ("%j = arith.andi %i, %c3 : index\n%k = arith.remui %i, %c8 : index", True),
        (
            "%m = arith.andi %i, %c3 : index\n%l = arith.andi %i, %c31 : index\n"
            "%j = arith.addi %m, %l : index\n%k = arith.addi %i, %c3 : index",
            True,
        ),
        (
            "%t = arith.index_cast %i : index to i8\n%j = arith.index_cast %t : i8 to index\n"
            "%k = arith.andi %i, %c3 : index",
            True,
        ),
        (
            "%j = arith.andi %i, %c3 : index\n"
            "%k = scf.for %r = %c3 to %n step %c8 iter_args(%a = %i) -> (index) {\n"
            "%m = arith.andi %a, %c31 : index\n%b = arith.addi %m, %c3 : index\n"
            "scf.yield %b : index\n}",
            True,
        ),
        (
            "%j = arith.andi %i, %c3 : index\n"
            "%k = scf.for %r = %c3 to %n step %c8 iter_args(%a = %i) -> (index) {\n"
            "%b = arith.addi %a, %c3 : index\nscf.yield %b : index\n}",
            False,
        ),
        ("%j = arith.andi %i, %c3 : index\n%k = arith.andi %n, %c3 : index", False),
        ("%j = arith.andi %i, %c3 : index\n%k = arith.addi %i, %n : index", False),
        ("%j = arith.remui %i, %n : index\n%k = arith.remui %i, %c3 : index", False),
        (
            # Only the mask decides where the index wraps.
            "%t = arith.index_cast %i : index to i32\n%c = arith.constant 3 : i32\n"
            "%m = arith.andi %t, %c : i32\n%j = arith.index_cast %m : i32 to index\n"
            "%k = arith.addi %i, %n : index",
            False,
        ),
    ],
)
def test_which_functions(indices: str, expected: bool):
    assert wraps(indices) is expected
