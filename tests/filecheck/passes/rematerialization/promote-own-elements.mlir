// RUN: xdsl-opt %s -p hoist-ids,promote-own-elements | filecheck %s
// RUN: xdsl-opt %s -p hoist-ids,promote-own-elements,promote-own-elements | filecheck %s

// Loops carry it, branches result in it; what only reads it stays as it is.

// CHECK-LABEL: @through
// CHECK-NOT:     spmd.local_alloc
// CHECK:         %[[SUM:.*]] = scf.for %i = %c0 to %n step %c1 iter_args(%[[A:.*]] = %v) -> (i32) {
// CHECK-NEXT:      %[[NEW:.*]] = scf.if %p -> (i32) {
// CHECK-NEXT:        %[[MORE:.*]] = arith.addi %[[A]], %v : i32
// CHECK-NEXT:        scf.yield %[[MORE]] : i32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %[[A]] : i32
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.if %p {
// CHECK-NEXT:        "test.op"(%[[NEW]])
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield %[[NEW]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %{{.*}}, %[[LAST:.*]] = scf.while (%j = %n, %[[B:.*]] = %[[SUM]])
// CHECK-NEXT:      %more = arith.cmpi ne, %j, %c0 : index
// CHECK-NEXT:      scf.condition(%more) %j, %[[B]] : index, i32
// CHECK:         ^bb0(%k: index, %[[C:.*]]: i32):
// CHECK-NEXT:      %next = arith.subi %k, %c1 : index
// CHECK-NEXT:      %[[D:.*]] = arith.muli %[[C]], %v : i32
// CHECK-NEXT:      scf.yield %next, %[[D]] : index, i32
// CHECK:         "test.op"(%[[LAST]])
spmd.kernel @through(%v: i32, %p: i1, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %tile = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  memref.store %v, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  scf.for %i = %c0 to %n step %c1 {
    scf.if %p {
      %a = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
      %b = arith.addi %a, %v : i32
      memref.store %b, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    }
    scf.if %p {
      %c = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
      "test.op"(%c) : (i32) -> ()
    }
  }
  %last = scf.while (%j = %n) : (index) -> index {
    %more = arith.cmpi ne, %j, %c0 : index
    scf.condition(%more) %j : index
  } do {
  ^bb0(%k: index):
    %next = arith.subi %k, %c1 : index
    %d = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    %e = arith.muli %d, %v : i32
    memref.store %e, %tile[%lid] : memref<64xi32, #spmd.memory<local>>
    scf.yield %next : index
  }
  %f = memref.load %tile[%lid] : memref<64xi32, #spmd.memory<local>>
  "test.op"(%f) : (i32) -> ()
  spmd.return
}

// Nobody wrote it yet.

// CHECK-LABEL: @undefined
// CHECK:         %[[NONE:.*]] = ub.poison : f32
// CHECK-NEXT:    "test.op"(%[[NONE]])
spmd.kernel @undefined() attributes {work_group_size = array<i64: 8, 8>} {
  %x = spmd.local_id x
  %y = spmd.local_id y
  %tile = spmd.local_alloc : memref<8x8xf32, #spmd.memory<local>>
  %v = memref.load %tile[%y, %x] : memref<8x8xf32, #spmd.memory<local>>
  "test.op"(%v) : (f32) -> ()
  spmd.return
}

// Two indices, an element that two work-items have, one that changes, a view, a region of
// which nothing is known, and a barrier, after which the value lies in memory anyway.

// CHECK-LABEL: @stay
// CHECK-COUNT-5: spmd.local_alloc
// CHECK-LABEL: @waits
// CHECK:         spmd.local_alloc
spmd.kernel @stay(%v: i32, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lid = spmd.local_id x
  %half = arith.divui %lid, %c2 : index
  %next = arith.addi %lid, %c1 : index
  %a = spmd.local_alloc : memref<66xi32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<66xi32, #spmd.memory<local>>
  %c = spmd.local_alloc : memref<66xi32, #spmd.memory<local>>
  %d = spmd.local_alloc : memref<66xi32, #spmd.memory<local>>
  %e = spmd.local_alloc : memref<66xi32, #spmd.memory<local>>
  memref.store %v, %a[%lid] : memref<66xi32, #spmd.memory<local>>
  memref.store %v, %a[%next] : memref<66xi32, #spmd.memory<local>>
  memref.store %v, %b[%half] : memref<66xi32, #spmd.memory<local>>
  scf.for %i = %c0 to %c2 step %c1 {
    %j = arith.addi %lid, %i : index
    memref.store %v, %c[%j] : memref<66xi32, #spmd.memory<local>>
  }
  memref.store %v, %d[%lid] : memref<66xi32, #spmd.memory<local>>
  "test.op"(%d) : (memref<66xi32, #spmd.memory<local>>) -> ()
  scf.execute_region {
    memref.store %v, %e[%lid] : memref<66xi32, #spmd.memory<local>>
    scf.yield
  }
  spmd.return
}

spmd.kernel @waits(%v: i32) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %a = spmd.local_alloc : memref<64xi32, #spmd.memory<local>>
  memref.store %v, %a[%lid] : memref<64xi32, #spmd.memory<local>>
  spmd.barrier
  %w = memref.load %a[%lid] : memref<64xi32, #spmd.memory<local>>
  "test.op"(%w) : (i32) -> ()
  spmd.return
}
