// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Views are arithmetic on descriptors; what is known stays a constant.

func.func @subview(%x: memref<8x16xf32>, %i: index) -> f32 {
  %c1 = arith.constant 1 : index
  %v = memref.subview %x[%i, 2] [4, 3] [2, 1] : memref<8x16xf32> to memref<4x3xf32, strided<[32, 1], offset: ?>>
  %e = memref.load %v[%i, %c1] : memref<4x3xf32, strided<[32, 1], offset: ?>>
  func.return %e : f32
}

// CHECK-LABEL: define float @subview(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.size1, i64 %x.stride0, i64 %x.stride1, i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul i64 %i, 16
// CHECK-NEXT:    %t.1 = add i64 %t, 2
// CHECK-NEXT:    %t.2 = mul nsw i64 %i, 32
// CHECK-NEXT:    %t.3 = add nsw i64 %t.1, %t.2
// CHECK-NEXT:    %t.4 = add nsw i64 %t.3, 1
// CHECK-NEXT:    %t.5 = getelementptr inbounds float, ptr %x.data, i64 %t.4
// CHECK-NEXT:    %e = load float, ptr %t.5, align 4
// CHECK-NEXT:    ret float %e
// CHECK-NEXT:  }

func.func @collapse_and_dim(%x: memref<?x16xf32>) -> index {
  %c0 = arith.constant 0 : index
  %v = memref.collapse_shape %x [[0, 1]] : memref<?x16xf32> into memref<?xf32>
  %n = memref.dim %v, %c0 : memref<?xf32>
  func.return %n : index
}

// CHECK-LABEL: define i64 @collapse_and_dim(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.size1, i64 %x.stride0, i64 %x.stride1) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul i64 %x.size0, 16
// CHECK-NEXT:    ret i64 %t
// CHECK-NEXT:  }

func.func @view(%bytes: memref<?xi8>, %n: index) -> f32 {
  %c64 = arith.constant 64 : index
  %v = memref.view %bytes[%c64][%n] : memref<?xi8> to memref<?x2xf32>
  %e = memref.load %v[%n, %n] : memref<?x2xf32>
  func.return %e : f32
}

// CHECK-LABEL: define float @view(ptr %bytes.base, ptr %bytes.data, i64 %bytes.offset, i64 %bytes.size0, i64 %bytes.stride0, i64 %n) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %v.data = getelementptr i8, ptr %bytes.data, i64 64
// CHECK-NEXT:    %t = mul i64 2, %n
// CHECK-NEXT:    %t.1 = mul nuw nsw i64 %n, 2
// CHECK-NEXT:    %t.2 = add nuw nsw i64 %t.1, %n
// CHECK-NEXT:    %t.3 = getelementptr inbounds nuw float, ptr %v.data, i64 %t.2
// CHECK-NEXT:    %e = load float, ptr %t.3, align 4
// CHECK-NEXT:    ret float %e
// CHECK-NEXT:  }
