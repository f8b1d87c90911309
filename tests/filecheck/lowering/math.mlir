// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Without a machine, vectors call libm lane by lane.

func.func @scalars(%x: f32, %y: f64) -> (f32, f64, f32) {
  %a = math.exp %x fastmath<afn> : f32
  %b = math.cbrt %y : f64
  %c = math.rsqrt %x : f32
  func.return %a, %b, %c : f32, f64, f32
}

// CHECK-LABEL: define { float, double, float } @scalars(float %x, double %y) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %a = call afn float @llvm.exp.f32(float %x)
// CHECK-NEXT:    %b = call double @cbrt(double %y)
// CHECK-NEXT:    %t = call float @llvm.sqrt.f32(float %x)
// CHECK-NEXT:    %c = fdiv float 1.000000e+00, %t
// CHECK-NEXT:    %t.1 = insertvalue { float, double, float } poison, float %a, 0
// CHECK-NEXT:    %t.2 = insertvalue { float, double, float } %t.1, double %b, 1
// CHECK-NEXT:    %t.3 = insertvalue { float, double, float } %t.2, float %c, 2
// CHECK-NEXT:    ret { float, double, float } %t.3
// CHECK-NEXT:  }

func.func @cpu_vectors(%v: vector<8xf32>) -> vector<8xf32> {
  %a = math.sqrt %v : vector<8xf32>
  %b = math.fma %a, %a, %v : vector<8xf32>
  func.return %b : vector<8xf32>
}

// CHECK-LABEL: define <8 x float> @cpu_vectors(<8 x float> %v) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %a = call <8 x float> @llvm.sqrt.v8f32(<8 x float> %v)
// CHECK-NEXT:    %b = call <8 x float> @llvm.fma.v8f32(<8 x float> %a, <8 x float> %a, <8 x float> %v)
// CHECK-NEXT:    ret <8 x float> %b
// CHECK-NEXT:  }

func.func @libm_vectors(%v: vector<8xf32>) -> vector<8xf32> {
  %a = math.sin %v : vector<8xf32>
  func.return %a : vector<8xf32>
}

// CHECK-LABEL: define <8 x float> @libm_vectors(<8 x float> %v) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %a = call <8 x float> @spmd.sinf.v8(<8 x float> %v)
// CHECK-NEXT:    ret <8 x float> %a
// CHECK-NEXT:  }

func.func @halves(%x: f16) -> f16 {
  %r = math.sin %x : f16
  func.return %r : f16
}

// CHECK-LABEL: define half @halves(half %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = fpext half %x to float
// CHECK-NEXT:    %t.1 = call float @llvm.sin.f32(float %t)
// CHECK-NEXT:    %r = fptrunc float %t.1 to half
// CHECK-NEXT:    ret half %r
// CHECK-NEXT:  }

// CHECK-LABEL: define internal <8 x float> @spmd.sinf.v8(<8 x float> %x0) noinline nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br label %lane
// CHECK-NEXT:  lane:
// CHECK-NEXT:    %l = phi i32 [ 0, %entry ], [ %next, %lane ]
// CHECK-NEXT:    %y = phi <8 x float> [ poison, %entry ], [ %more, %lane ]
// CHECK-NEXT:    %x0.l = extractelement <8 x float> %x0, i32 %l
// CHECK-NEXT:    %y.l = call float @sinf(float %x0.l)
// CHECK-NEXT:    %more = insertelement <8 x float> %y, float %y.l, i32 %l
// CHECK-NEXT:    %next = add i32 %l, 1
// CHECK-NEXT:    %last = icmp eq i32 %next, 8
// CHECK-NEXT:    br i1 %last, label %done, label %lane
// CHECK-NEXT:  done:
// CHECK-NEXT:    ret <8 x float> %more
// CHECK-NEXT:  }

// CHECK: declare float @llvm.exp.f32(float)
// CHECK-NEXT: declare double @cbrt(double) nounwind willreturn memory(none)
// CHECK-NEXT: declare float @llvm.sqrt.f32(float)
// CHECK-NEXT: declare <8 x float> @llvm.sqrt.v8f32(<8 x float>)
// CHECK-NEXT: declare <8 x float> @llvm.fma.v8f32(<8 x float>, <8 x float>, <8 x float>)
// CHECK-NEXT: declare float @sinf(float) nounwind willreturn memory(none)
// CHECK-NEXT: declare float @llvm.sin.f32(float)
