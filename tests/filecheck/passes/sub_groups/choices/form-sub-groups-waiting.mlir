// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v4"}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{target="x86-64-v3"}' --split-input-file | filecheck %s --check-prefix=SHORT

// Gathers in a loop in a loop, both left one by one: few lanes are active, and one register of
// them waits for many elements at once.

// CHECK-LABEL: func.func @gathers
// CHECK:         spmd.sub_group (%lx) shape [16] at
func.func @gathers(%lengths: memref<256xindex>, %starts: memref<?xindex>, %x: memref<?xf32>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %length = memref.load %lengths[%lx] : memref<256xindex>
    %sum = scf.for %i = %c0 to %length step %c1 iter_args(%s = %zero) -> (f32) {
      %at = arith.addi %lx, %i : index
      %start = memref.load %starts[%at] : memref<?xindex>
      %part = scf.for %j = %i to %start step %c1 iter_args(%t = %s) -> (f32) {
        %place = arith.muli %j, %start : index
        %v = memref.load %x[%place] : memref<?xf32>
        %root = math.sqrt %v : f32
        %more = math.sqrt %root : f32
        %next = arith.addf %t, %more : f32
        scf.yield %next : f32
      }
      scf.yield %part : f32
    }
    memref.store %sum, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// In one loop lanes leave one by one, in the other one together.

// CHECK-LABEL: func.func @together
// CHECK:         spmd.sub_group (%lx) shape [64] at
func.func @together(%lengths: memref<256xindex>, %n: index, %x: memref<?xf32>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %length = memref.load %lengths[%lx] : memref<256xindex>
    %sum = scf.for %i = %c0 to %length step %c1 iter_args(%s = %zero) -> (f32) {
      %part = scf.for %j = %c0 to %n step %c1 iter_args(%t = %s) -> (f32) {
        %place = arith.muli %j, %length : index
        %v = memref.load %x[%place] : memref<?xf32>
        %root = math.sqrt %v : f32
        %more = math.sqrt %root : f32
        %next = arith.addf %t, %more : f32
        scf.yield %next : f32
      }
      scf.yield %part : f32
    }
    memref.store %sum, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// The same the other way round.

// CHECK-LABEL: func.func @together_outside
// CHECK:         spmd.sub_group (%lx) shape [64] at
func.func @together_outside(%lengths: memref<256xindex>, %n: index, %x: memref<?xf32>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %length = memref.load %lengths[%lx] : memref<256xindex>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %part = scf.for %j = %c0 to %length step %c1 iter_args(%t = %s) -> (f32) {
        %place = arith.muli %j, %length : index
        %v = memref.load %x[%place] : memref<?xf32>
        %root = math.sqrt %v : f32
        %more = math.sqrt %root : f32
        %next = arith.addf %t, %more : f32
        scf.yield %next : f32
      }
      scf.yield %part : f32
    }
    memref.store %sum, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Arithmetic costs nothing for lanes that are not active, and neither do accesses side by side.

// CHECK-LABEL: func.func @computes
// CHECK:         spmd.sub_group (%lx) shape [64] at
func.func @computes(%lengths: memref<256xindex>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %one = arith.constant 1.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %length = memref.load %lengths[%lx] : memref<256xindex>
    %product = scf.for %i = %c0 to %length step %c1 iter_args(%s = %one) -> (f32) {
      %part = scf.for %j = %i to %length step %c1 iter_args(%t = %s) -> (f32) {
        %square = arith.mulf %t, %t : f32
        %v = memref.load %y[%lx] : memref<256xf32>
        %next = arith.addf %square, %v : f32
        scf.yield %next : f32
      }
      scf.yield %part : f32
    }
    memref.store %product, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Each lane goes along its own row: as many as the first cache keeps apart, or one register
// holds. Rows that all lanes share do not count.

// CHECK-LABEL: func.func @rows
// CHECK:         spmd.sub_group (%lx) shape [16] at
// CHECK:         spmd.sub_group (%lx_1) shape [64] at
// SHORT-LABEL: func.func @rows
// SHORT:         spmd.sub_group (%lx) shape [8] at
// SHORT:         spmd.sub_group (%lx_1) shape [32] at
func.func @rows(%x: memref<?x?xf32>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%lx, %k] : memref<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %c256 step %c1 {
    %start = memref.load %y[%lx_1] : memref<256xf32>
    %sum_1 = scf.for %k_1 = %c0 to %n step %c1 iter_args(%s_1 = %start) -> (f32) {
      %v_1 = memref.load %x[%c1, %k_1] : memref<?x?xf32>
      %t_1 = arith.addf %s_1, %v_1 : f32
      scf.yield %t_1 : f32
    }
    memref.store %sum_1, %y[%lx_1] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Rows that begin where memory says are not a power of two apart.

// CHECK-LABEL: func.func @sparse
// CHECK:         spmd.sub_group (%lx) shape [64] at
// SHORT-LABEL: func.func @sparse
// SHORT:         spmd.sub_group (%lx) shape [32] at
func.func @sparse(%x: memref<?xf32>, %starts: memref<256xindex>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c256 step %c1 {
    %start = memref.load %starts[%lx] : memref<256xindex>
    %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zero) -> (f32) {
      %at = arith.addi %start, %k : index
      %v = memref.load %x[%at] : memref<?xf32>
      %e = math.exp %v : f32
      %t = arith.addf %s, %e : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A checksum waits for its table in each iteration, and not for the row.

// CHECK-LABEL: func.func @checksum
// CHECK:         spmd.sub_group (%lx) shape [64] at
// SHORT-LABEL: func.func @checksum
// SHORT:         spmd.sub_group (%lx) shape [64] at
func.func @checksum(%x: memref<?x?xi32>, %table: memref<256xi32>, %y: memref<256xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0 : i32
  %low = arith.constant 255 : i32
  %eight = arith.constant 8 : i32
  scf.for %lx = %c0 to %c256 step %c1 {
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (i32) {
      %v = memref.load %x[%lx, %k] : memref<?x?xi32>
      %both = arith.xori %s, %v : i32
      %byte = arith.andi %both, %low : i32
      %at = arith.index_cast %byte : i32 to index
      %w = memref.load %table[%at] : memref<256xi32>
      %rest = arith.shrui %s, %eight : i32
      %t = arith.xori %w, %rest : i32
      scf.yield %t : i32
    }
    memref.store %sum, %y[%lx] : memref<256xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// A search waits for what it gathers before it gathers again: it has twice as many lanes.
// CHECK-LABEL: func.func @search
// CHECK: shape [64]
func.func @search(%keys: memref<?xf32>, %x: memref<?xf32>, %out: memref<?xi64>, %n: i64, %lsx: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  scf.for %lx = %c0 to %lsx step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
    %low, %high = scf.while (%lo = %zero, %hi = %n) : (i64, i64) -> (i64, i64) {
      %some = arith.cmpi slt, %lo, %hi : i64
      scf.condition(%some) %lo, %hi : i64, i64
    } do {
    ^bb0(%lo: i64, %hi: i64):
      %sum = arith.addi %lo, %hi : i64
      %m = arith.shrui %sum, %one : i64
      %at = arith.index_cast %m : i64 to index
      %key = memref.load %keys[%at] : memref<?xf32>
      %left = arith.cmpf ole, %key, %v : f32
      %next = arith.addi %m, %one : i64
      %lo_2 = arith.select %left, %next, %lo : i64
      %hi_2 = arith.select %left, %hi, %m : i64
      scf.yield %lo_2, %hi_2 : i64, i64
    }
    memref.store %low, %out[%lx] : memref<?xi64>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// What is found ends this loop, but nothing it goes on with is found.
// CHECK-LABEL: func.func @first
// CHECK: shape [32]
func.func @first(%keys: memref<?xf32>, %x: memref<?xf32>, %out: memref<?xi64>, %begin: memref<?xi64>, %lsx: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i64
  scf.for %lx = %c0 to %lsx step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
    %k0 = memref.load %begin[%lx] : memref<?xi64>
    %found = scf.while (%k = %k0) : (i64) -> i64 {
      %at = arith.index_cast %k : i64 to index
      %key = memref.load %keys[%at] : memref<?xf32>
      %some = arith.cmpf one, %key, %v : f32
      scf.condition(%some) %k : i64
    } do {
    ^bb0(%k: i64):
      %next = arith.addi %k, %one : i64
      scf.yield %next : i64
    }
    memref.store %found, %out[%lx] : memref<?xi64>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
