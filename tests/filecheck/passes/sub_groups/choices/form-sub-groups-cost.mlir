// RUN: xdsl-opt %s -p form-sub-groups --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{width=8}' --split-input-file | filecheck %s --check-prefix WIDTH
// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v4}' --split-input-file | filecheck %s --check-prefix V4
// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v3}' --split-input-file | filecheck %s --check-prefix V3

// Elements anywhere in memory are accessed one after the other in any case, and lanes whose
// loop is short wait for the others. A row of a sparse matrix times a vector:

// CHECK-LABEL: func.func @sparse
// CHECK-NOT:     spmd.sub_group
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}} cycles for each work-item, most of them for gathers; scalar code takes {{.*}}"}
// WIDTH-LABEL: func.func @sparse
// WIDTH:         spmd.sub_group (%lx) shape [8]
func.func @sparse(%n: index, %starts: memref<?xindex>, %columns: memref<?xindex>,
                  %values: memref<?xf32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %n step %c1 {
    %first = memref.load %starts[%lx] : memref<?xindex>
    %next = arith.addi %lx, %c1 : index
    %end = memref.load %starts[%next] : memref<?xindex>
    %sum = scf.for %j = %first to %end step %c1 iter_args(%s = %zero) -> (f32) {
      %value = memref.load %values[%j] : memref<?xf32>
      %column = memref.load %columns[%j] : memref<?xindex>
      %at = memref.load %x[%column] : memref<?xf32>
      %product = arith.mulf %value, %at : f32
      %t = arith.addf %s, %product : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// One work-item has to wait for each element before it knows the next one; lanes wait
// together.

// CHECK-LABEL: func.func @follow
// CHECK-NOT:     not_vectorized
// CHECK:         spmd.sub_group
func.func @follow(%n: index, %following: memref<?xindex>, %y: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %last = scf.while (%at = %lx) : (index) -> index {
      %more = arith.cmpi ne, %at, %c0 : index
      scf.condition(%more) %at : index
    } do {
    ^bb0(%here: index):
      %there = memref.load %following[%here] : memref<?xindex>
      scf.yield %there : index
    }
    memref.store %last, %y[%lx] : memref<?xindex>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// There is much to compute for what is gathered.

// CHECK-LABEL: func.func @compute
// CHECK-NOT:     not_vectorized
// CHECK:         spmd.sub_group
func.func @compute(%n: index, %places: memref<?xindex>, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %place = memref.load %places[%lx] : memref<?xindex>
    %v = memref.load %x[%place] : memref<?xf32>
    %w = math.exp %v : f32
    memref.store %w, %x[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What has no vector form runs in a loop over lanes, and nothing else is left to do.

// CHECK-LABEL: func.func @calls
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for func.call in one lane after the other; scalar
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for memref.load in one lane after the other; scalar
func.func private @f(index)
func.func @calls(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    func.call @f(%lx) : (index) -> ()
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    %part = memref.subview %x[%lx] [4] [1] : memref<?xf32> to memref<4xf32, strided<[1], offset: ?>>
    %w = memref.load %part[%c0] : memref<4xf32, strided<[1], offset: ?>>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Bytes here and there are not gathered, unless there is much else to do: they take more than
// longer elements. Whole vectors of bytes are taken apart, but not under masks with AVX2: what
// fills no sub-group is scalar code.

// CHECK-LABEL: func.func @bytes
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "lanes would take 2.2 cycles for each work-item, most of them for gathers; scalar code takes 1.8"}
// CHECK:           spmd.sub_group ({{.*}}) shape [32] at
// CHECK-NOT:       spmd.sub_group
// CHECK:           scf.for {{%.*}} = %whole to %n step %c1 {
// CHECK:         } {spmd.work_items = array<i64: 0>, spmd.not_vectorized = "the rest: 32 lanes would take 84 cycles, most of them for tests of lanes; half as many work-items take 21"}
// CHECK-NOT:     not_vectorized
func.func @bytes(%n: index, %x: memref<?xi8>, %at: memref<?xindex>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %lx = %c0 to %n step %c1 {
    %i = memref.load %at[%lx] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xi8>
    memref.store %v, %x[%lx] : memref<?xi8>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    %i = arith.muli %lx, %c3 : index
    %v = memref.load %x[%i] : memref<?xi8>
    memref.store %v, %x[%lx] : memref<?xi8>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    %i = memref.load %at[%lx] : memref<?xindex>
    %v = memref.load %x[%i] : memref<?xi8>
    %f = arith.sitofp %v : i8 to f32
    %e = math.exp %f : f32
    memref.store %e, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Prefetchers learn nothing from gathers: who walks down a column of a matrix is better off
// with loads, unless the matrix is the group's own.

// CHECK-LABEL: func.func @column
// CHECK-NOT:     spmd.sub_group
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for gathers; scalar code takes {{.*}}"}
// CHECK:         spmd.sub_group
func.func @column(%x: memref<?x?xf32>, %y: memref<?xf32>, %z: memref<?xf32>, %c: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %tile = memref.alloca() {spmd.group_memory} : memref<64x64xf32>
  scf.for %lx = %c0 to %c64 step %c1 {
    %v = memref.load %x[%lx, %c] : memref<?x?xf32>
    %v2 = arith.mulf %v, %v : f32
    %v3 = arith.mulf %v2, %v : f32
    %v5 = arith.mulf %v2, %v3 : f32
    memref.store %v5, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %c64 step %c1 {
    %w = memref.load %tile[%lx_1, %c] : memref<64x64xf32>
    %w2 = arith.mulf %w, %w : f32
    %w3 = arith.mulf %w2, %w : f32
    %w5 = arith.mulf %w2, %w3 : f32
    memref.store %w5, %z[%lx_1] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A store with gaps is a scatter, unless the one beside it fills them.

// CHECK-LABEL: func.func @gaps
// CHECK-NOT:     spmd.sub_group
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for scatters; scalar code takes {{.*}}"}
// CHECK:         spmd.sub_group
func.func @gaps(%x: memref<?xf32>, %y: memref<?xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.for %lx = %c0 to %c64 step %c1 {
    %v = memref.load %x[%lx] : memref<?xf32>
    %twice = arith.muli %lx, %c2 : index
    memref.store %v, %y[%twice] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %c64 step %c1 {
    %w = memref.load %x[%lx_1] : memref<?xf32>
    %even = arith.muli %lx_1, %c2 : index
    %odd = arith.addi %even, %c1 : index
    memref.store %w, %z[%even] : memref<?xf32>
    memref.store %w, %z[%odd] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Lanes that take turns wait for one more iteration at most, and local memory lies in the
// nearest cache, wherever it was placed.

// CHECK-LABEL: func.func @turns
// CHECK-NOT:     not_vectorized
// CHECK:         spmd.sub_group
func.func @turns(%n: index, %tile: memref<?x33xf32, 3 : i64>, %out: memref<32x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  scf.for %ly = %c0 to %c32 step %c1 {
    scf.for %lx = %c0 to %c32 step %c1 {
      scf.for %r = %lx to %n step %c32 {
        %v = memref.load %tile[%r, %ly] : memref<?x33xf32, 3 : i64>
        memref.store %v, %out[%ly, %r] : memref<32x?xf32>
      }
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Updates of a copy that a thread has are a load and a store, others atomic instructions. A branch
// in a loop changes nothing about how often lanes run through it.

// CHECK-LABEL: func.func @copies
// CHECK:         spmd.sub_group
// CHECK-LABEL: func.func @copies_in_turns
// CHECK:         spmd.sub_group
// CHECK-LABEL: func.func @instructions
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for spmd.atomic_rmw in one lane after the other; scalar code takes {{.*}}"
func.func @copies(%x: memref<?xf32>, %bins: memref<?xi64> {spmd.thread_copies = #spmd.atomic_kind<add>}, %width: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %q = arith.divf %v, %width : f32
    %w = arith.fptosi %q : f32 to i64
    %bin = arith.index_cast %w : i64 to index
    %inside = arith.cmpi slt, %bin, %c64 : index
    scf.if %inside {
      %old = spmd.atomic_rmw add %one, %bins[%bin] : memref<?xi64>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @copies_in_turns(%x: memref<?xf32>, %bins: memref<?xi64> {spmd.thread_copies = #spmd.atomic_kind<add>}, %width: f32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %i = %lx to %n step %c64 {
      %v = memref.load %x[%i] : memref<?xf32>
      %q = arith.divf %v, %width : f32
      %w = arith.fptosi %q : f32 to i64
      %bin = arith.index_cast %w : i64 to index
      %inside = arith.cmpi slt, %bin, %c64 : index
      scf.if %inside {
        %old = spmd.atomic_rmw add %one, %bins[%bin] : memref<?xi64>
      }
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @instructions(%x: memref<?xf32>, %bins: memref<?xi64>, %width: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %one = arith.constant 1 : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    %q = arith.divf %v, %width : f32
    %w = arith.fptosi %q : f32 to i64
    %bin = arith.index_cast %w : i64 to index
    %inside = arith.cmpi slt, %bin, %c64 : index
    scf.if %inside {
      %old = spmd.atomic_rmw add %one, %bins[%bin] : memref<?xi64>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// LLVM makes vectors of iterations that add integers of a row, in any order; a float has its
// order, and a few iterations are written out.

// CHECK-LABEL: func.func @row_sums
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for transposed tiles; scalar code takes {{.*}}"}
// CHECK:         spmd.sub_group (%lx_1)
// CHECK:         spmd.sub_group (%lx_2)
// CHECK:         spmd.sub_group (%lx_3)
func.func @row_sums(%x: memref<?x?xi32>, %y: memref<?xi32>, %z: memref<?x?xf32>, %w: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<?x?xi32>
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %none = arith.constant 0 : i32
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c64 step %c1 {
    %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %none) -> (i32) {
      %v = memref.load %x[%lx, %k] : memref<?x?xi32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    memref.store %sum, %y[%lx] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %c64 step %c1 {
    %sum_1 = scf.for %k_1 = %c0 to %n step %c1 iter_args(%s_1 = %zero) -> (f32) {
      %v_1 = memref.load %z[%lx_1, %k_1] : memref<?x?xf32>
      %t_1 = arith.addf %s_1, %v_1 : f32
      scf.yield %t_1 : f32
    }
    memref.store %sum_1, %w[%lx_1] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_2 = %c0 to %c64 step %c1 {
    %sum_2 = scf.for %k_2 = %c0 to %c4 step %c1 iter_args(%s_2 = %none) -> (i32) {
      %v_2 = memref.load %x[%lx_2, %k_2] : memref<?x?xi32>
      %t_2 = arith.addi %s_2, %v_2 : i32
      scf.yield %t_2 : i32
    }
    memref.store %sum_2, %y[%lx_2] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_3 = %c0 to %c64 step %c1 {
    %sum_3 = scf.for %k_3 = %c0 to %n step %c1 iter_args(%s_3 = %none) -> (i32) {
      %v_3 = memref.load %x[%lx_3, %k_3] : memref<?x?xi32>
      %t_3 = arith.addi %s_3, %v_3 : i32
      %u_3 = arith.xori %s_3, %t_3 : i32
      scf.yield %u_3 : i32
    }
    memref.store %sum_3, %y[%lx_3] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A core is at the next product while one of four terms waits for its sums, so they cost scalar
// code no time; what a loop goes on with, or adds up for long, has to wait.

// CHECK-LABEL: func.func @products_of_records
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}}, most of them for gathers; scalar code takes {{.*}}"}
// CHECK:         spmd.sub_group (%lx_1)
// CHECK:         spmd.sub_group (%lx_2)
func.func @products_of_records(%a: memref<?x?x?xf32>, %b: memref<?x?x?xf32>, %c: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %q = %c0 to %c4 step %c1 {
      %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%s = %zero) -> (f32) {
        %v = memref.load %a[%lx, %q, %k] : memref<?x?x?xf32>
        %w = memref.load %b[%lx, %k, %q] : memref<?x?x?xf32>
        %p = arith.mulf %v, %w : f32
        %t = arith.addf %s, %p : f32
        scf.yield %t : f32
      }
      memref.store %sum, %c[%lx, %q] : memref<?x?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %c64 step %c1 {
    %all = scf.for %q_1 = %c0 to %c4 step %c1 iter_args(%so_far = %zero) -> (f32) {
      %sum_1 = scf.for %k_1 = %c0 to %c4 step %c1 iter_args(%s_1 = %so_far) -> (f32) {
        %v_1 = memref.load %a[%lx_1, %q_1, %k_1] : memref<?x?x?xf32>
        %w_1 = memref.load %b[%lx_1, %k_1, %q_1] : memref<?x?x?xf32>
        %p_1 = arith.mulf %v_1, %w_1 : f32
        %t_1 = arith.addf %s_1, %p_1 : f32
        scf.yield %t_1 : f32
      }
      scf.yield %sum_1 : f32
    }
    memref.store %all, %c[%lx_1, %c0] : memref<?x?xf32>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_2 = %c0 to %c64 step %c1 {
    scf.for %q_2 = %c0 to %c4 step %c1 {
      %sum_2 = scf.for %k_2 = %c0 to %c64 step %c1 iter_args(%s_2 = %zero) -> (f32) {
        %v_2 = memref.load %a[%lx_2, %q_2, %k_2] : memref<?x?x?xf32>
        %w_2 = memref.load %b[%lx_2, %k_2, %q_2] : memref<?x?x?xf32>
        %p_2 = arith.mulf %v_2, %w_2 : f32
        %t_2 = arith.addf %s_2, %p_2 : f32
        scf.yield %t_2 : f32
      }
      memref.store %sum_2, %c[%lx_2, %q_2] : memref<?x?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Scalar code that goes to another line of memory in each of many iterations comes to lines that
// are gone when the next work-item does; lines of the group stay.

// CHECK-LABEL: func.func @far
// CHECK:         spmd.sub_group (%lx)
// CHECK-NOT:     spmd.sub_group
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}} for func.call in one lane after the other
// CHECK:         spmd.not_vectorized = "lanes would take {{.*}} for func.call in one lane after the other
// CHECK-NOT:     spmd.sub_group
func.func @far(%x: memref<32x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %near = memref.alloca() {spmd.group_memory} : memref<32x64xf32>
  scf.for %lx = %c0 to %c64 step %c1 {
    scf.for %k = %c0 to %c32 step %c1 {
      %v = memref.load %x[%k, %lx] : memref<32x64xf32>
      func.call @f(%v) : (f32) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_1 = %c0 to %c64 step %c1 {
    scf.for %k_1 = %c0 to %c31 step %c1 {
      %w = memref.load %x[%k_1, %lx_1] : memref<32x64xf32>
      func.call @f(%w) : (f32) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx_2 = %c0 to %c64 step %c1 {
    scf.for %k_2 = %c0 to %c32 step %c1 {
      %n = memref.load %near[%k_2, %lx_2] : memref<32x64xf32>
      func.call @f(%n) : (f32) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func private @f(f32)

// -----

// No machine scatters bytes: lanes are asked one by one whether they are active.

// V4-LABEL: func.func @bytes
// V4:         most of them for scatters
func.func @bytes(%x: memref<?xindex>, %y: memref<?xi8>, %b: i8) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %lx = %c0 to %c64 step %c1 {
    %first = memref.load %x[%lx] : memref<?xindex>
    scf.for %at = %first to %c64 step %c1 {
      %there = memref.load %x[%at] : memref<?xindex>
      memref.store %b, %y[%there] : memref<?xi8>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// And of rows that are copied from where an array says, unless that may be stored to.

// V4-LABEL: func.func @rows
// V4:         spmd.not_vectorized
// V4-LABEL: func.func @written_rows
// V4:         spmd.sub_group
func.func @rows(%table: memref<?x?xf32>, %ix: memref<?xi32>, %out: memref<?x?xf32> {spmd.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %at = memref.load %ix[%i] : memref<?xi32>
      %row = arith.index_cast %at : i32 to index
      %v = memref.load %table[%row, %j] : memref<?x?xf32>
      memref.store %v, %out[%i, %j] : memref<?x?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @written_rows(%table: memref<?x?xf32>, %ix: memref<?xi32> {spmd.noalias}, %out: memref<?x?xf32> {spmd.noalias}, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      %at = memref.load %ix[%i] : memref<?xi32>
      %row = arith.index_cast %at : i32 to index
      memref.store %zero, %ix[%i] : memref<?xi32>
      %v = memref.load %table[%row, %j] : memref<?x?xf32>
      memref.store %v, %out[%i, %j] : memref<?x?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What ids alone decide is foreseen in scalar code. Elements that neighbours share are one load of
// all lanes, which costs more where they get masks from their lanes.

// CHECK-LABEL: func.func @every_other
// CHECK:         spmd.not_vectorized
// CHECK-LABEL: func.func @shared
// CHECK:         spmd.sub_group
func.func @every_other(%x: memref<?xf32>, %y: memref<?xf32>, %c: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c1 {
    %half = arith.divui %i, %c2 : index
    %rest = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    scf.if %even {
      %v = memref.load %x[%half] : memref<?xf32>
      memref.store %v, %y[%i] : memref<?xf32>
    } else {
      %next = arith.addi %half, %c1 : index
      %v = memref.load %x[%half] : memref<?xf32>
      %w = memref.load %x[%next] : memref<?xf32>
      %vw = arith.addf %v, %w : f32
      %mean = arith.mulf %vw, %c : f32
      memref.store %mean, %y[%i] : memref<?xf32>
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @shared(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c1 {
    %half = arith.divui %i, %c2 : index
    %v = memref.load %x[%half] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// How often a loop between ids runs is foreseen too, and work-items after each other overlap.

// CHECK-LABEL: func.func @halves
// CHECK:         spmd.not_vectorized
func.func @halves(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c256 step %c1 {
    %low = arith.divui %i, %c2 : index
    %sum = scf.for %k = %low to %i step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Lanes go over a window together but near the edge, whatever its length: they load neighbours.

// CHECK-LABEL: func.func @window
// CHECK-NOT:     spmd.not_vectorized
// CHECK:         spmd.sub_group ({{.*}}) shape [32]
func.func @window(%x: memref<?xf32>, %y: memref<?xf32>, %w: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c256 step %c1 {
    %before = arith.subi %i, %w : index
    %low = arith.maxsi %before, %c0 : index
    %sum = scf.for %k = %low to %i step %c1 iter_args(%s = %zero) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// With AVX2 integers of 64 bits are converted one by one, beside two gathers.

// CHECK-LABEL: func.func @between
// CHECK:         spmd.not_vectorized
// V4-LABEL: func.func @between
// V4:            spmd.sub_group
func.func @between(%t: memref<?xf32>, %table: memref<?xf32>, %y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c1 {
    %p = memref.load %t[%i] : memref<?xf32>
    %long = arith.fptosi %p : f32 to i64
    %any = arith.index_cast %long : i64 to index
    %k = arith.minsi %any, %n : index
    %at = arith.index_cast %k : index to i64
    %whole = arith.sitofp %at : i64 to f32
    %f = arith.subf %p, %whole : f32
    %next = arith.addi %k, %c1 : index
    %a = memref.load %table[%k] : memref<?xf32>
    %b = memref.load %table[%next] : memref<?xf32>
    %ab = arith.subf %b, %a : f32
    %part = arith.mulf %ab, %f : f32
    %sum = arith.addf %a, %part : f32
    memref.store %sum, %y[%i] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Bytes that something in memory chooses are not gathered by any machine; but a table is in
// registers, which others permute.

// V3-LABEL: func.func @table
// V3:         spmd.sub_group (%lx)
// V3:         spmd.not_vectorized = "the rest: 32 lanes would take {{.*}} for tests of lanes
// V3-LABEL: func.func @array
// V3-NOT:     spmd.sub_group
// V3:         spmd.not_vectorized = "lanes would take {{.*}} most of them for gathers
func.func @table(%n: index, %k: memref<?xi8>, %table: memref<20xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %byte = memref.load %k[%lx] : memref<?xi8>
    %at = arith.index_castui %byte : i8 to index
    %v = memref.load %table[%at] : memref<20xi8>
    memref.store %v, %y[%lx] : memref<?xi8>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @array(%n: index, %k: memref<?xi8>, %array: memref<?xi8>, %y: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %byte = memref.load %k[%lx] : memref<?xi8>
    %at = arith.index_castui %byte : i8 to index
    %v = memref.load %array[%at] : memref<?xi8>
    memref.store %v, %y[%lx] : memref<?xi8>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What goes around the caches does so in runs of 256 bytes of an array, where registers hold them.

// CHECK-LABEL: func.func @streamed
// CHECK:         spmd.sub_group (%lx) shape [32]
// CHECK-LABEL: func.func @in_caches
// CHECK:         spmd.sub_group (%lx) shape [16]
// V4-LABEL:    func.func @streamed
// V4:            spmd.sub_group (%lx) shape [32]
func.func @streamed(%n: index, %x: memref<?xf64>, %y: memref<?xf64> {spmd.streamed}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xf64>
    memref.store %v, %y[%lx] : memref<?xf64>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @in_caches(%n: index, %x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xf64>
    memref.store %v, %y[%lx] : memref<?xf64>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A column of a tile of the group: no lane is asked where its element is.

// CHECK-LABEL: func.func @column
// CHECK:         spmd.sub_group (%lx) shape [16]
func.func @column(%j: index, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %tile = memref.alloca() {spmd.group_memory} : memref<16x17xf32, 3 : i64>
  scf.for %lx = %c0 to %c16 step %c1 {
    %v = memref.load %tile[%lx, %j] : memref<16x17xf32, 3 : i64>
    memref.store %v, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Of three arrays that go around the caches, half as much of each: 512 bytes in all, or fewer.

// CHECK-LABEL: func.func @three
// CHECK:         spmd.sub_group (%lx) shape [16]
// V4-LABEL:    func.func @three
// V4:            spmd.sub_group (%lx) shape [16]
func.func @three(%n: index, %x: memref<?xf64>, %y: memref<?xf64> {spmd.streamed},
    %z: memref<?xf64> {spmd.streamed}, %w: memref<?xf64> {spmd.streamed}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %v = memref.load %x[%lx] : memref<?xf64>
    memref.store %v, %y[%lx] : memref<?xf64>
    memref.store %v, %z[%lx] : memref<?xf64>
    memref.store %v, %w[%lx] : memref<?xf64>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Scalar code stays in the caches: it pays for a gather that vectors go around them.

// CHECK-LABEL: func.func @gather
// CHECK:         spmd.sub_group
// CHECK-LABEL: func.func @gather_in_caches
// CHECK-NOT:     spmd.sub_group
// CHECK:         spmd.not_vectorized
func.func @gather(%n: index, %k: memref<?xi32>, %x: memref<?xf32>, %y: memref<?xf32> {spmd.streamed}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %i = memref.load %k[%lx] : memref<?xi32>
    %at = arith.index_cast %i : i32 to index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @gather_in_caches(%n: index, %k: memref<?xi32>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %i = memref.load %k[%lx] : memref<?xi32>
    %at = arith.index_cast %i : i32 to index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %y[%lx] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What is scattered goes through the caches, wherever its array is held: lanes as ever.

// CHECK-LABEL: func.func @scattered
// CHECK:         spmd.sub_group (%lx) shape [32]
// V4-LABEL:    func.func @scattered
// V4:            spmd.sub_group (%lx) shape [64]
func.func @scattered(%n: index, %k: memref<?xi32>, %x: memref<?xf32>, %y: memref<?xf32> {spmd.streamed}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %i = memref.load %k[%lx] : memref<?xi32>
    %at = arith.index_cast %i : i32 to index
    %v = memref.load %x[%lx] : memref<?xf32>
    %s = math.sqrt %v : f32
    %e = math.exp %s : f32
    memref.store %e, %y[%at] : memref<?xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Digits of numbers that are neighbours may be neighbours, and are asked for; of others that are
// far apart each lane gets its own element, which with AVX2 costs more than scalar code.

// CHECK-LABEL: func.func @digits
// V3-LABEL:    func.func @digits
// V3:            spmd.sub_group
// V3-LABEL:    func.func @digits_of_steps
// V3-NOT:        spmd.sub_group
// V3:            spmd.not_vectorized
func.func @digits(%n: index, %s: index, %tile: memref<1024xf32, 3 : i64>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c1023 = arith.constant 1023 : index
  scf.for %lx = %c0 to %c256 step %c1 {
    %at = arith.addi %lx, %s : index
    %i = arith.andi %at, %c1023 : index
    %v = memref.load %tile[%i] : memref<1024xf32, 3 : i64>
    memref.store %v, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
func.func @digits_of_steps(%n: index, %s: index, %tile: memref<1024xf32, 3 : i64>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %c293 = arith.constant 293 : index
  %c1023 = arith.constant 1023 : index
  scf.for %lx = %c0 to %c256 step %c1 {
    %far = arith.muli %lx, %c293 : index
    %at = arith.addi %far, %s : index
    %i = arith.andi %at, %c1023 : index
    %v = memref.load %tile[%i] : memref<1024xf32, 3 : i64>
    memref.store %v, %y[%lx] : memref<256xf32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}
