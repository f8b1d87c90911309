// RUN: xdsl-opt %s -p promote-private-arrays | filecheck %s
// RUN: xdsl-opt %s -p promote-private-arrays,promote-private-arrays | filecheck %s

// Sums in a tile: loops over the tile are written out, the loop around carries both sums.
// What an iteration writes before it reads it is carried by no loop.

// CHECK-LABEL: @tile
// CHECK-NOT:     memref.alloca
// CHECK:         %[[SUM:.*]], %[[SUM1:.*]] = scf.for %k = %c0 to %n step %c1 iter_args(%[[A:.*]] = %zero, %[[B:.*]] = %zero) -> (f32, f32) {
// CHECK-NEXT:      %v = memref.load %x[%k, %c0] : memref<?x2xf32>
// CHECK-NEXT:      %[[V1:.*]] = memref.load %x[%k, %c1] : memref<?x2xf32>
// CHECK-NEXT:      spmd.barrier
// CHECK-NEXT:      %new = arith.addf %[[A]], %v : f32
// CHECK-NEXT:      %[[NEW1:.*]] = arith.addf %[[B]], %[[V1]] : f32
// CHECK-NEXT:      scf.yield %new, %[[NEW1]] : f32, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[SUM]], %x[%c0, %c0] : memref<?x2xf32>
// CHECK-NEXT:    memref.store %[[SUM1]], %x[%c0, %c1] : memref<?x2xf32>
spmd.kernel @tile(%x: memref<?x2xf32>, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %acc = memref.alloca() : memref<2xf32>
  %part = memref.alloca() : memref<2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    memref.store %zero, %acc[%i] : memref<2xf32>
  }
  scf.for %k = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      %v = memref.load %x[%k, %i] : memref<?x2xf32>
      memref.store %v, %part[%i] : memref<2xf32>
    }
    spmd.barrier
    scf.for %i = %c0 to %c2 step %c1 {
      %old = memref.load %acc[%i] : memref<2xf32>
      %more = memref.load %part[%i] : memref<2xf32>
      %new = arith.addf %old, %more : f32
      memref.store %new, %acc[%i] : memref<2xf32>
    }
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %sum = memref.load %acc[%i] : memref<2xf32>
    memref.store %sum, %x[%c0, %i] : memref<?x2xf32>
  }
  spmd.return
}

// Without a barrier, or where none comes between accesses, loops are left to LLVM; elements that
// are known without writing them out are values all the same, of arrays of any size.

// CHECK-LABEL: @apart
// CHECK:         %near = memref.alloca() : memref<2xf32>
// CHECK-NOT:     memref.alloca
// CHECK:         scf.for %i = %c0 to %c2 step %c1 {
// CHECK-NEXT:      memref.store %v, %near[%i] : memref<2xf32>
// CHECK:         memref.store %v, %x[%c0] : memref<?xf32>
spmd.kernel @apart(%x: memref<?xf32>, %v: f32, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %near = memref.alloca() : memref<2xf32>
  %known = memref.alloca(%n) : memref<?xf32>
  scf.for %k = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c2 step %c1 {
      memref.store %v, %near[%i] : memref<2xf32>
    }
    %w = memref.load %near[%c1] : memref<2xf32>
    memref.store %w, %x[%k] : memref<?xf32>
  }
  memref.store %v, %known[%c1] : memref<?xf32>
  spmd.barrier
  %u = memref.load %known[%c1] : memref<?xf32>
  memref.store %u, %x[%c0] : memref<?xf32>
  spmd.return
}

// Bounds that follow from loops around, indices that are computed, branches, `scf.while`.

// CHECK-LABEL: @triangle
// CHECK-NOT:     memref.alloca
// CHECK:         %[[P:.*]] = arith.cmpi slt, %b, %a : i32
// CHECK-NEXT:    %[[LOW:.*]], %[[HIGH:.*]] = scf.if %[[P]] -> (i32, i32) {
// CHECK-NEXT:      scf.yield %b, %a : i32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %a, %b : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[Q:.*]] = arith.cmpi slt, %c, %[[LOW]] : i32
// CHECK-NEXT:    %[[LOW2:.*]], %[[LEFT:.*]] = scf.if %[[Q]] -> (i32, i32) {
// CHECK-NEXT:      scf.yield %c, %[[LOW]] : i32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %[[LOW]], %c : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[R:.*]] = arith.cmpi slt, %[[LEFT]], %[[HIGH]] : i32
// The greatest is asked for no more.
// CHECK-NEXT:    %[[MIDDLE:.*]] = scf.if %[[R]] -> (i32) {
// CHECK:         scf.while (%{{.*}} = %[[MIDDLE]]) : (i32) -> i32 {
spmd.kernel @triangle(%a: i32, %b: i32, %c: i32, %y: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %m = memref.alloca() : memref<3xi32>
  memref.store %a, %m[%c0] : memref<3xi32>
  memref.store %b, %m[%c1] : memref<3xi32>
  memref.store %c, %m[%c2] : memref<3xi32>
  scf.for %i = %c0 to %c2 step %c1 {
    %first = arith.addi %i, %c1 : index
    scf.for %j = %first to %c3 step %c1 {
      %l = memref.load %m[%i] : memref<3xi32>
      %r = memref.load %m[%j] : memref<3xi32>
      %p = arith.cmpi slt, %r, %l : i32
      scf.if %p {
        memref.store %r, %m[%i] : memref<3xi32>
        memref.store %l, %m[%j] : memref<3xi32>
      }
    }
  }
  spmd.barrier
  scf.while : () -> () {
    %v = memref.load %m[%c1] : memref<3xi32>
    %more = arith.cmpi slt, %v, %a : i32
    scf.condition(%more)
  } do {
    %v = memref.load %m[%c1] : memref<3xi32>
    %w = arith.addi %v, %b : i32
    memref.store %w, %m[%c1] : memref<3xi32>
    scf.yield
  }
  %end = memref.load %m[%c1] : memref<3xi32>
  memref.store %end, %y[%c0] : memref<?xi32>
  %least = memref.load %m[%c0] : memref<3xi32>
  memref.store %least, %y[%c1] : memref<?xi32>
  spmd.return
}

// What is seen through views has the places of the array, whatever views are of views.

// CHECK-LABEL: @views
// CHECK-NOT:     memref
// CHECK:         "test.op"(%w, %v) : (f32, f32) -> ()
// CHECK-NOT:     memref
// CHECK:         spmd.return
spmd.kernel @views(%v: f32, %w: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %a = memref.alloca() : memref<2x4xf32>
  %row = memref.subview %a[1, 0] [1, 4] [1, 1] : memref<2x4xf32> to memref<4xf32, strided<[1], offset: 4>>
  %odd = memref.subview %row[1] [2] [2] : memref<4xf32, strided<[1], offset: 4>> to memref<2xf32, strided<[2], offset: 5>>
  memref.store %v, %row[%c1] : memref<4xf32, strided<[1], offset: 4>>
  memref.store %w, %odd[%c1] : memref<2xf32, strided<[2], offset: 5>>
  %c3 = arith.constant 3 : index
  %x = memref.load %a[%c1, %c3] : memref<2x4xf32>
  %y = memref.load %odd[%c0] : memref<2xf32, strided<[2], offset: 5>>
  "test.op"(%x, %y) : (f32, f32) -> ()
  spmd.return
}

// What stays in memory: an index that is not known, one outside of the array, code that sees
// all of it, control flow that passes no values on, and loops that would become too much code.

// CHECK-LABEL: @stays
// CHECK:         %unknown = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    %outside = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    %seen = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    %switch = memref.alloca() : memref<4xf32>
// CHECK-NEXT:    %large = memref.alloca() : memref<2000xf32>
// CHECK:         scf.for %i = %c0 to %c2000 step %c1 {
spmd.kernel @stays(%n: index, %v: f32) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2000 = arith.constant 2000 : index
  %unknown = memref.alloca() : memref<4xf32>
  %outside = memref.alloca() : memref<4xf32>
  %seen = memref.alloca() : memref<4xf32>
  %switch = memref.alloca() : memref<4xf32>
  %large = memref.alloca() : memref<2000xf32>
  memref.store %v, %unknown[%n] : memref<4xf32>
  memref.store %v, %outside[%c4] : memref<4xf32>
  memref.store %v, %seen[%c1] : memref<4xf32>
  "test.op"(%seen) : (memref<4xf32>) -> ()
  scf.index_switch %n
  case 0 {
    memref.store %v, %switch[%c1] : memref<4xf32>
    scf.yield
  }
  default {
    scf.yield
  }
  scf.for %i = %c0 to %c2000 step %c1 {
    memref.store %v, %large[%i] : memref<2000xf32>
  }
  spmd.barrier
  %last = memref.load %large[%c1] : memref<2000xf32>
  "test.op"(%last) : (f32) -> ()
  spmd.return
}
