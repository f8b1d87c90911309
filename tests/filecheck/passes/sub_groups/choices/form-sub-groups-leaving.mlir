// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v3}' | filecheck %s
// RUN: xdsl-opt %s -p 'form-sub-groups{target=x86-64-v4}' | filecheck %s --check-prefix=V4

// Lanes that leave a loop one after the other keep %x, %y and %cx for all iterations. With AVX2 a
// register says in addition which of them are left, and what they counted to is kept beside the
// common counter.

// CHECK-LABEL: @leave_by_themselves
// CHECK:         spmd.sub_group (%i) shape [16] at
// V4-LABEL:    @leave_by_themselves
// V4:            spmd.sub_group (%i) shape [64] at
func.func @leave_by_themselves(%starts: memref<?xf32>, %out: memref<?xi32>, %most: i32) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %origin = arith.constant 0.0 : f32
  %four = arith.constant 4.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    %cx = memref.load %starts[%i] : memref<?xf32>
    %end, %x_end, %y_end = scf.while (%it = %zero, %x = %origin, %y = %origin) : (i32, f32, f32) -> (i32, f32, f32) {
      %below = arith.cmpi slt, %it, %most : i32
      %size = math.fma %x, %x, %y : f32
      %inside = arith.cmpf ole, %size, %four : f32
      %go_on = arith.andi %below, %inside : i1
      scf.condition(%go_on) %it, %x, %y : i32, f32, f32
    } do {
    ^bb0(%it: i32, %x: f32, %y: f32):
      %more = arith.addi %it, %one : i32
      %xx = math.fma %x, %x, %cx : f32
      %yy = math.fma %x, %y, %cx : f32
      scf.yield %more, %xx, %yy : i32, f32, f32
    }
    memref.store %end, %out[%i] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Together they need neither.

// CHECK-LABEL: @leave_together
// CHECK:         spmd.sub_group (%i) shape [32] at
func.func @leave_together(%starts: memref<?xf32>, %out: memref<?xi32>, %most: i32) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %origin = arith.constant 0.0 : f32
  scf.for %i = %c0 to %c64 step %c1 {
    %cx = memref.load %starts[%i] : memref<?xf32>
    %end, %x_end, %y_end = scf.while (%it = %zero, %x = %origin, %y = %origin) : (i32, f32, f32) -> (i32, f32, f32) {
      %below = arith.cmpi slt, %it, %most : i32
      scf.condition(%below) %it, %x, %y : i32, f32, f32
    } do {
    ^bb0(%it: i32, %x: f32, %y: f32):
      %more = arith.addi %it, %one : i32
      %xx = math.fma %x, %x, %cx : f32
      %yy = math.fma %x, %y, %cx : f32
      scf.yield %more, %xx, %yy : i32, f32, f32
    }
    %bits = arith.bitcast %y_end : f32 to i32
    memref.store %bits, %out[%i] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Four values of 32 bits take as much as two of those that are computed with.

// CHECK-LABEL: @products_of_64_bits
// CHECK:         spmd.sub_group (%i) shape [16] at
func.func @products_of_64_bits(%x: memref<?xi32>, %n: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %by = arith.constant 3528531795 : i64
  %c32 = arith.constant 32 : i64
  scf.for %i = %c0 to %c64 step %c1 {
    %v = memref.load %x[%i] : memref<?xi32>
    %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%a = %v, %b = %v, %c = %v, %d = %v) -> (i32, i32, i32, i32) {
      %long = arith.extui %a : i32 to i64
      %product = arith.muli %long, %by : i64
      %high = arith.shrui %product, %c32 : i64
      %h = arith.trunci %high : i64 to i32
      %l = arith.trunci %product : i64 to i32
      %next = arith.xori %h, %b : i32
      scf.yield %next, %l, %a, %c : i32, i32, i32, i32
    }
    %s = arith.xori %r#0, %r#1 : i32
    %t = arith.xori %r#2, %r#3 : i32
    %u = arith.xori %s, %t : i32
    memref.store %u, %x[%i] : memref<?xi32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Neighbours leave at similar times: a tile of 16 by 4 lanes waits less for its last than a row.

// CHECK-LABEL: @neighbours
// CHECK:         spmd.sub_group (%i) shape [16] at
// V4-LABEL:    @neighbours
// V4:            spmd.sub_group (%i, %j) shape [16, 4] at
func.func @neighbours(%points: memref<?x64xf32>, %out: memref<?x64xi32>, %most: i32) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4.0 : f32
  scf.for %j = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %c = memref.load %points[%j, %i] : memref<?x64xf32>
      %end, %z_end = scf.while (%it = %zero, %z = %c) : (i32, f32) -> (i32, f32) {
        %below = arith.cmpi slt, %it, %most : i32
        %inside = arith.cmpf ole, %z, %four : f32
        %go_on = arith.andi %below, %inside : i1
        scf.condition(%go_on) %it, %z : i32, f32
      } do {
      ^bb0(%it: i32, %z: f32):
        %more = arith.addi %it, %one : i32
        %zz = math.fma %z, %z, %c : f32
        scf.yield %more, %zz : i32, f32
      }
      memref.store %end, %out[%j, %i] : memref<?x64xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// Where only the column matters, rows stay: what differs along one dimension alone is not counted.

// V4-LABEL:    @columns
// V4:            spmd.sub_group (%i) shape [64] at
func.func @columns(%points: memref<?xf32>, %out: memref<?x64xi32>, %most: i32) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %four = arith.constant 4.0 : f32
  scf.for %j = %c0 to %c4 step %c1 {
    scf.for %i = %c0 to %c64 step %c1 {
      %c = memref.load %points[%i] : memref<?xf32>
      %end, %z_end = scf.while (%it = %zero, %z = %c) : (i32, f32) -> (i32, f32) {
        %below = arith.cmpi slt, %it, %most : i32
        %inside = arith.cmpf ole, %z, %four : f32
        %go_on = arith.andi %below, %inside : i1
        scf.condition(%go_on) %it, %z : i32, f32
      } do {
      ^bb0(%it: i32, %z: f32):
        %more = arith.addi %it, %one : i32
        %zz = math.fma %z, %z, %c : f32
        scf.yield %more, %zz : i32, f32
      }
      memref.store %end, %out[%j, %i] : memref<?x64xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}
