// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Inactive lanes may load as well if their elements exist: neither too far, nor before
// the first one.

// CHECK-LABEL: func.func @inside
// CHECK:         %a = vector.maskedload %x[%cm4], %on
// CHECK-NEXT:    %b = vector.maskedload %x[%c12], %on
// CHECK-NEXT:    %c = vector.load %x[%c4] : memref<16xf32>, vector<8xf32>
func.func @inside(%x: memref<16xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c12 = arith.constant 12 : index
  %off = arith.constant 0.0 : f32
  spmd.sub_group (%lx) shape [8] at (%c0) {
    %v = memref.load %y[%lx] : memref<?xf32>
    %on = arith.cmpf oeq, %v, %off : f32
    %low = arith.subi %lx, %c4 : index
    %high = arith.addi %lx, %c12 : index
    %fine = arith.addi %lx, %c4 : index
    spmd.masked %on {
      %a = memref.load %x[%low] : memref<16xf32>
      %b = memref.load %x[%high] : memref<16xf32>
      %c = memref.load %x[%fine] : memref<16xf32>
      %d = arith.addf %a, %b : f32
      %e = arith.addf %c, %d : f32
      memref.store %e, %y[%lx] : memref<?xf32>
      spmd.yield
    }
  }
  func.return
}
