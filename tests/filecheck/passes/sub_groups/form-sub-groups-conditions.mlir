// RUN: xdsl-opt %s -p form-sub-groups --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v3"}' --split-input-file | filecheck %s --check-prefix=V3
// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v4"}' --split-input-file | filecheck %s --check-prefix=V4

// LLVM makes vectors of a row that is counted, also where a condition decides what counts: it
// chooses between two values. What is counted in order, as a product is, needs lanes.

// CHECK-LABEL: func.func @count
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for transposed tiles; scalar code takes {{.*}}"}
// CHECK:         spmd.sub_group (%lx_1)
func.func @count(%x: memref<?x?xi8>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c0_i8 = arith.constant 0 : i8
  scf.for %lx = %c0 to %c64 step %c1 {
    %n = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %c0_i32) -> (i32) {
      %v = memref.load %x[%lx, %k] : memref<?x?xi8>
      %counts = arith.cmpi slt, %v, %c0_i8 : i8
      %b = scf.if %counts -> (i32) {
        %one_more = arith.addi %a, %c1_i32 : i32
        scf.yield %one_more : i32
      } else {
        scf.yield %a : i32
      }
      scf.yield %b : i32
    }
    memref.store %n, %y[%lx] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c64 step %c1 {
    %n = scf.for %k = %c0 to %c64 step %c1 iter_args(%a = %c0_i32) -> (i32) {
      %v = memref.load %x[%lx, %k] : memref<?x?xi8>
      %counts = arith.cmpi slt, %v, %c0_i8 : i8
      %b = scf.if %counts -> (i32) {
        %one_more = arith.addi %a, %c1_i32 : i32
        scf.yield %one_more : i32
      } else {
        %twice = arith.shli %a, %c1_i32 : i32
        scf.yield %twice : i32
      }
      scf.yield %b : i32
    }
    memref.store %n, %y[%lx] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Stores of bytes ask each lane whether it is active where no instruction has masks for them,
// unless mostly all lanes are, as ids decide.

// CHECK-LABEL: func.func @bytes
// V3-LABEL:    func.func @bytes
// V3:            spmd.not_vectorized = "lanes would take {{.*}}, most of them for tests of lanes; scalar code takes {{.*}}"}
// V3:            spmd.sub_group (%lx_1)
// V4-LABEL:    func.func @bytes
// V4:            spmd.sub_group (%lx)
// V4:            spmd.sub_group (%lx_1)
func.func @bytes(%n: index, %m: index, %x: memref<?xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c0_i8 = arith.constant 0 : i8
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xi8>
    %c = arith.cmpi slt, %v, %c0_i8 : i8
    scf.if %c {
      memref.store %v, %y[%lx] : memref<?xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %n step %c1 {
    %w = memref.load %x[%lx_1] : memref<?xi8>
    %d = arith.cmpi slt, %lx_1, %m : index
    scf.if %d {
      memref.store %w, %y[%lx_1] : memref<?xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
