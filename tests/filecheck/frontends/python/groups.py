# RUN: python %s | filecheck %s
# pyright: basic
"""Local memory, barriers, collectives and atomics are one operation each."""

import numpy as np

import spmd
from spmd.language import atomic_add, barrier, global_id, local, local_id, reduce


@spmd.kernel(group_size=64)
def sums(x, bins, total):
    tile = local(64, np.float32)
    lid = local_id()
    v = x[global_id()]
    tile[lid] = v
    barrier()
    left = tile[lid - 1] if lid > 0 else np.float32(0)
    highest = reduce(max, v - left)
    if lid == 0:
        atomic_add(total, 0, highest, ordering="acq_rel")
    atomic_add(bins, int(v), 1, scope="work_group")


x = np.zeros(4, np.float32)
print(sums.ir("python", x, x.astype(np.uint8), x))

# CHECK:      spmd.kernel @sums(%x: memref<?xf32>, %bins: memref<?xi8>, %total: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
# CHECK:        %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
# CHECK-NEXT:   %lid = spmd.local_id x
# CHECK-NEXT:   %[[GID:.*]] = spmd.global_id x
# CHECK-NEXT:   %v = memref.load %x[%[[GID]]] : memref<?xf32>
# CHECK-NEXT:   memref.store %v, %tile[%lid] : memref<64xf32, #spmd.memory<local>>
# CHECK-NEXT:   spmd.barrier
# CHECK-NEXT:   %[[INNER:.*]] = arith.cmpi sgt, %lid, %c0 : index
# CHECK-NEXT:   %left = scf.if %[[INNER]] -> (f32) {
# CHECK:        %[[RISE:.*]] = arith.subf %v, %left : f32
# CHECK-NEXT:   %highest = spmd.reduce max %[[RISE]] across work_group : f32
# CHECK:        spmd.atomic_rmw add %highest, %total[%c0] ordering(acq_rel) : memref<?xf32>
# CHECK:        spmd.atomic_rmw add %c1_i8, %bins[%{{.*}}] scope(work_group) : memref<?xi8>
