// RUN: xdsl-opt %s -t 'spmd-llvm{cpu=x86-64-v4}' | filecheck %s
// RUN: xdsl-opt %s -t 'spmd-llvm{cpu=x86-64-v4}' | filecheck %s --check-prefix=WIDE
// RUN: xdsl-opt %s -t 'spmd-llvm{cpu=x86-64-v3}' | filecheck %s --check-prefix=HALF

// Registers that are saved on the stack lie in one cache line each, where there are vectors.

// CHECK-LABEL: define internal void @scalars.group(
// CHECK-NOT:     alignstack
// CHECK-LABEL: define internal void @vectors.group(
// WIDE:        define internal void @vectors.group({{.*}}) nounwind alwaysinline alignstack(64) {
// WIDE:        define internal void @vectors.row({{.*}}) nounwind noinline alignstack(64) {
// HALF:        define internal void @vectors.row({{.*}}) nounwind noinline alignstack(32) {
func.func @scalars(%x: memref<?xf32>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %v = memref.load %x[%gx] : memref<?xf32>
  memref.store %v, %x[%gy] : memref<?xf32>
  func.return
}

func.func @vectors(%x: memref<?xf32>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %v = vector.load %x[%gx] : memref<?xf32>, vector<16xf32>
  vector.store %v, %x[%gy] : memref<?xf32>, vector<16xf32>
  func.return
}
