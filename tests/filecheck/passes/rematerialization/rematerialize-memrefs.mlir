// RUN: xdsl-opt %s -p rematerialize-memrefs --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p rematerialize-memrefs,rematerialize-memrefs --split-input-file --verify-diagnostics | filecheck %s

// Two arrays of one shape that change places: a bit says which is which.

// CHECK-LABEL: spmd.kernel @swap
// CHECK:         %a_base, {{.*}} = memref.extract_strided_metadata %a
// CHECK:         %b_base, {{.*}} = memref.extract_strided_metadata %b
// CHECK:         %r_base, %r_base_1 = scf.for %i = %c0 to %n step %c1 iter_args(%from_base = %false, %to_base = %true) -> (i1, i1) {
// CHECK-NEXT:      [[TO:%.*]] = arith.select %to_base, %b_base, %a_base : memref<f32>
// CHECK-NEXT:      %to = memref.reinterpret_cast [[TO]] to offset: [0], sizes: [4], strides: [1] : memref<f32> to memref<4xf32>
// CHECK-NEXT:      [[FROM:%.*]] = arith.select %from_base, %b_base, %a_base : memref<f32>
// CHECK-NEXT:      %from = memref.reinterpret_cast [[FROM]]
// CHECK:           scf.yield %to_base, %from_base : i1, i1
// CHECK:         %r = memref.reinterpret_cast
// CHECK-NEXT:    memref.load %r[%c0]
spmd.kernel @swap(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloca() : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%from = %a, %to = %b) -> (memref<4xf32>, memref<4xf32>) {
    %v = memref.load %from[%c0] : memref<4xf32>
    spmd.barrier
    memref.store %v, %to[%c1] : memref<4xf32>
    scf.yield %to, %from : memref<4xf32>, memref<4xf32>
  }
  %w = memref.load %r#0[%c0] : memref<4xf32>
  memref.store %w, %x[%c0] : memref<?xf32>
  spmd.return
}

// -----

// One array, so that only the offset differs: a function of what the loop knows.

// CHECK-LABEL: spmd.kernel @row
// CHECK:         %last_offset = scf.for %i = %c0 to %n step %c1 iter_args(%row_offset = [[FIRST:%.*]]) -> (index) {
// CHECK-NEXT:      %row = memref.reinterpret_cast %x to offset: [%row_offset], sizes: [8], strides: [1] : memref<?xf32> to memref<8xf32, strided<[1], offset: ?>>
// CHECK-NOT:       arith.select
// CHECK:           [[NEXT:%.*]] = arith.addi %row_offset, %c8 : index
// CHECK-NEXT:      scf.yield [[NEXT]] : index
spmd.kernel @row(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %lid = spmd.local_id x
  %first = memref.subview %x[%lid] [8] [1] : memref<?xf32> to memref<8xf32, strided<[1], offset: ?>>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%row = %first) -> (memref<8xf32, strided<[1], offset: ?>>) {
    %v = memref.load %row[%c0] : memref<8xf32, strided<[1], offset: ?>>
    spmd.barrier
    memref.store %v, %row[%c1] : memref<8xf32, strided<[1], offset: ?>>
    %next = memref.subview %row[%c8] [8] [1] : memref<8xf32, strided<[1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
    scf.yield %next : memref<8xf32, strided<[1], offset: ?>>
  }
  spmd.return
}

// -----

// What a branch without barriers chooses, and only a use after a barrier needs. The array
// that a branch makes moves to the head.

// CHECK-LABEL: spmd.kernel @branches
// CHECK:         %own = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    %own_base, {{.*}} = memref.extract_strided_metadata %own
// CHECK:         %m_base, %m_offset, %m_size0 = scf.if %p -> (i32, index, index) {
// CHECK:           scf.yield %c0_i32, %c0, {{%.*}} : i32, index, index
// CHECK:         } else {
// CHECK:           [[INNER:%.*]] = arith.select %q, %c1_i32, %c2_i32 : i32
// CHECK:           scf.yield [[INNER]], %c0, {{%.*}} : i32, index, index
// CHECK:         [[IS1:%.*]] = arith.cmpi eq, %m_base, %c1_i32 : i32
// CHECK-NEXT:    [[ONE:%.*]] = arith.select [[IS1]], %y_base, %own_base
// CHECK-NEXT:    [[IS0:%.*]] = arith.cmpi eq, %m_base, %c0_i32 : i32
// CHECK-NEXT:    [[TWO:%.*]] = arith.select [[IS0]], %x_base, [[ONE]]
// CHECK-NEXT:    %m = memref.reinterpret_cast [[TWO]] to offset: [%m_offset], sizes: [%m_size0], strides: [1]
spmd.kernel @branches(%x: memref<?xf32>, %y: memref<?xf32>, %p: i1, %q: i1) {
  %c0 = arith.constant 0 : index
  %m = scf.if %p -> (memref<?xf32, strided<[1], offset: ?>>) {
    %v = memref.cast %x : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    scf.yield %v : memref<?xf32, strided<[1], offset: ?>>
  } else {
    %own = memref.alloca() : memref<4xf32>
    %v = memref.cast %own : memref<4xf32> to memref<?xf32, strided<[1], offset: ?>>
    %w = memref.cast %y : memref<?xf32> to memref<?xf32, strided<[1], offset: ?>>
    %s = arith.select %q, %w, %v : memref<?xf32, strided<[1], offset: ?>>
    scf.yield %s : memref<?xf32, strided<[1], offset: ?>>
  }
  %v = memref.load %m[%c0] : memref<?xf32, strided<[1], offset: ?>>
  spmd.barrier
  memref.store %v, %m[%c0] : memref<?xf32, strided<[1], offset: ?>>
  spmd.return
}

// -----

// What no barrier separates from its use stays what it is.

// CHECK-LABEL: spmd.kernel @here
// CHECK:         %m = scf.if %p -> (memref<?xf32>) {
spmd.kernel @here(%x: memref<?xf32>, %y: memref<?xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %m = scf.if %p -> (memref<?xf32>) {
    scf.yield %x : memref<?xf32>
  } else {
    scf.yield %y : memref<?xf32>
  }
  %v = memref.load %m[%c0] : memref<?xf32>
  spmd.barrier
  memref.store %v, %x[%c0] : memref<?xf32>
  spmd.return
}

// -----

// The next iteration must not use what this one makes: it would be rematerialized.

// CHECK: expected a private array that ends with the iteration that makes it, got one that the next iteration uses; make it before the loop
spmd.kernel @old(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = arith.constant 1.0 : f32
  %first = memref.alloca() : memref<4xf32>
  cf.br ^loop(%c0, %first : index, memref<4xf32>)
^loop(%i: index, %before: memref<4xf32>):
  %now = memref.alloca() : memref<4xf32>
  spmd.barrier
  memref.store %v, %before[%c0] : memref<4xf32>
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %next, %n : index
  cf.cond_br %more, ^loop(%next, %now : index, memref<4xf32>), ^end
^end:
  spmd.return
}

// -----

// Poison is no memref of its own: there is but one that this can be.

// CHECK-LABEL: spmd.kernel @poison
// CHECK-NOT:     scf.if
// CHECK:         %v = memref.load %x[%c0]
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    memref.store %v, %x[%c0]
spmd.kernel @poison(%x: memref<4xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %m = scf.if %p -> (memref<4xf32>) {
    scf.yield %x : memref<4xf32>
  } else {
    %none = ub.poison : memref<4xf32>
    scf.yield %none : memref<4xf32>
  }
  %v = memref.load %m[%c0] : memref<4xf32>
  spmd.barrier
  memref.store %v, %m[%c0] : memref<4xf32>
  spmd.return
}

// -----

// A loop of blocks made a private array, and what follows uses it: there is but one that
// this can be, and it moves as far out as its size is known.

// CHECK-LABEL: spmd.kernel @made_in_loop
// CHECK:         %size = arith.addi %n, %n : index
// CHECK-NEXT:    %a = memref.alloca(%size) : memref<?xf32>
// CHECK-NEXT:    {{%.*}} = scf.while () : () -> index {
// CHECK:           scf.condition(%p) {{%.*}} : index
// CHECK:         [[A:%.*]] = memref.reinterpret_cast %a to offset: [0], sizes: [{{%.*}}], strides: [1]
// CHECK-NEXT:    memref.load [[A]][%c0]
spmd.kernel @made_in_loop(%n: index, %p: i1, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %size = arith.addi %n, %n : index
  %last = scf.while () : () -> memref<?xf32> {
    %a = memref.alloca(%size) : memref<?xf32>
    memref.store %v, %a[%n] : memref<?xf32>
    spmd.barrier
    scf.condition(%p) %a : memref<?xf32>
  } do {
  ^bb0(%before: memref<?xf32>):
    scf.yield
  }
  %w = memref.load %last[%c0] : memref<?xf32>
  memref.store %w, %x[%c0] : memref<?xf32>
  spmd.return
}

// -----

// Three dimensions without gaps: a stride is the product of all sizes after it.

// CHECK-LABEL: spmd.kernel @rank_3
// CHECK:         %to = memref.reinterpret_cast {{.*}} to offset: [0], sizes: [%to_size0, 4, 8], strides: [32, 8, 1]
// CHECK:         %from = memref.reinterpret_cast {{.*}} to offset: [0], sizes: [%from_size0, 4, 8], strides: [32, 8, 1]
spmd.kernel @rank_3(%n: index, %x: memref<?x4x8xf32>, %y: memref<?x4x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%from = %x, %to = %y) -> (memref<?x4x8xf32>, memref<?x4x8xf32>) {
    %v = memref.load %from[%lid, %k, %c1] : memref<?x4x8xf32>
    spmd.barrier
    memref.store %v, %to[%lid, %k, %c0] : memref<?x4x8xf32>
    scf.yield %to, %from : memref<?x4x8xf32>, memref<?x4x8xf32>
  }
  spmd.return
}

// -----

// CHECK-LABEL: spmd.kernel @unknown_sizes
// CHECK:         [[ROW:%\w+]] = arith.muli %c8, %to_size1 : index
// CHECK:         %to = memref.reinterpret_cast {{.*}} sizes: [%to_size0, %to_size1, 8], strides: [[[ROW]], 8, 1]
spmd.kernel @unknown_sizes(%n: index, %x: memref<?x?x8xf32>, %y: memref<?x?x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%from = %x, %to = %y) -> (memref<?x?x8xf32>, memref<?x?x8xf32>) {
    %v = memref.load %from[%lid, %k, %c1] : memref<?x?x8xf32>
    spmd.barrier
    memref.store %v, %to[%lid, %k, %c0] : memref<?x?x8xf32>
    scf.yield %to, %from : memref<?x?x8xf32>, memref<?x?x8xf32>
  }
  spmd.return
}

// -----

// Strides of what has no gaps are products of sizes, and those of a view are multiples of them.

// CHECK-LABEL: spmd.kernel @strides_of_views
// CHECK:         [[SIZE_2:%\w+]] = memref.dim %x, %c2
// CHECK-NEXT:    [[X2:%\w+]] = memref.dim %x, %c2
// CHECK-NEXT:    [[X1:%\w+]] = memref.dim %x, %c1
// CHECK-NEXT:    [[X_PLANE:%\w+]] = arith.muli [[X2]], [[X1]] : index
// CHECK-NEXT:    [[X_ROW:%\w+]] = memref.dim %x, %c2
// CHECK-NEXT:    [[Y_ROW:%\w+]] = memref.dim %y, %c2
// CHECK-NEXT:    [[START:%\w+]] = arith.muli %lid, [[Y_ROW]] : index
// CHECK-NEXT:    [[Y2:%\w+]] = memref.dim %y, %c2
// CHECK-NEXT:    [[Y1:%\w+]] = memref.dim %y, %c1
// CHECK-NEXT:    [[Y_PLANE:%\w+]] = arith.muli [[Y2]], [[Y1]] : index
// CHECK-NEXT:    [[Y_ROW_2:%\w+]] = memref.dim %y, %c2
// CHECK-NEXT:    [[TWO_ROWS:%\w+]] = arith.muli %c2, [[Y_ROW_2]] : index
// CHECK-NEXT:    scf.for {{.*}} %from_size2 = [[SIZE_2]], %from_stride0 = [[X_PLANE]], %from_stride1 = [[X_ROW]], {{.*}} %to_offset = [[START]], %to_size0 = %n, {{.*}} %to_stride0 = [[Y_PLANE]], %to_stride1 = [[TWO_ROWS]])
spmd.kernel @strides_of_views(%n: index, %x: memref<?x?x?xf32>, %y: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %v = memref.cast %x : memref<?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
  %w = memref.subview %y[0, %lid, 0] [%n, %n, %n] [1, 2, 1] : memref<?x?x?xf32> to memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
  %a, %b = scf.for %k = %c0 to %n step %c1 iter_args(%from = %v, %to = %w) -> (memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>) {
    %e = memref.load %from[%lid, %k, %c1] : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
    spmd.barrier
    memref.store %e, %to[%lid, %k, %c0] : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
    scf.yield %to, %from : memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>, memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
  }
  spmd.return
}

// -----

// CHECK: expected func.call before the control flow that chooses its memref, which is used after a barrier
func.func private @f() -> memref<?xf32>
spmd.kernel @made_in_a_branch(%x: memref<?xf32>, %c: i1) {
  %i = spmd.global_id x
  %m = scf.if %c -> (memref<?xf32>) {
    %p = func.call @f() : () -> memref<?xf32>
    scf.yield %p : memref<?xf32>
  } else {
    scf.yield %x : memref<?xf32>
  }
  spmd.barrier
  %v = memref.load %m[%i] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  spmd.return
}

// -----

// A block before the others that is not the first one.

// CHECK-LABEL: spmd.kernel @made_before
// CHECK:         %m = memref.reinterpret_cast
spmd.kernel @made_before(%x: memref<?xf32>, %c: i1) {
  %i = spmd.global_id x
  cf.br ^start
^start:
  %p = func.call @g() : () -> memref<?xf32>
  cf.cond_br %c, ^a, ^join(%x : memref<?xf32>)
^a:
  cf.br ^join(%p : memref<?xf32>)
^join(%m: memref<?xf32>):
  spmd.barrier
  %v = memref.load %m[%i] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  spmd.return
}
func.func private @g() -> memref<?xf32>
