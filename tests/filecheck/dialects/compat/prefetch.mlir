// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: xdsl-opt %s -p dce | filecheck %s
// RUN: xdsl-opt %s -t spmd-llvm | filecheck %s --check-prefix LLVM

// `memref.prefetch` in upstream's syntax; no generic pass erases it.

// CHECK-LABEL: func.func @prefetch
func.func @prefetch(%x: memref<?x8xf32>, %i: index) {
  %c1 = arith.constant 1 : index
  // CHECK: memref.prefetch %x[%i, %c1], read, locality<3>, data : memref<?x8xf32>
  // LLVM: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 0, i32 3, i32 1)
  memref.prefetch %x[%i, %c1], read, locality<3>, data : memref<?x8xf32>
  // CHECK-NEXT: memref.prefetch %x[%i, %i], write, locality<0>, instr {note} : memref<?x8xf32>
  // LLVM: call void @llvm.prefetch.p0(ptr %{{.*}}, i32 1, i32 0, i32 0)
  memref.prefetch %x[%i, %i], write, locality<0>, instr {note} : memref<?x8xf32>
  func.return
}
