// RUN: xdsl-opt %s -p expand-ops | filecheck %s
// RUN: xdsl-opt %s -p expand-ops,expand-ops | filecheck %s
// RUN: xdsl-opt %s -p parallel-loops-to-kernels | filecheck %s --check-prefix KERNELS

// What is inside comes first; bounds that are numbers become constants.

// CHECK-LABEL: func.func @nest
// CHECK:         scf.parallel (%i) = (%low) to (%n) step
// CHECK:           scf.parallel (%j, %k) =
// CHECK-SAME:          (%[[ZERO:.*]], %[[ZERO]]) to (%[[EIGHT:.*]], %i) step (%[[ONE:.*]], %[[ONE]])
// CHECK-NEXT:        memref.store %v, %x[%j, %k]
// CHECK-NEXT:        scf.reduce
// CHECK:           scf.reduce
// CHECK-NOT:     scf.forall
// CHECK:         func.return

// KERNELS:       spmd.kernel @nest_loop
// KERNELS:       spmd.launch @nest_loop
func.func @nest(%x: memref<?x?xf32>, %low: index, %n: index, %v: f32) {
  scf.forall (%i) = (%low) to (%n) step (2) {
    scf.forall (%j, %k) in (8, %i) {
      memref.store %v, %x[%j, %k] : memref<?x?xf32>
    }
  }
  func.return
}

// What xDSL does not have as a structured op of linalg is a generic one.

// CHECK-LABEL: func.func @structured
// CHECK:         linalg.generic
// CHECK-SAME:        affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>
// CHECK-SAME:        iterator_types = ["parallel", "parallel"]
// CHECK:         linalg.generic
// CHECK-SAME:        affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>
// CHECK-SAME:        iterator_types = ["parallel", "reduction"]
// CHECK:           arith.addf
func.func @structured(%x: memref<8xf32>, %y: memref<4x8xf32>, %z: memref<4xf32>) {
  linalg.broadcast ins(%x : memref<8xf32>) outs(%y : memref<4x8xf32>) dimensions = [0]
  linalg.reduce ins(%y : memref<4x8xf32>) outs(%z : memref<4xf32>) dimensions = [1]
  (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  }
  func.return
}

// An op that is short for nothing stays.

// CHECK-LABEL: func.func @other
// CHECK-NEXT:    "test.op"() : () -> ()
// CHECK-NEXT:    func.return
func.func @other() {
  "test.op"() : () -> ()
  func.return
}

// A vector is printed by its elements; one op prints at most 32.

// CHECK-LABEL: func.func @printed
// CHECK-NEXT:    %[[A:.*]] = vector.extract %v[0, 0] : f32 from vector<1x2xf32>
// CHECK-NEXT:    %[[B:.*]] = vector.extract %v[0, 1] : f32 from vector<1x2xf32>
// CHECK-NEXT:    spmd.print "( ( {:g}, {:g} ) )\0A"(%[[A]], %[[B]]) : f32, f32
// CHECK-NEXT:    spmd.print "{u}\0A"(%n) : index
// CHECK:         spmd.print "( {}, {},
// CHECK-NEXT:    spmd.print ", {} )\0A"(%{{.*}}) : i32
func.func @printed(%v: vector<1x2xf32>, %n: index, %w: vector<33xi32>) {
  vector.print %v : vector<1x2xf32>
  vector.print %n : index
  vector.print %w : vector<33xi32>
  func.return
}
