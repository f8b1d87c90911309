// RUN: xdsl-opt %s -p mask-divergence | filecheck %s
// RUN: xdsl-opt %s -p 'mask-divergence{skip=false}' | filecheck %s --check-prefix=NOSKIP
// RUN: xdsl-opt %s -p 'mask-divergence{keep_uniform=false}' | filecheck %s --check-prefix=LINEAR

// A branch of eight divisions is skipped where no lane takes it, or runs under its mask.
// A uniform branch stays, or becomes a mask like any other.

// CHECK-LABEL: func.func @options
// CHECK:         [[SOME:%\w+]] = spmd.any %p across sub_group
// CHECK-NEXT:    scf.if [[SOME]] {
// CHECK:           spmd.masked %p {
// CHECK:         scf.if %flag {
// CHECK-NEXT:      memref.store %v, %y[%lx] : memref<?xf32>

// NOSKIP-LABEL: func.func @options
// NOSKIP-NOT:       spmd.any
// NOSKIP:         spmd.masked %p {
// NOSKIP:         scf.if %flag {

// LINEAR-LABEL: func.func @options
// LINEAR:         scf.if
// LINEAR-NOT:     scf.if
// LINEAR:         spmd.masked %flag {
// LINEAR-NEXT:      memref.store %v, %y[%lx] : memref<?xf32>
func.func @options(%b: index, %x: memref<?xf32>, %y: memref<?xf32>, %flag: i1) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    scf.if %p {
      %1 = arith.divf %v, %v : f32
      %2 = arith.divf %1, %v : f32
      %3 = arith.divf %2, %v : f32
      %4 = arith.divf %3, %v : f32
      %5 = arith.divf %4, %v : f32
      %6 = arith.divf %5, %v : f32
      %7 = arith.divf %6, %v : f32
      %8 = arith.divf %7, %v : f32
      memref.store %8, %x[%lx] : memref<?xf32>
    }
    scf.if %flag {
      memref.store %v, %y[%lx] : memref<?xf32>
    }
  }
  func.return
}

// A branch that is skipped by itself does not make the one around it long.

// CHECK-LABEL: func.func @inner
// CHECK-NOT:     spmd.any
// CHECK:         %outside = arith.addf
// CHECK:         %active = arith.select %p, %q, %false : i1
// CHECK:         spmd.any %active across sub_group
// CHECK-NOT:     spmd.any
// CHECK:         func.return

// NOSKIP-LABEL: func.func @inner
// LINEAR-LABEL: func.func @inner
func.func @inner(%b: index, %x: memref<?xf32>) {
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %p = arith.cmpf ogt, %v, %zero : f32
    scf.if %p {
      %outside = arith.addf %v, %v : f32
      %q = arith.cmpf ogt, %outside, %v : f32
      scf.if %q {
        %1 = arith.divf %v, %v : f32
        %2 = arith.divf %1, %v : f32
        %3 = arith.divf %2, %v : f32
        %4 = arith.divf %3, %v : f32
        %5 = arith.divf %4, %v : f32
        %6 = arith.divf %5, %v : f32
        %7 = arith.divf %6, %v : f32
        %8 = arith.divf %7, %v : f32
        memref.store %8, %x[%lx] : memref<?xf32>
      }
    }
  }
  func.return
}
