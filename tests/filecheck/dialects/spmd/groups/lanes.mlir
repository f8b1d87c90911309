// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: func.func @sub_groups
func.func @sub_groups(%b: index, %n: index, %x: memref<?xf32>) {
  // CHECK-NEXT: spmd.sub_group (%i) shape [16] at (%b) {
  // CHECK-NEXT:   %v = memref.load %x[%i] : memref<?xf32>
  // CHECK-NEXT: }
  // GENERIC:      "spmd.sub_group"(%b) <{shape = array<i64: 16>, operandSegmentSizes = array<i32: 1, 0>}> ({
  // GENERIC-NEXT: ^bb0(%i: index):
  // GENERIC-NEXT:   %v = "memref.load"(%x, %i)
  // GENERIC-NEXT:   "spmd.yield"() : () -> ()
  // GENERIC-NEXT: }) : (index) -> ()
  spmd.sub_group (%i) shape [16] at (%b) {
    %v = memref.load %x[%i] : memref<?xf32>
  }

  // CHECK-NEXT: spmd.sub_group (%i_1) shape [1] at (%b) count %n {
  // CHECK-NEXT: }
  spmd.sub_group (%i) shape [1] at (%b) count %n {
    spmd.yield
  }

  // A brush of three dimensions.
  // CHECK-NEXT: spmd.sub_group (%i_2, %j, %k) shape [8, 4, 2] at (%b, %b, %b) count %n, %n, %n attributes {mine.note} {
  // CHECK-NEXT: }
  // GENERIC: <{shape = array<i64: 8, 4, 2>, operandSegmentSizes = array<i32: 3, 3>}>
  spmd.sub_group (%i, %j, %k) shape [8, 4, 2] at (%b, %b, %b) count %n, %n, %n attributes {mine.note} {
  }
  func.return
}

// CHECK-LABEL: func.func @masks
func.func @masks(%b: index, %x: memref<?xf32>, %p: memref<?xi1>, %zero: f32) {
  // CHECK-NEXT: spmd.sub_group
  spmd.sub_group (%i) shape [16] at (%b) {
    // CHECK-NEXT: %m = memref.load
    %m = memref.load %p[%i] : memref<?xi1>

    // CHECK-NEXT: spmd.masked %m {
    // CHECK-NEXT:   memref.store %zero, %x[%i]
    // CHECK-NEXT: }
    // GENERIC: "spmd.masked"(%m) ({
    spmd.masked %m {
      memref.store %zero, %x[%i] : memref<?xf32>
    }

    // CHECK-NEXT: %r = spmd.masked %m -> (f32) {
    // CHECK-NEXT:   %v = memref.load
    // CHECK-NEXT:   spmd.yield %v : f32
    // CHECK-NEXT: } else %zero : f32
    // GENERIC: %r = "spmd.masked"(%m, %zero) ({
    %r = spmd.masked %m -> (f32) {
      %v = memref.load %x[%i] : memref<?xf32>
      spmd.yield %v : f32
    } else %zero : f32

    // Without `else`, results are undefined in inactive lanes.
    // CHECK-NEXT: %s, %t = spmd.masked %m -> (f32, index) attributes {mine.note} {
    // CHECK-NEXT:   spmd.yield %r, %i : f32, index
    // CHECK-NEXT: }
    %s, %t = spmd.masked %m -> (f32, index) attributes {mine.note} {
      spmd.yield %r, %i : f32, index
    }

    // CHECK-NEXT: %{{.*}}, %{{.*}} = spmd.masked %m -> (f32, index) {
    // CHECK-NEXT:   spmd.masked %m {
    // CHECK-NEXT:   }
    // CHECK-NEXT:   spmd.yield {mine.note} %r, %i : f32, index
    // CHECK-NEXT: } else %s, %t : f32, index
    %u, %w = spmd.masked %m -> (f32, index) {
      spmd.masked %m {
      }
      spmd.yield {mine.note} %r, %i : f32, index
    } else %s, %t : f32, index
  }
  func.return
}
