// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Vectors of any rank are flat.

func.func @broadcast(%x: f32) -> vector<4xf32> {
  %v = vector.broadcast %x : f32 to vector<4xf32>
  func.return %v : vector<4xf32>
}

// CHECK-LABEL: define <4 x float> @broadcast(float %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = insertelement <4 x float> poison, float %x, i64 0
// CHECK-NEXT:    %v = shufflevector <4 x float> %t, <4 x float> poison, <4 x i32> splat (i32 0)
// CHECK-NEXT:    ret <4 x float> %v
// CHECK-NEXT:  }

// What is short for other ops becomes these.

// CHECK-LABEL: define void @printed
// CHECK:         extractelement <2 x i32> %v, i64 0
// CHECK:         call i32 (ptr, ...) @printf(ptr @{{.*}}, i64 %{{.*}}, i64 %{{.*}})
func.func @printed(%v: vector<2xi32>) {
  vector.print %v : vector<2xi32>
  func.return
}

func.func @rows(%x: vector<2x4xf32>, %i: index) -> (vector<4xf32>, f32, vector<2x4xf32>) {
  %row = vector.extract %x[1] : vector<4xf32> from vector<2x4xf32>
  %e = vector.extract %x[%i, 2] : f32 from vector<2x4xf32>
  %w = vector.insert %row, %x [0] : vector<4xf32> into vector<2x4xf32>
  func.return %row, %e, %w : vector<4xf32>, f32, vector<2x4xf32>
}

// CHECK-LABEL: define { <4 x float>, float, <8 x float> } @rows(<8 x float> %x, i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %row = shufflevector <8 x float> %x, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
// CHECK-NEXT:    %t = mul i64 %i, 4
// CHECK-NEXT:    %t.1 = add i64 %t, 2
// CHECK-NEXT:    %e = extractelement <8 x float> %x, i64 %t.1
// CHECK-NEXT:    %t.2 = shufflevector <4 x float> %row, <4 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison, i32 poison, i32 poison, i32 poison>
// CHECK-NEXT:    %w = shufflevector <8 x float> %x, <8 x float> %t.2, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 4, i32 5, i32 6, i32 7>
// CHECK-NEXT:    %t.3 = insertvalue { <4 x float>, float, <8 x float> } poison, <4 x float> %row, 0
// CHECK-NEXT:    %t.4 = insertvalue { <4 x float>, float, <8 x float> } %t.3, float %e, 1
// CHECK-NEXT:    %t.5 = insertvalue { <4 x float>, float, <8 x float> } %t.4, <8 x float> %w, 2
// CHECK-NEXT:    ret { <4 x float>, float, <8 x float> } %t.5
// CHECK-NEXT:  }

func.func @masks(%n: index) -> vector<4xi1> {
  %c2 = arith.constant 2 : index
  %a = vector.create_mask %n : vector<4xi1>
  %b = vector.create_mask %c2 : vector<4xi1>
  %c = arith.andi %a, %b : vector<4xi1>
  func.return %c : vector<4xi1>
}

// CHECK-LABEL: define <4 x i1> @masks(i64 %n) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = call i64 @llvm.smax.i64(i64 %n, i64 0)
// CHECK-NEXT:    %t.1 = call i64 @llvm.umin.i64(i64 %t, i64 4)
// CHECK-NEXT:    %t.2 = trunc i64 %t.1 to i32
// CHECK-NEXT:    %t.3 = insertelement <4 x i32> poison, i32 %t.2, i64 0
// CHECK-NEXT:    %t.4 = shufflevector <4 x i32> %t.3, <4 x i32> poison, <4 x i32> splat (i32 0)
// CHECK-NEXT:    %t.5 = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %t.4
// CHECK-NEXT:    %c = and <4 x i1> %t.5, <i1 true, i1 true, i1 false, i1 false>
// CHECK-NEXT:    ret <4 x i1> %c
// CHECK-NEXT:  }

func.func @reductions(%v: vector<4xf32>, %m: vector<4xi1>) -> (f32, f32, i1) {
  %a = vector.reduction <add>, %v : vector<4xf32> into f32
  %b = vector.reduction <maximumf>, %v, %a : vector<4xf32> into f32
  %c = vector.reduction <or>, %m : vector<4xi1> into i1
  func.return %a, %b, %c : f32, f32, i1
}

// CHECK-LABEL: define { float, float, i1 } @reductions(<4 x float> %v, <4 x i1> %m) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %a = call float @llvm.vector.reduce.fadd.v4f32(float -0.000000e+00, <4 x float> %v)
// CHECK-NEXT:    %t = call float @llvm.vector.reduce.fmaximum.v4f32(<4 x float> %v)
// CHECK-NEXT:    %b = call float @llvm.maximum.f32(float %t, float %a)
// CHECK-NEXT:    %c = call i1 @llvm.vector.reduce.or.v4i1(<4 x i1> %m)
// CHECK-NEXT:    %t.1 = insertvalue { float, float, i1 } poison, float %a, 0
// CHECK-NEXT:    %t.2 = insertvalue { float, float, i1 } %t.1, float %b, 1
// CHECK-NEXT:    %t.3 = insertvalue { float, float, i1 } %t.2, i1 %c, 2
// CHECK-NEXT:    ret { float, float, i1 } %t.3
// CHECK-NEXT:  }

// CHECK: declare i64 @llvm.smax.i64(i64, i64)
// CHECK-NEXT: declare i64 @llvm.umin.i64(i64, i64)
// CHECK-NEXT: declare float @llvm.vector.reduce.fadd.v4f32(float, <4 x float>)
// CHECK-NEXT: declare float @llvm.vector.reduce.fmaximum.v4f32(<4 x float>)
// CHECK-NEXT: declare float @llvm.maximum.f32(float, float)
// CHECK-NEXT: declare i1 @llvm.vector.reduce.or.v4i1(<4 x i1>)
