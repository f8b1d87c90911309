// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v4}' | filecheck %s
// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v3}' | filecheck %s --check-prefix=BYTES

// No x86 gathers bytes: words are gathered, in which they lie.
// CHECK-LABEL: define void @bytes(
// BYTES-LABEL: define void @bytes(
func.func @bytes(%x: memref<?xi8>, %at: vector<8xi32>, %on: vector<8xi1>, %old: vector<8xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  // CHECK: %word = call ptr @llvm.ptrmask.p0.i64(ptr [[START:%.*]], i64 -4)
  // CHECK-NEXT: [[ADDRESS:%.*]] = ptrtoint ptr [[START]] to i32
  // CHECK-NEXT: %ahead = and i32 [[ADDRESS]], 3
  // CHECK: [[INSIDE:%.*]] = and <8 x i32> %at, splat (i32 3)
  // CHECK: [[PLACE:%.*]] = add <8 x i32>
  // CHECK-NEXT: [[BEFORE:%.*]] = ashr <8 x i32> %at, splat (i32 2)
  // CHECK-NEXT: [[CARRY:%.*]] = lshr <8 x i32> [[PLACE]], splat (i32 2)
  // CHECK-NEXT: [[WHICH:%.*]] = add <8 x i32> [[BEFORE]], [[CARRY]]
  // CHECK-NEXT: [[AT:%.*]] = getelementptr i32, ptr %word, <8 x i32> [[WHICH]]
  // CHECK-NEXT: [[WORDS:%.*]] = call <8 x i32> @llvm.masked.gather.v8i32.v8p0(<8 x ptr> align 4 [[AT]], <8 x i1> %on, <8 x i32> splat (i32 0))
  // CHECK-NEXT: [[LEFT:%.*]] = and <8 x i32> [[PLACE]], splat (i32 3)
  // CHECK-NEXT: [[BITS:%.*]] = shl <8 x i32> [[LEFT]], splat (i32 3)
  // CHECK-NEXT: [[SHIFTED:%.*]] = lshr <8 x i32> [[WORDS]], [[BITS]]
  // CHECK-NEXT: [[FOUND:%.*]] = trunc <8 x i32> [[SHIFTED]] to <8 x i8>
  // CHECK-NEXT: %v = select <8 x i1> %on, <8 x i8> [[FOUND]], <8 x i8> %old
  // BYTES: call <8 x i8> @llvm.masked.gather.v8i8.v8p0(
  %v = vector.gather %x[%c0] [%at], %on, %old : memref<?xi8>, vector<8xi32>, vector<8xi1>, vector<8xi8> into vector<8xi8>
  vector.store %v, %y[%c0] : memref<?xi8>, vector<8xi8>
  func.return
}
