// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: Expected `x`, `y`, or `z`
spmd.kernel @no_such_dimension() {
  %i = spmd.global_id w
  spmd.return
}

// -----

// CHECK: Expected `x`, `y`, or `z`
spmd.kernel @no_dimension() {
  %i = spmd.local_id
  spmd.return
}

// -----

// CHECK: expected spmd.group_id inside a kernel or function, got it at module level
%i = spmd.group_id x

// -----

// CHECK: expected spmd.lane_id inside a kernel or function, got it at module level
%i = spmd.lane_id

// -----

// CHECK: property 'dimension' expected in operation 'spmd.local_size'
func.func @generic_without_dimension() {
  %i = "spmd.local_size"() : () -> index
  func.return
}

// -----

// CHECK: i32 should be of base attribute index
func.func @result_type() {
  %i = "spmd.num_groups"() <{dimension = #spmd.dimension<x>}> : () -> i32
  func.return
}
