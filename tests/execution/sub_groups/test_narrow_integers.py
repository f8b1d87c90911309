"""`narrow-integers`: numbers of 16 bits are what those of 32 and 64 bits are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from spmd.passes.pipelines.vectorize import VectorizePass
from spmd.runtime.parsing import make_context
from tests.execution.harness import LINES, Maker, check_native_launches, parsed

BODIES = {
    "weights": """
      %p = arith.muli %a, %c77 : I
      %q = arith.muli %b, %c150 : I
      %sum = arith.addi %p, %q : I
      %r = arith.shrui %sum, %c8 : I
    """,
    "difference": """
      %d = arith.subi %a, %b : I
      %less = arith.cmpi slt, %a, %b : I
      %e = arith.subi %b, %a : I
      %r = arith.select %less, %e, %d : I
    """,
    "signed_shift": """
      %d = arith.subi %a, %b : I
      %p = arith.muli %d, %c77 : I
      %s = arith.shrsi %p, %c8 : I
      %r = arith.addi %s, %b : I
    """,
    "extrema": """
      %d = arith.subi %a, %b : I
      %low = arith.maxsi %d, %c8 : I
      %r = arith.minsi %low, %c77 : I
    """,
    "unsigned_extrema": """
      %p = arith.muli %a, %c150 : I
      %q = arith.muli %b, %c150 : I
      %low = arith.maxsi %p, %q : I
      %is_less = arith.cmpi slt, %p, %q : I
      %s = arith.shrui %low, %c8 : I
      %r = arith.select %is_less, %s, %a : I
    """,
    "blend": """
      %rest = arith.subi %c150, %b : I
      %p = arith.muli %b, %a : I
      %q = arith.muli %c77, %rest : I
      %r = arith.addi %p, %q : I
    """,
    "quotients": """
      %p = arith.muli %a, %c150 : I
      %quotient = arith.divsi %p, %c77 : I
      %down = arith.floordivsi %b, %c8 : I
      %rest = arith.remsi %p, %c77 : I
      %sum = arith.addi %quotient, %down : I
      %r = arith.xori %sum, %rest : I
    """,
    "quotients_of_differences": """
      %d = arith.subi %a, %b : I
      %quotient = arith.divsi %d, %c77 : I
      %down = arith.floordivsi %d, %c8 : I
      %rest = arith.remsi %d, %c77 : I
      %unsigned = arith.divui %d, %c8 : I
      %sum = arith.addi %quotient, %down : I
      %all = arith.addi %sum, %unsigned : I
      %r = arith.xori %all, %rest : I
    """,
    "bits": """
      %odd = arith.xori %a, %b : I
      %more = arith.ori %odd, %c77 : I
      %up = arith.shli %more, %c3 : I
      %r = arith.andi %up, %c150 : I
    """,
    "too_large": """
      %p = arith.muli %a, %b : I
      %q = arith.muli %p, %c150 : I
      %s = arith.shrui %q, %c8 : I
      %r = arith.addi %s, %p : I
    """,
    "sum": """
      %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %a) -> (I) {
        %at = arith.addi %i, %k : index
        %v = memref.load %x[%at] : memref<?xT>
        %wide = EXT %v : T to I
        %m = arith.muli %wide, %c3 : I
        %t = arith.addi %s, %m : I
        scf.yield %t : I
      }
    """,
    "alternating": """
      %r = scf.for %k = %c0 to %c5 step %c1 iter_args(%s = %a) -> (I) {
        %at = arith.addi %i, %k : index
        %v = memref.load %x[%at] : memref<?xT>
        %wide = EXT %v : T to I
        %t = arith.subi %wide, %b : I
        %u = arith.addi %s, %t : I
        scf.yield %u : I
      }
    """,
}

SOURCE = """
spmd.kernel @narrow(%x: memref<?xT>, %y: memref<?xT>, %z: memref<?xI>, %w: memref<?xi8>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c3 = arith.constant 3 : I
  %c8 = arith.constant 8 : I
  %c77 = arith.constant 77 : I
  %c150 = arith.constant 150 : I
  %short_a = memref.load %x[%i] : memref<?xT>
  %short_b = memref.load %y[%i] : memref<?xT>
  %a = EXT %short_a : T to I
  %b = EXT %short_b : T to I
  BODY
  memref.store %r, %z[%i] : memref<?xI>
  %byte = arith.trunci %r : I to i8
  memref.store %byte, %w[%i] : memref<?xi8>
  spmd.return
}
"""


def vectorized(source: str) -> str:
    module = parsed(source).clone()
    SpmdToLoopsPass().apply(make_context(), module)
    VectorizePass(width=16).apply(make_context(), module)
    return str(module)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("extension", ["extui", "extsi"])
@pytest.mark.parametrize(
    ("type_", "wide"),
    [("i8", "i32"), ("i8", "i64"), ("i16", "i32"), ("i8", "index")],
)
def test_narrow(body: str, extension: str, type_: str, wide: str):
    def arguments(make: Maker) -> list[Any]:
        info = np.iinfo(f"int{type_[1:]}")
        arrays = [make.zeros(type_, make.n + 8) for _ in range(2)]
        for array in arrays:
            values = np.random.default_rng(1).integers(
                info.min, info.max + 1, len(array)
            )
            array[:] = values
            array[:4] = info.min, info.max, 0, -1
        arrays[1][:] = arrays[1][::-1]
        return [*arrays, make.zeros(wide, make.n), make.zeros("i8", make.n)]

    source, cast = SOURCE.replace("BODY", BODIES[body]), extension
    if wide == "index":
        cast = "index_castui" if extension == "extui" else "index_cast"
        source = source.replace("arith.trunci", "arith.index_cast")
    source = source.replace("EXT", f"arith.{cast}")
    for old, new in (
        (" T ", f" {type_} "),
        ("xT>", f"x{type_}>"),
        ("xI>", f"x{wide}>"),
    ):
        source = source.replace(old, new)
    for end in ("\n", " ", ")"):
        source = source.replace(f" I{end}", f" {wide}{end}")
    source = source.replace("(I)", f"({wide})")
    is_known = body != "too_large" and (extension, body) != ("extsi", "bits")
    if type_ == "i8" and is_known:
        assert "vector<16xi16>" in vectorized(source)
    check_native_launches(source, arguments, LINES, width=16)
