// RUN: xdsl-opt %s -p lower-memory-types | filecheck %s
// RUN: xdsl-opt %s -p lower-memory-types,lower-memory-types | filecheck %s

// CHECK: memref.global "private" constant @pattern : memref<4xi8> = dense<[1, 0, 0, 1]>
memref.global "private" constant @pattern : memref<4xi1> = dense<[true, false, false, true]>

// Local memory is allocated once, in the entry block, in the order of the source.

// CHECK-LABEL: func.func @local
// CHECK-SAME:    (%a: memref<?xf32, 3 : i64>, %b: memref<8xf32>, %p: i1, %i: index)
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %first = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<16xf32, 3 : i64>
// CHECK-NEXT:    %second = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<4x4xf16, 3 : i64>
// CHECK-NEXT:    scf.if %p {
// CHECK-NEXT:      "test.op"(%first, %second)
func.func @local(%a: memref<?xf32, #spmd.memory<local>>, %b: memref<8xf32, #spmd.memory<global>>, %p: i1, %i: index) {
  %c1 = arith.constant 1 : index
  scf.if %p {
    %first = spmd.local_alloc : memref<16xf32, #spmd.memory<local>>
    %second = spmd.local_alloc : memref<4x4xf16, #spmd.memory<local>>
    "test.op"(%first, %second) : (memref<16xf32, #spmd.memory<local>>, memref<4x4xf16, #spmd.memory<local>>) -> ()
  }
  func.return
}

// CHECK-LABEL: func.func @bits
// CHECK-SAME:    (%x: memref<?xi8>, %i: index) -> memref<?xi8>
// CHECK-NEXT:    %pattern = memref.get_global @pattern : memref<4xi8>
// CHECK-NEXT:    [[BYTE:%[0-9a-z]+]] = memref.load %pattern[%i] : memref<4xi8>
// CHECK-NEXT:    %bit = arith.trunci [[BYTE]] : i8 to i1
// CHECK-NEXT:    [[WIDE:%[0-9a-z]+]] = arith.extui %bit : i1 to i8
// CHECK-NEXT:    memref.store [[WIDE]], %x[%i] : memref<?xi8>
// CHECK-NEXT:    func.return %x : memref<?xi8>
func.func @bits(%x: memref<?xi1>, %i: index) -> memref<?xi1> {
  %pattern = memref.get_global @pattern : memref<4xi1>
  %bit = memref.load %pattern[%i] : memref<4xi1>
  memref.store %bit, %x[%i] : memref<?xi1>
  func.return %x : memref<?xi1>
}

// Vectors of bits are vectors of bytes in memory; a mask stays one.

// CHECK-LABEL: func.func @vectors
// CHECK-NEXT:    [[MASK_BYTES:%[0-9a-z]+]] = vector.load %x[%i] : memref<?xi8>, vector<4xi8>
// CHECK-NEXT:    %m = arith.trunci [[MASK_BYTES]] : vector<4xi8> to vector<4xi1>
// CHECK-NEXT:    [[ELSE:%[0-9a-z]+]] = arith.extui %m : vector<4xi1> to vector<4xi8>
// CHECK-NEXT:    [[BYTES:%[0-9a-z]+]] = vector.maskedload %x[%i], %m, [[ELSE]] : memref<?xi8>, vector<4xi1>, vector<4xi8> into vector<4xi8>
// CHECK-NEXT:    %v = arith.trunci [[BYTES]] : vector<4xi8> to vector<4xi1>
// CHECK-NEXT:    [[VALUE:%[0-9a-z]+]] = arith.extui %v : vector<4xi1> to vector<4xi8>
// CHECK-NEXT:    vector.transfer_write [[VALUE]], %x[%i], %m {in_bounds = [true]} : vector<4xi8>, memref<?xi8>
func.func @vectors(%x: memref<?xi1>, %i: index) {
  %m = vector.load %x[%i] : memref<?xi1>, vector<4xi1>
  %v = vector.maskedload %x[%i], %m, %m : memref<?xi1>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  vector.transfer_write %v, %x[%i], %m {in_bounds = [true]} : vector<4xi1>, memref<?xi1>
  func.return
}

// Nothing to do.

// CHECK-LABEL: func.func @upstream
// CHECK-NEXT:    %v = memref.load %x[%i] : memref<?xi8, 3 : i64>
// CHECK-NEXT:    memref.store %v, %x[%i] : memref<?xi8, 3 : i64>
func.func @upstream(%x: memref<?xi8, 3 : i64>, %i: index) {
  %v = memref.load %x[%i] : memref<?xi8, 3 : i64>
  memref.store %v, %x[%i] : memref<?xi8, 3 : i64>
  func.return
}
