// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,8}' --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,8 full-groups=true kernel=any}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=ONE
// RUN: xdsl-opt %s -p 'spmd-specialize{constants="n=-7","a=0.5","3=1"}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=CONSTANTS
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 disjoint-arrays=true kernel=fixed}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=APART
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 small-arrays=true few-items=true kernel=fixed}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=SMALL
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 thread-copies="y=min","0=add"}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=COPIES
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 streamed-arrays="y"}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=STREAMED
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 streamed-arrays=0,2 kernel=fixed}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=NUMBERS
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 streamed-arrays="0=48","y=0"}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=PLACES
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=16,4 streamed-arrays="y=8"}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=NO_PLACE
// RUN: xdsl-opt %s -p 'spmd-specialize{constants=1.5}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=NOT_NAMED

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
// NUMBERS: spmd.kernel @fixed(%x: memref<?xf32> {spmd.streamed}, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.streamed}, %t
// STREAMED: spmd.kernel @fixed(%x: memref<?xf32>, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.streamed}, %t
// PLACES: spmd.kernel @fixed(%x: memref<?xf32> {spmd.streamed = 48 : i64}, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.streamed = 0 : i64}, %t
// NO_PLACE: expected where in a cache line the argument y begins (0, 16, 32, 48) in the option streamed-arrays, got 8
// COPIES: spmd.kernel @fixed(%x: memref<?xf32> {spmd.thread_copies = #spmd.atomic_kind<add>}, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.thread_copies = #spmd.atomic_kind<min>}, %t: memref<4xf32, #spmd.memory<local>>)
// APART: spmd.kernel @fixed(%x: memref<?xf32> {spmd.noalias}, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.noalias}, %t: memref<4xf32, #spmd.memory<local>>)
// SMALL: spmd.kernel @fixed(%x: memref<?xf32> {spmd.small}, %n: index, %y: memref<4xf32> {llvm.noundef, spmd.small}, %t: memref<4xf32, #spmd.memory<local>>)
// SMALL-SAME: attributes {work_group_size = array<i64: 16, 4, 1>, spmd.few_items}
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
// NOT_NAMED: expected the option constants to name scalar arguments of @array (a), got 1.5
spmd.kernel @array(%n: memref<?xf32>, %a: f32) {
  spmd.return
}

// -----

// COPIES: expected the option thread-copies to name array arguments of @no_y (x), got y
// STREAMED: expected the option streamed-arrays to name array arguments of @no_y (x), got y
spmd.kernel @no_y(%y: index, %x: memref<?xf32>) attributes {work_group_size = array<i64: 16, 4>} {
  spmd.return
}

// -----

// COPIES: argument 1: expected elements of an integer of 8 to 64 bits, index, f32 or f64 for min, got f16
spmd.kernel @halves(%x: memref<?xf32>, %y: memref<?xf16>) attributes {work_group_size = array<i64: 16, 4>} {
  spmd.return
}
