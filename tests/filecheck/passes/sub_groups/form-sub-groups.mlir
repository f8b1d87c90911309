// RUN: xdsl-opt %s -p 'form-sub-groups{width=16}' --split-input-file | filecheck %s

// A trip count known at run time: full sub-groups in a loop, and one with the rest.

// CHECK-LABEL: func.func @dynamic
// CHECK:         [[SIZE:%.*]] = arith.maxsi %n, %c0 : index
// CHECK-NEXT:    %whole = arith.andi [[SIZE]], %cm16 : index
// CHECK-NEXT:    %rest = arith.andi [[SIZE]], %c15 : index
// CHECK-NEXT:    scf.for %first = %c0 to %whole step %c16 {
// CHECK-NEXT:      spmd.sub_group (%lx) shape [16] at (%first) {
// CHECK-NEXT:        %v = memref.load %x[%lx] : memref<?xf32>
// CHECK-NEXT:        memref.store %v, %x[%lx] : memref<?xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.sub_group ({{%lx.*}}) shape [16] at (%whole) count %rest {
// CHECK-NEXT:      memref.load
// CHECK-NEXT:      memref.store
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @dynamic(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
    memref.store %v, %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A size that is never negative, and a loop that does not start at 0.

// CHECK-LABEL: func.func @offset
// CHECK-NOT:     arith.maxsi
// CHECK:         [[ITEMS:%.*]] = arith.subi %n, %c5 : index
// CHECK-NEXT:    [[SIZE:%.*]] = arith.maxsi [[ITEMS]], %c0 : index
// CHECK-NEXT:    [[WHOLE:%.*]] = arith.andi [[SIZE]], %cm16 : index
// CHECK-NEXT:    [[REST:%.*]] = arith.andi [[SIZE]], %c15 : index
// CHECK-NEXT:    [[END:%.*]] = arith.addi %c5, [[WHOLE]] : index
// CHECK-NEXT:    scf.for {{%first.*}} = %c5 to [[END]] step %c16 {
// CHECK:         spmd.sub_group ({{%.*}}) shape [16] at ([[END]]) count [[REST]] {
func.func @offset(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c5 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A known trip count: only what occurs, and a last sub-group as narrow as it can be.

// CHECK-LABEL: func.func @constant
// CHECK:         scf.for %first = %c0 to %c96 step %c16 {
// CHECK-NEXT:      spmd.sub_group (%lx) shape [16] at (%first) {
// CHECK:         spmd.sub_group ({{%lx.*}}) shape [4] at (%c96) {
// CHECK-NOT:     count
// CHECK:         spmd.sub_group ({{%ly.*}}) shape [16] at (%c0) {
// CHECK-NOT:     scf.for
// CHECK:         spmd.sub_group ({{%lz.*}}) shape [8] at (%c0) count %c5 {
// CHECK-NOT:     sub_group
// CHECK:         func.return
func.func @constant(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c16 = arith.constant 16 : index
  %c100 = arith.constant 100 : index
  scf.for %lx = %c0 to %c100 step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %ly = %c0 to %c16 step %c1 {
    %v = memref.load %x[%ly] : memref<?xf32>
  } {spmd.work_items = array<i64: 1>}
  scf.for %lz = %c0 to %c5 step %c1 {
    %v = memref.load %x[%lz] : memref<?xf32>
  } {spmd.work_items = array<i64: 2>}
  func.return
}

// -----

// Of nested loops the innermost; a loop that is none of work-items stays.

// CHECK-LABEL: func.func @nest
// CHECK:         scf.for %ly = %c0 to %c16 step %c1 {
// CHECK-NEXT:      spmd.sub_group (%lx) shape [16] at (%c0) {
// CHECK:         } {spmd.work_items = array<i64: 1>}
// CHECK-NEXT:    scf.for %k = %c0 to %c16 step %c1 {
// CHECK-NEXT:      memref.load
func.func @nest(%x: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %ly = %c0 to %c16 step %c1 {
    scf.for %lx = %c0 to %c16 step %c1 {
      %v = memref.load %x[%ly, %lx] : memref<?x?xf32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  scf.for %k = %c0 to %c16 step %c1 {
    %v = memref.load %x[%k, %k] : memref<?x?xf32>
  }
  func.return
}

// -----

// A view that promises something is a view.

// CHECK-LABEL: func.func @assume_alignment
// CHECK:         spmd.sub_group
// CHECK-NEXT:      %a = memref.assume_alignment %x, 64 : memref<?xf32>
func.func @assume_alignment(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %lx = %c0 to %c16 step %c1 {
    %a = memref.assume_alignment %x, 64 : memref<?xf32>
    %v = memref.load %a[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What cannot be lanes says why.

// CHECK-LABEL: func.func @reasons
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "a private array made outside of the loop is used by its work-items"}
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "its step is not the constant 1"}
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "it carries values from one work-item to the next"}
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "arith.addf of type vector<4xf32> has no vector form"}
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "one work-item needs no lanes"}
func.func @reasons(%n: index, %x: memref<?xf32>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = memref.alloca() : memref<4xf32>
  scf.for %lx = %c0 to %n step %c1 {
    %0 = memref.load %a[%lx] : memref<4xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c4 {
    %0 = memref.load %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  %sum = scf.for %lx = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %lx : index
    scf.yield %t : index
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    %w = arith.addf %v, %v : vector<4xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c1 step %c1 {
    %w = memref.load %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Group memory and arrays of each work-item are fine.

// CHECK-LABEL: func.func @arrays
// CHECK-NOT:     not_vectorized
// CHECK:         spmd.sub_group
// CHECK-NEXT:      memref.alloca
func.func @arrays(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %tile = memref.alloca() {spmd.group_memory} : memref<64xf32, 3 : i64>
  scf.for %lx = %c0 to %n step %c1 {
    %a = memref.alloca() : memref<4xf32>
    %v = memref.load %tile[%lx] : memref<64xf32, 3 : i64>
    memref.store %v, %a[%c0] : memref<4xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A step of a tree reduction in local memory is left to LLVM; one that reads an array of
// everybody is not.

// CHECK-LABEL: func.func @tree
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "LLVM does as well in a straight line over part of local memory"}
// CHECK:         spmd.sub_group
func.func @tree(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloca() {spmd.group_memory} : memref<64xf32, 3 : i64>
  scf.for %s = %c0 to %n step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %low = arith.cmpi ult, %lx, %s : index
      scf.if %low {
        %j = arith.addi %lx, %s : index
        %a = memref.load %tile[%lx] : memref<64xf32, 3 : i64>
        %b = memref.load %tile[%j] : memref<64xf32, 3 : i64>
        %c = arith.addf %a, %b : f32
        memref.store %c, %tile[%lx] : memref<64xf32, 3 : i64>
      }
    } {spmd.work_items = array<i64: 0>}
    scf.for %lx = %c0 to %s step %c1 {
      %a = memref.load %x[%lx] : memref<?xf32>
      memref.store %a, %tile[%lx] : memref<64xf32, 3 : i64>
    } {spmd.work_items = array<i64: 0>}
  }
  func.return
}

// -----

// For kernels and parallel loops it is too early, and they say so.

// CHECK-LABEL: spmd.kernel @early
// CHECK-SAME:    spmd.not_vectorized = "run spmd-to-loops first"
spmd.kernel @early(%x: memref<?xf32>) {
  spmd.return
}
// CHECK-LABEL: func.func @parallel
// CHECK:         } {spmd.not_vectorized = "run parallel-loops-to-kernels and spmd-to-loops first"}
func.func @parallel(%n: index, %x: memref<?xf32>, %t: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %t, %x[%i] : memref<?xf32>
    scf.reduce
  }
  func.return
}
// CHECK-LABEL: func.func @not_launched
// CHECK:         spmd.not_vectorized = "it is not launched: of its reason"
func.func @not_launched(%n: index, %x: memref<?xf32>, %t: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %t, %x[%i] : memref<?xf32>
    scf.reduce
  } {spmd.not_launched = "of its reason"}
  func.return
}

// -----

// Whoever prints does it in the order of the work-items.

// CHECK-LABEL: func.func @printed
// CHECK:         spmd.not_vectorized = "spmd.print shows in which order work-items run"
func.func @printed(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %lx = %c0 to %c64 step %c1 {
    %a = memref.load %x[%lx] : memref<?xf32>
    spmd.print "{}\0A"(%a) : f32
  } {spmd.work_items = array<i64: 0>}
  func.return
}
