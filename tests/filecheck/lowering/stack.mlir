// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// All functions but those of work-groups share the room on the stack.

// CHECK-LABEL: define void @takes_most
// CHECK:         alloca [10000 x float]
// CHECK-LABEL: define void @takes_more
// CHECK-NOT:     alloca [10000 x float]
// CHECK:         call noalias ptr @spmd.heap(
// CHECK-LABEL: define internal void @takes_its_own
// CHECK:         alloca [10000 x float]
func.func @takes_most() {
  %a = memref.alloca() : memref<10000xf32>
  func.return
}
func.func @takes_more() {
  %a = memref.alloca() : memref<10000xf32>
  func.return
}
func.func @takes_its_own(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %a = memref.alloca() : memref<10000xf32>
  func.return
}
