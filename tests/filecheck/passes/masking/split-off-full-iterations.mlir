// RUN: xdsl-opt %s -p split-off-full-iterations --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p split-off-full-iterations,split-off-full-iterations --split-input-file | filecheck %s

// Lanes start one after the other, three apart.

// CHECK-LABEL: func.func @sum
// CHECK:         %lane = spmd.lane_id
// CHECK-NEXT:    %ahead = arith.muli %lane, %c3 : index
// CHECK-NEXT:    %start = spmd.broadcast %begin from %c0 across sub_group : index
// CHECK-NEXT:    %last = arith.subi %n, %c21 overflow<nsw> : index
// CHECK-NEXT:    %next, %sum = scf.for %k = %start to %last step %step iter_args(%at = %start, %a = %zero) -> (index, f32) {
// CHECK-NEXT:      %k_1 = arith.addi %k, %ahead overflow<nsw> : index
// CHECK-NEXT:      %v = memref.load %x[%k_1] : memref<?xf32>
// CHECK-NEXT:      %b = arith.addf %a, %v : f32
// CHECK-NEXT:      %next_1 = arith.addi %k, %step overflow<nsw> : index
// CHECK-NEXT:      scf.yield %next_1, %b : index, f32
// CHECK-NEXT:    }
// CHECK-NEXT:    %rest = arith.addi %next, %ahead overflow<nsw> : index
// CHECK-NEXT:    %sum_1 = scf.for %k_2 = %rest to %n step %step iter_args(%a_1 = %sum) -> (f32) {
// CHECK:         memref.store %sum_1, %y[%l]
func.func @sum(%n32: i32, %step32: i32, %x: memref<?xf32>, %y: memref<?xf32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.index_cast %n32 : i32 to index
  %step_index = arith.index_cast %step32 : i32 to index
  %step = arith.maxsi %step_index, %c1 : index
  spmd.sub_group (%l) shape [8] at (%c0) {
    %begin = arith.muli %l, %c3 : index
    %sum = scf.for %k = %begin to %n step %step iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    memref.store %sum, %y[%l] : memref<?xf32>
  }
  func.return
}

// -----

// Where a step passes all lanes, none has more than one iteration left; where it is shorter by
// one, the first lane may have two.

// CHECK-LABEL: func.func @one_left
// CHECK:         %next, %sum = scf.for %k = %start to %last step %c7
// CHECK:         %rest = arith.addi %next, %lane overflow<nsw> : index
// CHECK-NEXT:    %some = arith.cmpi slt, %rest, %n : index
// CHECK-NEXT:    %sum_1 = scf.if %some -> (f32) {
// CHECK-NEXT:      %v_1 = memref.load %x[%rest] : memref<?xf32>
// CHECK-NEXT:      %b_1 = arith.addf %sum, %v_1 : f32
// CHECK-NEXT:      scf.yield %b_1 : f32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %sum : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %sum_1, %y[%l]
// CHECK:         %next_2 = scf.for %k_2 = %start_1 to %last_1 step %c6
// CHECK:         scf.for %k_4 = %rest_1 to %n step %c6
// CHECK:         scf.for %k_5 = %start_2 to %last_2 step %c8
// CHECK:         %some_1 = arith.cmpi slt, %rest_2, %n : index
// CHECK-NEXT:    scf.if %some_1 {
// CHECK-NEXT:      "test.op"(%rest_2) : (index) -> ()
// CHECK-NEXT:    }
func.func @one_left(%n32: i32, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %n = arith.index_cast %n32 : i32 to index
  spmd.sub_group (%l) shape [8] at (%c0) {
    %sum = scf.for %k = %l to %n step %c7 iter_args(%a = %zero) -> (f32) {
      %v = memref.load %x[%k] : memref<?xf32>
      %b = arith.addf %a, %v : f32
      scf.yield %b : f32
    }
    memref.store %sum, %y[%l] : memref<?xf32>
    scf.for %k = %l to %n step %c6 {
      "test.op"(%k) : (index) -> ()
    }
    scf.for %k = %l to %n step %c8 {
      "test.op"(%k) : (index) -> ()
    }
  }
  func.return
}

// -----

// Not: lanes with one start, or different ends or steps; under a condition that lanes take
// apart; with a loop inside; where not all lanes exist.

// CHECK-LABEL: func.func @as_before
// CHECK-NOT:     %last
func.func @as_before(%n32: i32, %x: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = arith.index_cast %n32 : i32 to index
  spmd.sub_group (%l) shape [8] at (%c0) {
    %some = memref.load %x[%l] : memref<?xindex>
    %odd = arith.cmpi slt, %some, %c0 : index
    %step = arith.addi %l, %c1 : index
    scf.for %k = %n to %some step %c8 {
      "test.op"(%k) : (index) -> ()
    }
    scf.for %k = %l to %some step %c8 {
      "test.op"(%k) : (index) -> ()
    }
    scf.for %k = %l to %n step %step {
      "test.op"(%k) : (index) -> ()
    }
    scf.for %k = %some to %n step %c8 {
      "test.op"(%k) : (index) -> ()
    }
    scf.if %odd {
      scf.for %k = %l to %n step %c8 {
        "test.op"(%k) : (index) -> ()
      }
    }
    scf.for %k = %l to %n step %c8 {
      scf.for %j = %c0 to %n step %c8 {
        "test.op"(%j) : (index) -> ()
      }
    }
  }
  spmd.sub_group (%l) shape [8] at (%c0) count %n {
    scf.for %k = %l to %n step %c8 {
      "test.op"(%k) : (index) -> ()
    }
  }
  func.return
}

// -----

// An end so low that there is no number 3 * 255 below it is taken for the lowest that has one.

// CHECK-LABEL: func.func @lowest
// CHECK:         %end_1 = arith.maxsi %end, %cm9223372036854775043 : index
// CHECK-NEXT:    %last = arith.subi %end_1, %c765 overflow<nsw> : index
// CHECK:         scf.for %k_2 = %rest to %end
// CHECK-LABEL: func.func @above_lowest
// CHECK-NOT:     arith.maxsi %end
// CHECK:         %last = arith.subi %end, %c765
func.func @lowest(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %lowest = arith.constant -9223372036854775144 : index
  %highest = arith.constant 9223372036854775000 : index
  %low = arith.maxsi %n, %lowest : index
  %end = arith.minsi %low, %highest : index
  spmd.sub_group (%l) shape [256] at (%c0) {
    %begin = arith.muli %l, %c3 : index
    scf.for %k = %begin to %end step %c3 {
      "test.op"(%k) : (index) -> ()
    }
  }
  func.return
}
func.func @above_lowest(%n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %lowest = arith.constant -9223372036854775000 : index
  %highest = arith.constant 9223372036854775000 : index
  %low = arith.maxsi %n, %lowest : index
  %end = arith.minsi %low, %highest : index
  spmd.sub_group (%l) shape [256] at (%c0) {
    %begin = arith.muli %l, %c3 : index
    scf.for %k = %begin to %end step %c3 {
      "test.op"(%k) : (index) -> ()
    }
  }
  func.return
}

// -----

// Where lanes begin may wrap, but each iteration accesses memory there.

// CHECK-LABEL: func.func @indices
// CHECK:         %last
// CHECK:         %rest = arith.addi %next, %lane : index
// CHECK-NEXT:    %some = arith.cmpi slt, %rest, %n : index
// CHECK:         scf.for %k_2 = %begin to %n
// CHECK-NOT:     scf.for
func.func @indices(%first: index, %n: index, %x: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%l) shape [8] at (%c0) {
    %begin = arith.addi %first, %l : index
    scf.for %k = %begin to %n step %c8 {
      memref.store %zero, %x[%k] : memref<?xf32>
    }
    scf.for %k = %begin to %n step %c8 {
      %known = arith.cmpi sge, %k, %c0 : index
      scf.if %known {
        memref.store %zero, %x[%k] : memref<?xf32>
      }
    }
  }
  func.return
}
