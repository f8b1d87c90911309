// RUN: xdsl-opt %s --parsing-diagnostics --verify-diagnostics --split-input-file | filecheck %s

// CHECK: expected scf.forall to write memrefs, got shared_outs: bufferize it first
func.func @tensors(%t: tensor<8xf32>) {
  %r = scf.forall (%i) in (8) shared_outs(%o = %t) -> (tensor<8xf32>) {
  }
  func.return
}

// -----

// CHECK: expected scf.forall to write memrefs, got outputs: bufferize it first
func.func @outputs(%t: tensor<8xf32>) {
  %r = "scf.forall"(%t) <{staticLowerBound = array<i64: 0>, staticUpperBound = array<i64: 8>, staticStep = array<i64: 1>, operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%i: index):
    "scf.forall.in_parallel"() ({
    ^bb1:
    }) : () -> ()
  }) : (tensor<8xf32>) -> tensor<8xf32>
  func.return
}

// -----

// CHECK: expected as many lower bounds, upper bounds and steps as counters, 1, got 1, 2, 1
func.func @counts(%n: index) {
  scf.forall (%i) = (0) to (%n, 8) step (1) {
  }
  func.return
}

// -----

// CHECK: expected steps of at least 1, got 0
func.func @step(%n: index) {
  scf.forall (%i) = (0) to (%n) step (0) {
  }
  func.return
}

// -----

// CHECK: expected scf.forall to write memrefs, got insertions into tensors: bufferize it first
func.func @insert(%n: index) {
  scf.forall (%i) in (%n) {
    scf.forall.in_parallel {
      "test.op"() : () -> ()
    }
  }
  func.return
}

// -----

// CHECK: expected scf.forall.in_parallel at the end of the body
func.func @no_end(%n: index) {
  "scf.forall"(%n) <{staticLowerBound = array<i64: 0>, staticUpperBound = array<i64: -9223372036854775808>, staticStep = array<i64: 1>, operandSegmentSizes = array<i32: 0, 1, 0, 0>}> ({
  ^bb0(%i: index):
    "test.termop"() : () -> ()
  }) : (index) -> ()
  func.return
}
