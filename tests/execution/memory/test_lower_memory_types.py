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


VECTORS = """
spmd.kernel @vectors(%m: memref<?xi1>, %x: memref<?xi1>, %o: memref<?xi1>, %p: memref<?xi1>) {
  %c4 = arith.constant 4 : index
  %yes = arith.constant true
  %turned = arith.constant dense<[3, 0, 1, 2]> : vector<4xi32>
  %g = spmd.global_id x
  %a = arith.muli %g, %c4 : index
  %m4 = vector.load %m[%a] : memref<?xi1>, vector<4xi1>
  %v = vector.maskedload %x[%a], %m4, %m4
      : memref<?xi1>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  %w = vector.transfer_read %x[%a], %yes, %m4 {in_bounds = [true]} : memref<?xi1>, vector<4xi1>
  %u = vector.gather %x[%a] [%turned], %m4, %v
      : memref<?xi1>, vector<4xi32>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  %y = arith.xori %v, %w : vector<4xi1>
  %z = arith.xori %y, %u : vector<4xi1>
  vector.store %z, %o[%a] : memref<?xi1>, vector<4xi1>
  vector.maskedstore %o[%a], %m4, %m4 : memref<?xi1>, vector<4xi1>, vector<4xi1>
  vector.transfer_write %w, %p[%a], %m4 {in_bounds = [true]} : vector<4xi1>, memref<?xi1>
  vector.scatter %p[%a] [%turned], %v, %u
      : memref<?xi1>, vector<4xi32>, vector<4xi1>, vector<4xi1>
  spmd.return
}
"""


def four_arrays(make: Maker) -> list[Any]:
    return [make.random("i1", 4 * make.n) for _ in range(4)]


def test_vectors_of_bits_are_bytes():
    for launch in LINES:
        module = check_passes(VECTORS, four_arrays, (launch,), SpmdToLoopsPass())
        assert "?xi1" not in str(module)
        check_native(VECTORS, four_arrays, launch, vectorize=False)
        check_native(VECTORS, four_arrays, launch, width=8)
        check_native(VECTORS, four_arrays, launch, checked=True)
