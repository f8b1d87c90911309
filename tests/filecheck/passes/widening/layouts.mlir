// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=8}' | filecheck %s

// Lanes that follow each other along the first dimension of an array whose columns lie in a
// row access neighbours: the array is seen as one dimension.

// CHECK-LABEL: func.func @columns.full
// CHECK:         [[BASE:%.*]], {{%.*}}, {{%.*}}, {{%.*}}, {{%.*}}, [[STRIDE:%.*]] = memref.extract_strided_metadata %x
// CHECK-NEXT:    [[LINE:%.*]] = memref.reinterpret_cast [[BASE]]
// CHECK:         [[AHEAD:%.*]] = arith.muli %k, [[STRIDE]]
// CHECK-NEXT:    [[AT:%.*]] = arith.addi {{%.*}}, [[AHEAD]]
// CHECK-NEXT:    [[V:%.*]] = vector.load [[LINE]]{{\[}}[[AT]]]
// CHECK-NOT:     vector.gather
// CHECK:         vector.store [[V]], %y
spmd.kernel @columns(%x: memref<?x?xf32, strided<[1, ?]>>, %k: index, %y: memref<?xf32>)
    attributes {work_group_size = array<i64: 8>} {
  %i = spmd.global_id x
  %v = memref.load %x[%i, %k] : memref<?x?xf32, strided<[1, ?]>>
  memref.store %v, %y[%i] : memref<?xf32>
  spmd.return
}
