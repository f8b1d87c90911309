// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s
// RUN: xdsl-opt -t 'spmd-llvm{cpu=x86-64-v3}' %s | filecheck %s --check-prefix HALF
// RUN: xdsl-opt -t 'spmd-llvm{cpu=x86-64-v4}' %s | filecheck %s --check-prefix WIDE

// Casts. What LLVM would round twice or flush goes through helpers.

func.func @plain(%a: f16, %i: index, %v: vector<4xi32>) -> (f32, i32, vector<4xf32>, i32) {
  %x = arith.extf %a : f16 to f32
  %y = arith.index_cast %i : index to i32
  %z = arith.uitofp %v : vector<4xi32> to vector<4xf32>
  %w = arith.bitcast %x : f32 to i32
  func.return %x, %y, %z, %w : f32, i32, vector<4xf32>, i32
}

// CHECK-LABEL: define { float, i32, <4 x float>, i32 } @plain(half %a, i64 %i, <4 x i32> %v) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %x = fpext half %a to float
// CHECK-NEXT:    %y = trunc i64 %i to i32
// CHECK-NEXT:    %z = uitofp <4 x i32> %v to <4 x float>
// CHECK-NEXT:    %w = bitcast float %x to i32
// CHECK-NEXT:    %t = insertvalue { float, i32, <4 x float>, i32 } poison, float %x, 0
// CHECK-NEXT:    %t.1 = insertvalue { float, i32, <4 x float>, i32 } %t, i32 %y, 1
// CHECK-NEXT:    %t.2 = insertvalue { float, i32, <4 x float>, i32 } %t.1, <4 x float> %z, 2
// CHECK-NEXT:    %t.3 = insertvalue { float, i32, <4 x float>, i32 } %t.2, i32 %w, 3
// CHECK-NEXT:    ret { float, i32, <4 x float>, i32 } %t.3
// CHECK-NEXT:  }

func.func @no_cast(%i: i64) -> index {
  %r = arith.index_cast %i : i64 to index
  func.return %r : index
}

// CHECK-LABEL: define i64 @no_cast(i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    ret i64 %i
// CHECK-NEXT:  }

func.func @double_to_half(%x: f64) -> f16 {
  %r = arith.truncf %x : f64 to f16
  func.return %r : f16
}

// CHECK-LABEL: define half @double_to_half(double %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = call float @spmd.f32.odd.from.f64(double %x)
// CHECK-NEXT:    %r = fptrunc float %t to half
// CHECK-NEXT:    ret half %r
// CHECK-NEXT:  }

// With AVX2 vectors become i64 by way of i32 where all lanes fit; single numbers have an instruction.

func.func @to_i64(%v: vector<8xf32>, %a: f32) -> (vector<8xi64>, i64) {
  %i = arith.fptosi %v : vector<8xf32> to vector<8xi64>
  %j = arith.fptosi %a : f32 to i64
  func.return %i, %j : vector<8xi64>, i64
}

// CHECK-LABEL: @to_i64(
// CHECK:         %i = fptosi <8 x float> %v to <8 x i64>
// WIDE-LABEL:  @to_i64(
// WIDE:          %i = fptosi <8 x float> %v to <8 x i64>
// HALF-LABEL:  @to_i64(
// HALF:          %i = call <8 x i64> @spmd.i64.fptosi.float.v8(<8 x float> %v)
// HALF-NEXT:     %j = fptosi float %a to i64

// CHECK-LABEL: define internal float @spmd.f32.odd.from.f64(double %x) alwaysinline nounwind {
// CHECK-NEXT:    %nearest = fptrunc double %x to float
// CHECK-NEXT:    %back = fpext float %nearest to double
// CHECK-NEXT:    %size = call double @llvm.fabs.f64(double %x)
// CHECK-NEXT:    %size.back = call double @llvm.fabs.f64(double %back)
// CHECK-NEXT:    %inexact = fcmp one double %size, %size.back
// CHECK-NEXT:    %away = fcmp ogt double %size.back, %size
// CHECK-NEXT:    %bits = bitcast float %nearest to i32
// CHECK-NEXT:    %less = sub i32 %bits, 1
// CHECK-NEXT:    %truncated = select i1 %away, i32 %less, i32 %bits
// CHECK-NEXT:    %odd = or i32 %truncated, 1
// CHECK-NEXT:    %chosen = select i1 %inexact, i32 %odd, i32 %bits
// CHECK-NEXT:    %result = bitcast i32 %chosen to float
// CHECK-NEXT:    ret float %result
// CHECK-NEXT:  }

// CHECK: declare double @llvm.fabs.f64(double)

// HALF-LABEL:  define internal <8 x i64> @spmd.i64.fptosi.float.v8(<8 x float> %x) alwaysinline nounwind {
// HALF-NEXT:     %size = call <8 x float> @llvm.fabs.v8f32(<8 x float> %x)
// HALF-NEXT:     %far = fcmp uge <8 x float> %size, splat (float 0x41E0000000000000)
// HALF-NEXT:     %some = call i1 @llvm.vector.reduce.or.v8i1(<8 x i1> %far)
// HALF-NEXT:     br i1 %some, label %some.far, label %all.fit
// HALF-NEXT:   all.fit:
// HALF-NEXT:     %short = fptosi <8 x float> %x to <8 x i32>
// HALF-NEXT:     %result = sext <8 x i32> %short to <8 x i64>
// HALF-NEXT:     ret <8 x i64> %result
// HALF-NEXT:   some.far:
// HALF-NEXT:     %wide = fptosi <8 x float> %x to <8 x i64>
// HALF-NEXT:     ret <8 x i64> %wide
