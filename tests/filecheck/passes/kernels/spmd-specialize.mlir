// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,8}' --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,8 full-groups=true kernel=any}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=ONE
// RUN: xdsl-opt %s -p 'spmd-specialize{constants="n=-7","a=0.5","3=1"}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=CONSTANTS
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 disjoint-arrays=true kernel=fixed}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=APART

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
// APART: spmd.kernel @fixed(%x: memref<?xf32> {spmd.noalias}, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.noalias}, %t: memref<4xf32, #spmd.memory<local>>)
spmd.kernel @fixed(%x: memref<?xf32>, %n: index, %y: memref<4xf32> {llvm.noundef}, %t: memref<4xf32, #spmd.memory<local>>) attributes {work_group_size = array<i64: 16, 4>} {
  spmd.return
}

// -----

// CONSTANTS:      spmd.kernel @numbers(%n: i8, %a: f32, %x: memref<?xf32>, %{{.*}}: i1) {
// CONSTANTS-NEXT:   %{{.*}} = arith.constant true
// CONSTANTS-NEXT:   %[[A:.*]] = arith.constant 5.000000e-01 : f32
// CONSTANTS-NEXT:   %[[N:.*]] = arith.constant -7 : i8
// CONSTANTS:        "test.op"(%{{.*}}, %{{.*}}, %{{.*}}) : (i8, f32, i1)
spmd.kernel @numbers(%n: i8, %a: f32, %x: memref<?xf32>, %3: i1) {
  "test.op"(%n, %a, %3) : (i8, f32, i1) -> ()
  spmd.return
}

// -----

// CONSTANTS: expected the option constants to name scalar arguments of @array (a), got n
spmd.kernel @array(%n: memref<?xf32>, %a: f32) {
  spmd.return
}
