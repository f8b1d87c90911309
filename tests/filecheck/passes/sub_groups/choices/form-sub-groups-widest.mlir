// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v4}' | filecheck %s

// Positions that are i64 in between become numbers of 32 bits like those that never are.

// CHECK-LABEL: @positions
// CHECK:         spmd.sub_group (%i) shape [64] at
func.func @positions(%x: memref<?xf32>, %y: memref<64xf32>, %r: i64, %n: i64) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %zero = arith.constant 0 : i64
    %at = arith.index_cast %i : index to i64
    %before = arith.subi %at, %r : i64
    %lo = arith.maxsi %before, %zero : i64
    %after = arith.addi %at, %r : i64
    %hi = arith.minsi %after, %n : i64
    %first = arith.index_cast %lo : i64 to index
    %last = arith.index_cast %hi : i64 to index
    %a = memref.load %x[%first] : memref<?xf32>
    %b = memref.load %x[%last] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    memref.store %s, %y[%i] : memref<64xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Numbers that only begin with one need all of their bits.

// CHECK-LABEL: @numbers
// CHECK:         spmd.sub_group (%i) shape [32] at
func.func @numbers(%y: memref<64xf32>, %by: i64) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %at = arith.index_cast %i : index to i64
    %product = arith.muli %at, %by : i64
    %s = arith.sitofp %product : i64 to f32
    memref.store %s, %y[%i] : memref<64xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
