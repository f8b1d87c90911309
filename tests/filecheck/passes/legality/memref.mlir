// RUN: xdsl-opt %s -p spmd-to-loops --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Views lie within what they are of, and have the type of their sizes and strides.

// CHECK: 'memref.subview': expected a part of memref<8xf32>, got elements 0 to 99
spmd.kernel @subview_too_long(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %y[0] [100] [1] : memref<8xf32> to memref<100xf32>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected a part of memref<8xf32>, got elements 4 to 10
spmd.kernel @subview_of_stride_too_long(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %y[4] [3] [3] : memref<8xf32> to memref<3xf32, strided<[3], offset: 4>>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected offsets and sizes that are not negative
spmd.kernel @subview_before(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %y[-1] [2] [1] : memref<8xf32> to memref<2xf32, strided<[1], offset: -1>>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected offset [?] in the result, got memref<4xf32>
spmd.kernel @subview_hides_its_offset(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %x[%i] [4] [1] : memref<?xf32> to memref<4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected strides [2] in the result, got memref<4xf32>
spmd.kernel @subview_hides_its_stride(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %y[0] [4] [2] : memref<8xf32> to memref<4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected a result of size 2, got memref<3xf32>
spmd.kernel @subview_of_another_size(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %y[0] [2] [1] : memref<8xf32> to memref<3xf32>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected elements of type f32, got memref<4xi32>
spmd.kernel @subview_of_another_type(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %y[0] [4] [1] : memref<8xf32> to memref<4xi32>
  spmd.return
}

// -----

// CHECK: 'memref.subview': expected 2 offsets for memref<2x4xf32>, got 1
spmd.kernel @subview_of_another_rank(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.subview %z[0] [2] [1] : memref<2x4xf32> to memref<2xf32>
  spmd.return
}

// -----

// CHECK: 'memref.cast': expected sizes that memref<8xf32> may have, got memref<9xf32>
spmd.kernel @cast_to_another_size(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.cast %y : memref<8xf32> to memref<9xf32>
  spmd.return
}

// -----

// CHECK: 'memref.cast': expected as many dimensions as memref<8xf32> has, got memref<2x4xf32>
spmd.kernel @cast_to_another_rank(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.cast %y : memref<8xf32> to memref<2x4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.cast': expected a layout that memref<8xf32> may have, got memref<8xf32, strided<[2]>>
spmd.kernel @cast_to_another_layout(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.cast %y : memref<8xf32> to memref<8xf32, strided<[2]>>
  spmd.return
}

// -----

// CHECK: 'memref.cast': expected a memref with a rank, got memref<*xf32>
spmd.kernel @cast_to_no_rank(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.cast %y : memref<8xf32> to memref<*xf32>
  %w = memref.cast %v : memref<*xf32> to memref<8xf32>
  spmd.return
}

// -----

// CHECK: 'memref.dim': expected a dimension below 1 of memref<?xf32>, got 5
spmd.kernel @no_such_dimension(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %c5 = arith.constant 5 : index
  %v = memref.dim %x, %c5 : memref<?xf32>
  spmd.return
}

// -----

// CHECK: 'memref.expand_shape': expected sizes whose product is 8, got 3x3
spmd.kernel @expansion_is_larger(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.expand_shape %y [[0, 1]] output_shape [3, 3] : memref<8xf32> into memref<3x3xf32>
  spmd.return
}

// -----

// CHECK: 'memref.expand_shape': expected 1 groups of the dimensions 0 to 1 in order, got [[0], [1]]
spmd.kernel @expansion_of_another_rank(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.expand_shape %y [[0], [1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.expand_shape': expected strides [4, 1] in the result, got memref<2x4xf32, strided<[5, 1]>>
spmd.kernel @expansion_of_another_layout(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.expand_shape %y [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32, strided<[5, 1]>>
  spmd.return
}

// -----

// CHECK: 'memref.collapse_shape': expected a result of size 8, got memref<9xf32>
spmd.kernel @collapse_is_larger(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.collapse_shape %z [[0, 1]] : memref<2x4xf32> into memref<9xf32>
  spmd.return
}

// -----

// CHECK: 'memref.collapse_shape': expected dimensions [0, 1] to follow each other, got memref<2x3xf32, strided<[8, 2]>>
spmd.kernel @collapse_of_a_part(%s: memref<2x3xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.collapse_shape %s [[0, 1]] : memref<2x3xf32, strided<[8, 2]>> into memref<6xf32, strided<[2]>>
  spmd.return
}

// -----

// CHECK: 'memref.reinterpret_cast': expected strides [2] in the result, got memref<4xf32>
spmd.kernel @reinterpretation_hides_its_stride(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.reinterpret_cast %y to offset: [0], sizes: [4], strides: [2] : memref<8xf32> to memref<4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.reinterpret_cast': expected one offset and 1 strides, got 1 and 2
spmd.kernel @reinterpretation_of_another_rank(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.reinterpret_cast %y to offset: [0], sizes: [4], strides: [2, 1] : memref<8xf32> to memref<4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.view': expected a byte shift of at least 0
spmd.kernel @view_before(%b: memref<64xi8>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %m = arith.constant -4 : index
  %v = memref.view %b[%m][] : memref<64xi8> to memref<4xf32>
  spmd.return
}

// -----

// CHECK: 'memref.get_global': expected the type memref<4xf32> of the global, got memref<5xf32>
memref.global "private" constant @table : memref<4xf32> = dense<1.0>
spmd.kernel @global_of_another_size(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.get_global @table : memref<5xf32>
  spmd.return
}

// -----

// CHECK: 'memref.get_global': expected the name of a memref.global, got @k
spmd.kernel @global_is_none(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.get_global @k : memref<5xf32>
  spmd.return
}

// -----

// CHECK: 'memref.global': expected an initial value for memref<4xf32>, got one of type tensor<5xf32>
"memref.global"() <{sym_name = "table", sym_visibility = "private", type = memref<4xf32>, initial_value = dense<1.0> : tensor<5xf32>, constant}> : () -> ()
spmd.kernel @initial_value_of_another_size(%x: memref<?xf32>) {

  spmd.return
}

// -----

// CHECK: 'memref.atomic_rmw': expected one index per dimension of memref<?xf32> (1), got 2
spmd.kernel @atomic_update_of_another_rank(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = "memref.atomic_rmw"(%one, %x, %i, %i) <{kind = 0 : i64}> : (f32, memref<?xf32>, index, index) -> f32
  spmd.return
}

// -----

// CHECK: 'memref.assume_alignment': expected a power of two, got 12
spmd.kernel @no_alignment(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.assume_alignment %y, 12 : memref<8xf32>
  spmd.return
}

// -----

// CHECK: 'memref.extract_strided_metadata': expected 1 sizes and strides of memref<8xf32>, got 2
spmd.kernel @metadata_of_another_rank(%x: memref<?xf32>, %y: memref<8xf32>, %z: memref<2x4xf32>, %s: memref<2x4xf32, strided<[8, 2]>>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %b, %o, %n:2, %t:2 = "memref.extract_strided_metadata"(%y) : (memref<8xf32>) -> (memref<f32>, index, index, index, index, index)
  spmd.return
}

// -----

// CHECK: 'memref.alloc': expected memory that belongs to a work-item or a group: memref.alloca or spmd.local_alloc, got 'memref.alloc'
spmd.kernel @memory_of_the_host(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = memref.alloc() : memref<4xf32>
  spmd.return
}

// -----

// Any dimensions of size 1 may be left out, and their strides say nothing.

// CHECK-LABEL: func.func @dimensions_of_size_one
func.func @dimensions_of_size_one(%x: memref<2x3x4xf32>, %y: memref<1x4xf32, strided<[100, 1]>>, %z: memref<4x1xf32, strided<[1, 7]>>, %i: index) {
  %a = memref.subview %x[%i, 1, 0] [1, 1, 4] [1, 1, 1] : memref<2x3x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
  %b = memref.subview %x[%i, 1, 0] [1, 1, 4] [1, 1, 1] : memref<2x3x4xf32> to memref<1x4xf32, strided<[12, 1], offset: ?>>
  %c = memref.subview %x[%i, 1, 0] [1, 1, 4] [1, 1, 1] : memref<2x3x4xf32> to memref<4xf32, strided<[1], offset: ?>>
  %d = memref.collapse_shape %y [[0, 1]] : memref<1x4xf32, strided<[100, 1]>> into memref<4xf32, strided<[1]>>
  %e = memref.collapse_shape %z [[0, 1]] : memref<4x1xf32, strided<[1, 7]>> into memref<4xf32, strided<[1]>>
  func.return
}
