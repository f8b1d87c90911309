// RUN: xdsl-opt %s -p 'vectorize-scans{target=128}' | filecheck %s
// RUN: xdsl-opt %s -p 'vectorize-scans{target=128},vectorize-scans{target=128}' | filecheck %s

// CHECK-LABEL: @inclusive
// CHECK:         %sum = scf.for %i = %c0 to %c64 step %c4 iter_args(%total = %zero) -> (f32) {
// CHECK-NEXT:      %v = vector.load %context[%i] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT:      [[A:%.*]] = vector.shuffle %v, %zeros [4, 0, 1, 2] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:      [[B:%.*]] = arith.addf [[A]], %v : vector<4xf32>
// CHECK-NEXT:      [[C:%.*]] = vector.shuffle [[B]], %zeros [4, 4, 0, 1] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:      [[D:%.*]] = arith.addf [[C]], [[B]] : vector<4xf32>
// CHECK-NEXT:      %before = vector.broadcast %total : f32 to vector<4xf32>
// CHECK-NEXT:      %next = arith.addf %before, [[D]] : vector<4xf32>
// CHECK-NEXT:      vector.store %next, %context[%i] : memref<64xf32>, vector<4xf32>
// CHECK-NEXT:      %last = vector.extract [[D]][3] : f32 from vector<4xf32>
// CHECK-NEXT:      [[TOTAL:%.*]] = arith.addf %total, %last : f32
// CHECK-NEXT:      scf.yield [[TOTAL]] : f32
// CHECK-NEXT:    }
// CHECK-NEXT:    "test.op"(%sum)
func.func @inclusive(%context: memref<64xf32>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %sum = scf.for %i = %c0 to %c64 step %c1 iter_args(%total = %zero) -> (f32) {
    %v = memref.load %context[%i] : memref<64xf32>
    %next = arith.addf %total, %v fastmath<reassoc> : f32
    memref.store %next, %context[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  "test.op"(%sum) : (f32) -> ()
  func.return
}

// Elements get what those before them are together; what is left over of a number that is known when it
// runs goes on as before. A row of several, into an array apart.

// CHECK-LABEL: @exclusive
// CHECK:         %whole = arith.andi %n, %cm4 : index
// CHECK-NEXT:    [[MOST:%.*]] = scf.for %i = %c0 to %whole step %c4 iter_args(%{{.*}} = %low) -> (f32) {
// CHECK:           %next = arith.maximumf %before, {{%.*}} : vector<4xf32>
// CHECK-NEXT:      [[MOVED:%.*]] = vector.shuffle %next, %before [4, 0, 1, 2] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT:      vector.store [[MOVED]], %out[%y, %i] : memref<4x?xf32>, vector<4xf32>
// CHECK:         scf.for %{{.*}} = %whole to %n step %c1 iter_args(%{{.*}} = [[MOST]]) -> (f32) {
// CHECK-NEXT:      memref.load
func.func @exclusive(%n: index, %y: index, %in: memref<4x?xf32>) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %out = memref.alloca(%n) {spmd.group_memory} : memref<4x?xf32>
  %most = scf.for %i = %c0 to %n step %c1 iter_args(%total = %low) -> (f32) {
    %v = memref.load %in[%y, %i] : memref<4x?xf32>
    %next = arith.maximumf %total, %v : f32
    memref.store %total, %out[%y, %i] : memref<4x?xf32>
    scf.yield %next : f32
  }
  "test.op"(%most, %out) : (f32, memref<4x?xf32>) -> ()
  func.return
}

// Not where a float would be rounded in another order, where elements are read after others were
// written, where there are too few, or where one after the other is as fast.

// CHECK-LABEL: @stays
// CHECK-NOT:     vector.load
func.func @stays(%a: memref<64xf32>, %b: memref<64xf32>, %c: memref<64xi64>, %d: memref<64xi32>, %e: memref<i32>)
    attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %none32 = arith.constant 0 : i32
  %exact = scf.for %i = %c0 to %c64 step %c1 iter_args(%total = %zero) -> (f32) {
    %v = memref.load %a[%i] : memref<64xf32>
    %next = arith.addf %total, %v : f32
    memref.store %next, %a[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  %overlap = scf.for %i = %c0 to %c64 step %c1 iter_args(%total = %zero) -> (f32) {
    %v = memref.load %a[%i] : memref<64xf32>
    %next = arith.addf %total, %v fastmath<reassoc> : f32
    memref.store %next, %b[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  %few = scf.for %i = %c0 to %c3 step %c1 iter_args(%total = %zero) -> (f32) {
    %v = memref.load %a[%i] : memref<64xf32>
    %next = arith.addf %total, %v fastmath<reassoc> : f32
    memref.store %next, %a[%i] : memref<64xf32>
    scf.yield %next : f32
  }
  %fast = scf.for %i = %c0 to %c64 step %c1 iter_args(%total = %none) -> (i64) {
    %v = memref.load %c[%i] : memref<64xi64>
    %next = arith.addi %total, %v : i64
    memref.store %next, %c[%i] : memref<64xi64>
    scf.yield %next : i64
  }
  %other = scf.for %i = %c0 to %c64 step %c1 iter_args(%total = %none32) -> (i32) {
    %v = memref.load %d[%i] : memref<64xi32>
    %next = arith.addi %total, %v : i32
    memref.store %v, %d[%i] : memref<64xi32>
    scf.yield %next : i32
  }
  %one_number = scf.for %i = %c0 to %c64 step %c1 iter_args(%total = %none32) -> (i32) {
    %v = memref.load %e[] : memref<i32>
    %next = arith.addi %total, %v : i32
    memref.store %next, %e[] : memref<i32>
    scf.yield %next : i32
  }
  "test.op"(%exact, %overlap, %few, %fast, %other, %one_number)
      : (f32, f32, f32, i64, i32, i32) -> ()
  func.return
}
