// RUN: xdsl-opt %s -p sub-groups-to-loops | filecheck %s
// RUN: xdsl-opt %s -t spmd-llvm | filecheck %s --check-prefix LLVM

// The targets run the pass by themselves.
// LLVM: define

// What lanes ask about their sub-group is arithmetic; no mask is left where all exist.

// CHECK-LABEL: func.func @queries
// CHECK:         scf.for %first = %c0 to %whole step %c8 {
// CHECK-NEXT:      %id = arith.divui %first, %c8 : index
// CHECK:           scf.for %lane = %c0 to %c8 step %c1 {
// CHECK:             memref.store %id, %x[%{{.*}}] : memref<?xindex>
// CHECK:         arith.cmpi slt, %lane{{.*}}, %rest : index
// CHECK-NOT:     spmd.sub_group
// CHECK-NOT:     spmd.lane_id
func.func @queries(%x: memref<?xindex>, %n: index)
    attributes {spmd.sub_group_size = 8 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %id = spmd.sub_group_id
    %lane = spmd.lane_id
    memref.store %id, %x[%lx] : memref<?xindex>
    memref.store %lane, %x[%lx] : memref<?xindex>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Nothing here asks for sub-groups.

// CHECK-LABEL: func.func @untouched
// CHECK:         } {spmd.work_items = array<i64: 0>}
func.func @untouched(%x: memref<?xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    memref.store %lx, %x[%lx] : memref<?xindex>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
