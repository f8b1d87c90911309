// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// A branch that most sub-groups take. What only the other one needs is not computed before the
// loop over groups, for which LLVM has to know that the function runs.
// CHECK: define internal void @rows.group(
// CHECK: br i1 %inside, label %then, label %else, !prof [[LIKELY:![0-9]+]]
// CHECK: define internal void @rows.row({{.*}} !prof [[RUNS:![0-9]+]] {
// CHECK: [[LIKELY]] = !{!"branch_weights", i32 1048576, i32 1}
// CHECK: [[RUNS]] = !{!"function_entry_count", i64 1}
func.func @rows(%x: memref<?xf32>, %inside: i1, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  scf.if %inside {
    memref.store %zero, %x[%gx] : memref<?xf32>
  } else {
    memref.store %one, %x[%gx] : memref<?xf32>
  } {spmd.likely}
  func.return
}
