// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Integer and float arithmetic on scalars and vectors.

func.func @flags(%i: index, %x: f32) -> (index, f32) {
  %a = arith.addi %i, %i overflow<nsw, nuw> : index
  %b = arith.mulf %x, %x fastmath<contract,nnan> : f32
  %c = arith.addf %b, %b fastmath<fast> : f32
  func.return %a, %c : index, f32
}

// CHECK-LABEL: define { i64, float } @flags(i64 %i, float %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %a = add nuw nsw i64 %i, %i
// CHECK-NEXT:    %b = fmul nnan contract float %x, %x
// CHECK-NEXT:    %c = fadd fast float %b, %b
// CHECK-NEXT:    %t = insertvalue { i64, float } poison, i64 %a, 0
// CHECK-NEXT:    %t.1 = insertvalue { i64, float } %t, float %c, 1
// CHECK-NEXT:    ret { i64, float } %t.1
// CHECK-NEXT:  }

func.func @constants() -> (i1, i8, f32, f32, bf16, vector<4xf32>, vector<3xi16>) {
  %a = arith.constant true
  %b = arith.constant -5 : i8
  %c = arith.constant 1.5 : f32
  %d = arith.constant 0.1 : f32
  %e = arith.constant 0.1 : bf16
  %f = arith.constant dense<-2.0> : vector<4xf32>
  %g = arith.constant dense<[1, 2, -3]> : vector<3xi16>
  func.return %a, %b, %c, %d, %e, %f, %g : i1, i8, f32, f32, bf16, vector<4xf32>, vector<3xi16>
}

// CHECK-LABEL: define { i1, i8, float, float, i16, <4 x float>, <3 x i16> } @constants() nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } poison, i1 true, 0
// CHECK-NEXT:    %t.1 = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t, i8 -5, 1
// CHECK-NEXT:    %t.2 = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t.1, float 1.500000e+00, 2
// CHECK-NEXT:    %t.3 = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t.2, float 0x3FB99999A0000000, 3
// CHECK-NEXT:    %t.4 = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t.3, i16 15821, 4
// CHECK-NEXT:    %t.5 = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t.4, <4 x float> splat (float -2.000000e+00), 5
// CHECK-NEXT:    %t.6 = insertvalue { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t.5, <3 x i16> <i16 1, i16 2, i16 -3>, 6
// CHECK-NEXT:    ret { i1, i8, float, float, i16, <4 x float>, <3 x i16> } %t.6
// CHECK-NEXT:  }

// LLVM writes a float as the double of its value, and a NaN with its bits.
func.func @no_numbers() -> (f32, f32, f32) {
  %infinity = arith.constant 0x7F800000 : f32
  %below = arith.constant 0xFF800000 : f32
  %nan = arith.constant 0xFFC00001 : f32
  func.return %infinity, %below, %nan : f32, f32, f32
}
// CHECK-LABEL: define { float, float, float } @no_numbers()
// CHECK: float 0x7FF0000000000000, 0
// CHECK: float 0xFFF0000000000000, 1
// CHECK: float 0xFFF8000020000000, 2

// Where the divisor is neither 0 nor -1, nothing stands before the division.
func.func @known_divisors(%a: i32, %v: vector<4xi32>, %n: i8) -> (i32, vector<4xi32>, i32) {
  %c3 = arith.constant 3 : i32
  %threes = arith.constant dense<[3, 5, 7, 9]> : vector<4xi32>
  %wide = arith.extui %n : i8 to i32
  %more = arith.addi %wide, %c3 : i32
  %x = arith.divsi %a, %c3 : i32
  %y = arith.remsi %v, %threes : vector<4xi32>
  %z = arith.divsi %a, %more : i32
  func.return %x, %y, %z : i32, vector<4xi32>, i32
}

// CHECK-LABEL: define { i32, <4 x i32>, i32 } @known_divisors
// CHECK:         %more = add i32 %wide, 3
// CHECK-NEXT:    %x = sdiv i32 %a, 3
// CHECK-NEXT:    %y = srem <4 x i32> %v, <i32 3, i32 5, i32 7, i32 9>
// CHECK-NEXT:    %z = sdiv i32 %a, %more

// An unsigned division cannot overflow.
func.func @unsigned(%a: i32, %b: i32) -> i32 {
  %r = arith.remui %a, %b : i32
  func.return %r : i32
}

// CHECK-LABEL: define i32 @unsigned
// CHECK:         %by = freeze i32 %b
// CHECK-NEXT:    %t = icmp eq i32 %by, 0
// CHECK-NEXT:    %divisor = select i1 %t, i32 1, i32 %by
// CHECK-NEXT:    %r = urem i32 %a, %divisor

// A rest makes the quotient one smaller if its sign is not that of the divisor.
func.func @floordivsi(%a: i32, %b: i32) -> i32 {
  %r = arith.floordivsi %a, %b : i32
  func.return %r : i32
}

// CHECK-LABEL: define i32 @floordivsi(i32 %a, i32 %b) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %by = freeze i32 %b
// CHECK-NEXT:    %t = icmp eq i32 %by, 0
// CHECK-NEXT:    %t.1 = icmp eq i32 %by, -1
// CHECK-NEXT:    %of = freeze i32 %a
// CHECK-NEXT:    %t.2 = icmp eq i32 %of, -2147483648
// CHECK-NEXT:    %t.3 = and i1 %t.1, %t.2
// CHECK-NEXT:    %t.4 = or i1 %t, %t.3
// CHECK-NEXT:    %divisor = select i1 %t.4, i32 1, i32 %by
// CHECK-NEXT:    %t.5 = sdiv i32 %a, %divisor
// CHECK-NEXT:    %t.6 = srem i32 %a, %divisor
// CHECK-NEXT:    %t.7 = icmp ne i32 %t.6, 0
// CHECK-NEXT:    %t.8 = xor i32 %t.6, %divisor
// CHECK-NEXT:    %t.9 = icmp slt i32 %t.8, 0
// CHECK-NEXT:    %t.10 = and i1 %t.7, %t.9
// CHECK-NEXT:    %t.11 = zext i1 %t.10 to i32
// CHECK-NEXT:    %r = sub i32 %t.5, %t.11
// CHECK-NEXT:    ret i32 %r
// CHECK-NEXT:  }

func.func @compare_and_select(%a: vector<4xf32>, %b: vector<4xf32>, %i: i32) -> vector<4xf32> {
  %m = arith.cmpf ult, %a, %b : vector<4xf32>
  %s = arith.select %m, %a, %b : vector<4xi1>, vector<4xf32>
  %z = arith.constant 0 : i32
  %p = arith.cmpi sge, %i, %z : i32
  %r = arith.select %p, %s, %b : vector<4xf32>
  func.return %r : vector<4xf32>
}

// CHECK-LABEL: define <4 x float> @compare_and_select(<4 x float> %a, <4 x float> %b, i32 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %m = fcmp ult <4 x float> %a, %b
// CHECK-NEXT:    %s = select <4 x i1> %m, <4 x float> %a, <4 x float> %b
// CHECK-NEXT:    %p = icmp sge i32 %i, 0
// CHECK-NEXT:    %r = select i1 %p, <4 x float> %s, <4 x float> %b
// CHECK-NEXT:    ret <4 x float> %r
// CHECK-NEXT:  }

func.func @min_max(%a: f32, %b: f32, %i: index, %j: index) -> (f32, f32, index) {
  %x = arith.minimumf %a, %b : f32
  %y = arith.maxnumf %a, %b fastmath<nnan> : f32
  %z = arith.minui %i, %j : index
  func.return %x, %y, %z : f32, f32, index
}

// CHECK-LABEL: define { float, float, i64 } @min_max(float %a, float %b, i64 %i, i64 %j) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %x = call float @llvm.minimum.f32(float %a, float %b)
// CHECK-NEXT:    %y = call nnan float @llvm.maxnum.f32(float %a, float %b)
// CHECK-NEXT:    %z = call i64 @llvm.umin.i64(i64 %i, i64 %j)
// CHECK-NEXT:    %t = insertvalue { float, float, i64 } poison, float %x, 0
// CHECK-NEXT:    %t.1 = insertvalue { float, float, i64 } %t, float %y, 1
// CHECK-NEXT:    %t.2 = insertvalue { float, float, i64 } %t.1, i64 %z, 2
// CHECK-NEXT:    ret { float, float, i64 } %t.2
// CHECK-NEXT:  }

// The high half of a product is one of twice as many bits.
func.func @high(%a: i32, %b: i32, %v: vector<4xi16>) -> (i32, vector<4xi16>) {
  %l, %h = arith.mulsi_extended %a, %b : i32
  %vl, %vh = arith.mului_extended %v, %v : vector<4xi16>
  func.return %h, %vh : i32, vector<4xi16>
}
// CHECK-LABEL: define { i32, <4 x i16> } @high(
// CHECK: %t.2 = mul i64 %t, %t.1
// CHECK-NEXT: %l = trunc i64 %t.2 to i32
// CHECK-NEXT: %t.3 = lshr i64 %t.2, 32
// CHECK-NEXT: %h = trunc i64 %t.3 to i32
// CHECK: %t.6 = mul <4 x i32> %t.4, %t.5
// CHECK-NEXT: %vl = trunc <4 x i32> %t.6 to <4 x i16>
// CHECK-NEXT: %t.7 = lshr <4 x i32> %t.6, splat (i32 16)
// CHECK-NEXT: %vh = trunc <4 x i32> %t.7 to <4 x i16>

// bf16 is computed in f32 and rounded by integer arithmetic, once per operation.
func.func @bf16(%a: bf16, %b: bf16) -> bf16 {
  %r = arith.addf %a, %b : bf16
  func.return %r : bf16
}

// CHECK-LABEL: define i16 @bf16(i16 %a, i16 %b) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = call float @spmd.f32.from.bf16(i16 %a)
// CHECK-NEXT:    %t.1 = call float @spmd.f32.from.bf16(i16 %b)
// CHECK-NEXT:    %t.2 = fadd float %t, %t.1
// CHECK-NEXT:    %r = call i16 @spmd.bf16.from.f32(float %t.2)
// CHECK-NEXT:    ret i16 %r
// CHECK-NEXT:  }

// CHECK-LABEL: define internal float @spmd.f32.from.bf16(i16 %x) alwaysinline nounwind {
// CHECK-NEXT:    %wide = zext i16 %x to i32
// CHECK-NEXT:    %bits = shl i32 %wide, 16
// CHECK-NEXT:    %result = bitcast i32 %bits to float
// CHECK-NEXT:    ret float %result
// CHECK-NEXT:  }

// CHECK-LABEL: define internal i16 @spmd.bf16.from.f32(float %x) alwaysinline nounwind {
// CHECK-NEXT:    %bits = bitcast float %x to i32
// CHECK-NEXT:    %top = lshr i32 %bits, 16
// CHECK-NEXT:    %odd = and i32 %top, 1
// CHECK-NEXT:    %half = add i32 %bits, 32767
// CHECK-NEXT:    %rounded = add i32 %half, %odd
// CHECK-NEXT:    %nearest = lshr i32 %rounded, 16
// CHECK-NEXT:    %quiet = or i32 %top, 64
// CHECK-NEXT:    %is.nan = fcmp uno float %x, %x
// CHECK-NEXT:    %chosen = select i1 %is.nan, i32 %quiet, i32 %nearest
// CHECK-NEXT:    %result = trunc i32 %chosen to i16
// CHECK-NEXT:    ret i16 %result
// CHECK-NEXT:  }

// CHECK: declare float @llvm.minimum.f32(float, float)
// CHECK-NEXT: declare float @llvm.maxnum.f32(float, float)
// CHECK-NEXT: declare i64 @llvm.umin.i64(i64, i64)
