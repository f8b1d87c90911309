// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Functions, with memrefs as MLIR passes them.

func.func private @elsewhere(f64, memref<4xf32>) -> f64

func.func private @inside(%x: memref<?xf32> {spmd.noalias}) -> memref<?xf32> {
  func.return %x : memref<?xf32>
}

// CHECK-LABEL: define internal { ptr, ptr, i64, [1 x i64], [1 x i64] } @inside(ptr %x.base, ptr noalias %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } poison, ptr %x.base, 0
// CHECK-NEXT:    %t.1 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t, ptr %x.data, 1
// CHECK-NEXT:    %t.2 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t.1, i64 0, 2
// CHECK-NEXT:    %t.3 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t.2, i64 %x.size0, 3, 0
// CHECK-NEXT:    %t.4 = insertvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t.3, i64 1, 4, 0
// CHECK-NEXT:    ret { ptr, ptr, i64, [1 x i64], [1 x i64] } %t.4
// CHECK-NEXT:  }

func.func @calls(%x: f64, %m: memref<4xf32>, %n: memref<?xf32>) -> (f64, i1) {
  %t = arith.constant true
  %y = func.call @elsewhere(%x, %m) : (f64, memref<4xf32>) -> f64
  %z = func.call @inside(%n) : (memref<?xf32>) -> memref<?xf32>
  func.return %y, %t : f64, i1
}

// CHECK-LABEL: define { double, i1 } @calls(double %x, ptr %m.base, ptr %m.data, i64 %m.offset, i64 %m.size0, i64 %m.stride0, ptr %n.base, ptr %n.data, i64 %n.offset, i64 %n.size0, i64 %n.stride0) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %y = call double @elsewhere(double %x, ptr %m.base, ptr %m.data, i64 0, i64 4, i64 1) nobuiltin
// CHECK-NEXT:    %t = call { ptr, ptr, i64, [1 x i64], [1 x i64] } @inside(ptr %n.base, ptr %n.data, i64 0, i64 %n.size0, i64 1) nobuiltin
// CHECK-NEXT:    %z.base = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t, 0
// CHECK-NEXT:    %z.data = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t, 1
// CHECK-NEXT:    %z.size0 = extractvalue { ptr, ptr, i64, [1 x i64], [1 x i64] } %t, 3, 0
// CHECK-NEXT:    %t.1 = insertvalue { double, i1 } poison, double %y, 0
// CHECK-NEXT:    %t.2 = insertvalue { double, i1 } %t.1, i1 true, 1
// CHECK-NEXT:    ret { double, i1 } %t.2
// CHECK-NEXT:  }

// The name belongs to the C library.
func.func @expf(%x: f32) -> f32 {
  %y = math.exp %x : f32
  func.return %y : f32
}

// CHECK-LABEL: define float @spmd.expf(float %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %y = call float @llvm.exp.f32(float %x)
// CHECK-NEXT:    ret float %y
// CHECK-NEXT:  }

// CHECK: declare double @elsewhere(double, ptr, ptr, i64, i64, i64) nounwind
// CHECK-NEXT: declare float @llvm.exp.f32(float)
