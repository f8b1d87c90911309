// RUN: xdsl-opt %s -p version-interiors | filecheck %s

// One question for both loads; beyond an edge lanes load one element, which the lane there does anyway.
// CHECK-LABEL: func.func @clamped
// CHECK: spmd.sub_group (%i) shape [16] at (%base) {
// CHECK-NEXT: %a = arith.subi %i, %c1 overflow<nsw> : index
// CHECK-NEXT: %a_least = arith.subi %base, %c1 : index
// CHECK-NEXT: %inside = arith.cmpi sge, %a_least, %c0 : index
// CHECK-NEXT: %i_last = arith.addi %base, %c15 : index
// CHECK-NEXT: %b_most = arith.addi %i_last, %c1 : index
// CHECK-NEXT: %inside_1 = arith.cmpi sle, %b_most, %end : index
// CHECK-NEXT: %rises = arith.cmpi sle, %a_least, %b_most : index
// CHECK-NEXT: %0 = arith.andi %inside, %inside_1 : i1
// CHECK-NEXT: %interior = arith.andi %0, %rises : i1
// CHECK-NEXT: scf.if %interior {
// CHECK-NEXT: %b = arith.addi %i, %c1 : index
// CHECK-NEXT: %v = memref.load %x[%a] : memref<?xf32>
// CHECK-NEXT: %w = memref.load %x[%b] : memref<?xf32>
// CHECK-NEXT: %s = arith.addf %v, %w : f32
// CHECK-NEXT: memref.store %s, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = arith.ori %inside, %inside_1 : i1
// CHECK-NEXT: %border = arith.andi %1, %rises : i1
// CHECK-NEXT: scf.if %border {
// CHECK-NEXT: %edge = arith.select %inside, %i_last, %base : index
// CHECK-NEXT: %inside_2 = arith.cmpi sge, %a, %c0 : index
// CHECK-NEXT: %a_1 = arith.subi %edge, %c1 : index
// CHECK-NEXT: %left = arith.maxsi %a_1, %c0 : index
// CHECK-NEXT: %b_1 = arith.addi %i, %c1 : index
// CHECK-NEXT: %inside_3 = arith.cmpi sle, %b_1, %end : index
// CHECK-NEXT: %b_2 = arith.addi %edge, %c1 : index
// CHECK-NEXT: %right = arith.minsi %b_2, %end : index
// CHECK-NEXT: %v_1 = memref.load %x[%left] : memref<?xf32>
// CHECK-NEXT: %v_2 = scf.if %inside_2 -> (f32) {
// CHECK-NEXT: %v_3 = memref.load %x[%a] : memref<?xf32>
// CHECK-NEXT: scf.yield %v_3 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %v_1 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: %w_1 = memref.load %x[%right] : memref<?xf32>
// CHECK-NEXT: %w_2 = scf.if %inside_3 -> (f32) {
// CHECK-NEXT: %w_3 = memref.load %x[%b_1] : memref<?xf32>
// CHECK-NEXT: scf.yield %w_3 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %w_1 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: %s_1 = arith.addf %v_2, %w_2 : f32
// CHECK-NEXT: memref.store %s_1, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %left_1 = arith.maxsi %a, %c0 : index
// CHECK-NEXT: %b_3 = arith.addi %i, %c1 : index
// CHECK-NEXT: %right_1 = arith.minsi %b_3, %end : index
// CHECK-NEXT: %v_4 = memref.load %x[%left_1] {spmd.near_edge = "near several edges"} : memref<?xf32>
// CHECK-NEXT: %w_4 = memref.load %x[%right_1] {spmd.near_edge = "near several edges"} : memref<?xf32>
// CHECK-NEXT: %s_2 = arith.addf %v_4, %w_4 : f32
// CHECK-NEXT: memref.store %s_2, %y[%i] : memref<?xf32>
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }{spmd.likely}
func.func @clamped(%x: memref<?xf32>, %y: memref<?xf32>, %base: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %end = arith.subi %n, %c1 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %a = arith.subi %i, %c1 overflow<nsw> : index
    %left = arith.maxsi %a, %c0 : index
    %b = arith.addi %i, %c1 : index
    %right = arith.minsi %b, %end : index
    %v = memref.load %x[%left] : memref<?xf32>
    %w = memref.load %x[%right] : memref<?xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  func.return
}

// A remainder is the number from 0 to the divisor, without the divisor that was added; beyond it lies a period away.
// CHECK-LABEL: func.func @wrapped
// CHECK: spmd.sub_group (%i) shape [16] at (%base) {
// CHECK-NEXT: %a = arith.subi %i, %c1 : index
// CHECK-NEXT: %up = arith.addi %a, %n : index
// CHECK-NEXT: %a_1 = arith.subi %base, %c1 : index
// CHECK-NEXT: %up_least = arith.addi %a_1, %n : index
// CHECK-NEXT: %inside = arith.cmpi sge, %up_least, %c0 : index
// CHECK-NEXT: %up_least_1 = arith.subi %up_least, %n : index
// CHECK-NEXT: %inside_1 = arith.cmpi sge, %up_least_1, %c0 : index
// CHECK-NEXT: %least_inside = arith.andi %inside, %inside_1 : i1
// CHECK-NEXT: %i_most = arith.addi %base, %c15 : index
// CHECK-NEXT: %inside_2 = arith.cmpi slt, %i_most, %n : index
// CHECK-NEXT: %a_2 = arith.subi %i_most, %c1 : index
// CHECK-NEXT: %up_most = arith.addi %a_2, %n : index
// CHECK-NEXT: %rises = arith.cmpi sle, %up_least, %up_most : index
// CHECK-NEXT: %rises_1 = arith.cmpi sle, %up_least_1, %i_most : index
// CHECK-NEXT: %0 = arith.andi %least_inside, %inside_2 : i1
// CHECK-NEXT: %1 = arith.andi %0, %rises : i1
// CHECK-NEXT: %interior = arith.andi %1, %rises_1 : i1
// CHECK-NEXT: scf.if %interior {
// CHECK-NEXT: %up_1 = arith.subi %up, %n : index
// CHECK-NEXT: %v = memref.load %x[%up_1] : memref<?xf32>
// CHECK-NEXT: %w = memref.load %x[%i] : memref<?xf32>
// CHECK-NEXT: %s = arith.addf %v, %w : f32
// CHECK-NEXT: memref.store %s, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %2 = arith.ori %least_inside, %inside_2 : i1
// CHECK-NEXT: %up_most_1 = arith.subi %up_most, %n : index
// CHECK-NEXT: %below = arith.subi %c0, %n : index
// CHECK-NEXT: %3 = arith.cmpi sgt, %up_least_1, %below : index
// CHECK-NEXT: %above = arith.addi %n, %n : index
// CHECK-NEXT: %4 = arith.cmpi slt, %up_most_1, %above : index
// CHECK-NEXT: %below_1 = arith.subi %c0, %n : index
// CHECK-NEXT: %5 = arith.cmpi sgt, %base, %below_1 : index
// CHECK-NEXT: %above_1 = arith.addi %n, %n : index
// CHECK-NEXT: %6 = arith.cmpi slt, %i_most, %above_1 : index
// CHECK-NEXT: %7 = arith.andi %2, %3 : i1
// CHECK-NEXT: %8 = arith.andi %7, %4 : i1
// CHECK-NEXT: %9 = arith.andi %8, %5 : i1
// CHECK-NEXT: %10 = arith.andi %9, %6 : i1
// CHECK-NEXT: %11 = arith.andi %10, %rises : i1
// CHECK-NEXT: %border = arith.andi %11, %rises_1 : i1
// CHECK-NEXT: scf.if %border {
// CHECK-NEXT: %edge = arith.select %least_inside, %i_most, %base : index
// CHECK-NEXT: %12 = arith.cmpi sge, %up, %c0 : index
// CHECK-NEXT: %up_2 = arith.subi %up, %n : index
// CHECK-NEXT: %13 = arith.cmpi sge, %up_2, %c0 : index
// CHECK-NEXT: %up_3 = arith.subi %up, %n : index
// CHECK-NEXT: %14 = arith.cmpi slt, %up_3, %n : index
// CHECK-NEXT: %15 = arith.andi %12, %13 : i1
// CHECK-NEXT: %inside_3 = arith.andi %15, %14 : i1
// CHECK-NEXT: %up_4 = arith.subi %up, %n : index
// CHECK-NEXT: %a_3 = arith.subi %edge, %c1 : index
// CHECK-NEXT: %up_5 = arith.addi %a_3, %n : index
// CHECK-NEXT: %at = arith.remsi %up_5, %n : index
// CHECK-NEXT: %up_6 = arith.subi %up_5, %n : index
// CHECK-NEXT: %shift = arith.subi %at, %up_6 : index
// CHECK-NEXT: %beyond = arith.addi %up_4, %shift : index
// CHECK-NEXT: %v_1 = scf.if %inside_3 -> (f32) {
// CHECK-NEXT: %v_2 = memref.load %x[%up_4] : memref<?xf32>
// CHECK-NEXT: scf.yield %v_2 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %v_3 = memref.load %x[%beyond] : memref<?xf32>
// CHECK-NEXT: scf.yield %v_3 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: %16 = arith.cmpi sge, %i, %c0 : index
// CHECK-NEXT: %17 = arith.cmpi slt, %i, %n : index
// CHECK-NEXT: %inside_4 = arith.andi %16, %17 : i1
// CHECK-NEXT: %around = arith.remsi %edge, %n : index
// CHECK-NEXT: %shift_1 = arith.subi %around, %edge : index
// CHECK-NEXT: %beyond_1 = arith.addi %i, %shift_1 : index
// CHECK-NEXT: %w_1 = scf.if %inside_4 -> (f32) {
// CHECK-NEXT: %w_2 = memref.load %x[%i] : memref<?xf32>
// CHECK-NEXT: scf.yield %w_2 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: %w_3 = memref.load %x[%beyond_1] : memref<?xf32>
// CHECK-NEXT: scf.yield %w_3 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: %s_1 = arith.addf %v_1, %w_1 : f32
// CHECK-NEXT: memref.store %s_1, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %at_1 = arith.remsi %up, %n : index
// CHECK-NEXT: %v_4 = memref.load %x[%at_1] : memref<?xf32>
// CHECK-NEXT: %around_1 = arith.remsi %i, %n : index
// CHECK-NEXT: %w_4 = memref.load %x[%around_1] : memref<?xf32>
// CHECK-NEXT: %s_2 = arith.addf %v_4, %w_4 : f32
// CHECK-NEXT: memref.store %s_2, %y[%i] : memref<?xf32>
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }{spmd.likely}
func.func @wrapped(%x: memref<?xf32>, %y: memref<?xf32>, %base: index, %n: index) {
  %c1 = arith.constant 1 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %a = arith.subi %i, %c1 : index
    %up = arith.addi %a, %n : index
    %at = arith.remsi %up, %n : index
    %v = memref.load %x[%at] : memref<?xf32>
    %around = arith.remsi %i, %n : index
    %w = memref.load %x[%around] : memref<?xf32>
    %s = arith.addf %v, %w : f32
    memref.store %s, %y[%i] : memref<?xf32>
  }
  func.return
}

// In all iterations, from the least of the counter to the greatest; and in the lanes that exist.
// CHECK-LABEL: func.func @loop
// CHECK: spmd.sub_group (%i, %j) shape [8, 2] at (%base, %row) {
// CHECK-NEXT: %n = memref.dim %x, %c1 : memref<?x?xf32>
// CHECK-NEXT: %end = arith.subi %n, %c1 : index
// CHECK-NEXT: %last = arith.subi %far, %c1 : index
// CHECK-NEXT: %a_least = arith.subi %base, %last : index
// CHECK-NEXT: %inside = arith.cmpi sge, %a_least, %c0 : index
// CHECK-NEXT: %i_last = arith.addi %base, %c7 : index
// CHECK-NEXT: %a_most = arith.subi %i_last, %c0 : index
// CHECK-NEXT: %inside_1 = arith.cmpi sle, %a_most, %end : index
// CHECK-NEXT: %rises = arith.cmpi sle, %a_least, %a_most : index
// CHECK-NEXT: %0 = arith.andi %inside, %inside_1 : i1
// CHECK-NEXT: %interior = arith.andi %0, %rises : i1
// CHECK-NEXT: scf.if %interior {
// CHECK-NEXT: %sum = scf.for %k = %c0 to %far step %c1 iter_args(%s = %zero) -> (f32) {
// CHECK-NEXT: %a = arith.subi %i, %k : index
// CHECK-NEXT: %v = memref.load %x[%j, %a] : memref<?x?xf32>
// CHECK-NEXT: %t = arith.addf %s, %v : f32
// CHECK-NEXT: scf.yield %t : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %sum, %y[%j, %i] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = arith.ori %inside, %inside_1 : i1
// CHECK-NEXT: %border = arith.andi %1, %rises : i1
// CHECK-NEXT: scf.if %border {
// CHECK-NEXT: %edge = arith.select %inside, %i_last, %base : index
// CHECK-NEXT: %sum_1 = scf.for %k_1 = %c0 to %far step %c1 iter_args(%s_1 = %zero) -> (f32) {
// CHECK-NEXT: %a_1 = arith.subi %i, %k_1 : index
// CHECK-NEXT: %2 = arith.cmpi sge, %a_1, %c0 : index
// CHECK-NEXT: %3 = arith.cmpi sle, %a_1, %end : index
// CHECK-NEXT: %inside_2 = arith.andi %2, %3 : i1
// CHECK-NEXT: %a_2 = arith.subi %edge, %k_1 : index
// CHECK-NEXT: %left = arith.maxsi %a_2, %c0 : index
// CHECK-NEXT: %at = arith.minsi %left, %end : index
// CHECK-NEXT: %v_1 = memref.load %x[%j, %at] : memref<?x?xf32>
// CHECK-NEXT: %v_2 = scf.if %inside_2 -> (f32) {
// CHECK-NEXT: %v_3 = memref.load %x[%j, %a_1] : memref<?x?xf32>
// CHECK-NEXT: scf.yield %v_3 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %v_1 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: %t_1 = arith.addf %s_1, %v_2 : f32
// CHECK-NEXT: scf.yield %t_1 : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %sum_1, %y[%j, %i] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %sum_2 = scf.for %k_2 = %c0 to %far step %c1 iter_args(%s_2 = %zero) -> (f32) {
// CHECK-NEXT: %a_3 = arith.subi %i, %k_2 : index
// CHECK-NEXT: %left_1 = arith.maxsi %a_3, %c0 : index
// CHECK-NEXT: %at_1 = arith.minsi %left_1, %end : index
// CHECK-NEXT: %v_4 = memref.load %x[%j, %at_1] {spmd.near_edge = "near several edges"} : memref<?x?xf32>
// CHECK-NEXT: %t_2 = arith.addf %s_2, %v_4 : f32
// CHECK-NEXT: scf.yield %t_2 : f32
// CHECK-NEXT: }
// CHECK-NEXT: memref.store %sum_2, %y[%j, %i] : memref<?x?xf32>
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }
// CHECK-NEXT: spmd.sub_group (%i_1) shape [8] at (%base) count %count {
// CHECK-NEXT: %a_4 = arith.subi %i_1, %c1 : index
// CHECK-NEXT: %a_least_1 = arith.subi %base, %c1 : index
// CHECK-NEXT: %inside_3 = arith.cmpi sge, %a_least_1, %c0 : index
// CHECK-NEXT: %4 = arith.subi %count, %c1 : index
// CHECK-NEXT: %ahead = arith.minsi %4, %c7 : index
// CHECK-NEXT: %i_last_1 = arith.addi %base, %ahead : index
// CHECK-NEXT: %a_most_1 = arith.subi %i_last_1, %c1 : index
// CHECK-NEXT: %rises_1 = arith.cmpi sle, %a_least_1, %a_most_1 : index
// CHECK-NEXT: %interior_1 = arith.andi %inside_3, %rises_1 : i1
// CHECK-NEXT: scf.if %interior_1 {
// CHECK-NEXT: %v_5 = memref.load %x[%row, %a_4] : memref<?x?xf32>
// CHECK-NEXT: memref.store %v_5, %y[%row, %i_1] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.if %rises_1 {
// CHECK-NEXT: %edge_1 = arith.select %inside_3, %i_last_1, %base : index
// CHECK-NEXT: %inside_4 = arith.cmpi sge, %a_4, %c0 : index
// CHECK-NEXT: %a_5 = arith.subi %edge_1, %c1 : index
// CHECK-NEXT: %left_2 = arith.maxsi %a_5, %c0 : index
// CHECK-NEXT: %v_6 = memref.load %x[%row, %left_2] : memref<?x?xf32>
// CHECK-NEXT: %v_7 = scf.if %inside_4 -> (f32) {
// CHECK-NEXT: %v_8 = memref.load %x[%row, %a_4] : memref<?x?xf32>
// CHECK-NEXT: scf.yield %v_8 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %v_6 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: memref.store %v_7, %y[%row, %i_1] : memref<?x?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %left_3 = arith.maxsi %a_4, %c0 : index
// CHECK-NEXT: %v_9 = memref.load %x[%row, %left_3] {spmd.near_edge = "near several edges"} : memref<?x?xf32>
// CHECK-NEXT: memref.store %v_9, %y[%row, %i_1] : memref<?x?xf32>
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }{spmd.likely}
func.func @loop(%x: memref<?x?xf32>, %y: memref<?x?xf32>, %base: index, %row: index, %far: index, %count: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  spmd.sub_group (%i, %j) shape [8, 2] at (%base, %row) {
    %n = memref.dim %x, %c1 : memref<?x?xf32>
    %end = arith.subi %n, %c1 : index
    %sum = scf.for %k = %c0 to %far step %c1 iter_args(%s = %zero) -> (f32) {
      %a = arith.subi %i, %k : index
      %left = arith.maxsi %a, %c0 : index
      %at = arith.minsi %left, %end : index
      %v = memref.load %x[%j, %at] : memref<?x?xf32>
      %t = arith.addf %s, %v : f32
      scf.yield %t : f32
    }
    memref.store %sum, %y[%j, %i] : memref<?x?xf32>
  }
  spmd.sub_group (%i) shape [8] at (%base) count %count {
    %a = arith.subi %i, %c1 : index
    %left = arith.maxsi %a, %c0 : index
    %v = memref.load %x[%row, %left] : memref<?x?xf32>
    memref.store %v, %y[%row, %i] : memref<?x?xf32>
  }
  func.return
}

// What a condition chooses; and the last lane is the one where numbers that fall are least.
// CHECK-LABEL: func.func @chosen
// CHECK: spmd.sub_group (%i) shape [16] at (%base) {
// CHECK-NEXT: %back = arith.subi %n, %i : index
// CHECK-NEXT: %i_last = arith.addi %base, %c15 : index
// CHECK-NEXT: %back_least = arith.subi %n, %i_last : index
// CHECK-NEXT: %inside = arith.cmpi sge, %back_least, %c0 : index
// CHECK-NEXT: %back_most = arith.subi %n, %base : index
// CHECK-NEXT: %rises = arith.cmpi sle, %back_least, %back_most : index
// CHECK-NEXT: %interior = arith.andi %inside, %rises : i1
// CHECK-NEXT: scf.if %interior {
// CHECK-NEXT: %v = memref.load %x[%back] : memref<?xf32>
// CHECK-NEXT: memref.store %v, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.if %rises {
// CHECK-NEXT: %edge = arith.select %inside, %base, %i_last : index
// CHECK-NEXT: %inside_1 = arith.cmpi sge, %back, %c0 : index
// CHECK-NEXT: %back_1 = arith.subi %n, %edge : index
// CHECK-NEXT: %is_low = arith.cmpi sgt, %c0, %back_1 : index
// CHECK-NEXT: %at = arith.select %is_low, %n, %back_1 : index
// CHECK-NEXT: %v_1 = memref.load %x[%at] : memref<?xf32>
// CHECK-NEXT: %v_2 = scf.if %inside_1 -> (f32) {
// CHECK-NEXT: %v_3 = memref.load %x[%back] : memref<?xf32>
// CHECK-NEXT: scf.yield %v_3 : f32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %v_1 : f32
// CHECK-NEXT: }{spmd.near_edge}
// CHECK-NEXT: memref.store %v_2, %y[%i] : memref<?xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %is_low_1 = arith.cmpi sgt, %c0, %back : index
// CHECK-NEXT: %at_1 = arith.select %is_low_1, %n, %back : index
// CHECK-NEXT: %v_4 = memref.load %x[%at_1] {spmd.near_edge = "near several edges"} : memref<?xf32>
// CHECK-NEXT: memref.store %v_4, %y[%i] : memref<?xf32>
// CHECK-NEXT: }{spmd.likely}
// CHECK-NEXT: }{spmd.likely}
func.func @chosen(%x: memref<?xf32>, %y: memref<?xf32>, %base: index, %n: index) {
  %c0 = arith.constant 0 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %back = arith.subi %n, %i : index
    %is_low = arith.cmpi sgt, %c0, %back : index
    %at = arith.select %is_low, %n, %back : index
    %v = memref.load %x[%at] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
  }
  func.return
}

// Digits are no edges, nor are remainders that have no neighbours: ids may go through many periods. What bends a number that is no index does not matter.
// CHECK-LABEL: func.func @digits
// CHECK-NOT: scf.if
func.func @digits(%x: memref<?xf32>, %y: memref<?xindex>, %base: index, %n: index) {
  %c8 = arith.constant 8 : index
  spmd.sub_group (%i) shape [16] at (%base) {
    %low = arith.remui %i, %c8 : index
    %u = memref.load %x[%low] : memref<?xf32>
    %period = arith.remsi %i, %n : index
    %w = memref.load %x[%period] : memref<?xf32>
    %v = arith.addf %u, %w : f32
    memref.store %v, %x[%i] : memref<?xf32>
    %most = arith.minsi %i, %n : index
    memref.store %most, %y[%i] : memref<?xindex>
  }
  func.return
}
