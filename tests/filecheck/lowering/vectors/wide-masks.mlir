// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v3}' | filecheck %s
// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v2}' | filecheck %s --check-prefix=SSE
// RUN: xdsl-opt %s -t 'spmd-llvm{triple=x86_64-unknown-linux-gnu cpu=x86-64-v4}' | filecheck %s --check-prefix=MASKS

// Which lanes are left is passed on in integers, as long as what is compared; two registers of them
// are tested as one. With AVX-512 a mask has bits.

// MASKS-LABEL: define internal void @leave.group
// MASKS:         %live = phi <16 x i1>
// SSE-LABEL:   define internal void @leave.group
// SSE:           icmp slt <4 x i32> %{{.*}}, zeroinitializer
// CHECK-LABEL: define internal void @leave.group
// CHECK:         [[LIVE:%[a-z0-9.]+]] = phi <16 x i32>
// CHECK:         %go = fcmp olt <16 x float> %v, splat (float 4.000000e+00)
// CHECK-NEXT:    [[GO:%[a-z0-9.]+]] = sext <16 x i1> %go to <16 x i32>
// CHECK-NEXT:    [[FROZEN:%[a-z0-9.]+]] = freeze <16 x i32> [[GO]]
// CHECK-NEXT:    %active = and <16 x i32> [[LIVE]], [[FROZEN]]
// CHECK-NEXT:    [[LOW:%[a-z0-9.]+]] = shufflevector <16 x i32> %active, <16 x i32> poison, <8 x i32> <i32 0,
// CHECK-NEXT:    [[HIGH:%[a-z0-9.]+]] = shufflevector <16 x i32> %active, <16 x i32> poison, <8 x i32> <i32 8,
// CHECK-NEXT:    [[BOTH:%[a-z0-9.]+]] = or <8 x i32> [[LOW]], [[HIGH]]
// CHECK-NEXT:    [[CAST:%[a-z0-9.]+]] = bitcast <8 x i32> [[BOTH]] to <4 x i64>
// CHECK-NEXT:    [[ZERO:%[a-z0-9.]+]] = call i32 @llvm.x86.avx.ptestz.256(<4 x i64> [[CAST]], <4 x i64> [[CAST]])
// CHECK-NEXT:    %some = icmp eq i32 [[ZERO]], 0
// CHECK:         [[LEFT:%[a-z0-9.]+]] = icmp slt <16 x i32> %active, zeroinitializer
// CHECK-NEXT:    %next = select <16 x i1> [[LEFT]]
func.func @leave(%x: memref<?xf32>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 16, 1, 1>} {
  %on = arith.constant dense<true> : vector<16xi1>
  %off = arith.constant dense<false> : vector<16xi1>
  %four = arith.constant dense<4.0> : vector<16xf32>
  %start = vector.load %x[%gx] : memref<?xf32>, vector<16xf32>
  %left, %end = scf.while (%live = %on, %v = %start) : (vector<16xi1>, vector<16xf32>) -> (vector<16xi1>, vector<16xf32>) {
    %go = arith.cmpf olt, %v, %four : vector<16xf32>
    %active = arith.select %live, %go, %off : vector<16xi1>, vector<16xi1>
    %some = vector.reduction <or>, %active : vector<16xi1> into i1
    scf.condition(%some) %active, %v : vector<16xi1>, vector<16xf32>
  } do {
  ^bb0(%live: vector<16xi1>, %v: vector<16xf32>):
    %twice = arith.addf %v, %v : vector<16xf32>
    %next = arith.select %live, %twice, %v : vector<16xi1>, vector<16xf32>
    scf.yield %live, %next : vector<16xi1>, vector<16xf32>
  }
  vector.store %end, %x[%gx] : memref<?xf32>, vector<16xf32>
  func.return
}
