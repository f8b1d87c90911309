// RUN: xdsl-opt %s -p version-full-groups --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: spmd.kernel @fixed
// CHECK-SAME:    attributes {work_group_size = array<i64: 64>}
// CHECK-LABEL: spmd.kernel @fixed.full
// CHECK-SAME:    attributes {work_group_size = array<i64: 64>, spmd.full_groups}
spmd.kernel @fixed() attributes {work_group_size = array<i64: 64>} {
  spmd.return
}

// No second version: any size, always full, one work-item.

// CHECK-LABEL: spmd.kernel @any
// CHECK-LABEL: spmd.kernel @promised
// CHECK-LABEL: spmd.kernel @one
// CHECK-NOT:   .full
// CHECK:       // -----
spmd.kernel @any() {
  spmd.return
}
spmd.kernel @promised() attributes {spmd.full_groups, work_group_size = array<i64: 64>} {
  spmd.return
}
spmd.kernel @one() attributes {work_group_size = array<i64: 1>} {
  spmd.return
}

// -----

// CHECK: expected the name @k.full to be free for the version of @k that runs full groups
spmd.kernel @k() attributes {work_group_size = array<i64: 64>} {
  spmd.return
}
func.func @k.full() {
  func.return
}
