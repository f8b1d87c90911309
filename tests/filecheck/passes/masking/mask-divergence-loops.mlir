// RUN: xdsl-opt %s -p mask-divergence --split-input-file | filecheck %s

// Lanes that are done have arrays of their own, which they must leave alone, even where
// all others store the same.

// CHECK-LABEL: func.func @private_stores
// CHECK:         %active = arith.cmpi slt, %lane, %left : index
// CHECK:         spmd.masked %active {
// CHECK-NEXT:      memref.store %k32, %a[%c0] : memref<4xi32>
func.func @private_stores(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %a = memref.alloca() : memref<4xi32>
    memref.store %one, %a[%c0] : memref<4xi32>
    scf.for %k = %lx to %n step %c8 {
      %k32 = arith.index_cast %n : index to i32
      memref.store %k32, %a[%c0] : memref<4xi32>
    }
    %v = memref.load %a[%c0] : memref<4xi32>
    memref.store %v, %x[%lx] : memref<?xi32>
  }
  func.return
}

// -----

// Beyond the largest index the lanes that follow lane 0 start first.

// CHECK-LABEL: func.func @wraps
// CHECK:         %live, %k = scf.while
func.func @wraps(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %far = arith.constant 9223372036854775804 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %start = arith.addi %lx, %far : index
    scf.for %k = %start to %n step %c8 {
      memref.store %one, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// From a negative start, what is left may take all bits.

// CHECK-LABEL: func.func @from_below_zero
// CHECK:         %left = arith.subi %n, %k : index
// CHECK-NEXT:    %active = arith.cmpi ult, %lane, %left : index
func.func @from_below_zero(%n: index, %m: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %start = arith.addi %lx, %m overflow<nsw> : index
    scf.for %k = %start to %n step %c8 {
      memref.store %one, %x[%lx] : memref<?xi32>
    }
  }
  func.return
}

// -----

// A window moves with the lanes: all of them count from 0, and end together.

// CHECK-LABEL: func.func @window
// CHECK:         %away = arith.subi %end, %start : index
// CHECK-NEXT:    %runs = arith.cmpi slt, %start, %end : index
// CHECK-NEXT:    %length = arith.select %runs, %away, %c0 : index
// CHECK:         %r = scf.for %done = %c0 to %length{{.*}} step %c2 iter_args(%s = %zero) -> (i32) {
// CHECK-NEXT:      %k = arith.addi %start, %done : index
// CHECK-NEXT:      %v = memref.load %x[%k] : memref<?xi32>
func.func @window(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c5 = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %start = arith.addi %lx, %c2 : index
    %end = arith.addi %start, %c5 : index
    %r = scf.for %k = %start to %end step %c2 iter_args(%s = %zero) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %t = arith.addi %s, %v : i32
      scf.yield %t : i32
    }
    memref.store %r, %y[%lx] : memref<?xi32>
  }
  func.return
}

// -----

// From anywhere below 8, a loop to 32 in steps of 8 runs four times.

// CHECK-LABEL: func.func @known_trip_count
// CHECK:         scf.for %done = %c0 to %c32 step %c8 {
// CHECK-NEXT:      %k = arith.addi %start, %done : index
// CHECK-NEXT:      memref.store %one, %x[%k] : memref<?xi32>
// CHECK-NOT:       spmd.masked
func.func @known_trip_count(%x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %number = arith.index_cast %v : i32 to index
    %start = arith.andi %number, %c7 : index
    scf.for %k = %start to %c32 step %c8 {
      memref.store %one, %x[%k] : memref<?xi32>
    }
  }
  func.return
}

// -----

// The same in bytes: their difference may be more than a byte has.

// CHECK-LABEL: func.func @window_of_bytes
// CHECK:         %length = arith.select %runs, %away, %{{.*}} : i8
// CHECK-NEXT:    %length_1 = arith.extui %length : i8 to i64
// CHECK:         scf.for %done = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
// CHECK-NEXT:      [[DONE:%.*]] = arith.trunci %done : i64 to i8
// CHECK-NEXT:      %k = arith.addi %start, [[DONE]] : i8
func.func @window_of_bytes(%x: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i8
  %c100 = arith.constant 100 : i8
  %lowest = arith.constant -100 : i8
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %lane = arith.index_cast %lx : index to i8
    %start = arith.addi %lane, %lowest : i8
    %end = arith.addi %lane, %c100 : i8
    scf.for %k = %start to %end step %c1 : i8 {
      memref.store %k, %x[%lx] : memref<?xi8>
    }
  }
  func.return
}

// -----

// A byte that would count past 127 ends there.

// CHECK-LABEL: func.func @bytes
// CHECK:         %live, %k = scf.while
// CHECK:             [[NEXT:%.*]] = arith.addi %k_2, %step : i8
// CHECK-NEXT:        %left = arith.subi %end, %k_2 : i8
// CHECK-NEXT:        %fits = arith.cmpi ugt, %left, %step : i8
// CHECK-NEXT:        %next = arith.select %fits, [[NEXT]], %end : i8
func.func @bytes(%x: memref<?xi8>, %ends: memref<?xi8>, %step: i8) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %start = memref.load %x[%lx] : memref<?xi8>
    %end = memref.load %ends[%lx] : memref<?xi8>
    scf.for %k = %start to %end step %step : i8 {
      memref.store %k, %x[%lx] : memref<?xi8>
    }
  }
  func.return
}

// -----

// Lanes that leave need no %k to go on with: it stays one number, and what they leave with
// is kept beside it.

// CHECK-LABEL: func.func @goes_on_with_the_same
// CHECK:         %live, %{{.*}}, %{{.*}}, [[LEFT:%.*]] = scf.while ({{.*}} = %true, [[K:%.*]] = %c0, [[OLD:%.*]] = %c0)
// CHECK:           %some = spmd.any %active across sub_group
// CHECK-NEXT:      [[NEXT:%.*]] = scf.if %some -> (index) {
// CHECK-NEXT:        %v = memref.load %x[[[K]]] : memref<?xindex>
// CHECK-NEXT:        %next = arith.addi [[K]], %v : index
// CHECK-NEXT:        scf.yield %next : index
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %undefined : index
// CHECK:           [[KEPT:%.*]] = arith.select %{{.*}}, [[K]], [[OLD]] : index
// CHECK:           scf.condition(%{{.*}}) %{{.*}}, [[NEXT]], [[K]], [[KEPT]] : i1, index, index, index
// CHECK:         memref.store [[LEFT]], %x[%lx] : memref<?xindex>
func.func @goes_on_with_the_same(%x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %undefined = ub.poison : index
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %0, %left = scf.while (%k = %c0) : (index) -> (index, index) {
      %hit = arith.cmpi uge, %k, %lx : index
      %on = scf.if %hit -> (index) {
        scf.yield %undefined : index
      } else {
        %v = memref.load %x[%k] : memref<?xindex>
        %next = arith.addi %k, %v : index
        scf.yield %next : index
      }
      %again = arith.xori %hit, %true : i1
      scf.condition(%again) %on, %k : index, index
    } do {
    ^bb0(%on: index, %left: index):
      scf.yield %on : index
    }
    memref.store %left, %x[%lx] : memref<?xindex>
  }
  func.return
}

// -----

// Lanes that begin together go on until the last of them is done.

// CHECK-LABEL: func.func @until_last
// CHECK:         %last = spmd.reduce max %end across sub_group : index
// CHECK-NEXT:    {{.*}}, %sum = scf.for %k = %c2 to %last step %c2 iter_args(%s = %zero, %sum_1 = %zero) -> (i32, i32) {
// CHECK-NEXT:      %active = arith.cmpi slt, %k, %end : index
// CHECK-NEXT:      %v = memref.load %x[%k] : memref<?xi32>
// CHECK-NEXT:      %t = arith.addi %s, %v : i32
// CHECK-NEXT:      spmd.masked %active {
// CHECK-NEXT:        memref.store %t, %y[%lx] : memref<?xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %sum_2 = arith.select %active, %t, %sum_1 : i32
// CHECK-NEXT:      scf.yield %t, %sum_2 : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %sum, %x[%lx]
func.func @until_last(%ends: memref<?xindex>, %x: memref<?xi32>, %y: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %end = memref.load %ends[%lx] : memref<?xindex>
    %sum = scf.for %k = %c2 to %end step %c2 iter_args(%s = %zero) -> (i32) {
      %v = memref.load %x[%k] : memref<?xi32>
      %t = arith.addi %s, %v : i32
      memref.store %t, %y[%lx] : memref<?xi32>
      scf.yield %t : i32
    }
    memref.store %sum, %x[%lx] : memref<?xi32>
  }
  func.return
}

// -----

// The ends of lanes that do not come to the loop do not count.

// CHECK-LABEL: func.func @of_some
// CHECK:           %end_1 = arith.select %is_odd, %end, %c3 : i8
// CHECK-NEXT:      %last = spmd.reduce max %end_1 across sub_group : i8
// CHECK-NEXT:      scf.for %k = %c3 to %last step %c1 : i8 {
// CHECK-NEXT:        %active = arith.cmpi slt, %k, %end : i8
// CHECK-NEXT:        %active_1 = arith.select %is_odd, %active, %false : i1
// CHECK-NEXT:        spmd.masked %active_1 {
func.func @of_some(%ends: memref<?xi8>, %x: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i8
  %c3 = arith.constant 3 : i8
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %end = memref.load %ends[%lx] : memref<?xi8>
    %odd = arith.andi %end, %c1 : i8
    %is_odd = arith.cmpi eq, %odd, %c1 : i8
    scf.if %is_odd {
      scf.for %k = %c3 to %end step %c1 : i8 {
        memref.store %k, %x[%lx] : memref<?xi8>
      }
    }
  }
  func.return
}

// -----

// What is true as long as any lane goes on is so in lanes that have left: nothing holds it.

// CHECK-LABEL: func.func @exits
// CHECK:         %live, %k, %found, %ended, %done = scf.while (%live_1 = %true, %k_1 = %c0) : (i1, index) -> (i1, index, i1, i1, i1) {
// CHECK:           %active = arith.select %live_1, %again, %false : i1
// CHECK-NEXT:      [[FOUND:%\w+]] = arith.select %live_1, %more, %true : i1
// CHECK-NEXT:      [[ENDED:%\w+]] = arith.select %live_1, %not_more, %false : i1
// CHECK-NEXT:      [[DONE:%\w+]] = arith.select %live_1, %no_more, %false : i1
// CHECK-NEXT:      %some = spmd.any %active across sub_group
// CHECK-NEXT:      scf.condition(%some) %active, %k_1, [[FOUND]], [[ENDED]], [[DONE]] : i1, index, i1, i1, i1
func.func @exits(%b: index, %n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %false = arith.constant false
  spmd.sub_group (%lx) shape [16] at (%b) {
    %v = memref.load %x[%lx] : memref<?xf32>
    %k, %found, %ended, %done = scf.while (%k_1 = %c0) : (index) -> (index, i1, i1, i1) {
      %more = arith.cmpi slt, %k_1, %n : index
      %not_more = arith.xori %more, %true : i1
      %no_more = arith.cmpi sge, %k_1, %n : index
      %again = scf.if %more -> (i1) {
        %w = memref.load %x[%k_1] : memref<?xf32>
        %other = arith.cmpf une, %v, %w : f32
        scf.yield %other : i1
      } else {
        scf.yield %false : i1
      }
      scf.condition(%again) %k_1, %more, %not_more, %no_more : index, i1, i1, i1
    } do {
    ^bb0(%k_2: index, %f: i1, %e: i1, %d: i1):
      %k_3 = arith.addi %k_2, %c1 : index
      scf.yield %k_3 : index
    }
    "test.op"(%found, %ended, %done) : (i1, i1, i1) -> ()
  }
  func.return
}

// -----

// Lane 0 may not be there to count for the others.

// CHECK-LABEL: func.func @not_the_first
// CHECK:         scf.if %some {
// CHECK-NEXT:      %live, %k = scf.while
func.func @not_the_first(%n: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %c = arith.cmpi eq, %v, %one : i32
    scf.if %c {
      scf.for %k = %lx to %n step %c8 {
        memref.store %one, %x[%k] : memref<?xi32>
      }
    }
  }
  func.return
}

// -----

// What ends a loop for all lanes is asked once: it is no part of their masks. In @in_order it is
// asked before what is only defined where it holds, and after what has to hold for it.

// CHECK-LABEL: func.func @common_end
// CHECK:         scf.while ([[LIVE:%\w+]] = %true, %top = %n, %v = %v0)
// CHECK-NEXT:      %some = arith.cmpi sgt, %top, %c0 : index
// CHECK-NEXT:      %go = arith.cmpf olt, %v, %limit : f32
// CHECK-NEXT:      %active = arith.select [[LIVE]], %go, %false : i1
// CHECK-NEXT:      [[ANY:%\w+]] = spmd.any %active across sub_group
// CHECK-NEXT:      [[MORE:%\w+]] = arith.select [[ANY]], %some, %false : i1
// CHECK-NEXT:      scf.condition([[MORE]]) %active, %top, %v : i1, index, f32
func.func @common_end(%n: index, %limit: f32, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %v0 = memref.load %x[%lx] : memref<?xf32>
    %end, %r = scf.while (%top = %n, %v = %v0) : (index, f32) -> (index, f32) {
      %some = arith.cmpi sgt, %top, %c0 : index
      %go = arith.cmpf olt, %v, %limit : f32
      %more = arith.andi %go, %some : i1
      scf.condition(%more) %top, %v : index, f32
    } do {
    ^bb0(%top: index, %v: f32):
      %less = arith.subi %top, %c1 : index
      %w = arith.addf %v, %v : f32
      scf.yield %less, %w : index, f32
    }
    memref.store %r, %x[%lx] : memref<?xf32>
  }
  func.return
}

// CHECK-LABEL: func.func @in_order
// CHECK:           %active = arith.select %{{\w+}}, %go, %off : i1
// CHECK-NEXT:      [[ANY:%\w+]] = spmd.any %active across sub_group
// CHECK-NEXT:      [[BOTH:%\w+]] = arith.select [[ANY]], %second, %off : i1
// CHECK-NEXT:      [[ALL:%\w+]] = arith.select %first, [[BOTH]], %off : i1
// CHECK-NEXT:      scf.condition([[ALL]])
func.func @in_order(%n: index, %m: index, %limit: f32, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %off = arith.constant false
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %v0 = memref.load %x[%lx] : memref<?xf32>
    %end, %r = scf.while (%top = %n, %v = %v0) : (index, f32) -> (index, f32) {
      %first = arith.cmpi sgt, %top, %c0 : index
      %second = arith.cmpi ne, %top, %m : index
      %go = arith.cmpf olt, %v, %limit : f32
      %then = arith.select %go, %second, %off : i1
      %more = arith.select %first, %then, %off : i1
      scf.condition(%more) %top, %v : index, f32
    } do {
    ^bb0(%top: index, %v: f32):
      %less = arith.subi %top, %c1 : index
      %w = arith.addf %v, %v : f32
      scf.yield %less, %w : index, f32
    }
    memref.store %r, %x[%lx] : memref<?xf32>
  }
  func.return
}
