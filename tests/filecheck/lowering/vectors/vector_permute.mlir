// RUN: xdsl-opt -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v4}' %s | filecheck %s --check-prefix WIDE
// RUN: xdsl-opt -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v3}' %s | filecheck %s --check-prefix HALF
// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s --check-prefix ANY

// A gather from an array of its own, to which a vector was just stored.

func.func @floats(%v: vector<16xf32>, %at: vector<16xindex>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<16xi1>
  %array = memref.alloca() : memref<16xf32>
  vector.store %v, %array[%c0] : memref<16xf32>, vector<16xf32>
  %w = vector.gather %array[%c0] [%at], %on, %v : memref<16xf32>, vector<16xindex>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  func.return %w : vector<16xf32>
}

func.func @halves(%v: vector<4xf16>, %at: vector<4xi32>) -> vector<4xf16> {
  %c0 = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<4xi1>
  %array = memref.alloca() : memref<4xf16>
  vector.store %v, %array[%c0] : memref<4xf16>, vector<4xf16>
  %w = vector.gather %array[%c0] [%at], %on, %v : memref<4xf16>, vector<4xi32>, vector<4xi1>, vector<4xf16> into vector<4xf16>
  func.return %w : vector<4xf16>
}

// ANY-LABEL: @floats
// ANY:       llvm.masked.gather.v16f32
// ANY:       llvm.masked.gather.v4f16

// WIDE-LABEL: define <16 x float> @floats
// WIDE:         %t = trunc <16 x i64> %at to <16 x i32>
// WIDE-NEXT:    %w = call <16 x float> @spmd.permute.v16f32(<16 x float> %v, <16 x i32> %t)
// WIDE-NEXT:    ret <16 x float> %w

func.func @doubles(%v: vector<4xf64>, %at: vector<4xi32>) -> vector<4xf64> {
  %c0 = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<4xi1>
  %array = memref.alloca() : memref<4xf64>
  vector.store %v, %array[%c0] : memref<4xf64>, vector<4xf64>
  %w = vector.gather %array[%c0] [%at], %on, %v : memref<4xf64>, vector<4xi32>, vector<4xi1>, vector<4xf64> into vector<4xf64>
  func.return %w : vector<4xf64>
}

// A table that registers hold, and lanes of which some ask for nothing.

// HALF-LABEL: define <16 x float> @table
// HALF-NEXT:  entry:
// HALF-NEXT:    %t = load <8 x float>, ptr %x.data, align 4
// HALF-NEXT:    %t.1 = call <16 x float> @spmd.permute.v16f32.8(<8 x float> %t, <16 x i32> %at)
// HALF-NEXT:    %w = select <16 x i1> %on, <16 x float> %t.1, <16 x float> %v

func.func @table(%x: memref<8xf32>, %v: vector<16xf32>, %at: vector<16xi32>, %on: vector<16xi1>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %w = vector.gather %x[%c0] [%at], %on, %v : memref<8xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  func.return %w : vector<16xf32>
}

// It may have any length that registers hold, but part of a view may be missing.

// HALF-LABEL: define void @tables
// HALF-NOT:     spmd.permute
// HALF:         load <6 x float>, ptr %y.data, align 4
// HALF-NEXT:    call <16 x float> @spmd.permute.v16f32.6
// HALF-NOT:     spmd.permute
// HALF:         ret void

func.func @tables(%x: memref<64xf32>, %y: memref<6xf32>, %z: memref<?xf32>, %c: i1, %v: vector<16xf32>, %at: vector<16xi32>, %on: vector<16xi1>) {
  %c0 = arith.constant 0 : index
  %a = vector.gather %x[%c0] [%at], %on, %v : memref<64xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %b = vector.gather %y[%c0] [%at], %on, %a : memref<6xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %view = memref.reinterpret_cast %z to offset: [0], sizes: [8], strides: [1] : memref<?xf32> to memref<8xf32>
  %d = vector.gather %view[%c0] [%at], %on, %b : memref<8xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  vector.store %d, %z[%c0] : memref<?xf32>, vector<16xf32>
  func.return
}

// A register of lanes takes elements of a vector of two.

func.func @two(%v: vector<32xf32>, %w: vector<16xf32>, %at: vector<16xi32>) -> vector<16xf32> {
  %c0 = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<16xi1>
  %array = memref.alloca() : memref<32xf32>
  vector.store %v, %array[%c0] : memref<32xf32>, vector<32xf32>
  %r = vector.gather %array[%c0] [%at], %on, %w : memref<32xf32>, vector<16xi32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  func.return %r : vector<16xf32>
}

// WIDE-LABEL: define <16 x float> @two
// WIDE:         %r = call <16 x float> @spmd.permute.v16f32.32(<32 x float> %v, <16 x i32> %at)

// WIDE:       define internal <16 x float> @spmd.permute.v16f32(
// WIDE:         %f0 = call <16 x i32> @llvm.x86.avx512.permvar.si.512(<16 x i32> %w0, <16 x i32> %x0)
// WIDE-NEXT:    %r0 =

// WIDE:       define internal <4 x half> @spmd.permute.v4f16
// WIDE-NEXT:    %b = bitcast <4 x half> %v to <4 x i16>
// WIDE-NEXT:    %w = zext <4 x i16> %b to <4 x i32>
// WIDE-NEXT:    %w0 = shufflevector <4 x i32> %w, <4 x i32> poison, <16 x i32> <i32 0, i32 1, i32 2, i32 3, i32 poison,
// WIDE:         %n = trunc <4 x i32> %j0 to <4 x i16>
// WIDE-NEXT:    %result = bitcast <4 x i16> %n to <4 x half>
// WIDE-NEXT:    ret <4 x half> %result

// Two registers: each half of the result is chosen from permutations of both.

// HALF:       define internal <16 x float> @spmd.permute.v16f32
// HALF:         %p0.0 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w0, <8 x i32> %x0)
// HALF-NEXT:    %p0.8 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w8, <8 x i32> %x0)
// HALF-NEXT:    %on0.8 = icmp uge <8 x i32> %x0, splat (i32 8)
// HALF-NEXT:    %f0 = select <8 x i1> %on0.8, <8 x i32> %p0.8, <8 x i32> %p0.0
// HALF:         %p8.0 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w0, <8 x i32> %x8)
// HALF-NEXT:    %p8.8 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w8, <8 x i32> %x8)

// Elements of 64 bits are two halves each.

// HALF:       define internal <4 x double> @spmd.permute.v4f64(<4 x double> %v, <4 x i64> %at)
// HALF-NEXT:    %lower = shl <4 x i64> %at, splat (i64 1)
// HALF-NEXT:    %upper = shl <4 x i64> %at, splat (i64 33)
// HALF-NEXT:    %both = or disjoint <4 x i64> %lower, %upper
// HALF-NEXT:    %pairs = or disjoint <4 x i64> %both, splat (i64 4294967296)
// HALF-NEXT:    %x = bitcast <4 x i64> %pairs to <8 x i32>
// HALF-NEXT:    %b = bitcast <4 x double> %v to <8 x i32>
// HALF:         %f0 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w0, <8 x i32> %x0)

// One register, of which each register of lanes takes elements.

// HALF:       define internal <16 x float> @spmd.permute.v16f32.8(<8 x float> %v, <16 x i32> %x)
// HALF:         %f0 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w0, <8 x i32> %x0)
// HALF:         %f8 = call <8 x i32> @llvm.x86.avx2.permd(<8 x i32> %w0, <8 x i32> %x8)

// Of two registers one instruction takes elements.

// WIDE:       define internal <16 x float> @spmd.permute.v16f32.32(<32 x float> %v, <16 x i32> %x)
// WIDE:         %f0 = call <16 x i32> @llvm.x86.avx512.vpermi2var.d.512(<16 x i32> %w0, <16 x i32> %x0, <16 x i32> %w16)
// WIDE-NEXT:    %r0 =

// No loop over such an array is unrolled: LLVM optimises the work-group function in its entry only.

// ANY-LABEL:  define internal void @reversed.group(
// ANY-SAME:    nounwind alwaysinline {
func.func @reversed(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %on = arith.constant dense<true> : vector<4xi1>
  %v = arith.constant dense<1.0> : vector<4xf32>
  %at = arith.constant dense<[3, 2, 1, 0]> : vector<4xi32>
  %array = memref.alloca() : memref<4xf32>
  vector.store %v, %array[%c0] : memref<4xf32>, vector<4xf32>
  %w = vector.gather %array[%c0] [%at], %on, %v : memref<4xf32>, vector<4xi32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
  func.return
}
