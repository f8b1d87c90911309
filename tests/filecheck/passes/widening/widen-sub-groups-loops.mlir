// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// A loop goes on while some lane is active, but it may begin with none: what all lanes store
// together is stored if a lane asks for it.

// CHECK-LABEL: func.func @not_at_start
// CHECK:         %end = scf.while (%a = %on)
// CHECK-NEXT:      [[SOME:%\w+]] = vector.reduction <or>, %a : vector<4xi1> into i1
// CHECK-NEXT:      scf.if [[SOME]] {
// CHECK-NEXT:        memref.store %zero, %x[%c0] : memref<?xi32>
func.func @not_at_start(%b: index, %x: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  spmd.sub_group (%lx) shape [4] at (%b) {
    %v = memref.load %x[%lx] : memref<?xi32>
    %on = arith.cmpi sgt, %v, %zero : i32
    %end = scf.while (%a = %on) : (i1) -> i1 {
      spmd.masked %a {
        memref.store %zero, %x[%c0] : memref<?xi32>
        spmd.yield
      }
      %some = spmd.any %a across sub_group
      scf.condition(%some) %a : i1
    } do {
    ^bb0(%live: i1):
      scf.yield %live : i1
    }
  }
  func.return
}

// -----

// What all lanes have although they differ in what it is made of: a product with zero.

// CHECK-LABEL: func.func @known_number
// CHECK-NOT:     arith.muli
// CHECK:           memref.store %c0_i32, %out[%k] : memref<?xi32>
func.func @known_number(%x: memref<?xi32>, %out: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  spmd.sub_group (%l) shape [8] at (%c0) {
    %v = memref.load %x[%l] : memref<?xi32>
    scf.for %k = %c0 to %c1 step %c1 {
      %k32 = arith.index_cast %k : index to i32
      %none = arith.muli %v, %k32 : i32
      memref.store %none, %out[%k] : memref<?xi32>
    }
  }
  func.return
}
