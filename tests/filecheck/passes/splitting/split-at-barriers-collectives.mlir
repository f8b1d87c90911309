// RUN: xdsl-opt %s -p hoist-ids,split-at-barriers --split-input-file | filecheck %s

// What goes into the collective, and is cheap, is computed where it is combined.

// CHECK-LABEL: spmd.kernel @fused
// CHECK-NOT:     spmd.context
// CHECK:         %sum = scf.for %ix = %c0 to %local_size_x step %c1 iter_args(%total = %neutral) -> (f32) {
// CHECK-NEXT:      %gid = arith.addi %base_x, %ix
// CHECK-NEXT:      %v = memref.load %x[%gid] : memref<?xf32>
// CHECK-NEXT:      %w = arith.mulf %v, %a : f32
// CHECK-NEXT:      [[NEXT:%\w+]] = arith.addf %total, %w fastmath<reassoc> : f32
// CHECK-NEXT:      scf.yield [[NEXT]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %lx
spmd.kernel @fused(%a: f32, %x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  %w = arith.mulf %v, %a : f32
  %sum = spmd.reduce add %w across work_group : f32
  memref.store %sum, %x[%gid] : memref<?xf32>
  spmd.return
}

// -----

// What is needed again is kept.

// CHECK-LABEL: spmd.kernel @needed_again
// CHECK:         %v_context = memref.alloca() {{.*}}spmd.context
// CHECK:         memref.store %v, %v_context
// CHECK:         %sum = scf.for
// CHECK-NEXT:      memref.load %v_context
spmd.kernel @needed_again(%x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  %sum = spmd.reduce add %v across work_group : f32
  %w = arith.divf %v, %sum : f32
  memref.store %w, %x[%gid] : memref<?xf32>
  spmd.return
}

// -----

// So is what stands beside a store: it may be to the memory that is loaded.

// CHECK-LABEL: spmd.kernel @beside_a_store
// CHECK:         memref.store %zero, %x
// CHECK:         memref.store %v, %v_context
// CHECK:         %sum = scf.for
// CHECK-NEXT:      memref.load %v_context
spmd.kernel @beside_a_store(%x: memref<?xf32>, %out: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %zero = arith.constant 0.0 : f32
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  memref.store %zero, %x[%gid] : memref<?xf32>
  %sum = spmd.reduce add %v across work_group : f32
  memref.store %sum, %out[%gid] : memref<?xf32>
  spmd.return
}

// -----

// What vectorize does better stays in a loop over work-items: functions, divisions, branches.

// CHECK-LABEL: spmd.kernel @dear
// CHECK:         math.exp
// CHECK-NEXT:    memref.store %e, %e_context
// CHECK:         memref.load %e_context
spmd.kernel @dear(%x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  %e = math.exp %v : f32
  %sum = spmd.reduce add %e across work_group : f32
  memref.store %sum, %x[%gid] : memref<?xf32>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @divided
// CHECK:         arith.remui
// CHECK-NEXT:    memref.store %r, %r_context
// CHECK:         memref.load %r_context
spmd.kernel @divided(%n: i32, %y: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %k = memref.load %y[%gid] : memref<?xi32>
  %r = arith.remui %k, %n : i32
  %rest = spmd.reduce add %r across work_group : i32
  memref.store %rest, %y[%gid] : memref<?xi32>
  spmd.return
}

// -----

// A scan keeps its results, and has no loop that LLVM could vectorize.

// CHECK-LABEL: spmd.kernel @scan
// CHECK:         memref.store %v, %{{.*}}_context
// CHECK:         scf.for %ix
// CHECK-NEXT:      memref.load %{{.*}}_context
spmd.kernel @scan(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xi32>
  %upto = spmd.scan inclusive add %v across work_group : i32
  memref.store %upto, %x[%gid] : memref<?xi32>
  spmd.return
}

// -----

// In each dimension.

// CHECK-LABEL: spmd.kernel @plane
// CHECK-NOT:     spmd.context
// CHECK:         %most = scf.for %iy
// CHECK-NEXT:      [[ROW:%\w+]] = scf.for %ix
// CHECK:             memref.load %x[%gy, %gx] : memref<?x?xi32>
// CHECK-NEXT:        arith.maxsi
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield [[ROW]]
spmd.kernel @plane(%x: memref<?x?xi32>, %out: memref<?xi32>) attributes {work_group_size = array<i64: 8, 8>} {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %group = spmd.group_id x
  %v = memref.load %x[%gy, %gx] : memref<?x?xi32>
  %most = spmd.reduce max %v across work_group : i32
  memref.store %most, %out[%group] : memref<?xi32>
  spmd.return
}

// -----

// The greatest of what all work-items have is what they have; a scan that nobody needs is none.

// CHECK-LABEL: spmd.kernel @same
// CHECK-NOT:     alloca
// CHECK:         scf.for %lx
// CHECK-NEXT:      memref.store %v, %x[%lx]
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @same(%v: i32, %x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %unused = spmd.scan inclusive mul %v across work_group : i32
  %most = spmd.scan inclusive max %v across work_group : i32
  memref.store %most, %x[%lid] : memref<?xi32>
  spmd.return
}
