// RUN: xdsl-opt %s -p carry-float-keys --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p carry-float-keys,carry-float-keys --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'carry-float-keys{target=neoverse-v1}' --split-input-file | filecheck %s --check-prefix=ARM

// ARM-NOT: arith.bitcast

// The start, what is combined with it, and back.

// CHECK-LABEL: func.func @largest
// CHECK:         [[BITS:%\w+]] = arith.bitcast %low : f32 to i32
// CHECK-NEXT:    [[LESS:%\w+]] = arith.cmpi slt, [[BITS]], %c0_i32 : i32
// CHECK-NEXT:    [[TURNED:%\w+]] = arith.xori [[BITS]], %c2147483647_i32 : i32
// CHECK-NEXT:    [[ORDER:%\w+]] = arith.select [[LESS]], [[TURNED]], [[BITS]] : i32
// CHECK-NEXT:    [[START:%\w+]] = arith.addi [[ORDER]], %cm8388607_i32 : i32
// CHECK-NEXT:    [[MOST:%\w+]] = scf.for %{{.*}} iter_args([[M:%\w+]] = [[START]]) -> (i32) {
// CHECK-NEXT:      %v = memref.load
// CHECK-NEXT:      arith.bitcast %v : f32 to i32
// CHECK:           [[KEY:%\w+]] = arith.addi %{{.*}}, %cm8388607_i32 : i32
// CHECK-NEXT:      [[NEXT:%\w+]] = arith.maxsi [[M]], [[KEY]] : i32
// CHECK-NEXT:      scf.yield [[NEXT]] : i32
// CHECK-NEXT:    }
// CHECK-NEXT:    arith.addi [[MOST]], %c8388607_i32 : i32
// CHECK:         [[BACK:%\w+]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK-NEXT:    func.return [[BACK]] : f32
func.func @largest(%x: memref<?xf32>, %low: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %most = scf.for %i = %c0 to %n step %c1 iter_args(%m = %low) -> (f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    %next = arith.maximumf %m, %v : f32
    scf.yield %next : f32
  }
  func.return %most : f32
}

// -----

// Several in one iteration, beside a sum; the least has NaN below.

// CHECK-LABEL: func.func @smallest
// CHECK:         scf.for %{{.*}} iter_args(%s = %low, %{{.*}} = %{{.*}}) -> (f64, i64) {
// CHECK:           arith.addi %{{.*}}, %c4503599627370495_i64 : i64
// CHECK-NEXT:      arith.minsi
// CHECK:           arith.addi %{{.*}}, %c4503599627370495_i64 : i64
// CHECK-NEXT:      arith.minsi
// CHECK-NOT:       arith.minimumf
func.func @smallest(%x: memref<?xf64>, %low: f64, %n: index) -> (f64, f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum, %least = scf.for %i = %c0 to %n step %c1 iter_args(%s = %low, %m = %low) -> (f64, f64) {
    %v = memref.load %x[%i] : memref<?xf64>
    %w = arith.mulf %v, %v : f64
    %first = arith.minimumf %m, %v : f64
    %next = arith.minimumf %w, %first : f64
    %all = arith.addf %s, %v : f64
    scf.yield %all, %next : f64, f64
  }
  func.return %sum, %least : f64, f64
}

// -----

// Kept: needed for more than the next one, of two kinds, in one instruction, in a branch.

// CHECK-LABEL: func.func @kept
// CHECK-NOT:     arith.bitcast
// CHECK:         func.return
func.func @kept(%x: memref<?xf32>, %y: memref<?xf32>, %low: f32, %n: index) -> (f32, f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0, %1, %2, %3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %low, %b = %low, %c = %low, %d = %low) -> (f32, f32, f32, f32) {
    %v = memref.load %x[%i] : memref<?xf32>
    %next = arith.maximumf %a, %v : f32
    memref.store %next, %y[%i] : memref<?xf32>
    %up = arith.maximumf %b, %v : f32
    %down = arith.minimumf %up, %low : f32
    %fast = arith.maximumf %c, %v fastmath<nnan,nsz> : f32
    %some = arith.cmpf olt, %v, %low : f32
    %sometimes = scf.if %some -> (f32) {
      %if = arith.maximumf %d, %v : f32
      scf.yield %if : f32
    } else {
      scf.yield %low : f32
    }
    scf.yield %next, %down, %fast, %sometimes : f32, f32, f32, f32
  }
  func.return %0, %1, %2, %3 : f32, f32, f32, f32
}
