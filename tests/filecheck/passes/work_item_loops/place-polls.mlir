// RUN: xdsl-opt %s -p place-polls | filecheck %s

// A loop that goes on for as long as the data says polls in every iteration.

// CHECK-LABEL: func.func @unbounded
// CHECK:         } do {
// CHECK-NEXT:    ^{{.*}}(%z_1: f32):
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      %next = arith.mulf
func.func @unbounded(%start: f32, %most: f32) -> f32 {
  %end = scf.while (%z = %start) : (f32) -> f32 {
    %more = arith.cmpf olt, %z, %most : f32
    scf.condition(%more) %z : f32
  } do {
  ^bb0(%z: f32):
    %next = arith.mulf %z, %z : f32
    scf.yield %next : f32
  }
  func.return %end : f32
}

// Halving comes to an end, and so does counting up to a number that is known. A step that may
// be zero does not.

// CHECK-LABEL: func.func @bounded
// CHECK:         arith.cmpi ugt
// CHECK-NOT:     spmd.poll
// CHECK:         arith.cmpi sgt
// CHECK:         spmd.poll
// CHECK-NEXT:    arith.addi
// CHECK-NOT:     spmd.poll
// CHECK:         func.return
func.func @bounded(%step: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1000 = arith.constant 1000 : index
  %a = scf.while (%s = %c1000) : (index) -> index {
    %more = arith.cmpi ugt, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %half = arith.shrui %s, %c1 : index
    scf.yield %half : index
  }
  %b = scf.while (%s = %c0) : (index) -> index {
    %more = arith.cmpi slt, %s, %c1000 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %up = arith.addi %s, %c1 : index
    scf.yield %up : index
  }
  %small = arith.andi %step, %c1 : index
  %c = scf.while (%s = %c1000) : (index) -> index {
    %more = arith.cmpi sgt, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %up = arith.addi %s, %small : index
    scf.yield %up : index
  }
  func.return
}

// A number has at most as many bits as its type; one that is not asked whether it is zero may
// stay zero.

// CHECK-LABEL: func.func @bits
// CHECK:         arith.cmpi ne, %s, %c0
// CHECK-NOT:     spmd.poll
// CHECK:         arith.cmpi ne, %s_2, %c1
// CHECK:         spmd.poll
// CHECK:         arith.cmpi ne, %s_4, %c0
// CHECK:         spmd.poll
// CHECK:         func.return
func.func @bits(%mask: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a = scf.while (%s = %mask) : (index) -> index {
    %more = arith.cmpi ne, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %less = arith.subi %s, %c1 : index
    %rest = arith.andi %s, %less : index
    scf.yield %rest : index
  }
  %b = scf.while (%s = %mask) : (index) -> index {
    %more = arith.cmpi ne, %s, %c1 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %less = arith.subi %s, %c1 : index
    %rest = arith.andi %s, %less : index
    scf.yield %rest : index
  }
  %c = scf.while (%s = %mask) : (index) -> index {
    %more = arith.cmpi ne, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    %less = arith.subi %s, %c2 : index
    %rest = arith.andi %s, %less : index
    scf.yield %rest : index
  }
  func.return
}

// A loop that only counts is cut into strips.

// CHECK-LABEL: func.func @counted
// CHECK-SAME:    (%n: index, %x: memref<?xf32>)
// CHECK-NEXT:    %c131072 = arith.constant 131072 : index
// CHECK:         %sum = scf.for %begin = %c0 to %n step %c131072 iter_args(%s = %zero) -> (f32) {
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      %left = arith.subi %n, %begin : index
// CHECK-NEXT:      %count = arith.minui %left, %c131072 : index
// CHECK-NEXT:      %end = arith.addi %begin, %count : index
// CHECK-NEXT:      %sum_1 = scf.for %k = %begin to %end step %c2 iter_args(%s_1 = %s) -> (f32) {
// CHECK-NEXT:        %v = memref.load %x[%k] : memref<?xf32>
// CHECK-NEXT:        %t = arith.addf %s_1, %v : f32
// CHECK-NEXT:        scf.yield %t : f32
// CHECK-NEXT:      } {mine.note}
// CHECK-NEXT:      scf.yield %sum_1 : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %sum : f32
func.func @counted(%n: index, %x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %k = %c0 to %n step %c2 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%k] : memref<?xf32>
    %t = arith.addf %s, %v : f32
    scf.yield %t : f32
  } {mine.note}
  func.return %sum : f32
}

// Unless the count is known not to be large, or the step is not known: then it polls.

// CHECK-LABEL: func.func @steps
// CHECK:         scf.for %i = %c0 to %c4 step %c1 {
// CHECK-NEXT:      scf.for %j = %c0 to %c1000 step %c1 {
// CHECK-NEXT:        memref.store
// CHECK:         scf.for %k = %c0 to %n step %step {
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      memref.store
func.func @steps(%n: index, %step: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c1000 = arith.constant 1000 : index
  scf.for %i = %c0 to %c4 step %c1 {
    scf.for %j = %c0 to %c1000 step %c1 {
      memref.store %i, %x[%j] : memref<?xindex>
    }
  }
  scf.for %k = %c0 to %n step %step {
    memref.store %k, %x[%k] : memref<?xindex>
  }
  func.return
}

// The step of strips is a number of the counter's type, or there are none.

// CHECK-LABEL: func.func @narrow
// CHECK:         scf.for %begin = %low to %high step %c2147418112_i32 : i32 {
// CHECK-NEXT:      spmd.poll
// CHECK:           scf.for %i = %begin to %end step %near : i32 {
// CHECK:         scf.for %k = %low to %high step %far : i32 {
// CHECK-NEXT:      spmd.poll
func.func @narrow(%low: i32, %high: i32, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %near = arith.constant 32767 : i32
  %far = arith.constant 32768 : i32
  scf.for %i = %low to %high step %near : i32 {
    scf.for %j = %c0 to %c16 step %c1 {
      memref.store %j, %x[%j] : memref<?xindex>
    }
  }
  scf.for %k = %low to %high step %far : i32 {
    scf.for %j = %c0 to %c16 step %c1 {
      memref.store %j, %x[%j] : memref<?xindex>
    }
  }
  func.return
}

// Of a nest the innermost loop that has enough to do polls, and loops in it do without. So
// does a loop with bounds from the loop around it; one that is long for sure does not.

// CHECK-LABEL: func.func @nests
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      scf.for %j = %c0 to %n step %c1 {
// CHECK-NEXT:        memref.store
// CHECK:         scf.for %row = %c0 to %c4 step %c1 {
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      %begin = memref.load
// CHECK-NEXT:      scf.for %k = %begin to %n step %c1 {
// CHECK-NEXT:        memref.store
// CHECK:         scf.for %l = %c0 to %n step %c1 {
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      scf.for %begin_1 = %c0 to %huge step %c65536 {
// CHECK-NEXT:        spmd.poll
func.func @nests(%n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %huge = arith.constant 1099511627776 : index
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %n step %c1 {
      memref.store %i, %x[%j] : memref<?xindex>
    }
  }
  scf.for %row = %c0 to %c4 step %c1 {
    %begin = memref.load %x[%row] : memref<?xindex>
    scf.for %k = %begin to %n step %c1 {
      memref.store %row, %x[%k] : memref<?xindex>
    }
  }
  scf.for %l = %c0 to %n step %c1 {
    scf.for %m = %c0 to %huge step %c1 {
      memref.store %m, %x[%c1] : memref<?xindex>
    }
  }
  func.return
}

// Every cycle of blocks goes through a poll; other branches do not.

// CHECK-LABEL: func.func @blocks
// CHECK:         cf.br ^[[LOOP:.*]](
// CHECK-NEXT:  ^[[LOOP]](%i: index):
// CHECK-NEXT:    %more = arith.cmpi
// CHECK-NEXT:    cf.cond_br %more, ^[[BODY:[^,]*]], ^[[END:.*]]
// CHECK-NEXT:  ^[[BODY]]:
// CHECK-NEXT:    %next = arith.muli
// CHECK-NEXT:    spmd.poll
// CHECK-NEXT:    cf.br ^[[LOOP]](
// CHECK-NEXT:  ^[[END]]:
// CHECK-NEXT:    func.return
func.func @blocks(%n: index) {
  cf.br ^loop(%n : index)
^loop(%i: index):
  %more = arith.cmpi ugt, %i, %n : index
  cf.cond_br %more, ^body, ^end
^body:
  %next = arith.muli %i, %i : index
  cf.br ^loop(%next : index)
^end:
  func.return
}

// A work-group that does little may run many times in a row: 4194304 / (1 + 100 * 3). One that
// polls may not, one with local memory gains nothing, and what is no work-group has no say in it.

// CHECK-LABEL: func.func @short_group
// CHECK-SAME:    spmd.groups_between_polls = 4194304 : i64
func.func @short_group(%gx: index) attributes {spmd.work_group_function} {
  %next = arith.addi %gx, %gx : index
  func.return
}
// CHECK-LABEL: func.func @longer_group
// CHECK-SAME:    spmd.groups_between_polls = 13934 : i64
func.func @longer_group(%x: memref<?xindex>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  scf.for %k = %c0 to %c100 step %c1 {
    memref.store %k, %x[%k] : memref<?xindex>
  }
  func.return
}
// Two in a row is the least: 4194304 / (1 + 600000 * 3) and (1 + 700000 * 3).

// CHECK-LABEL: func.func @two_groups
// CHECK-SAME:    spmd.groups_between_polls = 2 : i64
func.func @two_groups(%x: memref<?xindex>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 600000 : index
  scf.for %k = %c0 to %many step %c1 {
    memref.store %k, %x[%k] : memref<?xindex>
  }
  func.return
}
// CHECK-LABEL: func.func @one_group
// CHECK-NOT:     spmd.groups_between_polls
// CHECK:         func.return
func.func @one_group(%x: memref<?xindex>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %many = arith.constant 700000 : index
  scf.for %k = %c0 to %many step %c1 {
    memref.store %k, %x[%k] : memref<?xindex>
  }
  func.return
}

// A loop that never runs costs nothing, whatever is in it.
// CHECK-LABEL: func.func @endless_in_no_trips
// CHECK-SAME:    spmd.groups_between_polls = 4194304 : i64
func.func @endless_in_no_trips(%go: i1) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %c0 step %c1 {
    scf.while : () -> () {
      scf.condition(%go)
    } do {
      scf.yield
    }
  }
  func.return
}
// CHECK-LABEL: func.func @group_with_a_tile
// CHECK-NOT:     groups_between_polls
func.func @group_with_a_tile(%gx: index) attributes {spmd.work_group_function} {
  %tile = memref.alloca() {spmd.group_memory} : memref<64xindex, 3 : i64>
  memref.store %gx, %tile[%gx] : memref<64xindex, 3 : i64>
  func.return
}
// CHECK-LABEL: func.func @long_group
// CHECK-NOT:     groups_between_polls
func.func @long_group(%x: memref<?xindex>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %k = %c0 to %n step %c1 {
    memref.store %k, %x[%k] : memref<?xindex>
  }
  func.return
}

// Strips are made of iterations that take no longer than 64 of an innermost loop.

// CHECK-LABEL: func.func @just_short
// CHECK:         scf.for %begin = %c0 to %n step %{{.*}} {
// CHECK-NEXT:      spmd.poll
// CHECK:           scf.for %l = %c0 to %c63 step %c1
func.func @just_short(%n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.for %l = %c0 to %c63 step %c1 {
      memref.store %k, %x[%l] : memref<?xindex>
    }
  }
  func.return
}

// CHECK-LABEL: func.func @too_long
// CHECK:         scf.for %k = %c0 to %n step %c1 {
// CHECK-NEXT:      spmd.poll
// CHECK-NEXT:      scf.for %l = %c0 to %c64 step %c1
func.func @too_long(%n: index, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.for %l = %c0 to %c64 step %c1 {
      memref.store %k, %x[%l] : memref<?xindex>
    }
  }
  func.return
}
