// RUN: xdsl-opt %s -p store-vectors-as-rows --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p store-vectors-as-rows,store-vectors-as-rows --split-input-file --verify-diagnostics | filecheck %s

// Arguments, local memory, views, control flow and copies.

// CHECK-LABEL: spmd.kernel @square(%x: memref<?x4xf32>, %y: memref<8x3xi64, strided<[6, 1], offset: ?>>, %p: i1)
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %i = spmd.global_id x
// CHECK-NEXT:    %tile = spmd.local_alloc : memref<8x4xf32, #spmd.memory<local>>
// CHECK-NEXT:    %v = vector.load %x[%i, %c0] {nontemporal = true} : memref<?x4xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store %v, %tile[%i, %c0] : memref<8x4xf32, #spmd.memory<local>>, vector<4xf32>
// CHECK-NEXT:    %part = memref.subview %x[%i, 0] [2, 4] [1, 1] : memref<?x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
// CHECK-NEXT:    %n = memref.dim %x, %i : memref<?x4xf32>
// CHECK-NEXT:    %any = scf.if %p -> (memref<?x4xf32>) {
// CHECK-NEXT:      scf.yield %x : memref<?x4xf32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %x : memref<?x4xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = vector.load %any[%n, %c0] : memref<?x4xf32>, vector<4xf32>
// CHECK-NEXT:    vector.store %w, %part[%i, %c0] : memref<2x4xf32, strided<[4, 1], offset: ?>>, vector<4xf32>
spmd.kernel @square(%x: memref<?xvector<4xf32>>, %y: memref<8xvector<3xi64>, strided<[2], offset: ?>>, %p: i1) {
  %i = spmd.global_id x
  %tile = spmd.local_alloc : memref<8xvector<4xf32>, #spmd.memory<local>>
  %v = memref.load %x[%i] {nontemporal = true} : memref<?xvector<4xf32>>
  memref.store %v, %tile[%i] : memref<8xvector<4xf32>, #spmd.memory<local>>
  %part = memref.subview %x[%i] [2] [1] : memref<?xvector<4xf32>> to memref<2xvector<4xf32>, strided<[1], offset: ?>>
  %n = memref.dim %x, %i : memref<?xvector<4xf32>>
  %any = scf.if %p -> (memref<?xvector<4xf32>>) {
    scf.yield %x : memref<?xvector<4xf32>>
  } else {
    scf.yield %x : memref<?xvector<4xf32>>
  }
  %w = memref.load %any[%n] : memref<?xvector<4xf32>>
  memref.store %w, %part[%i] : memref<2xvector<4xf32>, strided<[1], offset: ?>>
  spmd.return
}

// CHECK-LABEL: func.func private @call(memref<?x4xf32>) -> memref<?x4xf32>
func.func private @call(memref<?xvector<4xf32>>) -> memref<?xvector<4xf32>>

// CHECK-LABEL: spmd.kernel @scalars(%x: memref<?xf32>, %n: index) {
// CHECK-NEXT:    spmd.return
spmd.kernel @scalars(%x: memref<?xf32>, %n: index) {
  spmd.return
}

// -----

// CHECK: expected memref.load, store, subview, cast, dim or copy of an array of vectors, got spmd.prefetch: use an array with one more dimension
spmd.kernel @prefetched(%x: memref<?xvector<4xf32>>) {
  %i = spmd.global_id x
  spmd.prefetch %x[%i] : memref<?xvector<4xf32>>
  spmd.return
}

// -----

// CHECK: expected memref.load, store, subview, cast, dim or copy of an array of vectors, got memref.collapse_shape: use an array with one more dimension
spmd.kernel @collapsed(%x: memref<2x?xvector<4xf32>>) {
  %y = memref.collapse_shape %x [[0, 1]] : memref<2x?xvector<4xf32>> into memref<?xvector<4xf32>>
  spmd.return
}
