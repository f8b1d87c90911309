// RUN: xdsl-opt %s -p narrow-integers | filecheck %s

// CHECK-LABEL: func.func @gray
func.func @gray(%image: memref<?xi8>, %out: memref<?xi8>, %first: index, %factor: i32) {
  %c77 = arith.constant 77 : i32
  %c150 = arith.constant 150 : i32
  %c8 = arith.constant 8 : i32
  // CHECK: spmd.sub_group
  spmd.sub_group (%i) shape [32] at (%first) {
    %a = memref.load %image[%i] : memref<?xi8>
    %b = memref.load %out[%i] : memref<?xi8>
    // CHECK: %wide = arith.extui %a : i8 to i16
    // CHECK-NEXT: %part = arith.muli %wide, %c77_i16 : i16
    // CHECK-NEXT: %wide_1 = arith.extui %b : i8 to i16
    // CHECK-NEXT: %part_1 = arith.muli %wide_1, %c150_i16 : i16
    // CHECK-NEXT: %sum = arith.addi %part, %part_1 : i16
    // CHECK-NEXT: %low = arith.shrui %sum, %c8_i16 : i16
    // CHECK-NEXT: %gray = arith.trunci %low : i16 to i8
    // CHECK-NEXT: memref.store %gray
    %wide = arith.extui %a : i8 to i32
    %part = arith.muli %wide, %c77 : i32
    %wide_1 = arith.extui %b : i8 to i32
    %part_1 = arith.muli %wide_1, %c150 : i32
    %sum = arith.addi %part, %part_1 : i32
    %low = arith.shrui %sum, %c8 : i32
    %gray = arith.trunci %low : i32 to i8
    memref.store %gray, %out[%i] : memref<?xi8>
  }
  func.return
}

// Comparisons and extrema of numbers without a sign, which as numbers of 16 bits may have one.
// CHECK-LABEL: func.func @order
func.func @order(%x: memref<?xi16>, %y: memref<?xi16>, %z: memref<?xi32>, %first: index) {
  spmd.sub_group (%i) shape [32] at (%first) {
    %a = memref.load %x[%i] : memref<?xi16>
    %b = memref.load %y[%i] : memref<?xi16>
    %wide = arith.extui %a : i16 to i32
    %wide_1 = arith.extui %b : i16 to i32
    %signed = arith.extsi %b : i16 to i32
    // CHECK: %less = arith.cmpi ult, %a, %b : i16
    %less = arith.cmpi slt, %wide, %wide_1 : i32
    // CHECK-NEXT: %most = arith.maxui %a, %b : i16
    // CHECK-NEXT: [[MOST:%.*]] = arith.extui %most : i16 to i32
    %most = arith.maxsi %wide, %wide_1 : i32
    // CHECK-NEXT: arith.cmpi slt, {{.*}} : i32
    %mixed = arith.cmpi slt, %wide, %signed : i32
    // CHECK-NEXT: %pick = arith.select %less, %b, %a : i16
    // CHECK-NEXT: [[PICK:%.*]] = arith.extsi %pick
    %low = arith.extsi %a : i16 to i32
    %pick = arith.select %less, %signed, %low : i32
    // CHECK-NEXT: arith.addi [[MOST]], [[PICK]] : i32
    %sum = arith.addi %most, %pick : i32
    %all = arith.select %mixed, %sum, %pick : i32
    memref.store %all, %z[%i] : memref<?xi32>
  }
  func.return
}

// Weights that add up to 255 give no more than 255 times the larger number.
// CHECK-LABEL: func.func @blend
func.func @blend(%over: memref<?xi8>, %under: memref<?xi8>, %alpha: memref<?xi8>, %first: index) {
  %c255 = arith.constant 255 : i32
  %c8 = arith.constant 8 : i32
  spmd.sub_group (%i) shape [32] at (%first) {
    %a = memref.load %over[%i] : memref<?xi8>
    %b = memref.load %under[%i] : memref<?xi8>
    %c = memref.load %alpha[%i] : memref<?xi8>
    %wide = arith.extui %a : i8 to i32
    %wide_1 = arith.extui %b : i8 to i32
    %weight = arith.extui %c : i8 to i32
    %rest = arith.subi %c255, %weight : i32
    %part = arith.muli %weight, %wide : i32
    %part_1 = arith.muli %wide_1, %rest : i32
    // CHECK: %blend = arith.addi %part, {{.*}} : i16
    // CHECK-NEXT: %mean = arith.divui %blend, %c255_i16 : i16
    // CHECK-NEXT: %left = arith.remui %blend, %c255_i16 : i16
    %blend = arith.addi %part, %part_1 : i32
    %mean = arith.floordivsi %blend, %c255 : i32
    %left = arith.remsi %blend, %c255 : i32
    // Python shifts numbers with a sign; this one has none.
    // CHECK-NEXT: %high = arith.shrui %blend, %c8_i16 : i16
    %high = arith.shrsi %blend, %c8 : i32
    // Those of a weight by itself may be more.
    // CHECK: %sum = arith.addi {{.*}} : i32
    %other = arith.muli %wide_1, %weight : i32
    %sum = arith.addi %part, %other : i32
    // Of a number with a sign, quotients without one are others.
    // CHECK: %signed = arith.divsi %difference, %c255_i16 : i16
    // CHECK: %unsigned = arith.divui {{.*}} : i32
    // CHECK: %up = arith.ceildivsi {{.*}} : i32
    %difference = arith.subi %wide, %wide_1 : i32
    %signed = arith.divsi %difference, %c255 : i32
    %unsigned = arith.divui %difference, %c255 : i32
    %up = arith.ceildivsi %difference, %c255 : i32
    %all = arith.addi %mean, %left : i32
    %all_1 = arith.addi %all, %sum : i32
    %all_2 = arith.addi %all_1, %signed : i32
    %all_3 = arith.addi %all_2, %unsigned : i32
    %all_4 = arith.addi %all_3, %up : i32
    %all_5 = arith.addi %all_4, %high : i32
    %r = arith.trunci %all_5 : i32 to i8
    memref.store %r, %over[%i] : memref<?xi8>
  }
  func.return
}

// A sum in a loop of a known number of iterations is carried in 16 bits; one that may be larger is not.
// CHECK-LABEL: func.func @sums
func.func @sums(%x: memref<?xi8>, %y: memref<?xi32>, %first: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c100 = arith.constant 100 : index
  %c1000 = arith.constant 1000 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%i) shape [32] at (%first) {
    // CHECK: %sum = scf.for {{.*}} iter_args(%s = %c0_i16) -> (i16) {
    // CHECK: %next = arith.addi %s, %wide : i16
    // CHECK-NEXT: scf.yield %next : i16
    // CHECK: arith.extui %sum : i16 to i32
    %sum = scf.for %k = %c0 to %c100 step %c1 iter_args(%s = %zero) -> (i32) {
      %at = arith.addi %i, %k : index
      %v = memref.load %x[%at] : memref<?xi8>
      %wide = arith.extui %v : i8 to i32
      %next = arith.addi %s, %wide : i32
      scf.yield %next : i32
    }
    // CHECK: iter_args({{.*}}) -> (i32) {
    %more = scf.for %k = %c0 to %c1000 step %c1 iter_args(%s = %sum) -> (i32) {
      %at = arith.addi %i, %k : index
      %v = memref.load %x[%at] : memref<?xi8>
      %wide = arith.extui %v : i8 to i32
      %next = arith.addi %s, %wide : i32
      scf.yield %next : i32
    }
    memref.store %more, %y[%i] : memref<?xi32>
  }
  func.return
}

// What is the same in all lanes is cut once, whatever makes it.
// CHECK-LABEL: func.func @shared
func.func @shared(%x: memref<?xi8>, %out: memref<?xi8>, %first: index, %n: i32) {
  // CHECK: %wide_n = arith.extsi %n : i32 to i64
  // CHECK-NEXT: [[LOW:%.*]] = arith.trunci %wide_n : i64 to i16
  // CHECK-NEXT: spmd.sub_group
  %wide_n = arith.extsi %n : i32 to i64
  spmd.sub_group (%i) shape [32] at (%first) {
    %a = memref.load %x[%i] : memref<?xi8>
    // CHECK: arith.andi %wide, [[LOW]] : i16
    %wide = arith.extui %a : i8 to i64
    %low = arith.andi %wide, %wide_n : i64
    %r = arith.trunci %low : i64 to i8
    memref.store %r, %out[%i] : memref<?xi8>
  }
  func.return
}

// So are numbers that are an index, as Python's are.
// CHECK-LABEL: func.func @index
func.func @index(%now: memref<?xi8>, %next: memref<?xi8>, %first: index, %most: index) {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  // CHECK: [[MOST:%.*]] = arith.index_cast {{.*}} : index to i16
  // CHECK-NEXT: spmd.sub_group
  %c1000 = arith.constant 1000 : index
  %few = arith.minui %most, %c1000 : index
  spmd.sub_group (%i) shape [32] at (%first) {
    %right = arith.addi %i, %c1 : index
    %a = memref.load %now[%i] : memref<?xi8>
    %b = memref.load %now[%right] : memref<?xi8>
    // CHECK: %n = arith.extui %a : i8 to i16
    // CHECK-NEXT: %m = arith.extsi %b : i8 to i16
    // CHECK-NEXT: %m_1 = arith.index_cast %b : i8 to index
    %n = arith.index_castui %a : i8 to index
    %m = arith.index_cast %b : i8 to index
    // CHECK-NEXT: %all = arith.addi %n, %m : i16
    // CHECK-NEXT: %more = arith.cmpi sgt, %all, [[MOST]] : i16
    %all = arith.addi %n, %m : index
    %more = arith.cmpi sgt, %all, %few : index
    // CHECK-NEXT: %number = arith.select %more, %c3_i16, %all : i16
    // CHECK-NEXT: %byte = arith.trunci %number : i16 to i8
    %number = arith.select %more, %c3, %all : index
    %byte = arith.index_cast %number : index to i8
    memref.store %byte, %next[%i] : memref<?xi8>
    // What an index is beside of numbers stays what it is: an i32 of it is not all of it.
    %at = arith.index_cast %i : index to i32
    %other = arith.index_cast %at : i32 to index
    // CHECK: %at = arith.index_cast %i : index to i32
    // CHECK-NEXT: %other = arith.index_cast %at : i32 to index
    %c = memref.load %now[%other] : memref<?xi8>
    memref.store %c, %next[%m] : memref<?xi8>
  }
  func.return
}
