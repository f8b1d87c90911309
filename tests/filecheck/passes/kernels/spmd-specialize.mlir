// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,8}' --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,8 full-groups=true kernel=any}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=ONE

// CHECK-LABEL: spmd.kernel @any
// CHECK-SAME:    attributes {work_group_size = array<i64: 16, 8, 1>}
// ONE-LABEL:   spmd.kernel @any
// ONE-SAME:      attributes {work_group_size = array<i64: 16, 8, 1>, spmd.full_groups}
spmd.kernel @any() {
  spmd.return
}
// CHECK-LABEL: spmd.kernel @other
// CHECK-SAME:    attributes {work_group_size = array<i64: 16, 8, 1>}
// ONE-LABEL:   spmd.kernel @other() {
spmd.kernel @other() {
  spmd.return
}

// -----

// CHECK: expected the work-group size 16 x 4 x 1 that @fixed fixes, got 16 x 8 x 1
// ONE:   expected the option kernel to name a kernel of the module (@fixed), got any
spmd.kernel @fixed() attributes {work_group_size = array<i64: 16, 4>} {
  spmd.return
}
