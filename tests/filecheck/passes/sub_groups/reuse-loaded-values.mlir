// RUN: xdsl-opt %s -p reuse-loaded-values --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p reuse-loaded-values,reuse-loaded-values --split-input-file | filecheck %s

// The smallest of a row and its place: what is compared is what is kept.

// CHECK-LABEL: func.func @smallest
// CHECK:           %v = memref.load %x[%lx, %next] : memref<?x?xf32>
// CHECK-NEXT:      %less = arith.cmpf olt, %v, %b : f32
// CHECK-NEXT:      %p, %q = scf.if %less -> (f32, index) {
// CHECK-NEXT:        %again = arith.addi %c1, %j : index
// CHECK-NEXT:        scf.yield %v, %j : f32, index
func.func @smallest(%x: memref<?x?xf32>, %y: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %first = memref.load %x[%lx, %c0] : memref<?x?xf32>
    %best, %at = scf.for %j = %c0 to %n step %c1 iter_args(%b = %first, %a = %c0) -> (f32, index) {
      %next = arith.addi %j, %c1 : index
      %v = memref.load %x[%lx, %next] : memref<?x?xf32>
      %less = arith.cmpf olt, %v, %b : f32
      %p, %q = scf.if %less -> (f32, index) {
        %again = arith.addi %c1, %j : index
        %w = memref.load %x[%lx, %again] : memref<?x?xf32>
        scf.yield %w, %j : f32, index
      } else {
        scf.yield %b, %a : f32, index
      }
      scf.yield %p, %q : f32, index
    }
    memref.store %at, %y[%lx] : memref<?xindex>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// After a store to what may be the same memory, nothing is known of it; in a branch all is
// that was before, and in a loop what no iteration writes.

// CHECK-LABEL: func.func @stores
// CHECK:           %u = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:      %v = memref.load %y[%lx] : memref<?xf32>
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        memref.store %u, %x[%lx] : memref<?xf32>
// CHECK-NEXT:        %u_1 = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:        memref.store %u_1, %x[%c0] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:        %u_2 = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:        %s = arith.addf %u_2, %v : f32
// CHECK-NEXT:        memref.store %s, %x[%lx] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %u_3 = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:      scf.for %k_1 = %c0 to %n step %c1 {
// CHECK-NEXT:        %u_4 = memref.load %x[%k_1] : memref<?xf32>
// CHECK-NEXT:        %s_1 = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:        %t = arith.addf %s_1, %v : f32
// CHECK-NEXT:        memref.store %t, %x[%k_1] : memref<?xf32>
// CHECK-NEXT:        memref.store %u_4, %y[%c0] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.store %u_3, %y[%lx] : memref<?xf32>
func.func @stores(%x: memref<?xf32>, %y: memref<?xf32> {spmd.noalias}, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %u = memref.load %x[%lx] : memref<?xf32>
    %v = memref.load %y[%lx] : memref<?xf32>
    scf.if %c {
      %u_1 = memref.load %x[%lx] : memref<?xf32>
      memref.store %u_1, %x[%lx] : memref<?xf32>
      %u_2 = memref.load %x[%lx] : memref<?xf32>
      memref.store %u_2, %x[%c0] : memref<?xf32>
    }
    scf.for %k = %c0 to %n step %c1 {
      %u_3 = memref.load %x[%lx] : memref<?xf32>
      %v_3 = memref.load %y[%lx] : memref<?xf32>
      %s = arith.addf %u_3, %v_3 : f32
      memref.store %s, %x[%lx] : memref<?xf32>
    }
    %u_4 = memref.load %x[%lx] : memref<?xf32>
    scf.for %k_1 = %c0 to %n step %c1 {
      %u_5 = memref.load %x[%k_1] : memref<?xf32>
      %s_1 = memref.load %x[%lx] : memref<?xf32>
      %t = arith.addf %s_1, %v : f32
      memref.store %t, %x[%k_1] : memref<?xf32>
      memref.store %u_5, %y[%c0] : memref<?xf32>
    }
    memref.store %u_4, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What others do meanwhile is seen where they meet, and after an atomic; and what one branch
// has loaded the other has not.

// CHECK-LABEL: func.func @others
// CHECK-COUNT-5: memref.load %x[%lx] : memref<?xi32>
func.func @others(%x: memref<?xi32>, %z: memref<?xi32> {spmd.noalias}, %c: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    scf.if %c {
      %r = memref.load %x[%lx] : memref<?xi32>
      memref.store %r, %z[%c0] : memref<?xi32>
    } else {
      %s = memref.load %x[%lx] : memref<?xi32>
      memref.store %s, %z[%c1] : memref<?xi32>
    }
    %u = memref.load %x[%lx] : memref<?xi32>
    spmd.barrier sub_group
    %v = memref.load %x[%lx] : memref<?xi32>
    %old = spmd.atomic_rmw add %v, %z[%c0] : memref<?xi32>
    %w = memref.load %x[%lx] : memref<?xi32>
    %t = arith.addi %u, %w : i32
    memref.store %t, %x[%lx] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
