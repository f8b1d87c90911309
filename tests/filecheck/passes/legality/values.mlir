// RUN: xdsl-opt %s -p spmd-to-loops --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Casts, constants and vectors.

// CHECK: 'arith.extf': expected a result wider than f64, got f32
spmd.kernel @extends_to_less(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant 1.0 : f64
  %v = arith.extf %d : f64 to f32
  spmd.return
}

// -----

// CHECK: 'arith.extf': expected a result wider than bf16, got f16
spmd.kernel @extends_to_as_much(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant 1.0 : bf16
  %v = arith.extf %d : bf16 to f16
  spmd.return
}

// -----

// CHECK: 'arith.truncf': expected a result narrower than f32, got f64
spmd.kernel @truncates_to_more(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = arith.truncf %one : f32 to f64
  spmd.return
}

// -----

// CHECK: 'arith.extf': expected a result wider than vector<4xf32>, got vector<4xf16>
spmd.kernel @extends_lanes_to_less(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<4xf32>
  %v = arith.extf %d : vector<4xf32> to vector<4xf16>
  spmd.return
}

// -----

// CHECK: 'arith.bitcast': expected a result as wide as index, got f32
spmd.kernel @bitcast_drops_bits(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = arith.bitcast %i : index to f32
  spmd.return
}

// -----

// CHECK: 'arith.cmpi': expected operands of one type, got index and i32
spmd.kernel @compares_types(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant 1 : i32
  %v = "arith.cmpi"(%i, %d) <{predicate = 0 : i64}> : (index, i32) -> i1
  spmd.return
}

// -----

// CHECK: 'arith.cmpi': expected a predicate from 0 to 9, got 10
spmd.kernel @no_predicate(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = "arith.cmpi"(%i, %c0) <{predicate = 10 : i64}> : (index, index) -> i1
  spmd.return
}

// -----

// CHECK: 'vector.extract': expected a position below 4 in vector<4xf32>, got 4
spmd.kernel @extracts_too_far(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<4xf32>
  %v = vector.extract %d[4] : f32 from vector<4xf32>
  spmd.return
}

// -----

// CHECK: 'vector.extract': expected a part 4xf32 of vector<2x4xf32>, got vector<2xf32>
spmd.kernel @extracts_another_part(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<2x4xf32>
  %v = vector.extract %d[0] : vector<2xf32> from vector<2x4xf32>
  spmd.return
}

// -----

// CHECK: 'vector.insert': expected a position below 4 in vector<4xf32>, got 7
spmd.kernel @inserts_too_far(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<4xf32>
  %v = vector.insert %one, %d [7] : f32 into vector<4xf32>
  spmd.return
}

// -----

// CHECK: 'vector.broadcast': expected a source that can be repeated to vector<4xf32>, got vector<3xf32>
spmd.kernel @repeats_three(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<3xf32>
  %v = vector.broadcast %d : vector<3xf32> to vector<4xf32>
  spmd.return
}

// -----

// CHECK: 'vector.maskedload': expected a mask and a value for each lane of vector<4xf32>, got vector<8xi1> and vector<4xf32>
spmd.kernel @mask_of_another_length(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<4xf32>
  %m = arith.constant dense<true> : vector<8xi1>
  %v = vector.maskedload %x[%i], %m, %d : memref<?xf32>, vector<8xi1>, vector<4xf32> into vector<4xf32>
  spmd.return
}

// -----

// CHECK: 'vector.maskedstore': expected a mask for each lane of vector<4xf32>, got vector<8xi1>
spmd.kernel @mask_of_a_store(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %d = arith.constant dense<1.0> : vector<4xf32>
  %m = arith.constant dense<true> : vector<8xi1>
  vector.maskedstore %x[%i], %m, %d : memref<?xf32>, vector<8xi1>, vector<4xf32>
  spmd.return
}

// -----

// CHECK: expected an operand for each index -2147483648 in rawConstantIndices, so 1, got 0
func.func @address_without_its_index(%p: !llvm.ptr) -> !llvm.ptr {
  %q = "llvm.getelementptr"(%p) <{rawConstantIndices = array<i32: -2147483648>, elem_type = i32, noWrapFlags = 0 : i32}> : (!llvm.ptr) -> !llvm.ptr
  func.return %q : !llvm.ptr
}

// -----

// CHECK: 'vector.reduction': expected integers for <maxui>, got vector<4xf16>
spmd.kernel @largest_unsigned_float(%x: memref<?xf16>) {
  %d = arith.constant dense<1.0> : vector<4xf16>
  %v = vector.reduction <maxui>, %d : vector<4xf16> into f16
  spmd.return
}

// -----

// CHECK: 'vector.reduction': expected floats for <maximumf>, got vector<4xi32>
spmd.kernel @largest_float_of_integers(%x: memref<?xi32>) {
  %d = arith.constant dense<1> : vector<4xi32>
  %v = vector.reduction <maximumf>, %d : vector<4xi32> into i32
  spmd.return
}
