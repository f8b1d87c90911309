// RUN: xdsl-opt %s | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s

// Upstream's `scf.while` without values has no parentheses; with values all is as before.

// CHECK-LABEL: func.func @without
// CHECK:         scf.while () : () -> () {
// CHECK:           scf.condition(%more)
// CHECK:         } do {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
func.func @without(%more: i1) {
  scf.while : () -> () {
    scf.condition(%more)
  } do {
    scf.yield
  }
  func.return
}

// CHECK-LABEL: func.func @only_results
// CHECK:         %r = scf.while () : () -> f32 {
func.func @only_results(%more: i1, %v: f32) -> f32 {
  %r = scf.while : () -> f32 {
    scf.condition(%more) %v : f32
  } do {
  ^bb0(%u: f32):
    scf.yield
  } attributes {mine}
  func.return %r : f32
}

// CHECK-LABEL: func.func @with
// CHECK:         scf.while (%a = %v) : (f32) -> f32 {
func.func @with(%more: i1, %v: f32) {
  %r = scf.while (%a = %v) : (f32) -> f32 {
    scf.condition(%more) %a : f32
  } do {
  ^bb0(%u: f32):
    scf.yield %u : f32
  }
  func.return
}
