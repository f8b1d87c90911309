"""Arrays of `i1` and local memory mean the same with upstream's types."""

from typing import Any

from spmd.passes.pipelines.spmd_to_loops import SpmdToLoopsPass
from tests.execution.harness import LINES, Maker, check_native, check_passes

KERNEL = """
memref.global "private" constant @pattern : memref<4xi1> = dense<[true, false, false, true]>
spmd.kernel @bits(%p: memref<?xi1>, %q: memref<?xi1, #spmd.memory<global>>) {
  %c4 = arith.constant 4 : index
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %flags = spmd.local_alloc : memref<64xi1, #spmd.memory<local>>
  %own = memref.alloca() : memref<4xi1, #spmd.memory<private>>
  %pattern = memref.get_global @pattern : memref<4xi1>
  %k = arith.remui %lid, %c4 : index
  %a = memref.load %p[%gid] : memref<?xi1>
  %b = memref.load %pattern[%k] : memref<4xi1>
  %c = arith.xori %a, %b : i1
  memref.store %c, %flags[%lid] : memref<64xi1, #spmd.memory<local>>
  memref.store %b, %own[%k] : memref<4xi1, #spmd.memory<private>>
  %d = memref.load %flags[%lid] : memref<64xi1, #spmd.memory<local>>
  %e = memref.load %own[%k] : memref<4xi1, #spmd.memory<private>>
  %f = arith.andi %d, %e : i1
  memref.store %f, %q[%gid] : memref<?xi1, #spmd.memory<global>>
  spmd.return
}
"""


def arguments(make: Maker) -> list[Any]:
    return [make.random("i1", make.n), make.random("i1", make.n)]


def test_bits_are_bytes():
    for launch in LINES:
        module = check_passes(
            KERNEL, arguments, (launch,), SpmdToLoopsPass(), skip=("split-at-barriers",)
        )
        assert "spmd.memory" not in str(module)
        assert "xi1" not in str(module)
        check_native(KERNEL, arguments, launch, vectorize=False)
