// RUN: spmd-run %s --kernel row_sum --global-size 4 --arg 'range:f32[4,3]' --arg 'zeros:f32[4]' | filecheck %s --check-prefix ROWS
// RUN: spmd-run %s --kernel row_sum --global-size 4 --group-size 3 --threads 2 --width 4 --arg 'range:f32[4,3]' --arg 'zeros:f32[4]' | filecheck %s --check-prefix ROWS
// RUN: spmd-run - --kernel row_sum --global-size 4 --no-vectorize --arg 'range:f32[4,3]' --arg 'zeros:f32[4]' < %s | filecheck %s --check-prefix ROWS
// RUN: spmd-run %s --kernel fill --global-size 3,2 --arg 0.1 --arg 'random:f64[3,4]' --precision 3 | filecheck %s --check-prefix FILL
// RUN: spmd-run %s --kernel fill --global-size 3,2 --arg 0.1 --constants v --arg 'random:f64[3,4]' --precision 3 | filecheck %s --check-prefix FILL
// RUN: not spmd-run %s --kernel fill --global-size 3,2 --arg 0.1 --constants v,out --arg 'random:f64[3,4]' 2>&1 | filecheck %s --check-prefix CONSTANTS
// RUN: spmd-run %s --kernel fill --global-size 0 --arg 0.1 --arg 'zeros:f64[3,4]' | filecheck %s --check-prefix NOTHING
// RUN: spmd-run %s --kernel fill --print-after spmd-to-loops | filecheck %s --check-prefix IR
// RUN: not spmd-run %s --kernel nope --global-size 1 2>&1 | filecheck %s --check-prefix NOPE
// RUN: not spmd-run %s --kernel fill --global-size 1 --arg 1 2>&1 | filecheck %s --check-prefix COUNT

// ROWS:     %out: f32[4] = [3, 12, 21, 30]
// ROWS-NOT: {{.}}

// FILL:      %out: f64[3,4] =
// FILL-NEXT:   [0.1, 0.1, 0.1, {{0\.[0-9]+}}]
// FILL-NEXT:   [0.1, 0.1, 0.1, {{0\.[0-9]+}}]
// FILL-NEXT:   [{{0\.[0-9]+}}, {{0\.[0-9]+}}, {{0\.[0-9]+}}, {{0\.[0-9]+}}]

// NOTHING: no array changed

// IR:      // IR after spmd-to-loops
// IR:      func.func @fill(
// IR-SAME: spmd.work_group_function
// IR-NOT:  @row_sum

// CONSTANTS:      spmd-run: error: fill: expected constants with names of numbers among the arguments (v), got out
// CONSTANTS-NOT:  Traceback

// NOPE:      spmd-run: error: expected one of the kernels (row_sum, fill), got 'nope'
// NOPE-NOT:  Traceback

// COUNT:      spmd-run: error: fill: expected 2 arguments (%v: f64, %out: memref<?x?xf64>), got 1
// COUNT-NOT:  Traceback

spmd.kernel @row_sum(%x: memref<?x?xf32>, %out: memref<?xf32>) {
  %row = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%row, %i] : memref<?x?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %sum, %out[%row] : memref<?xf32>
  spmd.return
}

spmd.kernel @fill(%v: f64, %out: memref<?x?xf64>) {
  %i = spmd.global_id x
  %j = spmd.global_id y
  memref.store %v, %out[%j, %i] : memref<?x?xf64>
  spmd.return
}
