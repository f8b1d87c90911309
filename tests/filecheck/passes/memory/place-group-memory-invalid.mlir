// RUN: xdsl-opt %s -p place-group-memory --split-input-file --verify-diagnostics | filecheck %s

// CHECK: expected at most 1048576 bytes of local memory in a work-group, got 1048592 with this allocation
func.func @too_much_together(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %a = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<1048576xi8, 3 : i64>
  %b = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<4xf32, 3 : i64>
  "test.op"(%a, %b) : (memref<1048576xi8, 3 : i64>, memref<4xf32, 3 : i64>) -> ()
  func.return
}

// -----

// Contexts do not count.

// CHECK: func.func @context(
func.func @context(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %a = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<1048576xi8, 3 : i64>
  %b = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<4xf32>
  "test.op"(%a, %b) : (memref<1048576xi8, 3 : i64>, memref<4xf32>) -> ()
  func.return
}
