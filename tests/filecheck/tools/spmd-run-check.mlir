// RUN: not spmd-run %s --check --kernel shift --global-size 8 --group-size 4 --arg 'range:f32[9]' | filecheck %s
// RUN: spmd-run %s --check --kernel reverse --global-size 8 --group-size 4 --arg 'range:f32[8]' | filecheck %s --check-prefix REVERSE
// RUN: spmd-run %s --check --schedule random --kernel reverse --global-size 8 --group-size 4 --arg 'range:f32[8]' | filecheck %s --check-prefix REVERSE
// RUN: not spmd-run %s --check --schedule sideways --kernel reverse --global-size 8 --arg 'range:f32[8]' 2>&1 | filecheck %s --check-prefix SIDEWAYS

// Everybody reads the right neighbour's element while that one writes it.

// CHECK:      error: data race within a work-group: [1] of global memory %x, no barrier in between
// CHECK-NEXT:   {{.*}}spmd-run-check.mlir:{{[0-9]+}}:3: work-item 1 (local 1 of work-group 0) writes it
// CHECK-NEXT:       memref.store %v, %x[%i] : memref<?xf32>
// CHECK-NEXT:   {{.*}}spmd-run-check.mlir:{{[0-9]+}}:8: work-item 0 (local 0 of work-group 0) read it
// CHECK-NEXT:       %v = memref.load %x[%next] : memref<?xf32>
// CHECK-NEXT:   ... and 5 more like this
// CHECK:      error: data race between work-groups: [4] of global memory %x, in groups without order
// CHECK:      @shift: 2 faults found

// REVERSE-NOT: error
// REVERSE:     @reverse: no fault found

// SIDEWAYS: error: reverse: expected a schedule of in-order, reversed, random, got 'sideways'

spmd.kernel @shift(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c1 = arith.constant 1 : index
  %next = arith.addi %i, %c1 : index
  %v = memref.load %x[%next] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  spmd.return
}

spmd.kernel @reverse(%x: memref<?xf32>) {
  %tile = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = spmd.local_size x
  %c1 = arith.constant 1 : index
  %v = memref.load %x[%i] : memref<?xf32>
  memref.store %v, %tile[%l] : memref<4xf32, #spmd.memory<local>>
  spmd.barrier
  %last = arith.subi %n, %c1 : index
  %other = arith.subi %last, %l : index
  %w = memref.load %tile[%other] : memref<4xf32, #spmd.memory<local>>
  memref.store %w, %x[%i] : memref<?xf32>
  spmd.return
}
