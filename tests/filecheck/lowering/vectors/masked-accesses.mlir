// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v3}' | filecheck %s
// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v4}' | filecheck %s --check-prefix=MASKS

// What lies in one page is loaded as a whole if a lane is active, and stored by eight lanes.

// MASKS-NOT: spmd.load
// MASKS-NOT: spmd.store

// CHECK-LABEL: define internal void @bytes.group
// CHECK:         %v = call <16 x i8> @spmd.load.whole.v16i8.1(ptr %{{.*}}, <16 x i1> [[MASK:%[a-z0-9.]+]], <16 x i8> splat (i8 3))
// CHECK:         call void @spmd.store.parts.v16i8.1(ptr %{{.*}}, <16 x i1> [[MASK]], <16 x i8> %v)
func.func @bytes(%x: memref<?xi8>, %y: memref<?xi8>, %n: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 16, 1, 1>} {
  %old = arith.constant dense<3> : vector<16xi8>
  %mask = vector.create_mask %n : vector<16xi1>
  %v = vector.maskedload %x[%gx], %mask, %old : memref<?xi8>, vector<16xi1>, vector<16xi8> into vector<16xi8>
  vector.maskedstore %y[%gx], %mask, %v : memref<?xi8>, vector<16xi1>, vector<16xi8>
  func.return
}

// AVX2 has masks for longer elements; and LLVM knows where an array of the function ends.

// CHECK-LABEL: define internal void @others.group
// CHECK:         %v = freeze <8 x i32>
// CHECK:         %w = freeze <16 x i16>
func.func @others(%x: memref<?xi32>, %y: memref<?xi32>, %z: memref<?xi16>, %n: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 16, 1, 1>} {
  %old = arith.constant dense<3> : vector<8xi32>
  %short = arith.constant dense<3> : vector<16xi16>
  %own = memref.alloca() : memref<8xi16>
  %mask = vector.create_mask %n : vector<8xi1>
  %v = vector.maskedload %x[%gx], %mask, %old : memref<?xi32>, vector<8xi1>, vector<8xi32> into vector<8xi32>
  vector.maskedstore %y[%gx], %mask, %v : memref<?xi32>, vector<8xi1>, vector<8xi32>
  %some = vector.create_mask %n : vector<16xi1>
  %w = vector.maskedload %own[%gx], %some, %short : memref<8xi16>, vector<16xi1>, vector<16xi16> into vector<16xi16>
  vector.store %w, %z[%gx] : memref<?xi16>, vector<16xi16>
  func.return
}

// CHECK:       define internal <16 x i8> @spmd.load.whole.v16i8.1(ptr %at, <16 x i1> %mask, <16 x i8> %value) alwaysinline nounwind {
// CHECK:         %inside = and i64 %address, 4095
// CHECK-NEXT:    %ends = icmp ule i64 %inside, 4080
// CHECK-NEXT:    %is_whole = and i1 %some, %ends
// CHECK-NEXT:    br i1 %is_whole, label %whole, label %each
// CHECK:         %all = load <16 x i8>, ptr %at, align 1
// CHECK:       define internal void @spmd.store.parts.v16i8.1
// CHECK:         switch i8 %bits8, label %some8 [
// CHECK-NEXT:      i8 0, label %part16
// CHECK-NEXT:      i8 -1, label %all8
// CHECK:         call void @llvm.masked.store.v8i8.p0(<8 x i8> %value8, ptr align 1 %at8, <8 x i1> %mask8)
