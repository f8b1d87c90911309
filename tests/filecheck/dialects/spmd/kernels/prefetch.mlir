// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: xdsl-opt %s -p canonicalize,cse,dce | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=32}' | filecheck %s --check-prefix LANES
// RUN: spmd-run %s --global-size 64 --arg 'range:f32[64]' --arg 'zeros:f32[64]' | filecheck %s --check-prefix SAME
// RUN: spmd-run %s --check --global-size 64 --arg 'range:f32[64]' --arg 'zeros:f32[64]' | filecheck %s --check-prefix CLEAN
// RUN: sed 's/prefetch .x..last./prefetch %%x[]/' %s | xdsl-opt --verify-diagnostics | filecheck %s --check-prefix RANK
// RUN: sed 's/prefetch write/prefetch read/' %s | xdsl-opt --parsing-diagnostics | filecheck %s --check-prefix WORD
// RUN: sed 's/prefetch write/prefetch write write/' %s | xdsl-opt --parsing-diagnostics | filecheck %s --check-prefix TWICE
// RUN: sed 's/write streaming/streaming write/' %s | xdsl-opt | filecheck %s

// No generic pass erases a prefetch or makes one of two, and it changes no result, also past
// the end of an array. From level 1 on it is upstream's, once for each cache line.

// CLEAN: @prefetch: no fault found
// RANK: expected one index per dimension of memref<?xf32> (1), got 0
// WORD: expected write or streaming, got read
// TWICE: expected streaming, got write

// CHECK-LABEL: spmd.kernel @prefetch
// LANES-LABEL: func.func @prefetch
spmd.kernel @prefetch(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {work_group_size = array<i64: 64>} {
  %last = arith.constant 100000 : index
  %i = spmd.global_id x
  // CHECK: spmd.prefetch %x[%last] : memref<?xf32>
  // CHECK-NEXT: spmd.prefetch %x[%last] : memref<?xf32>
  // LANES: memref.prefetch %x[%last], read, locality<3>, data : memref<?xf32>
  spmd.prefetch %x[%last] : memref<?xf32>
  spmd.prefetch %x[%last] : memref<?xf32>
  // CHECK-NEXT: spmd.prefetch write streaming %y[%i] {note} : memref<?xf32>
  // LANES: memref.prefetch %y[%i], write, locality<0>, data {note} : memref<?xf32>
  // LANES-NEXT: [[NEXT:%.*]] = arith.addi %i, %c16
  // LANES-NEXT: memref.prefetch %y{{\[}}[[NEXT]]], write, locality<0>, data {note} : memref<?xf32>
  spmd.prefetch write streaming %y[%i] {note} : memref<?xf32>
  %v = memref.load %x[%i] {nontemporal = true} : memref<?xf32>
  // LANES: vector.store %v, %y[%i] {nontemporal = true}
  memref.store %v, %y[%i] {nontemporal = true} : memref<?xf32>
  // SAME: 61, 62, 63]
  spmd.return
}
