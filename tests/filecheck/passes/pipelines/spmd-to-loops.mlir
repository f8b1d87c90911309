// RUN: xdsl-opt %s -p spmd-to-loops --split-input-file --verify-diagnostics | filecheck %s

// A kernel of any group size becomes one function.

// CHECK-LABEL: func.func @saxpy
// CHECK-SAME:    (%n: index, %a: f32, %x: memref<?xf32> {spmd.noalias}, %y: memref<?xf32>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
// CHECK-SAME:    attributes {spmd.work_group_function}
// CHECK:         %local_size_x = arith.minui %ex, %rest_x : index
// CHECK:         %active_x = arith.minui %local_size_x, %inside_x : index
// CHECK-NEXT:    scf.for %lz = %c0 to %local_size_z step %c1 {
// CHECK-NEXT:      scf.for %ly = %c0 to %local_size_y step %c1 {
// CHECK-NEXT:        scf.for %lx = %c0 to %active_x step %c1 {
// CHECK-NEXT:          %i = arith.addi %base_x, %lx overflow<nsw,nuw> : index
// CHECK-NEXT:          %xv = memref.load %x[%i] : memref<?xf32>
spmd.kernel @saxpy(%n: index, %a: f32, %x: memref<?xf32> {spmd.noalias}, %y: memref<?xf32>) {
  %i = spmd.global_id x
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %xv = memref.load %x[%i] : memref<?xf32>
    %yv = memref.load %y[%i] : memref<?xf32>
    %p = arith.mulf %a, %xv : f32
    %s = arith.addf %p, %yv : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  spmd.return
}

// -----

// One of a fixed size becomes two: any group, and full groups, which have no size left.

// CHECK-LABEL: func.func @mirror
// CHECK-SAME:    attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 64, 1, 1>}
// CHECK:         %tile = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<64xi32, 3 : i64>
// CHECK:         %size = arith.minui %c64, %rest_x : index
// CHECK-NEXT:    %last = arith.subi %size, %c1 : index
// CHECK-NEXT:    scf.for %lx = %c0 to %size step %c1 {
// CHECK-NEXT:      %i = arith.addi %base_x, %lx overflow<nsw,nuw> : index
// CHECK-NEXT:      %v = memref.load %x[%i] : memref<?xi32>
// CHECK-NEXT:      memref.store %v, %tile[%lx] : memref<64xi32, 3 : i64>
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    scf.for %lx_1 = %c0 to %size step %c1 {
// CHECK-NOT:     spmd.barrier
// CHECK:         func.return
// CHECK-LABEL: func.func @mirror.full
// CHECK-SAME:    attributes {spmd.full_groups, spmd.work_group_function, spmd.work_group_size = array<i64: 64, 1, 1>}
// CHECK-NOT:     arith.minui
// CHECK:         scf.for %lx = %c0 to %c64 step %c1 {
spmd.kernel @mirror(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c1 = arith.constant 1 : index
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  %i = spmd.global_id x
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %last = arith.subi %size, %c1 : index
  %v = memref.load %x[%i] : memref<?xi32>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %other = arith.subi %last, %lid : index
  %w = memref.load %tile[%other] : memref<64xi32, #spmd.memory<local>>
  memref.store %w, %x[%i] : memref<?xi32>
  spmd.return
}

// -----

// CHECK: expected all work-items of the group to reach spmd.barrier
spmd.kernel @rejected() {
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %low = arith.cmpi ult, %lid, %c1 : index
  scf.if %low {
    spmd.barrier
  }
  spmd.return
}
