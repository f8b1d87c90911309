// RUN: xdsl-opt %s -p launches-to-calls --split-input-file --verify-diagnostics | filecheck %s

// Sizes, numbers of each kind, memrefs with and without a layout, local memory: a word each.

// CHECK-LABEL: func.func @host
// CHECK:         %record = memref.alloca() {alignment = 64 : i64} : memref<17xi64>
// CHECK-NEXT:    [[N:%.*]] = arith.index_cast %n : index to i64
// CHECK-NEXT:    [[E:%.*]] = arith.index_cast %c64 : index to i64
// CHECK-NEXT:    [[BITS:%.*]] = arith.bitcast %a : f32 to i32
// CHECK-NEXT:    [[A:%.*]] = arith.extui [[BITS]] : i32 to i64
// CHECK-NEXT:    [[P:%.*]] = arith.extui %p : i1 to i64
// CHECK-NEXT:    [[POINTER:%.*]] = "memref.extract_aligned_pointer_as_index"(%x) : (memref<?x4xf32>) -> index
// CHECK-NEXT:    [[X:%.*]] = arith.index_cast [[POINTER]] : index to i64
// CHECK-NEXT:    {{.*}} = memref.extract_strided_metadata %x : memref<?x4xf32>
// CHECK:         memref.extract_strided_metadata %y : memref<?xi1, strided<[?], offset: ?>>
// CHECK:         [[LOCAL:%.*]] = arith.index_cast %c64 : index to i64
// CHECK-NEXT:    memref.store %{{.*}}, %record[%c0] : memref<17xi64>
// CHECK-NEXT:    memref.store [[N]], %record[%c1] : memref<17xi64>
// CHECK-NEXT:    memref.store [[E]], %record[%c2] : memref<17xi64>
// CHECK-NEXT:    memref.store [[A]], %record[%c3] : memref<17xi64>
// CHECK-NEXT:    memref.store [[P]], %record[%c4] : memref<17xi64>
// CHECK-NEXT:    memref.store [[X]], %record[%c5] : memref<17xi64>
// CHECK:         memref.store [[LOCAL]], %record[%c15] : memref<17xi64>
// CHECK-NEXT:    memref.store %i, %record[%c16] : memref<17xi64>
// CHECK-NEXT:    %address = "memref.extract_aligned_pointer_as_index"(%record) : (memref<17xi64>) -> index
// CHECK-NEXT:    [[ZERO:%.*]] = arith.constant 0 : i64
// CHECK-NEXT:    func.call @spmd_launch([[ZERO]], %address) : (i64, index) -> ()
// CHECK-NEXT:    %done = memref.load %record[%c0] : memref<17xi64>
// CHECK-NEXT:    %launched = arith.cmpi ne, %done, %{{.*}} : i64
// CHECK-NEXT:    cf.assert %launched, "the launch of @k failed"
// CHECK-NEXT:    func.return
// CHECK:       func.func private @spmd_launch(i64, index) -> ()
spmd.kernel @k(%a: f32, %p: i1, %x: memref<?x4xf32>, %y: memref<?xi1, strided<[?], offset: ?>>,
    %t: memref<?x2xf32, #spmd.memory<local>>, %i: i64) {
  spmd.return
}
func.func @host(%n: index, %a: f32, %p: i1, %i: i64, %x: memref<?x4xf32>,
    %y: memref<?xi1, strided<[?], offset: ?>>) {
  %c64 = arith.constant 64 : index
  spmd.launch @k global(%n) of(%c64) (%a, %p, %x, %y, local(%c64), %i)
    : f32, i1, memref<?x4xf32>, memref<?xi1, strided<[?], offset: ?>>,
      memref<?x2xf32, #spmd.memory<local>>, i64
  func.return
}

// -----

// The record of a launch in a loop is allocated once; launches are numbered.

// CHECK-LABEL: func.func @loop
// CHECK:         memref.alloca
// CHECK:         memref.alloca
// CHECK:         scf.for
// CHECK-NOT:     alloca
// CHECK:         %address = "memref
// CHECK-NEXT:    [[FIRST:%.*]] = arith.constant 0 : i64
// CHECK-NEXT:    func.call @spmd_launch([[FIRST]], %address)
// CHECK:         %address_1 = "memref
// CHECK-NEXT:    [[SECOND:%.*]] = arith.constant 1 : i64
// CHECK-NEXT:    func.call @spmd_launch([[SECOND]], %address_1)
spmd.kernel @k() attributes {work_group_size = array<i64: 8>} {
  spmd.return
}
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    spmd.launch @k global(%n) ()
    spmd.launch @k groups(%i, %n) ()
  }
  func.return
}

// -----

// Without a launch nothing is declared.

// CHECK-LABEL: func.func @nothing
// CHECK-NOT:   spmd_launch
// CHECK:         func.return
func.func @nothing() {
  func.return
}

// -----

// CHECK: expected the name @spmd_launch to be free for the function that starts launches; rename this one
spmd.kernel @k() attributes {work_group_size = array<i64: 8>} {
  spmd.return
}
func.func @spmd_launch(%n: index) {
  spmd.launch @k global(%n) ()
  func.return
}
