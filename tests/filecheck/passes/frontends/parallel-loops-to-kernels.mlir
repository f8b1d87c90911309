// RUN: xdsl-opt %s -p parallel-loops-to-kernels --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p parallel-loops-to-kernels,parallel-loops-to-kernels --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p parallel-loops-to-kernels,spmd-to-loops,vectorize{width=8} --split-input-file | filecheck %s --check-prefix LANES

// The last dimension is x; bounds and steps are the range of the launch.

// CHECK-LABEL: spmd.kernel @rows_loop
// CHECK-SAME:    (%t: f32, %x: memref<?x?xf32>, %low: index, %step: index)
// CHECK-SAME:    work_group_size = array<i64: 64, 16>
// CHECK:         %[[X:.*]] = spmd.global_id x
// CHECK-NEXT:    %[[Y:.*]] = spmd.global_id y
// CHECK:         %[[SCALED:.*]] = arith.muli %[[Y]], %step
// CHECK-NEXT:    %[[I:.*]] = arith.addi %[[SCALED]], %low
// CHECK-NEXT:    memref.store %t, %x[%[[I]], %[[X]]]
// CHECK-NEXT:    spmd.return
// CHECK-LABEL: func.func @rows
// CHECK:         cf.assert %{{.*}}, "expected a step of scf.parallel that is positive"
// CHECK:         %[[ROWS:.*]] = arith.subi %n, %low
// CHECK-NEXT:    %[[STEPS:.*]] = arith.ceildivsi %[[ROWS]], %step
// CHECK-NEXT:    %[[COUNT:.*]] = arith.maxsi %[[STEPS]], %c0
// CHECK-NEXT:    %[[COLUMNS:.*]] = arith.maxsi %n, %c0
// CHECK-NEXT:    spmd.launch @rows_loop global(%[[COLUMNS]], %[[COUNT]]) (%t, %x, %low, %step)
// CHECK-NOT:     scf.parallel

// LANES-LABEL: func.func @rows_loop
// LANES:         vector.store
func.func @rows(%x: memref<?x?xf32>, %low: index, %n: index, %step: index, %t: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i, %j) = (%low, %c0) to (%n, %n) step (%step, %c1) {
    memref.store %t, %x[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  func.return
}

// -----

// A loop that is all that is in another one joins it; constants and globals are rematerialized.

// CHECK-LABEL: spmd.kernel @nest_loop(%x: memref<?x?xf32>)
// CHECK-DAG:     arith.constant 2.000000e+00
// CHECK-DAG:     memref.get_global @table
// CHECK-DAG:     spmd.global_id x
// CHECK-DAG:     spmd.global_id y
// CHECK:         spmd.return
// CHECK-LABEL: func.func @nest
// CHECK:         spmd.launch @nest_loop global(%{{.*}}, %{{.*}}) (%x)
memref.global "private" constant @table : memref<2xf32> = dense<[1.0, 2.0]>
func.func @nest(%x: memref<?x?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %table = memref.get_global @table : memref<2xf32>
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %twice = arith.addi %i, %i : index
    scf.parallel (%j) = (%c0) to (%n) step (%c1) {
      %t = memref.load %table[%c1] : memref<2xf32>
      %v = arith.mulf %t, %two : f32
      memref.store %v, %x[%twice, %j] : memref<?x?xf32>
      scf.reduce
    }
    scf.reduce
  }
  func.return
}

// -----

// Any other inner loop runs one iteration after the other; four dimensions share z.

// CHECK-LABEL: spmd.kernel @inner_loop
// CHECK:         %[[Z:.*]] = spmd.global_id z
// CHECK:         arith.remui %[[Z]], %[[SIZE:.*]] : index
// CHECK:         arith.divui %[[Z]], %[[SIZE]] : index
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args
// CHECK:           arith.addf
// CHECK:         memref.store %[[SUM]]
// CHECK-LABEL: func.func @inner
// CHECK:         %[[ROWS:.*]] = arith.muli
// CHECK-NEXT:    spmd.launch @inner_loop global(%{{.*}}, %{{.*}}, %[[ROWS]])
func.func @inner(%x: memref<?x?x?x?xf32>, %n: index, %zero: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%h, %i, %j, %k) = (%c0, %c0, %c0, %c0) to (%n, %n, %n, %n) step (%c1, %c1, %c1, %c1) {
    %sum = scf.parallel (%l) = (%c0) to (%k) step (%c1) init (%zero) -> f32 {
      %v = memref.load %x[%h, %i, %j, %l] : memref<?x?x?x?xf32>
      scf.reduce(%v : f32) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %b : f32
        scf.reduce.return %s : f32
      }
    }
    memref.store %sum, %x[%h, %i, %j, %k] : memref<?x?x?x?xf32>
    scf.reduce
  }
  func.return
}

// -----

// A reduction is one of each group, then of the groups. What the dialect has no kind for,
// the first work-item does.

// CHECK-LABEL: spmd.kernel @sums_loop
// CHECK-SAME:    (%x: memref<?xf32>, %[[SUMS:.*]]: memref<?xf32>, %[[OTHERS:.*]]: memref<?xf32>)
// CHECK:         %[[VALUE:.*]] = memref.load %x
// CHECK:         %[[X:.*]] = spmd.local_size x
// CHECK:         %[[Y:.*]] = spmd.local_size y
// CHECK:         %[[Z:.*]] = spmd.local_size z
// CHECK:         %[[LX:.*]] = spmd.local_id x
// CHECK:         %[[LY:.*]] = spmd.local_id y
// CHECK:         %[[LZ:.*]] = spmd.local_id z
// CHECK:         %[[PLANES:.*]] = arith.muli %[[LZ]], %[[Y]]
// CHECK-NEXT:    %[[ROW:.*]] = arith.addi %[[PLANES]], %[[LY]]
// CHECK-NEXT:    %[[ROWS:.*]] = arith.muli %[[ROW]], %[[X]]
// CHECK-NEXT:    %[[ITEM:.*]] = arith.addi %[[ROWS]], %[[LX]]
// CHECK:         %[[GROUP:.*]] = arith.addi %{{.*}}, %{{.*}}
// CHECK-NEXT:    %[[GROUPROWS:.*]] = arith.muli %[[GROUP]], %{{.*}}
// CHECK-NEXT:    %[[PLACE:.*]] = arith.addi %[[GROUPROWS]], %{{.*}}
// CHECK-NEXT:    %[[SUM:.*]] = spmd.reduce add %[[VALUE]] across work_group : f32
// CHECK:         %[[TILE:.*]] = spmd.local_alloc : memref<1024xf32
// CHECK:         memref.store %[[VALUE]], %[[TILE]][%[[ITEM]]]
// CHECK:         spmd.barrier
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[ITEM]], %c0
// CHECK:         scf.if %[[FIRST]]
// CHECK:           memref.store %[[SUM]], %[[SUMS]][%[[PLACE]]]
// CHECK:           %[[AREA:.*]] = arith.muli %[[X]], %[[Y]]
// CHECK:           %[[ITEMS:.*]] = arith.muli %[[AREA]], %[[Z]]
// CHECK:           %[[OTHER:.*]] = scf.for %{{.*}} = %c1 to %[[ITEMS]] step %c1
// CHECK:             arith.mulf
// CHECK:             math.absf
// CHECK:           memref.store %[[OTHER]], %[[OTHERS]][%[[PLACE]]]
// CHECK-LABEL: func.func @sums
// CHECK-SAME:    -> (f32, f32)
// CHECK:         %[[GROUPS:.*]] = arith.muli
// CHECK:         memref.alloc(%[[GROUPS]]) : memref<?xf32>
// CHECK:         memref.alloc(%[[GROUPS]]) : memref<?xf32>
// CHECK:         spmd.launch @sums_loop
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %a)
// CHECK:         memref.dealloc
// CHECK:         %[[OTHER:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %b)
// CHECK:         memref.dealloc
// CHECK:         func.return %[[SUM]], %[[OTHER]]
func.func @sums(%x: memref<?xf32>, %n: index, %a: f32, %b: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r, %s = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%a, %b) -> (f32, f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%v, %v : f32, f32) {
    ^bb0(%p: f32, %q: f32):
      %t = arith.addf %p, %q : f32
      scf.reduce.return %t : f32
    }, {
    ^bb0(%p: f32, %q: f32):
      %t = arith.mulf %p, %q : f32
      %u = math.absf %t : f32
      scf.reduce.return %u : f32
    }
  }
  func.return %r, %s : f32, f32
}

// -----

// What is known to do little is not worth a launch, but lanes.

// CHECK-LABEL: func.func @little
// CHECK:         scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK:           memref.store
// CHECK:         } {spmd.work_items = array<i64: 0>}
// CHECK-LABEL: func.func @little_sum
// CHECK:         scf.for {{.*}} iter_args(%{{.*}} = %a)
// CHECK-LABEL: func.func @little_square
// CHECK:         scf.for %j = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:        memref.store %t, %x[%j, %i] : memref<4x4xf32>
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    } {spmd.work_items = array<i64: 1>}

// LANES-LABEL: func.func @little(
// LANES:         vector.store {{.*}} vector<8xf32>
func.func @little(%x: memref<20xf32>, %t: f32) {
  %c1 = arith.constant 1 : index
  %c17 = arith.constant 17 : index
  scf.parallel (%i) = (%c1) to (%c17) step (%c1) {
    memref.store %t, %x[%i] : memref<20xf32>
    scf.reduce
  }
  func.return
}
func.func @little_sum(%a: i32) -> i32 {
  %c1 = arith.constant 1 : index
  %c17 = arith.constant 17 : index
  %r = scf.parallel (%i) = (%c1) to (%c17) step (%c1) init (%a) -> i32 {
    scf.reduce(%a : i32) {
    ^bb0(%p: i32, %q: i32):
      %t = arith.addi %p, %q : i32
      scf.reduce.return %t : i32
    }
  }
  func.return %r : i32
}
func.func @little_square(%x: memref<4x4xf32>, %t: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.parallel (%j, %i) = (%c0, %c0) to (%c4, %c4) step (%c1, %c1) {
    memref.store %t, %x[%j, %i] : memref<4x4xf32>
    scf.reduce
  }
  func.return
}

// -----

// Few iterations, of which nobody knows how much they do, are worth a launch.

// CHECK-LABEL: func.func @few
// CHECK:         spmd.launch @few_loop global(%c16)
func.func @few(%x: memref<16x?xf32>, %t: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %t, %x[%i, %j] : memref<16x?xf32>
    }
    scf.reduce
  }
  func.return
}

// -----

// What no work-item can do stays, and says why.

// CHECK-LABEL: func.func @memory
// CHECK:         } {spmd.not_launched = "it has memref.alloc: a work-item has memref.alloca"}
// CHECK:         } {spmd.not_launched = "it uses a value from outside that no kernel can get: expected
// CHECK:         } {spmd.not_launched = "it calls @elsewhere, which has no body"}
func.func private @elsewhere()
func.func @memory(%n: index, %v: vector<4xf32>, %x: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    %m = memref.alloc() : memref<4xf32>
    memref.dealloc %m : memref<4xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    vector.store %v, %x[%i, %c0] : memref<?x4xf32>, vector<4xf32>
    scf.reduce
  }
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    func.call @elsewhere() : () -> ()
    scf.reduce
  }
  func.return
}

// -----

// In a kernel, and in what it calls, a work-item is alone with its loop.

// CHECK-LABEL: spmd.kernel @alone
// CHECK:         scf.for
// CHECK-NOT:     scf.parallel
// CHECK-LABEL: func.func @called
// CHECK:         scf.for
// CHECK-NOT:     scf.parallel
spmd.kernel @alone(%x: memref<?xf32>, %n: index, %t: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %t, %x[%i] : memref<?xf32>
    scf.reduce
  }
  func.call @called(%x, %n, %t) : (memref<?xf32>, index, f32) -> ()
  spmd.return
}
func.func @called(%x: memref<?xf32>, %n: index, %t: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %t, %x[%i] : memref<?xf32>
    scf.reduce
  }
  func.return
}

// -----

// So is a work-group.

// CHECK-LABEL: func.func @work_group
// CHECK:         scf.for
// CHECK-NOT:     scf.parallel
// CHECK-NOT:     spmd.launch
func.func @work_group(%x: memref<?xf32>, %n: index, %t: f32) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    memref.store %t, %x[%i] : memref<?xf32>
    scf.reduce
  }
  func.return
}
