// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: xdsl-opt %s -p canonicalize,cse,dce | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=8}' | filecheck %s --check-prefix LANES
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=8}' -t spmd-llvm | filecheck %s --check-prefix LLVM
// RUN: spmd-run %s --check --global-size 8 --arg 'zeros:i64[8]' | filecheck %s --check-prefix CLEAN
// RUN: sed 's/^spmd.kernel/%%t = spmd.clock spmd.kernel/' %s | xdsl-opt --verify-diagnostics | filecheck %s --check-prefix OUTSIDE

// No generic pass makes one of two, or erases one; lanes read together.

// OUTSIDE: expected spmd.clock inside a kernel or function, got it at module level
// CLEAN: @clock: no fault found

// CHECK-LABEL: spmd.kernel @clock
// LANES-LABEL: func.func @clock.full
// LLVM: declare i64 @llvm.readcyclecounter()
spmd.kernel @clock(%took: memref<?xi64>) attributes {work_group_size = array<i64: 8>} {
  // CHECK:      %before = spmd.clock {note}
  // CHECK-NEXT: %unused = spmd.clock
  // CHECK-NEXT: %after = spmd.clock
  // LANES:      %before = spmd.clock {note}
  // LANES:      %after = spmd.clock
  // LANES:      vector.broadcast
  %before = spmd.clock {note}
  %unused = spmd.clock
  %after = spmd.clock
  %i = spmd.global_id x
  %cycles = arith.subi %after, %before : i64
  memref.store %cycles, %took[%i] : memref<?xi64>
  spmd.return
}
