// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v3}' | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v4}' | filecheck %s --check-prefix=LONG

// Four elements for each lane are held until two registers of two of them are made: one register
// of each, with 16 of 256 bits that take several shuffles.
// CHECK-LABEL: func.func @two_of_four
// CHECK: spmd.sub_group {{.*}} shape [8]
// LONG-LABEL: func.func @two_of_four
// LONG: spmd.sub_group {{.*}} shape [64]
func.func @two_of_four(%p: memref<?x4xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.load %p[%i, %c0] : memref<?x4xf32>
    %b = memref.load %p[%i, %c1] : memref<?x4xf32>
    %ab = arith.mulf %a, %b : f32
    memref.store %ab, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// One of two: what is loaded need not wait.
// CHECK-LABEL: func.func @one_of_two
// CHECK: spmd.sub_group {{.*}} shape [32]
// LONG-LABEL: func.func @one_of_two
// LONG: spmd.sub_group {{.*}} shape [64]
func.func @one_of_two(%p: memref<?x2xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.load %p[%i, %c0] : memref<?x2xf32>
    memref.store %a, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Eight elements of each lane are in registers once the loop is written out, so that there is
// room for one register of each of them, or two.
// CHECK-LABEL: func.func @held
// CHECK: spmd.sub_group {{.*}} shape [8]
// LONG-LABEL: func.func @held
// LONG: spmd.sub_group {{.*}} shape [32]
func.func @held(%p: memref<8x?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.alloca() : memref<8xf32>
    scf.for %k = %c0 to %c8 step %c1 {
      %v = memref.load %p[%k, %i] : memref<8x?xf32>
      memref.store %v, %a[%k] : memref<8xf32>
    }
    %first = memref.load %a[%c0] : memref<8xf32>
    memref.store %first, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// One that is accessed anywhere is in memory.
// CHECK-LABEL: func.func @in_memory
// CHECK: spmd.sub_group {{.*}} shape [32]
// LONG-LABEL: func.func @in_memory
// LONG: spmd.sub_group {{.*}} shape [64]
func.func @in_memory(%x: memref<?xindex>, %y: memref<?xf32>, %f: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %a = memref.alloca() : memref<8xf32>
    scf.for %k = %c0 to %c8 step %c1 {
      memref.store %f, %a[%k] : memref<8xf32>
    }
    %at = memref.load %x[%i] : memref<?xindex>
    %any = memref.load %a[%at] : memref<8xf32>
    memref.store %any, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
