// RUN: xdsl-opt %s -p form-sub-groups --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{width=8}' --split-input-file | filecheck %s --check-prefix=LANES

// Scalar code runs an iteration of all work-items before the next one: %data is contiguous then.

// CHECK-LABEL: func.func @counters
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      scf.for %lx = %c0 to %c64 step %c1 {
// CHECK-NEXT:        %own = arith.addi %first, %lx : index
// CHECK-NEXT:        %row = arith.muli %i, %c64 : index
// CHECK:             memref.load %data
// CHECK:             memref.store %new
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "lanes would take {{.*}}; all work-items run an iteration of the loop before the next"}
// CHECK-NEXT:    } {name}
// LANES-LABEL: func.func @counters
// LANES:         spmd.sub_group
// LANES:           scf.for %i
func.func @counters(%data: memref<?xi32>, %counters: memref<256x64xi8>, %n: index, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    %own = arith.addi %first, %lx : index
    scf.for %i = %c0 to %n step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %own : index
      %v32 = memref.load %data[%at] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = memref.load %counters[%v, %lx] : memref<256x64xi8>
      %new = arith.addi %old, %one : i8
      memref.store %new, %counters[%v, %lx] : memref<256x64xi8>
    } {name}
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: contiguous from one iteration to the next.

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %lx
// CHECK:           scf.for %i
// LANES-LABEL: func.func @rows
func.func @rows(%data: memref<64x?xi32>, %counters: memref<256x64xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %i = %c0 to %n step %c1 {
      %v32 = memref.load %data[%lx, %i] : memref<64x?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = memref.load %counters[%v, %lx] : memref<256x64xi8>
      %new = arith.addi %old, %one : i8
      memref.store %new, %counters[%v, %lx] : memref<256x64xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Kept: something is written before the loop.

// CHECK-LABEL: func.func @written
// CHECK:         scf.for %lx
// CHECK:           memref.store %zero
// CHECK:           scf.for %i
// LANES-LABEL: func.func @written
func.func @written(%data: memref<?xi32>, %counters: memref<256x64xi8>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i8
  %one = arith.constant 1 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    memref.store %zero, %counters[%c0, %lx] : memref<256x64xi8>
    scf.for %i = %c0 to %n step %c1 {
      %row = arith.muli %i, %c64 : index
      %at = arith.addi %row, %lx : index
      %v32 = memref.load %data[%at] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = memref.load %counters[%v, %lx] : memref<256x64xi8>
      %new = arith.addi %old, %one : i8
      memref.store %new, %counters[%v, %lx] : memref<256x64xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Lanes would be no dearer than work-items that run one after the other, each by rows far apart;
// they are dearer than work-items that take turns. Atomics stay as they are.

// CHECK-LABEL: func.func @atomics
// CHECK:         scf.for %i = %c0 to %c64 step %c1 {
// CHECK-NEXT:      scf.for %lx = %c0 to %c256 step %c1 {
// CHECK:             spmd.atomic_rmw
// LANES-LABEL: func.func @atomics
// LANES:         spmd.sub_group
// LANES:           scf.for %i
func.func @atomics(%data: memref<?xi32>, %counters: memref<256xi32, 3 : i64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1 : i32
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %row = arith.muli %i, %c256 : index
      %at = arith.addi %row, %lx : index
      %v32 = memref.load %data[%at] : memref<?xi32>
      %v = arith.index_cast %v32 : i32 to index
      %old = spmd.atomic_rmw add %one, %counters[%v] : memref<256xi32, 3 : i64>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
