// RUN: spmd-run %s --kernel sum --arg 'ones:f32[8]' | filecheck %s
// RUN: spmd-run %s --kernel sum --threads 2 --no-vectorize --arg 'ones:f32[8]' | filecheck %s
// RUN: spmd-run %s --kernel sum --print-after launches-to-calls | filecheck %s --check-prefix CALLS
// RUN: not spmd-run %s --kernel sum --global-size 8 --arg 'ones:f32[8]' 2>&1 | filecheck %s --check-prefix SIZES
// RUN: spmd-run %s --kernel sum --check --arg 'ones:f32[8]' | filecheck %s --check-prefix WATCHED
// RUN: spmd-run %s --kernel sum --check --arg 'ones:f32[7]' | filecheck %s --check-prefix ODD
// RUN: not spmd-run %s --kernel wrong --check --arg 'ones:f32[8]' | filecheck %s --check-prefix WRONG
// RUN: not spmd-run %s --kernel sum --check --global-size 8 --arg 'ones:f32[8]' 2>&1 | filecheck %s --check-prefix SIZES

// CHECK:      %x: f32[8] = [8, 4, 2, 2, 1, 1, 1, 1]
// CHECK-NEXT: result: 8.0

// CALLS: func.call @spmd_launch
// CALLS-NOT: result

// SIZES: spmd-run: error: sum: expected no global_size, because a host function gives the sizes of its launches itself, got (8,)
// WATCHED-NOT: error
// WATCHED:     @sum: no fault found

// Seven elements are halves of three: the last one is left out, which is no fault.

// ODD-NOT: error
// ODD:     @sum: no fault found

// The second launch is wrong; so is what the host does with its own memory.

// WRONG:      error: access out of bounds: [8] of global memory %x of 8 elements
// WRONG-NEXT:   {{.*}}spmd-run-host.mlir:{{[0-9]+}}:8: work-item 3 (local 3 of work-group 0) is here
// WRONG-NEXT:       %b = memref.load %x[%j] : memref<?xf32>
// WRONG-NEXT:   {{.*}}spmd-run-host.mlir:{{[0-9]+}}:3: launch 2 of host function @wrong runs @halve on 4 work-items in groups of 4
// WRONG-NEXT:       spmd.launch @halve global(%c4) of(%c4) (%c5, %x) : index, memref<?xf32>
// WRONG:      error: read of memory that was never written: [0] of global memory %own
// WRONG-NEXT:   {{.*}}spmd-run-host.mlir:{{[0-9]+}}:14: host function @wrong is here
// WRONG-NEXT:       %nothing = memref.load %own[%c0] : memref<4xf32>
// WRONG:      @wrong: 2 faults found

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
func.func @wrong(%x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %own = memref.alloc() : memref<4xf32>
  spmd.launch @halve global(%c4) of(%c4) (%c4, %x) : index, memref<?xf32>
  spmd.launch @halve global(%c4) of(%c4) (%c5, %x) : index, memref<?xf32>
  %nothing = memref.load %own[%c0] : memref<4xf32>
  memref.dealloc %own : memref<4xf32>
  func.return %nothing : f32
}
