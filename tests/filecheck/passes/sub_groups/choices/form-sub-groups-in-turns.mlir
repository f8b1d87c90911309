// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v4"}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p form-sub-groups --split-input-file | filecheck %s --check-prefix=AVX2
// RUN: xdsl-opt %s -p 'form-sub-groups{width=8}' --split-input-file | filecheck %s --check-prefix=WIDTH

// A sum holds one vector in each iteration, what is loaded for it is its operand: all lanes of
// a group fit the registers, which go through memory in one piece.

// CHECK-LABEL: func.func @sum
// CHECK:         spmd.sub_group (%lx) shape [256] at
// WIDTH-LABEL: func.func @sum
// WIDTH:         spmd.sub_group (%lx) shape [8] at
func.func @sum(%x: memref<?xf32>, %y: memref<256xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %sum = scf.for %i = %lx to %n step %c256 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%i] : memref<?xf32>
      %next = arith.addf %s, %v : f32
      scf.yield %next : f32
    }
    memref.store %sum, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Registers hold 128 lanes of %s, %p, %q and %v. Steps that are no constant are taken for long ones.
// There are no more lanes than work-items, nor than a step.

// CHECK-LABEL: func.func @held
// CHECK:         spmd.sub_group (%lx) shape [128] at
// CHECK:         spmd.sub_group (%lx_1) shape [256] at
// CHECK:         spmd.sub_group (%lx_2) shape [64] at
func.func @held(%x: memref<?xf32>, %y: memref<256xf32>, %n: index, %step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c96 = arith.constant 96 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %sum, %product, %square = scf.for %i = %lx to %n step %c256
        iter_args(%s = %zero, %p = %zero, %q = %zero) -> (f32, f32, f32) {
      %v = memref.load %x[%i] : memref<?xf32>
      %next = arith.addf %s, %v : f32
      %times = arith.mulf %p, %v : f32
      %other = arith.subf %q, %v : f32
      scf.yield %next, %times, %other : f32, f32, f32
    }
    %a = arith.addf %sum, %product : f32
    %b = arith.addf %a, %square : f32
    memref.store %b, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %lx to %n step %step {
      %v = memref.load %x[%i] : memref<?xf32>
      %w = arith.mulf %v, %v : f32
      %u = arith.mulf %w, %v : f32
      memref.store %u, %x[%i] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c96 step %c1 {
    scf.for %i = %lx to %n step %c96 {
      %v = memref.load %x[%i] : memref<?xf32>
      memref.store %v, %x[%i] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// As wide as always: steps that are too short, ends that differ, accesses that are not side by
// side, lanes that diverge.

// CHECK-LABEL: func.func @as_always
// CHECK-COUNT-4: spmd.sub_group ({{.*}}) shape [64] at
func.func @as_always(%x: memref<?xf32>, %ends: memref<256xindex>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %lx to %n step %c32 {
      memref.store %zero, %x[%i] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c256 step %c1 {
    %end = memref.load %ends[%lx] : memref<256xindex>
    scf.for %i = %lx to %end step %c256 {
      memref.store %zero, %x[%i] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %lx to %n step %c256 {
      %at = arith.muli %i, %c2 : index
      memref.store %zero, %x[%at] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %lx to %n step %c256 {
      %v = memref.load %x[%i] : memref<?xf32>
      %positive = arith.cmpf ogt, %v, %zero : f32
      scf.if %positive {
        memref.store %zero, %x[%i] : memref<?xf32>
      }
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Branches and loops that all lanes take together keep nobody apart.

// CHECK-LABEL: func.func @together
// CHECK:         spmd.sub_group (%lx) shape [256] at
func.func @together(%x: memref<?xf32>, %n: index, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    scf.for %i = %lx to %n step %c256 {
      scf.if %flag {
        memref.store %zero, %x[%i] : memref<?xf32>
      }
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Steps over the launch go to other pages: registers hold what is carried, and nothing else. Those
// over the group do not, and leave one half for the product.

// CHECK-LABEL: func.func @far
// AVX2-LABEL:  func.func @far
// AVX2:          spmd.sub_group (%lx) shape [64] at
// AVX2:          spmd.sub_group (%lx_1) shape [32] at
func.func @far(%x: memref<?xf64>, %y: memref<?xf64>, %z: memref<256xf64>, %n: index,
    %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index,
    %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f64
  scf.for %lx = %c0 to %c256 step %c1 {
    %sum = scf.for %i = %lx to %n step %nx iter_args(%s = %zero) -> (f64) {
      %v = memref.load %x[%i] : memref<?xf64>
      %w = memref.load %y[%i] : memref<?xf64>
      %p = arith.mulf %v, %w : f64
      %next = arith.addf %s, %p : f64
      scf.yield %next : f64
    }
    memref.store %sum, %z[%lx] : memref<256xf64>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c256 step %c1 {
    %sum = scf.for %i = %lx to %n step %ex iter_args(%s = %zero) -> (f64) {
      %v = memref.load %x[%i] : memref<?xf64>
      %w = memref.load %y[%i] : memref<?xf64>
      %p = arith.mulf %v, %w : f64
      %next = arith.addf %s, %p : f64
      scf.yield %next : f64
    }
    memref.store %sum, %z[%lx] : memref<256xf64>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
