// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: expected an integer of 8 to 64 bits, index or a float for add, got i1
spmd.kernel @add_of_bits(%v: i1) {
  %0 = spmd.reduce add %v across work_group : i1
  spmd.return
}

// -----

// CHECK: expected an integer of 8 to 64 bits, index or a float for max, got i1
spmd.kernel @max_of_bits(%v: i1) {
  %0 = spmd.reduce max %v across work_group : i1
  spmd.return
}

// -----

// CHECK: expected an integer of 8 to 64 bits or index for minui, got f32
spmd.kernel @unsigned_min_of_floats(%v: f32) {
  %0 = spmd.reduce minui %v across work_group : f32
  spmd.return
}

// -----

// CHECK: expected an integer or index for xor, got f32
spmd.kernel @xor_of_floats(%v: f32) {
  %0 = spmd.reduce xor %v across work_group : f32
  spmd.return
}

// -----

// CHECK: expected an integer of 8 to 64 bits, index or a float for add, got vector<4xf32>
func.func @reduce_of_vectors(%v: vector<4xf32>) {
  %0 = spmd.reduce add %v across work_group : vector<4xf32>
  func.return
}

// -----

// CHECK: expected an integer or index for and, got f64
spmd.kernel @scan_and_of_floats(%v: f64) {
  %0 = spmd.scan exclusive and %v across work_group : f64
  spmd.return
}

// -----

// CHECK: Expected `add`, `mul`, `min`, `max`, `minui`, `maxui`, `and`, `or`, or `xor`
spmd.kernel @no_such_kind(%v: f32) {
  %0 = spmd.reduce sub %v across work_group : f32
  spmd.return
}

// -----

// CHECK: Expected `inclusive`, or `exclusive`
spmd.kernel @no_such_mode(%v: f32) {
  %0 = spmd.scan add %v across work_group : f32
  spmd.return
}

// -----

// CHECK: Expected `idx`, `xor`, `up`, `down`, or `rotate`
spmd.kernel @no_such_shuffle(%v: f32, %i: index) {
  %0 = spmd.shuffle left %v, %i : f32
  spmd.return
}

// -----

// CHECK: Expected 'from'
spmd.kernel @broadcast_from_nowhere(%v: f32) {
  %0 = spmd.broadcast %v across work_group : f32
  spmd.return
}

// -----

// CHECK: operand 'selector' at position 1 does not verify:
// CHECK-NEXT: i32 should be of base attribute index
spmd.kernel @lane_of_i32(%v: f32, %i: i32) {
  %0 = "spmd.shuffle"(%v, %i) <{mode = #spmd.shuffle_mode<idx>}> : (f32, i32) -> f32
  spmd.return
}

// -----

// CHECK: expected a value of type index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, got memref<f32>
spmd.kernel @broadcast_of_memrefs(%v: memref<f32>, %i: index) {
  %0 = spmd.broadcast %v from %i across work_group : memref<f32>
  spmd.return
}

// -----

// CHECK: expected a value of type index, i1, i8, i16, i32, i64, f16, bf16, f32 or f64, got vector<4xf32>
func.func @shuffle_of_vectors(%v: vector<4xf32>, %i: index) {
  %0 = spmd.shuffle idx %v, %i : vector<4xf32>
  func.return
}

// -----

// CHECK: result 'result' at position 0 does not verify:
// CHECK: attribute f32 expected from variable 'T', but got f64
spmd.kernel @other_result(%v: f32) {
  %0 = "spmd.reduce"(%v) <{kind = #spmd.kind<add>, scope = #spmd.scope<work_group>}> : (f32) -> f64
  spmd.return
}

// -----

// CHECK: expected spmd.reduce inside a kernel or function, got it at module level
%v = "test.op"() : () -> f32
%0 = spmd.reduce add %v across work_group : f32

// -----

// CHECK: expected spmd.scan inside a kernel or function, got it at module level
%v = "test.op"() : () -> f32
%0 = spmd.scan inclusive add %v across work_group : f32

// -----

// CHECK: expected spmd.broadcast inside a kernel or function, got it at module level
%v, %i = "test.op"() : () -> (f32, index)
%0 = spmd.broadcast %v from %i across work_group : f32

// -----

// CHECK: expected spmd.shuffle inside a kernel or function, got it at module level
%v, %i = "test.op"() : () -> (f32, index)
%0 = spmd.shuffle idx %v, %i : f32
