// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s
// RUN: xdsl-opt -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v3}' %s | filecheck %s --check-prefix HALF

// Accesses of vectors. Masked ones assume nothing of the address.

func.func @contiguous(%x: memref<?xf32>, %i: index, %m: vector<8xi1>) {
  %v = vector.load %x[%i] : memref<?xf32>, vector<8xf32>
  vector.maskedstore %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32>
  %w = vector.maskedload %x[%i], %m, %v : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.store %w, %x[%i] : memref<?xf32>, vector<8xf32>
  func.return
}

// CHECK-LABEL: define void @contiguous(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0, i64 %i, <8 x i1> %m) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = getelementptr inbounds nuw float, ptr %x.data, i64 %i
// CHECK-NEXT:    %v = load <8 x float>, ptr %t, align 4
// CHECK-NEXT:    %t.1 = getelementptr float, ptr %x.data, i64 %i
// CHECK-NEXT:    call void @llvm.masked.store.v8f32.p0(<8 x float> %v, ptr align 4 %t.1, <8 x i1> %m)
// CHECK-NEXT:    %t.2 = getelementptr float, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.3 = call <8 x float> @llvm.masked.load.v8f32.p0(ptr align 4 %t.2, <8 x i1> %m, <8 x float> %v)
// CHECK-NEXT:    %w = freeze <8 x float> %t.3
// CHECK-NEXT:    %t.4 = getelementptr inbounds nuw float, ptr %x.data, i64 %i
// CHECK-NEXT:    store <8 x float> %w, ptr %t.4, align 4
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// More than a register is accessed register after register, from the first to the last, which
// LLVM does not promise for one access; of a machine that is not known they are cache lines.

func.func @lines(%x: memref<?xf64>, %i: index) {
  %v = vector.load %x[%i] : memref<?xf64>, vector<32xf64>
  vector.store %v, %x[%i] : memref<?xf64>, vector<32xf64>
  func.return
}

// HALF-LABEL:  define void @lines(
// HALF:          %t.7 = getelementptr inbounds double, ptr %t, i64 28
// HALF-NEXT:     %t.8 = load <4 x double>, ptr %t, align 8
// HALF-NEXT:     %t.9 = load <4 x double>, ptr %t.1, align 8
// HALF:          %v = shufflevector <16 x double>
// CHECK-LABEL: define void @lines(
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = getelementptr inbounds nuw double, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.1 = getelementptr inbounds double, ptr %t, i64 8
// CHECK-NEXT:    %t.2 = getelementptr inbounds double, ptr %t, i64 16
// CHECK-NEXT:    %t.3 = getelementptr inbounds double, ptr %t, i64 24
// CHECK-NEXT:    %t.4 = load <8 x double>, ptr %t, align 8
// CHECK-NEXT:    %t.5 = load <8 x double>, ptr %t.1, align 8
// CHECK-NEXT:    %t.6 = load <8 x double>, ptr %t.2, align 8
// CHECK-NEXT:    %t.7 = load <8 x double>, ptr %t.3, align 8
// CHECK-NEXT:    %t.8 = shufflevector <8 x double> %t.4, <8 x double> %t.5, <16 x i32> <i32 0, i32 1,
// CHECK-NEXT:    %t.9 = shufflevector <8 x double> %t.6, <8 x double> %t.7, <16 x i32> <i32 0, i32 1,
// CHECK-NEXT:    %v = shufflevector <16 x double> %t.8, <16 x double> %t.9, <32 x i32> <i32 0, i32 1,
// CHECK-NEXT:    %t.10 = getelementptr inbounds nuw double, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.11 = getelementptr inbounds double, ptr %t.10, i64 8
// CHECK-NEXT:    %t.12 = getelementptr inbounds double, ptr %t.10, i64 16
// CHECK-NEXT:    %t.13 = getelementptr inbounds double, ptr %t.10, i64 24
// CHECK-NEXT:    %t.14 = shufflevector <32 x double> %v, <32 x double> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
// CHECK-NEXT:    store <8 x double> %t.14, ptr %t.10, align 8
// CHECK-NEXT:    %t.15 = shufflevector <32 x double> %v, <32 x double> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
// CHECK-NEXT:    store <8 x double> %t.15, ptr %t.11, align 8
// CHECK-NEXT:    %t.16 = shufflevector <32 x double> %v, <32 x double> poison, <8 x i32> <i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23>
// CHECK-NEXT:    store <8 x double> %t.16, ptr %t.12, align 8
// CHECK-NEXT:    %t.17 = shufflevector <32 x double> %v, <32 x double> poison, <8 x i32> <i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31>
// CHECK-NEXT:    store <8 x double> %t.17, ptr %t.13, align 8
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// Parts are no more aligned than they are long. Of an array whose place no launch checks, nothing is
// relied on.

func.func @aligned(%x: memref<?xf64> {spmd.streamed = 0 : i64}, %z: memref<?xf64>, %i: index) {
  %u = vector.load %z[%i] {alignment = 64 : i64} : memref<?xf64>, vector<8xf64>
  %v = vector.load %x[%i] {alignment = 32 : i64} : memref<?xf64>, vector<2xf64>
  %w = vector.load %x[%i] {alignment = 64 : i64} : memref<?xf64>, vector<8xf64>
  vector.store %w, %x[%i] {alignment = 64 : i64, nontemporal = true} : memref<?xf64>, vector<8xf64>
  func.return
}

// HALF-LABEL:  define void @aligned(
// HALF:          load <4 x double>, ptr {{.*}}, align 8
// HALF:          load <2 x double>, ptr {{.*}}, align 32
// HALF:          load <4 x double>, ptr {{.*}}, align 32
// HALF:          store <4 x double> {{.*}}, align 32, !nontemporal
// CHECK-LABEL: define void @aligned(
// CHECK:         load <8 x double>, ptr {{.*}}, align 8
// CHECK:         load <8 x double>, ptr {{.*}}, align 64
// CHECK:         store <8 x double> {{.*}}, align 64, !nontemporal

// What the function has allocated is in the nearest cache, whatever the order, also by a view.

func.func @near(%i: index) {
  %x = memref.alloca() : memref<256xf64>
  %y = memref.subview %x[0][128][1] : memref<256xf64> to memref<128xf64, strided<[1], offset: 128>>
  %v = vector.load %x[%i] : memref<256xf64>, vector<32xf64>
  vector.store %v, %y[%i] : memref<128xf64, strided<[1], offset: 128>>, vector<32xf64>
  func.return
}

// CHECK-LABEL: define void @near(
// CHECK:         %v = load <32 x double>, ptr %t, align 8
// CHECK:         store <32 x double> %v, ptr

// But for vectors that are no power of two lines.

func.func @odd(%x: memref<?xf64>, %i: index) {
  %v = vector.load %x[%i] : memref<?xf64>, vector<24xf64>
  vector.store %v, %x[%i] : memref<?xf64>, vector<24xf64>
  func.return
}

// CHECK-LABEL: define void @odd(
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = getelementptr inbounds nuw double, ptr %x.data, i64 %i
// CHECK-NEXT:    %v = load <24 x double>, ptr %t, align 8
// CHECK-NEXT:    %t.1 = getelementptr inbounds nuw double, ptr %x.data, i64 %i
// CHECK-NEXT:    store <24 x double> %v, ptr %t.1, align 8
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

func.func @anywhere(%x: memref<4x16xi1>, %i: index, %at: vector<8xi32>, %m: vector<8xi1>) {
  %v = vector.gather %x[%i, %i] [%at], %m, %m : memref<4x16xi1>, vector<8xi32>, vector<8xi1>, vector<8xi1> into vector<8xi1>
  vector.scatter %x[%i, %i] [%at], %m, %v : memref<4x16xi1>, vector<8xi32>, vector<8xi1>, vector<8xi1>
  func.return
}

// CHECK-LABEL: define void @anywhere(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.size1, i64 %x.stride0, i64 %x.stride1, i64 %i, <8 x i32> %at, <8 x i1> %m) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul i64 %i, 16
// CHECK-NEXT:    %t.1 = add i64 %t, %i
// CHECK-NEXT:    %t.2 = getelementptr i8, ptr %x.data, i64 %t.1
// CHECK-NEXT:    %t.3 = getelementptr i8, ptr %t.2, <8 x i32> %at
// CHECK-NEXT:    %t.4 = zext <8 x i1> %m to <8 x i8>
// CHECK-NEXT:    %t.5 = call <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr> align 1 %t.3, <8 x i1> %m, <8 x i8> %t.4)
// CHECK-NEXT:    %v = trunc <8 x i8> %t.5 to <8 x i1>
// CHECK-NEXT:    %t.6 = mul i64 %i, 16
// CHECK-NEXT:    %t.7 = add i64 %t.6, %i
// CHECK-NEXT:    %t.8 = getelementptr i8, ptr %x.data, i64 %t.7
// CHECK-NEXT:    %t.9 = getelementptr i8, ptr %t.8, <8 x i32> %at
// CHECK-NEXT:    %t.10 = zext <8 x i1> %v to <8 x i8>
// CHECK-NEXT:    call void @llvm.masked.scatter.v8i8.v8p0(<8 x i8> %t.10, <8 x ptr> align 1 %t.9, <8 x i1> %m)
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// A stride that is not one makes a load a gather.
func.func @strided(%x: memref<?xf32, strided<[3]>>, %i: index) -> vector<4xf32> {
  %v = vector.load %x[%i] : memref<?xf32, strided<[3]>>, vector<4xf32>
  func.return %v : vector<4xf32>
}

// CHECK-LABEL: define <4 x float> @strided(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0, i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul i64 %i, 3
// CHECK-NEXT:    %t.1 = getelementptr float, ptr %x.data, i64 %t
// CHECK-NEXT:    %t.2 = getelementptr float, ptr %t.1, <4 x i64> <i64 0, i64 3, i64 6, i64 9>
// CHECK-NEXT:    %v = call <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr> align 4 %t.2, <4 x i1> splat (i1 true), <4 x float> poison)
// CHECK-NEXT:    ret <4 x float> %v
// CHECK-NEXT:  }

func.func @window(%x: memref<?x?xf32>, %i: index) -> vector<2x4xf32> {
  %v = vector.load %x[%i, %i] : memref<?x?xf32>, vector<2x4xf32>
  func.return %v : vector<2x4xf32>
}

// CHECK-LABEL: define <8 x float> @window(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.size1, i64 %x.stride0, i64 %x.stride1, i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul nuw nsw i64 %i, %x.stride0
// CHECK-NEXT:    %t.1 = add nuw nsw i64 %t, %i
// CHECK-NEXT:    %t.2 = getelementptr inbounds nuw float, ptr %x.data, i64 %t.1
// CHECK-NEXT:    %t.3 = add i64 %i, 1
// CHECK-NEXT:    %t.4 = mul nuw nsw i64 %t.3, %x.stride0
// CHECK-NEXT:    %t.5 = add nuw nsw i64 %t.4, %i
// CHECK-NEXT:    %t.6 = getelementptr inbounds nuw float, ptr %x.data, i64 %t.5
// CHECK-NEXT:    %t.7 = load <4 x float>, ptr %t.2, align 4
// CHECK-NEXT:    %t.8 = load <4 x float>, ptr %t.6, align 4
// CHECK-NEXT:    %v = shufflevector <4 x float> %t.7, <4 x float> %t.8, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
// CHECK-NEXT:    ret <8 x float> %v
// CHECK-NEXT:  }

// An element that is a vector is accessed as it is, however long.

func.func @element(%x: memref<?xvector<32xf64>>, %y: memref<?xvector<32xf64>>, %i: index) {
  %v = memref.load %x[%i] : memref<?xvector<32xf64>>
  memref.store %v, %y[%i] : memref<?xvector<32xf64>>
  func.return
}

// CHECK-LABEL: define void @element(
// CHECK:         %v = load <32 x double>, ptr
// CHECK:         store <32 x double> %v, ptr
// HALF-LABEL:  define void @element(
// HALF:          %v = load <32 x double>, ptr
// HALF:          store <32 x double> %v, ptr

// CHECK: declare void @llvm.masked.store.v8f32.p0(<8 x float>, ptr, <8 x i1>)
// CHECK-NEXT: declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, <8 x i1>, <8 x float>)
// CHECK-NEXT: declare <8 x i8> @llvm.masked.gather.v8i8.v8p0(<8 x ptr>, <8 x i1>, <8 x i8>)
// CHECK-NEXT: declare void @llvm.masked.scatter.v8i8.v8p0(<8 x i8>, <8 x ptr>, <8 x i1>)
// CHECK-NEXT: declare <4 x float> @llvm.masked.gather.v4f32.v4p0(<4 x ptr>, <4 x i1>, <4 x float>)
