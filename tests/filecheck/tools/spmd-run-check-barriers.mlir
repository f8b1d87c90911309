// RUN: not spmd-run %s --check-barriers --global-size 8 --group-size 4 --arg 'zeros:i32[8]' --arg 6 2>&1 | filecheck %s
// RUN: not spmd-run %s --check-barriers --no-vectorize --threads 2 --global-size 8 --group-size 4 --arg 'zeros:i32[8]' --arg 6 2>&1 | filecheck %s
// RUN: not spmd-run %s --check-barriers --strategy continuations --global-size 8 --group-size 4 --arg 'zeros:i32[8]' --arg 6 2>&1 | filecheck %s --check-prefix CONT
// RUN: spmd-run %s --check-barriers --global-size 8 --group-size 4 --arg 'zeros:i32[8]' --arg 4 | filecheck %s --check-prefix GOOD
// RUN: spmd-run %s --check-barriers --print-after spmd-to-loops | filecheck %s --check-prefix IR

// CHECK: spmd-run: error: some: {{.*}}spmd-run-check-barriers.mlir:[[LINE:[0-9]+]]:3: work-item (2, 0, 0) of work-group (1, 0, 0) goes on to spmd.barrier ({{.*}}.mlir:{{[0-9]+}}:5), but work-item (0, 0, 0) goes on to the end of the kernel
// CONT: spmd-run: error: some: {{.*}}spmd-run-check-barriers.mlir:{{[0-9]+}}:5: work-item (2, 0, 0) of work-group (1, 0, 0) waits at spmd.barrier, but work-item (0, 0, 0) came to the end of the kernel
// GOOD: %x: i32[8] = [0, 0, 0, 0, 1, 1, 1, 1]
// IR: spmd.fail "work-item ({}, {}, {}) of work-group ({}, {}, {})
spmd.kernel @some(%x: memref<?xi32>, %from: i32) {
  %one = arith.constant 1 : i32
  %i = spmd.global_id x
  %n = arith.index_cast %i : index to i32
  %go = arith.cmpi sge, %n, %from : i32
  scf.if %go {
    memref.store %one, %x[%i] : memref<?xi32>
    spmd.barrier
  }
  spmd.return
}
