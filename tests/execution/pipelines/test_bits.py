"""A float that is only moved keeps its bits: subnormals, and NaNs of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spmd

BITS: dict[str, tuple[type[np.unsignedinteger[Any]], tuple[int, ...]]] = {
    "bf16": (np.uint16, (1, 0x7F, 0x8001, 0x7F81, 0xFF85, 0x7FC1, 0x8000, 0x3F80)),
    "f16": (np.uint16, (1, 0x3FF, 0x8001, 0x7C01, 0xFC05, 0x7E01, 0x8000, 0x3C00)),
    "f32": (np.uint32, (1, 0x7FFFFF, 0x80000001, 0x7F800001, 0xFFC00005, 0x80000000)),
    "f64": (np.uint64, (1, 1 << 63 | 1, 0x7FF << 52 | 1, 0xFFF8 << 48 | 5, 1 << 63)),
}
"""The unsigned type of a float type, and patterns that are easily changed."""

LOAD = "%v = memref.load %x[%i] : memref<?xT>"
STORE = "memref.store %w, %y[%i] : memref<?xT>"

MOVES = {
    "copy": f"{LOAD}\n memref.store %v, %y[%i] : memref<?xT>",
    "branch": f"""
  %w = scf.if %odd -> (T) {{
    {LOAD}
    scf.yield %v : T
  }} else {{
    %u = memref.load %x[%i] : memref<?xT>
    scf.yield %u : T
  }}
  {STORE}""",
    "masked": f"""
  scf.if %odd {{
    {LOAD}
    memref.store %v, %y[%i] : memref<?xT>
  }} else {{
    %w = memref.load %x[%i] : memref<?xT>
    {STORE}
  }}""",
    "divergent_loop": f"""
  {LOAD}
  %w = scf.for %j = %c0 to %i step %c1 iter_args(%a = %v) -> (T) {{
    scf.yield %a : T
  }}
  {STORE}""",
    "carried": f"""
  {LOAD}
  %z = arith.constant 1.0 : T
  %s, %w = scf.for %j = %c0 to %c2 step %c1 iter_args(%a = %v, %b = %z) -> (T, T) {{
    scf.yield %b, %a : T, T
  }}
  memref.store %s, %y[%i] : memref<?xT>""",
    "gather": """
  %back = arith.subi %last, %i : index
  %v = memref.load %x[%back] : memref<?xT>
  memref.store %v, %y[%back] : memref<?xT>""",
    "private": f"""
  {LOAD}
  %a = memref.alloca() : memref<2xT>
  %at = arith.andi %i, %c1 : index
  memref.store %v, %a[%at] : memref<2xT>
  %w = memref.load %a[%at] : memref<2xT>
  {STORE}""",
    "local": f"""
  {LOAD}
  %t = spmd.local_alloc : memref<64xT, #spmd.memory<local>>
  %l = spmd.local_id x
  memref.store %v, %t[%l] : memref<64xT, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %t[%l] : memref<64xT, #spmd.memory<local>>
  {STORE}""",
    "across_barrier": f"{LOAD}\n spmd.barrier\n memref.store %v, %y[%i] : memref<?xT>",
    "shuffle": f"{LOAD}\n %w = spmd.shuffle xor %v, %c0 : T\n {STORE}",
    "copy_op": """
  %from = memref.subview %x[%i] [1] [1] : memref<?xT> to memref<1xT, strided<[1], offset: ?>>
  %to = memref.subview %y[%i] [1] [1] : memref<?xT> to memref<1xT, strided<[1], offset: ?>>
  memref.copy %from, %to : memref<1xT, strided<[1], offset: ?>> to memref<1xT, strided<[1], offset: ?>>""",
    "negated_twice": f"""
  {LOAD}
  %negative = arith.negf %v : T
  %w = arith.negf %negative : T
  {STORE}""",
}


def kernel(move: str, type_: str) -> str:
    text = f"""
spmd.kernel @move(%x: memref<?xT>, %y: memref<?xT>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %n = spmd.global_size x
  %last = arith.subi %n, %c1 : index
  %bit = arith.andi %i, %c1 : index
  %odd = arith.cmpi eq, %bit, %c1 : index
  {MOVES[move]}
  spmd.return
}}
"""
    return text.replace("xT", f"x{type_}").replace("T", type_)


FORMS: tuple[dict[str, Any], ...] = (
    {"vectorize": False},
    {"width": 8},
    {"width": 64},
    {},
)


@pytest.mark.optimized
@pytest.mark.parametrize("type_", BITS)
@pytest.mark.parametrize("move", MOVES)
def test_bits_are_kept(move: str, type_: str):
    unsigned, patterns = BITS[type_]
    # Every other form of a type; f16 and bf16, and f32 and f64, meet all together.
    turn = list(MOVES).index(move) + list(BITS).index(type_)
    for form in FORMS[turn % 2 :: 2]:
        program = spmd.compile(kernel(move, type_), **form)
        for size, group in ((19, 9), (64, 64)):
            x = np.resize(np.array(patterns, unsigned), size)
            y = np.zeros(size, unsigned)
            floats = (x, y) if type_ == "bf16" else (_floats(x), _floats(y))
            program["move"](*floats, global_size=size, group_size=group)
            assert (x == y).all(), (form, size, group)


def _floats(bits: Any) -> Any:
    return bits.view(f"f{bits.itemsize}")
