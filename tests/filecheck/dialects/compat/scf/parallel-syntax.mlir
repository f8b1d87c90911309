// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s

// CHECK:      func.func @loops
// CHECK:        %a, %b = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) init (%z, %t) -> (f32, i32) {
// CHECK-NEXT:     %v = memref.load %x[%i, %j] : memref<?x?xf32>
// CHECK-NEXT:     scf.reduce(%v, %t : f32, i32) {
// CHECK-NEXT:     ^bb0(%l: f32, %r: f32):
// CHECK-NEXT:       %s = arith.addf %l, %r : f32
// CHECK-NEXT:       scf.reduce.return %s : f32
// CHECK-NEXT:     }, {
// CHECK:            scf.reduce.return %{{.*}} : i32
// CHECK-NEXT:     }
// CHECK-NEXT:   } {hello}
// CHECK-NEXT:   %c = scf.parallel (%{{.*}}) = (%c0) to (%n) step (%c1) init (%t) -> i32 {
// CHECK:        scf.parallel (%[[K:.*]]) = (%c0) to (%n) step (%c1) {
// CHECK-NEXT:     %{{.*}} = memref.load %x[%[[K]], %[[K]]] : memref<?x?xf32>
// CHECK-NEXT:     scf.reduce
// CHECK-NEXT:   }
func.func @loops(%x: memref<?x?xf32>, %n: index, %z: f32, %t: i32) -> (f32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a, %b = scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) init (%z, %t) -> (f32, i32) {
    %v = memref.load %x[%i, %j] : memref<?x?xf32>
    scf.reduce(%v, %t : f32, i32) {
    ^bb0(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      scf.reduce.return %s : i32
    }
  } {hello}
  %c = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%t) -> i32 {
    scf.reduce(%b : i32) {
    ^bb0(%l: i32, %r: i32):
      scf.reduce.return %l : i32
    }
  }
  scf.parallel (%k) = (%c0) to (%n) step (%c1) {
    %v = memref.load %x[%k, %k] : memref<?x?xf32>
  }
  func.return %a, %c : f32, i32
}
