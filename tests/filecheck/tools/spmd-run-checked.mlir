// RUN: not spmd-run %s --checked --global-size 8 --group-size 4 --arg 'zeros:i32[6]' 2>&1 | filecheck %s
// RUN: not spmd-run %s --checked --no-vectorize --threads 1 --global-size 8 --group-size 4 --arg 'zeros:i32[6]' 2>&1 | filecheck %s
// RUN: spmd-run %s --checked --global-size 6 --group-size 4 --arg 'zeros:i32[6]' | filecheck %s --check-prefix GOOD
// RUN: spmd-run %s --checked --explain | filecheck %s --check-prefix EXPLAIN
// RUN: spmd-run %s --explain | filecheck %s --check-prefix UNCHECKED

// CHECK: spmd-run: error: count: {{.*}}spmd-run-checked.mlir:{{[0-9]+}}:3: access out of bounds: [6] of global memory %x of 6 elements [memref.store] in work-item 6 (local 2 of work-group 1); what it stored to %x stays

// GOOD: %x: i32[6] = [0, 1, 2, 3, 4, 5]

// EXPLAIN: checks         1; 2 more are not needed: ranges, conditions or other checks prove them

// EXPLAIN-NEXT: loops 1 in lanes, every access uniform or contiguous
// UNCHECKED-NOT: checks

spmd.kernel @count(%x: memref<?xi32>) {
  %t = memref.alloca() : memref<4xi32>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = arith.index_cast %i : index to i32
  memref.store %n, %x[%i] : memref<?xi32>
  memref.store %n, %x[%i] : memref<?xi32>
  spmd.return
}
