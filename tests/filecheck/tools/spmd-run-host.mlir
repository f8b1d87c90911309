// RUN: spmd-run %s --kernel sum --arg 'ones:f32[8]' | filecheck %s
// RUN: spmd-run %s --kernel sum --threads 2 --no-vectorize --arg 'ones:f32[8]' | filecheck %s
// RUN: spmd-run %s --kernel sum --print-after launches-to-calls | filecheck %s --check-prefix CALLS
// RUN: not spmd-run %s --kernel sum --global-size 8 --arg 'ones:f32[8]' 2>&1 | filecheck %s --check-prefix SIZES
// RUN: not spmd-run %s --kernel sum --check --arg 'ones:f32[8]' 2>&1 | filecheck %s --check-prefix WATCHED

// CHECK:      %x: f32[8] = [8, 4, 2, 2, 1, 1, 1, 1]
// CHECK-NEXT: result: 8.0

// CALLS: func.call @spmd_launch
// CALLS-NOT: result

// SIZES: spmd-run: error: sum: expected no global_size, because a host function gives the sizes of its launches itself, got (8,)
// WATCHED: spmd-run: error: --check: expected --kernel with one of the kernels halve, got the host function sum

spmd.kernel @halve(%n: index, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %j = arith.addi %i, %n : index
  %a = memref.load %x[%i] : memref<?xf32>
  %b = memref.load %x[%j] : memref<?xf32>
  %c = arith.addf %a, %b : f32
  memref.store %c, %x[%i] : memref<?xf32>
  spmd.return
}
func.func @sum(%x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %half = arith.shrui %n, %c1 : index
  %last = scf.while (%m = %half) : (index) -> index {
    %more = arith.cmpi ugt, %m, %c0 : index
    scf.condition(%more) %m : index
  } do {
  ^bb0(%m: index):
    spmd.launch @halve global(%m) of(%c64) (%m, %x) : index, memref<?xf32>
    %next = arith.shrui %m, %c1 : index
    scf.yield %next : index
  }
  %sum = memref.load %x[%c0] : memref<?xf32>
  func.return %sum : f32
}
