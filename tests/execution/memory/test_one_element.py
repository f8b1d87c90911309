"""Memrefs without dimensions: whatever asks for the last index of an access finds none."""

from __future__ import annotations

from typing import Any

import pytest

from tests.execution.harness import Launch, Maker, check_native

KERNEL = """
spmd.kernel @one(%x: memref<?xi32>, %sum: memref<i32>, %seen: memref<i32>, %y: memref<?xi32>, %n: index) attributes {{work_group_size = array<i64: 16>}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %shared = spmd.local_alloc : memref<i32, #spmd.memory<local>>
  %own = memref.alloca() : memref<i32>
  %v = memref.load %x[%i] : memref<?xi32>
  %same = memref.load %x[%c0] : memref<?xi32>
  %some = arith.cmpi sgt, %v, %zero : i32
  memref.store %v, %own[] : memref<i32>
  %first = arith.cmpi eq, %lid, %c0 : index
  scf.if %first {{
    memref.store %same, %shared[] : memref<i32, #spmd.memory<local>>
  }}
  spmd.barrier
  {code}
  %end = memref.load %own[] : memref<i32>
  memref.store %end, %y[%i] : memref<?xi32>
  spmd.return
}}
"""

ACCESSES = {
    "load": """
      %a = memref.load %seen[] : memref<i32>
      memref.store %a, %own[] : memref<i32>""",
    "shared": """
      %a = memref.load %shared[] : memref<i32, #spmd.memory<local>>
      memref.store %a, %own[] : memref<i32>""",
    "own": """
      %a = memref.load %own[] : memref<i32>
      %b = arith.addi %a, %v : i32
      memref.store %b, %own[] : memref<i32>""",
    "store": "memref.store %same, %seen[] : memref<i32>",
    "store of lanes": """
      %w = arith.subi %v, %v : i32
      %a = arith.addi %w, %same : i32
      memref.store %a, %seen[] : memref<i32>""",
    "atomic": "%old = spmd.atomic_rmw add %v, %sum[] : memref<i32>",
    "prefetch": "spmd.prefetch %seen[] : memref<i32>",
}

AROUND = {
    "nothing": "{}",
    "branch": "scf.if %some {{ {} }}",
    "loop": "scf.for %k = %c0 to %n step %c1 {{ {} }}",
    "loop in a branch": "scf.if %some {{ scf.for %k = %c0 to %n step %c1 {{ {} }} }}",
    "branch in a loop": "scf.for %k = %c0 to %n step %c1 {{ scf.if %some {{ {} }} }}",
    "barriers": "scf.for %k = %c0 to %n step %c1 {{ spmd.barrier {} spmd.barrier }}",
}

OPTIONS: list[dict[str, Any]] = [
    {"width": 8},
    {"width": 16, "strategy": "continuations"},
    {"vectorize": False},
    {"width": 8, "specialize": False},
]


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("access", ACCESSES)
def test_accesses_without_an_index(access: str, around: str):
    def arguments(make: Maker) -> list[Any]:
        values = make.integers("i32", -3, 4, make.n)
        numbers = make.integers("i32", 0, 9), make.integers("i32", 0, 9)
        return [values, *numbers, make.zeros("i32", make.n), 3]

    kernel = KERNEL.format(code=AROUND[around].format(ACCESSES[access]))
    for options in OPTIONS:
        check_native(kernel, arguments, Launch((40,), (16,)), **options)
