// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Any divisor: a quotient of floats that hold all numbers. As in scalar code, what is divided
// by 0 stays, and so does the least number, divided by -1: 2^31 is too large.

// CHECK-LABEL: func.func @any
// CHECK:          [[LEAST:%\w+]] = arith.constant dense<0xC1E0000000000000> : vector<4xf64>
// CHECK-NEXT:     [[LIMIT:%\w+]] = arith.constant dense<0x41E0000000000000> : vector<4xf64>
// CHECK:          %n = vector.load %x[%first] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:     %d = vector.load %y[%first] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:     %2 = arith.cmpi eq, %d, %zeros : vector<4xi32>
// CHECK-NEXT:     %3 = arith.select %2, %ones, %d : vector<4xi1>, vector<4xi32>
// CHECK-NEXT:     %4 = arith.sitofp %n : vector<4xi32> to vector<4xf64>
// CHECK-NEXT:     %5 = arith.sitofp %3 : vector<4xi32> to vector<4xf64>
// CHECK-NEXT:     %6 = arith.divf %4, %5 : vector<4xf64>
// CHECK-NEXT:     %7 = arith.cmpf olt, %6, [[LIMIT]] : vector<4xf64>
// CHECK-NEXT:     %8 = arith.select %7, %6, [[LEAST]] : vector<4xi1>, vector<4xf64>
// CHECK-NEXT:     %q = arith.fptosi %8 : vector<4xf64> to vector<4xi32>
// CHECK-NEXT:     vector.store %q, %x[%first] : memref<?xi32>, vector<4xi32>
func.func @any(%x: memref<?xi32>, %y: memref<?xi32>, %first: index) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %n = memref.load %x[%i] : memref<?xi32>
    %d = memref.load %y[%i] : memref<?xi32>
    %q = arith.divsi %n, %d : i32
    memref.store %q, %x[%i] : memref<?xi32>
  }
  func.return
}

// -----

// The same divisor in all lanes: a product with its reciprocal.

// CHECK-LABEL: func.func @same
// CHECK:          %n = vector.load %x[%first] : memref<?xi16>, vector<4xi16>
// CHECK-NEXT:     %0 = arith.cmpi eq, %d, %c0_i16 : i16
// CHECK-NEXT:     %1 = arith.select %0, %c1_i16, %d : i16
// CHECK-NEXT:     %2 = vector.broadcast %1 : i16 to vector<4xi16>
// CHECK-NEXT:     %3 = arith.uitofp %n : vector<4xi16> to vector<4xf32>
// CHECK-NEXT:     %4 = arith.uitofp %1 : i16 to f32
// CHECK-NEXT:     %5 = arith.divf %one, %4 : f32
// CHECK-NEXT:     %6 = arith.bitcast %5 : f32 to i32
// CHECK-NEXT:     %7 = arith.addi %6, %c1_i32 : i32
// CHECK-NEXT:     %reciprocal = arith.bitcast %7 : i32 to f32
// CHECK-NEXT:     %reciprocal_lanes = vector.broadcast %reciprocal : f32 to vector<4xf32>
// CHECK-NEXT:     %8 = arith.mulf %3, %reciprocal_lanes : vector<4xf32>
// CHECK-NEXT:     %9 = arith.fptosi %8 : vector<4xf32> to vector<4xi32>
// CHECK-NEXT:     %10 = arith.trunci %9 : vector<4xi32> to vector<4xi16>
// CHECK-NEXT:     %11 = arith.muli %10, %2 : vector<4xi16>
// CHECK-NEXT:     %r = arith.subi %n, %11 : vector<4xi16>
// CHECK-NEXT:     vector.store %r, %x[%first] : memref<?xi16>, vector<4xi16>
func.func @same(%x: memref<?xi16>, %d: i16, %first: index) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %n = memref.load %x[%i] : memref<?xi16>
    %r = arith.remui %n, %d : i16
    memref.store %r, %x[%i] : memref<?xi16>
  }
  func.return
}

// -----

// A power of two: a shift, and a mask.

// CHECK-LABEL: func.func @power
// CHECK:          %s_lanes = vector.broadcast %s : i32 to vector<4xi32>
// CHECK-NEXT:     %n = vector.load %x[%first] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:     %q = arith.shrui %n, %s_lanes : vector<4xi32>
// CHECK-NEXT:     %0 = arith.shli %ones, %s_lanes : vector<4xi32>
// CHECK-NEXT:     %1 = arith.subi %0, %ones : vector<4xi32>
// CHECK-NEXT:     %r = arith.andi %n, %1 : vector<4xi32>
// CHECK-NEXT:     vector.store %q, %x[%first] : memref<?xi32>, vector<4xi32>
// CHECK-NEXT:     vector.store %r, %y[%first] : memref<?xi32>, vector<4xi32>
func.func @power(%x: memref<?xi32>, %y: memref<?xi32>, %s: i32, %first: index) {
  %one = arith.constant 1 : i32
  %d = arith.shli %one, %s : i32
  spmd.sub_group (%i) shape [4] at (%first) {
    %n = memref.load %x[%i] : memref<?xi32>
    %q = arith.divui %n, %d : i32
    %r = arith.remui %n, %d : i32
    memref.store %q, %x[%i] : memref<?xi32>
    memref.store %r, %y[%i] : memref<?xi32>
  }
  func.return
}

// -----

// Of 64 bits only small numbers are in floats; powers of two and narrow constants are LLVM's.

// CHECK-LABEL: func.func @large
// CHECK:          %n = vector.load %x[%first] : memref<?xi64>, vector<4xi64>
// CHECK-NEXT:     %1 = arith.cmpi eq, %d, %c0_i64 : i64
// CHECK-NEXT:     %2 = arith.select %1, %c1_i64, %d : i64
// CHECK-NEXT:     %3 = vector.broadcast %2 : i64 to vector<4xi64>
// CHECK-NEXT:     %4 = arith.ori %n, %3 : vector<4xi64>
// CHECK-NEXT:     %5 = vector.reduction <or>, %4 : vector<4xi64> into i64
// CHECK-NEXT:     %small = arith.cmpi ult, %5, %c1125899906842624_i64 : i64
// CHECK-NEXT:     %q = scf.if %small -> (vector<4xi64>) {
// CHECK-NEXT:       %6 = arith.uitofp %2 : i64 to f64
// CHECK-NEXT:       %7 = arith.divf %one, %6 : f64
// CHECK-NEXT:       %8 = arith.bitcast %7 : f64 to i64
// CHECK-NEXT:       %9 = arith.addi %8, %c1_i64 : i64
// CHECK-NEXT:       %reciprocal = arith.bitcast %9 : i64 to f64
// CHECK-NEXT:       %reciprocal_lanes = vector.broadcast %reciprocal : f64 to vector<4xf64>
// CHECK-NEXT:       %10 = arith.addi %n, %c4843621399236968448_lanes : vector<4xi64>
// CHECK-NEXT:       %11 = arith.bitcast %10 : vector<4xi64> to vector<4xf64>
// CHECK-NEXT:       %12 = arith.subf %11, %0 : vector<4xf64>
// CHECK-NEXT:       %13 = arith.mulf %12, %reciprocal_lanes : vector<4xf64>
// CHECK-NEXT:       %14 = math.floor %13 : vector<4xf64>
// CHECK-NEXT:       %15 = arith.addf %14, %0 : vector<4xf64>
// CHECK-NEXT:       %16 = arith.bitcast %15 : vector<4xf64> to vector<4xi64>
// CHECK-NEXT:       %17 = arith.subi %16, %c4843621399236968448_lanes : vector<4xi64>
// CHECK-NEXT:       scf.yield %17 : vector<4xi64>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %18 = arith.divui %n, %3 {spmd.access = "lane by lane", spmd.why = "arith.divui of numbers that reach 2^50 or are negative"} : vector<4xi64>
// CHECK-NEXT:       scf.yield %18 : vector<4xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:     vector.store %q, %x[%first] : memref<?xi64>, vector<4xi64>
func.func @large(%x: memref<?xi64>, %d: i64, %first: index) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %n = memref.load %x[%i] : memref<?xi64>
    %q = arith.divui %n, %d : i64
    memref.store %q, %x[%i] : memref<?xi64>
  }
  func.return
}

// With a sign there may be one bit less; remainders of rows that wrap around are such.

// CHECK-LABEL: func.func @large_signed
// CHECK:          %4 = arith.addi %n, %c562949953421312_lanes : vector<4xi64>
// CHECK-NEXT:     %5 = arith.addi %3, %c562949953421312_lanes : vector<4xi64>
// CHECK-NEXT:     %6 = arith.ori %4, %5 : vector<4xi64>
// CHECK-NEXT:     %7 = vector.reduction <or>, %6 : vector<4xi64> into i64
// CHECK-NEXT:     %small = arith.cmpi ult, %7, %c1125899906842624_i64 : i64
// CHECK:            math.trunc
// CHECK:            arith.remsi {{.*}} spmd.why = "arith.remsi of numbers that reach 2^49 or are below -2^49"
func.func @large_signed(%x: memref<?xi64>, %d: i64, %first: index) {
  spmd.sub_group (%i) shape [4] at (%first) {
    %n = memref.load %x[%i] : memref<?xi64>
    %q = arith.remsi %n, %d : i64
    memref.store %q, %x[%i] : memref<?xi64>
  }
  func.return
}

// CHECK-LABEL: func.func @constants
// CHECK:          %q = arith.divui %n, %c8_lanes : vector<4xi64>
// CHECK:          %small = arith.cmpi ult
// CHECK-NEXT:     %r = scf.if %small -> (vector<4xi64>) {
// CHECK:            math.floor
// CHECK:          } else {
// CHECK-NEXT:       %{{.*}} = arith.remui %q, %c10_lanes : vector<4xi64>
// CHECK-NEXT:       scf.yield
// CHECK:          %s = arith.remsi %r, %c-10_lanes : vector<4xi64>
// CHECK:          %v = arith.divui %{{.*}}, %{{.*}} : vector<4xi32>
func.func @constants(%x: memref<?xi64>, %y: memref<?xi32>, %first: index) {
  %c8 = arith.constant 8 : i64
  %c10 = arith.constant 10 : i64
  %c-10 = arith.constant -10 : i64
  %c10_i32 = arith.constant 10 : i32
  spmd.sub_group (%i) shape [4] at (%first) {
    %n = memref.load %x[%i] : memref<?xi64>
    %q = arith.divui %n, %c8 : i64
    %r = arith.remui %q, %c10 : i64
    %s = arith.remsi %r, %c-10 : i64
    memref.store %s, %x[%i] : memref<?xi64>
    %u = memref.load %y[%i] : memref<?xi32>
    %v = arith.divui %u, %c10_i32 : i32
    memref.store %v, %y[%i] : memref<?xi32>
  }
  func.return
}
