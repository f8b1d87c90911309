// RUN: xdsl-opt %s -p share-private-arrays --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p share-private-arrays,share-private-arrays --split-input-file | filecheck %s

// One array where all lanes store the same, also of a size that is an argument; and one for
// each lane where they do not.

// CHECK-LABEL: func.func @stores
// CHECK-NEXT:    %same = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<3xf32>
// CHECK-NEXT:    %sized = memref.alloca(%n) {spmd.group_memory, alignment = 64 : i64} : memref<?xf32>
// CHECK:         spmd.sub_group (%lx) shape [4] at (%b) {
// CHECK-NEXT:      %own = memref.alloca() : memref<3xf32>
// CHECK-NEXT:      %v = memref.load %x[%lx] : memref<?xf32>
func.func @stores(%b: index, %k: index, %n: index, %s: f32, %x: memref<?xf32>) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %own = memref.alloca() : memref<3xf32>
    %same = memref.alloca() : memref<3xf32>
    %sized = memref.alloca(%n) : memref<?xf32>
    %v = memref.load %x[%lx] : memref<?xf32>
    memref.store %v, %own[%k] : memref<3xf32>
    memref.store %s, %same[%k] : memref<3xf32>
    memref.store %s, %sized[%k] : memref<?xf32>
    %p = memref.load %own[%k] : memref<3xf32>
    %q = memref.load %same[%lx] : memref<3xf32>
    %r = memref.load %sized[%lx] : memref<?xf32>
    %pq = arith.addf %p, %q : f32
    %pqr = arith.addf %pq, %r : f32
    memref.store %pqr, %x[%lx] : memref<?xf32>
  }
  func.return
}

// -----

// A stack on which lanes that have not found anything go on; those that have leave.

// CHECK-LABEL: func.func @found
// CHECK-NEXT:    %stack = memref.alloca() {spmd.group_memory, alignment = 64 : i64} : memref<64xindex>
func.func @found(%b: index, %x: memref<?xindex>, %next: memref<?xindex>) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %true = arith.constant true
    %undefined = ub.poison : index
    %v = memref.load %x[%lx] : memref<?xindex>
    %stack = memref.alloca() : memref<64xindex>
    memref.store %c1, %stack[%c0] : memref<64xindex>
    %0, %r = scf.while (%top = %c0) : (index) -> (index, index) {
      %at = memref.load %stack[%top] : memref<64xindex>
      %hit = arith.cmpi eq, %at, %v : index
      %miss = arith.cmpi ne, %at, %v : index
      %above = scf.if %hit -> (index) {
        scf.yield %undefined : index
      } else {
        %n = memref.load %next[%at] : memref<?xindex>
        %t = arith.addi %top, %c1 : index
        memref.store %n, %stack[%t] : memref<64xindex>
        scf.yield %t : index
      }
      scf.condition(%miss) %above, %at : index, index
    } do {
    ^bb0(%above: index, %at: index):
      scf.yield %above : index
    }
    memref.store %r, %x[%lx] : memref<?xindex>
  }
  func.return
}

// -----

// Lanes that did not store come back: each has its own.

// CHECK-LABEL: func.func @some_store
// CHECK:         spmd.sub_group
// CHECK-NEXT:      %a = memref.alloca() : memref<3xf32>
func.func @some_store(%b: index, %k: index, %s: f32, %p: i1, %x: memref<?xf32>) {
  spmd.sub_group (%lx) shape [4] at (%b) {
    %a = memref.alloca() : memref<3xf32>
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %a[%k] : memref<3xf32>
    %first = arith.cmpi eq, %lx, %b : index
    scf.if %first {
      memref.store %s, %a[%k] : memref<3xf32>
    }
    %v = memref.load %a[%k] : memref<3xf32>
    memref.store %v, %x[%lx] : memref<?xf32>
  }
  func.return
}

// -----

// Sub-groups that stay loops over lanes keep one array for each.

// CHECK-LABEL: func.func @scalar
// CHECK:         spmd.sub_group
// CHECK-NEXT:      %a = memref.alloca() : memref<3xf32>
func.func @scalar(%b: index, %s: f32, %x: memref<?xf32>) {
  spmd.sub_group (%lx) shape [4] at (%b) attributes {spmd.not_vectorized = "a reason"} {
    %a = memref.alloca() : memref<3xf32>
    memref.store %s, %a[%b] : memref<3xf32>
    %v = memref.load %a[%b] : memref<3xf32>
    memref.store %v, %x[%lx] : memref<?xf32>
  }
  func.return
}
