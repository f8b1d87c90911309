// RUN: xdsl-opt %s -p 'hoist-ids,split-at-barriers{strategy=fission}' --split-input-file --verify-diagnostics | filecheck %s

// No barrier: loops around the body; what is uniform runs once, before them.

// CHECK-LABEL: spmd.kernel @no_barrier
// CHECK:         %n = memref.dim %x, %c0
// CHECK-NEXT:    %scale = memref.load %params[%c0]
// CHECK-NEXT:    scf.for %lx = %c0 to %local_size_x step %c1 {
// CHECK-NEXT:      %i = arith.addi %base_x, %lx overflow<nsw,nuw> : index
// CHECK-NEXT:      %inside = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:      scf.if %inside {
// CHECK-NEXT:        memref.store %scale, %x[%i]
// CHECK-NEXT:      }
// CHECK-NEXT:      %after = memref.load %params[%c1]
// CHECK-NEXT:      memref.store %after, %x[%i]
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    spmd.return
spmd.kernel @no_barrier(%x: memref<?xf32>, %params: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %inside = arith.cmpi ult, %i, %n : index
  %scale = memref.load %params[%c0] : memref<?xf32>
  scf.if %inside {
    memref.store %scale, %x[%i] : memref<?xf32>
  }
  // After a write that may overlap.
  %after = memref.load %params[%c1] : memref<?xf32>
  memref.store %after, %x[%i] : memref<?xf32>
  spmd.return
}

// -----

// Dimensions of any size have a loop each, z outside.

// CHECK-LABEL: spmd.kernel @dimensions
// CHECK:         scf.for %lz = %c0 to %local_size_z step %c1 {
// CHECK-NEXT:      scf.for %ly = %c0 to %local_size_y step %c1 {
// CHECK-NEXT:        scf.for %lx = %c0 to %local_size_x step %c1 {
// CHECK-NEXT:          "test.op"(%lx, %ly, %lz)
// CHECK-NEXT:        } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:      } {spmd.work_items = array<i64: 1>}
// CHECK-NEXT:    } {spmd.work_items = array<i64: 2>}
spmd.kernel @dimensions() {
  %x = spmd.local_id x
  %y = spmd.local_id y
  %z = spmd.local_id z
  "test.op"(%x, %y, %z) : (index, index, index) -> ()
  spmd.return
}

// -----

// One work-item needs no loop.

// CHECK-LABEL: spmd.kernel @one
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NOT:     scf.for
// CHECK:         "test.op"(%c0)
spmd.kernel @one() attributes {work_group_size = array<i64: 1>} {
  %x = spmd.local_id x
  "test.op"(%x) : (index) -> ()
  spmd.return
}

// -----

// What crosses a barrier: a load is stored; an id and a cheap function of it are computed
// again; a uniform value is neither. A value that work-items agree on, but that must not
// be computed earlier, has one slot.

// CHECK-LABEL: spmd.kernel @crossing
// CHECK:         %v_context = memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<64xf32>
// CHECK-NOT:     memref<64x
// CHECK:         %u = arith.addi %n, %c1 : index
// CHECK-NEXT:    scf.for %lx = %c0 to %local_size_x step %c1 {
// CHECK-NEXT:      %next = arith.addi %lx, %c1 : index
// CHECK-NEXT:      %v = memref.load %x[%next]
// CHECK-NEXT:      memref.store %v, %v_context[%lx] : memref<64xf32>
// CHECK-NEXT:      memref.store %v, %x[%lx]
// CHECK-NEXT:      %agreed = memref.load %x[%n]
// CHECK-NEXT:      memref.store %agreed, %agreed_slot[] : memref<f32>
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    %{{.*}} = memref.load %agreed_slot[] : memref<f32>
// CHECK-NEXT:    scf.for %lx_1 = %c0 to %local_size_x step %c1 {
// CHECK-DAG:       %{{.*}} = arith.addi %lx_1, %c1 : index
// CHECK-DAG:       %{{.*}} = memref.load %v_context[%lx_1] : memref<64xf32>
// CHECK:           "test.op"(%lx_1, %next_1, %u, %v_1, %agreed_1)
spmd.kernel @crossing(%x: memref<?xf32>, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %next = arith.addi %lid, %c1 : index
  %u = arith.addi %n, %c1 : index
  %v = memref.load %x[%next] : memref<?xf32>
  memref.store %v, %x[%lid] : memref<?xf32>
  %agreed = memref.load %x[%n] : memref<?xf32>
  spmd.barrier
  "test.op"(%lid, %next, %u, %v, %agreed) : (index, index, index, f32, f32) -> ()
  spmd.return
}

// -----

// A loop around a barrier: its uniform values stay, a varying one lives in a context,
// which is written where it is made.

// CHECK-LABEL: spmd.kernel @loop
// CHECK:         scf.for %lx = {{.*}} {
// CHECK:           memref.store %{{.*}}, %acc_context[%lx]
// CHECK:         %total = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %c0) -> (index) {
// CHECK-NEXT:      %more = arith.addi %sum, %i : index
// CHECK-NEXT:      %w = memref.load %x[%i] : memref<?xf32>
// CHECK-NEXT:      scf.for %lx_1 = {{.*}} {
// CHECK-NEXT:        %acc = memref.load %acc_context[%lx_1]
// CHECK:             %new = arith.addf
// CHECK-NEXT:        memref.store %new, %acc_context[%lx_1]
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:      scf.yield %more : index
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for %lx_2 = {{.*}} {
// CHECK-NEXT:      %r = memref.load %acc_context[%lx_2]
// CHECK-NEXT:      "test.op"(%r, %total)
spmd.kernel @loop(%x: memref<?xf32>, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xf32>
  %r, %total = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %v, %sum = %c0) -> (f32, index) {
    %more = arith.addi %sum, %i : index
    %w = memref.load %x[%i] : memref<?xf32>
    %new = arith.addf %acc, %w : f32
    spmd.barrier
    scf.yield %new, %more : f32, index
  }
  "test.op"(%r, %total) : (f32, index) -> ()
  spmd.return
}

// -----

// Two values whose lifetimes do not overlap share a context.

// CHECK-LABEL: spmd.kernel @sharing
// CHECK:         %a_context = memref.alloca()
// CHECK-NOT:     memref.alloca()
// CHECK:         memref.store %a, %a_context
// CHECK:         %b = memref.load %x[%k]
// CHECK:         memref.store %b, %a_context
spmd.kernel @sharing(%x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %a = memref.load %x[%lid] : memref<?xf32>
  spmd.barrier
  %i = arith.fptosi %a : f32 to i32
  %j = arith.index_cast %i : i32 to index
  %k = arith.addi %lid, %j : index
  %b = memref.load %x[%k] : memref<?xf32>
  spmd.barrier
  memref.store %b, %x[%lid] : memref<?xf32>
  spmd.return
}

// -----

// What is stored is as little as possible: not the two sums, but what both come from.

// CHECK-LABEL: spmd.kernel @cut
// CHECK:         %v_context = memref.alloca() {spmd.group_memory, spmd.context = "storing it takes the fewest bytes, or it takes too long to compute", alignment = 64 : i64} : memref<64xf32>
// CHECK-NOT:     memref.alloca()
// CHECK:           "test.op"(%v)
// CHECK:           %v_1 = memref.load %v_context[%lx_1]
// CHECK-DAG:       %a = arith.addf %v_1, %x
// CHECK-DAG:       %b = arith.subf %v_1, %x
// CHECK:           "test.op"(%a, %b)
spmd.kernel @cut(%m: memref<?xf32>, %x: f32) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %p = memref.load %m[%lid] : memref<?xf32>
  %q = memref.load %m[%lid] : memref<?xf32>
  %v = arith.mulf %p, %q : f32
  "test.op"(%v) : (f32) -> ()
  %a = arith.addf %v, %x : f32
  %b = arith.subf %v, %x : f32
  spmd.barrier
  "test.op"(%a, %b) : (f32, f32) -> ()
  spmd.return
}

// -----

// A tiled matrix product: all indices are computed again, one context is left.

// CHECK-LABEL: spmd.kernel @dgemm
// CHECK:         %acc_context = memref.alloca() {spmd.group_memory, spmd.context = "comes out of scf.for and differs between work-items", alignment = 64 : i64} : memref<16x16xf64>
// CHECK-NOT:     spmd.context
// CHECK:         spmd.return
spmd.kernel @dgemm(%n: index, %a: memref<?x?xf64>, %b: memref<?x?xf64>, %c: memref<?x?xf64>) attributes {work_group_size = array<i64: 16, 16>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f64
  %ta = spmd.local_alloc : memref<16x16xf64, #spmd.memory<local>>
  %tb = spmd.local_alloc : memref<16x16xf64, #spmd.memory<local>>
  %col = spmd.global_id x
  %row = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %tiles = arith.divui %n, %c16 : index
  %sum = scf.for %t = %c0 to %tiles step %c1 iter_args(%acc = %zero) -> (f64) {
    %first = arith.muli %t, %c16 : index
    %ka = arith.addi %first, %lx : index
    %kb = arith.addi %first, %ly : index
    %va = memref.load %a[%row, %ka] : memref<?x?xf64>
    %vb = memref.load %b[%kb, %col] : memref<?x?xf64>
    memref.store %va, %ta[%ly, %lx] : memref<16x16xf64, #spmd.memory<local>>
    memref.store %vb, %tb[%ly, %lx] : memref<16x16xf64, #spmd.memory<local>>
    spmd.barrier
    %more = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %acc) -> (f64) {
      %x = memref.load %ta[%ly, %k] : memref<16x16xf64, #spmd.memory<local>>
      %y = memref.load %tb[%k, %lx] : memref<16x16xf64, #spmd.memory<local>>
      %p = arith.mulf %x, %y : f64
      %s2 = arith.addf %s, %p : f64
      scf.yield %s2 : f64
    }
    spmd.barrier
    scf.yield %more : f64
  }
  memref.store %sum, %c[%row, %col] : memref<?x?xf64>
  spmd.return
}

// -----

// Private arrays: interleaved, if every use is a load or a store.

// CHECK-LABEL: spmd.kernel @private
// CHECK-DAG:     %a = memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<4x64xf32>
// CHECK-DAG:     %b = memref.alloca() {spmd.group_memory,{{.*}} spmd.not_interleaved = "memref.subview needs it as a value", alignment = 64 : i64} : memref<1024xi8>
// CHECK:           memref.alloca() : memref<3xf32>
// CHECK:           memref.store %v, %a[%i, %lx] : memref<4x64xf32>
// CHECK:           %{{.*}} = memref.view %b[%{{.*}}][] : memref<1024xi8> to memref<4xf32>
// CHECK:           memref.load %a[%i, %lx_1] : memref<4x64xf32>
spmd.kernel @private(%v: f32, %i: index) attributes {work_group_size = array<i64: 64>} {
  %a = memref.alloca() : memref<4xf32>
  %b = memref.alloca() : memref<4xf32>
  %c = memref.alloca() : memref<3xf32>
  %d = memref.subview %b[1] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
  memref.store %v, %a[%i] : memref<4xf32>
  memref.store %v, %c[%i] : memref<3xf32>
  spmd.barrier
  %w = memref.load %a[%i] : memref<4xf32>
  memref.store %w, %d[%i] : memref<2xf32, strided<[1], offset: 1>>
  spmd.return
}

// -----

// A condition that is uniform in a legal kernel, because each path leads to a barrier of its
// own: it is that of any work-item.

// CHECK-LABEL: spmd.kernel @agreed
// CHECK:         %flag_slot = memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<i1>
// CHECK:         scf.for %lx = {{.*}} {
// CHECK:           %flag = memref.load %flags[%gid] : memref<?xi1>
// CHECK-NEXT:      memref.store %flag, %flag_slot[] : memref<i1>
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    %flag_1 = memref.load %flag_slot[] : memref<i1>
// CHECK-NEXT:    scf.if %flag_1 {
// CHECK-NEXT:      scf.for %lx_1 = {{.*}} {
// CHECK:             "test.op"(%lx_1)
spmd.kernel @agreed(%flags: memref<?xi1>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %lid = spmd.local_id x
  %flag = memref.load %flags[%gid] : memref<?xi1>
  scf.if %flag {
    spmd.barrier
    "test.op"(%lid) : (index) -> ()
  }
  spmd.return
}

// -----

// Collectives loop over the group; one of a value that is the same everywhere needs no
// context, a scan works in place.

// CHECK-LABEL: spmd.kernel @collectives
// CHECK-COUNT-1: memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<64xf32>
// CHECK-NOT:     memref.alloca
// CHECK:           memref.store %v, %[[CONTEXT:.*]][%lx]
// CHECK:         %sum = scf.for %{{.*}} = %c0 to %local_size_x step %c1 iter_args(%total = %{{.*}}) -> (f32) {
// CHECK-NEXT:      %v_1 = memref.load %[[CONTEXT]][%{{.*}}] : memref<64xf32>
// CHECK-NEXT:      %{{.*}} = arith.addf %total, %v_1 fastmath<reassoc> : f32
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}} = scf.for {{.*}} iter_args(%total_1 = %{{.*}}) -> (f32) {
// CHECK-NEXT:      %v_2 = memref.load %[[CONTEXT]]
// CHECK-NEXT:      %[[NEXT:.*]] = arith.addf %total_1, %v_2 fastmath<reassoc> : f32
// CHECK-NEXT:      memref.store %[[NEXT]], %[[CONTEXT]]
// CHECK:         scf.for %lx_1 =
// CHECK-NEXT:      %upto = memref.load %[[CONTEXT]][%lx_1]
// CHECK-NEXT:      "test.op"(%sum, %n, %upto)
spmd.kernel @collectives(%x: memref<?xf32>, %n: f32) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xf32>
  %sum = spmd.reduce add %v across work_group : f32
  %all = spmd.reduce max %n across work_group : f32
  %upto = spmd.scan inclusive add %v across work_group : f32
  "test.op"(%sum, %all, %upto) : (f32, f32, f32) -> ()
  spmd.return
}

// -----

// CHECK: expected scf.for, which has a barrier inside, to take the same path in all work-items of the group: work-items that take different paths can meet at the same barrier, and its condition is not proved uniform
spmd.kernel @uneven(%s: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lid = spmd.local_id x
  %trips = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %trips step %c1 {
    %old = memref.load %s[%lid] : memref<?xindex>
    %new = arith.addi %old, %i : index
    memref.store %new, %s[%lid] : memref<?xindex>
    %early = arith.cmpi ult, %i, %c2 : index
    scf.if %early {
      spmd.barrier
    }
  }
  spmd.return
}

// -----

// A private array of dynamic size is allocated when its size is known: here after
// the loop that writes what it is read from. A barrier more does no harm.

// CHECK-LABEL: spmd.kernel @dynamic_private
// CHECK:         %n_slot = memref.alloca() {spmd.group_memory, {{.*}}} : memref<index>
// CHECK:         scf.for %lx = %c0 to %local_size_x step %c1 {
// CHECK:           %n = memref.load %x[%c0]
// CHECK-NEXT:      memref.store %n, %n_slot[]
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    %n_1 = memref.load %n_slot[]
// CHECK-NEXT:    %a = memref.alloca(%n_1) {spmd.group_memory, spmd.context = "a private array that is used on both sides of a barrier", alignment = 64 : i64} : memref<?x64xf32>
// CHECK-NEXT:    scf.for %lx_1 = %c0 to %local_size_x step %c1 {
// CHECK-NEXT:      memref.store %v, %a[%i, %lx_1] : memref<?x64xf32>
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      %w = memref.load %a[%i, %lx_2] : memref<?x64xf32>
// CHECK:         spmd.return
spmd.kernel @dynamic_private(%v: f32, %i: index, %x: memref<?xindex>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  memref.store %i, %x[%c0] : memref<?xindex>
  %n = memref.load %x[%c0] : memref<?xindex>
  %a = memref.alloca(%n) : memref<?xf32>
  memref.store %v, %a[%i] : memref<?xf32>
  spmd.barrier
  %w = memref.load %a[%i] : memref<?xf32>
  memref.store %w, %a[%i] : memref<?xf32>
  spmd.return
}

// -----

// CHECK: expected a kernel body of one block, got 2: run structurize-control-flow before this pass
spmd.kernel @unstructured() {
  spmd.barrier
  cf.br ^next
^next:
  spmd.return
}

// -----

// What a condition passes on unchanged stays in the context that it is in: the new value
// is computed where the old one has been read.

// CHECK-LABEL: spmd.kernel @swap
// CHECK:         [[Q:%\w+]] = memref.load %q_context[[[LX:%\w+]]]
// CHECK-NEXT:    } {spmd.work_items
// CHECK:         [[Q:%\w+]] = memref.load %q_context[[[LX:%\w+]]]
// CHECK-NEXT:    %sum = arith.addi [[Q]], %v : i32
// CHECK-NEXT:    %p = memref.load %p_context[[[LX]]]
// CHECK-NEXT:    memref.store %sum, %p_context[[[LX]]]
// CHECK-NEXT:    memref.store %p, %q_context[[[LX]]]
spmd.kernel @swap(%x: memref<?xi32>, %n: index, %v: i32) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %a0 = memref.load %x[%lid] : memref<?xi32>
  %b0 = memref.load %x[%lid] : memref<?xi32>
  %a, %b, %k = scf.while (%p = %a0, %q = %b0, %i = %c0) : (i32, i32, index) -> (i32, i32, index) {
    %more = arith.cmpi ult, %i, %n : index
    scf.condition(%more) %p, %q, %i : i32, i32, index
  } do {
  ^bb0(%p: i32, %q: i32, %i: index):
    spmd.barrier
    %sum = arith.addi %q, %v : i32
    spmd.barrier
    %j = arith.addi %i, %c1 : index
    scf.yield %sum, %p, %j : i32, i32, index
  }
  memref.store %a, %x[%lid] : memref<?xi32>
  spmd.return
}

// -----

// What is cheap is computed again; a function of the library costs more than to load it.

// CHECK-LABEL: spmd.kernel @library
// CHECK:         %e_context = memref.alloca() {spmd.group_memory, spmd.context = "math.exp is not rematerialized after a barrier"
// CHECK-NOT:     _context = memref.alloca
// CHECK:         arith.negf
// CHECK:         math.exp
// CHECK:         scf.for
// CHECK:         arith.negf
// CHECK-NOT:     math.exp
spmd.kernel @library(%x: memref<?xf32>, %y: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %bits = arith.index_cast %lid : index to i32
  %l = arith.sitofp %bits : i32 to f32
  %s = arith.negf %l : f32
  %e = math.exp %s : f32
  memref.store %e, %x[%lid] : memref<?xf32>
  spmd.barrier
  memref.store %e, %x[%lid] : memref<?xf32>
  memref.store %s, %y[%lid] : memref<?xf32>
  spmd.return
}

// -----

// A size that is computed late is known to all before the array is made. Where it may differ
// the largest is taken.

// CHECK-LABEL: spmd.kernel @sizes
// CHECK:         %m = memref.load %x[%c0] : memref<64xindex>
// CHECK:         memref.alloca(%m) {spmd.group_memory
// CHECK:         arith.maxui
// CHECK:         memref.alloca(%{{.*}}) {spmd.group_memory
// CHECK:         spmd.return
spmd.kernel @sizes(%x: memref<64xindex>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %i = spmd.local_id x
  %m = memref.load %x[%c0] : memref<64xindex>
  %a = memref.alloca(%m) : memref<?xindex>
  memref.store %i, %a[%c0] : memref<?xindex>
  spmd.barrier
  %n = memref.load %x[%i] : memref<64xindex>
  %b = memref.alloca(%n) : memref<?xindex>
  memref.store %i, %b[%c0] : memref<?xindex>
  spmd.barrier
  %v = memref.load %a[%c0] : memref<?xindex>
  memref.store %v, %b[%c0] : memref<?xindex>
  "test.op"(%v) : (index) -> ()
  spmd.return
}

// -----

// What an assertion may guard stays after it, though it is the same in all work-items.

// CHECK-LABEL: spmd.kernel @asserts
// CHECK:         scf.for %lx
// CHECK:           cf.assert
// CHECK-NEXT:      %v = memref.load %x[%n]
// CHECK-NEXT:      %sum = scf.for %k = %c0 to %c4 step %n
spmd.kernel @asserts(%x: memref<?xf32>, %bits: memref<?xi1>, %n: index) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %i = spmd.global_id x
  %ok = memref.load %bits[%i] : memref<?xi1>
  cf.assert %ok, "wrong"
  %v = memref.load %x[%n] : memref<?xf32>
  %sum = scf.for %k = %c0 to %c4 step %n iter_args(%s = %v) -> (f32) {
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  }
  memref.store %sum, %x[%i] : memref<?xf32>
  spmd.return
}

// -----

// What all work-items assert is asserted once, and what it guards is read once.

// CHECK-LABEL: spmd.kernel @asserts_once
// CHECK:         cf.assert %ok, "inside"
// CHECK-NEXT:    %v = memref.load %x[%n]
// CHECK-NEXT:    scf.for %lz
// CHECK:             cf.assert %late, "after the first message"
// CHECK-NEXT:        cf.assert %ok, "again"
spmd.kernel @asserts_once(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %i = spmd.global_id x
  %ok = arith.cmpi ult, %n, %size : index
  cf.assert %ok, "inside"
  %v = memref.load %x[%n] : memref<?xf32>
  memref.store %v, %x[%i] : memref<?xf32>
  %late = arith.cmpi ult, %i, %n : index
  cf.assert %late, "after the first message"
  cf.assert %ok, "again"
  spmd.return
}
