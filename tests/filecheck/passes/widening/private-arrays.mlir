// RUN: xdsl-opt %s -p widen-sub-groups --split-input-file | filecheck %s

// Lanes that are inactive at all stores have nothing in their part of the array, which may be
// overwritten.

// CHECK-LABEL: func.func @together
// CHECK-NOT:     blend
// CHECK:         vector.store %{{.*}}, %a{{.*}}[%k, %c0] : memref<8x4xf32>, vector<4xf32>
// CHECK:         vector.store %{{.*}}, %a{{.*}}[%c0{{.*}}, %c0] : memref<8x4xf32>, vector<4xf32>
// CHECK-NOT:     blend
func.func @together(%any: index, %n: index, %x: memref<?xf32>, %limit: f32) {
  %c7 = arith.constant 7 : index
  %k = arith.andi %any, %c7 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %first = %c0 to %n step %c4 {
    spmd.sub_group (%lx) shape [4] at (%first) {
      %v = memref.load %x[%lx] : memref<?xf32>
      %less = arith.cmpf olt, %v, %limit : f32
      %a = memref.alloca() : memref<8xf32>
      spmd.masked %less {
        memref.store %v, %a[%k] : memref<8xf32>
      }
      spmd.masked %less {
        memref.store %limit, %a[%c0] : memref<8xf32>
        %w = memref.load %a[%k] : memref<8xf32>
        memref.store %w, %x[%lx] : memref<?xf32>
      }
    }
  }
  func.return
}

// -----

// Here lanes that are inactive at the second store took part in the first.

// CHECK-LABEL: func.func @apart
// CHECK:         {spmd.access = "blend"
// CHECK:         {spmd.access = "blend"
func.func @apart(%any: index, %n: index, %x: memref<?xf32>, %limit: f32, %other: f32) {
  %c7 = arith.constant 7 : index
  %k = arith.andi %any, %c7 : index
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %first = %c0 to %n step %c4 {
    spmd.sub_group (%lx) shape [4] at (%first) {
      %v = memref.load %x[%lx] : memref<?xf32>
      %less = arith.cmpf olt, %v, %limit : f32
      %more = arith.cmpf ogt, %v, %other : f32
      %a = memref.alloca() : memref<8xf32>
      spmd.masked %less {
        memref.store %v, %a[%k] : memref<8xf32>
      }
      spmd.masked %more {
        memref.store %limit, %a[%k] : memref<8xf32>
      }
      %w = memref.load %a[%k] : memref<8xf32>
      memref.store %w, %x[%lx] : memref<?xf32>
    }
  }
  func.return
}

// -----

// And here in the iteration before: each has its own mask.

// CHECK-LABEL: func.func @iterations
// CHECK:         {spmd.access = "blend"
func.func @iterations(%any: index, %n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c7 = arith.constant 7 : index
  %k = arith.andi %any, %c7 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %first = %c0 to %n step %c4 {
    spmd.sub_group (%lx) shape [4] at (%first) {
      %v = memref.load %x[%lx] : memref<?xf32>
      %a = memref.alloca() : memref<8xf32>
      scf.for %j = %c0 to %k step %c1 {
        %limit = memref.load %y[%j] : memref<?xf32>
        %less = arith.cmpf olt, %v, %limit : f32
        spmd.masked %less {
          memref.store %limit, %a[%c0] : memref<8xf32>
        }
      }
      %w = memref.load %a[%c0] : memref<8xf32>
      memref.store %w, %x[%lx] : memref<?xf32>
    }
  }
  func.return
}

// -----

// And here all did.

// CHECK-LABEL: func.func @all_before
// CHECK:         {spmd.access = "blend"
func.func @all_before(%n: index, %x: memref<?xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %first = %c0 to %n step %c4 {
    spmd.sub_group (%lx) shape [4] at (%first) {
      %v = memref.load %x[%lx] : memref<?xf32>
      %less = arith.cmpf olt, %v, %limit : f32
      %a = memref.alloca() : memref<8xf32>
      memref.store %v, %a[%c0] : memref<8xf32>
      spmd.masked %less {
        memref.store %limit, %a[%c0] : memref<8xf32>
      }
      %w = memref.load %a[%c0] : memref<8xf32>
      memref.store %w, %x[%lx] : memref<?xf32>
    }
  }
  func.return
}

// -----

// One mask in another is both of them.

// CHECK-LABEL: func.func @nested
// CHECK:         {spmd.access = "blend"
// CHECK:         {spmd.access = "blend"
func.func @nested(%n: index, %x: memref<?xf32>, %limit: f32, %other: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %first = %c0 to %n step %c4 {
    spmd.sub_group (%lx) shape [4] at (%first) {
      %v = memref.load %x[%lx] : memref<?xf32>
      %less = arith.cmpf olt, %v, %limit : f32
      %more = arith.cmpf ogt, %v, %other : f32
      %a = memref.alloca() : memref<8xf32>
      spmd.masked %less {
        memref.store %v, %a[%c0] : memref<8xf32>
      }
      spmd.masked %more {
        spmd.masked %less {
          memref.store %limit, %a[%c0] : memref<8xf32>
        }
      }
      %w = memref.load %a[%c0] : memref<8xf32>
      memref.store %w, %x[%lx] : memref<?xf32>
    }
  }
  func.return
}

// -----

// Where no lane may be active, an element that all of them have in common need not exist.

// CHECK-LABEL: func.func @may_be_outside
// CHECK:         vector.maskedload %a{{.*}}[%k, %c0]
// CHECK:         vector.maskedstore %a{{.*}}[%k, %c0]
func.func @may_be_outside(%k: index, %n: index, %x: memref<?xf32>, %limit: f32) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  scf.for %first = %c0 to %n step %c4 {
    spmd.sub_group (%lx) shape [4] at (%first) {
      %v = memref.load %x[%lx] : memref<?xf32>
      %less = arith.cmpf olt, %v, %limit : f32
      %a = memref.alloca() : memref<8xf32>
      memref.store %v, %a[%c0] : memref<8xf32>
      spmd.masked %less {
        %w = memref.load %a[%k] : memref<8xf32>
        %t = arith.addf %w, %limit : f32
        memref.store %t, %a[%k] : memref<8xf32>
      }
    }
  }
  func.return
}
