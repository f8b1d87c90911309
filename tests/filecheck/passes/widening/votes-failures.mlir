// RUN: xdsl-opt %s -p 'spmd-to-loops,vectorize{width=8}' | filecheck %s

// One test for all lanes; only where it fails, the first failing lane is looked for, and
// what the message says of it. The code around stays vector code.

// CHECK-LABEL: func.func @refuse
// CHECK:         %v = vector.load %x[%i] : memref<?xi8>, vector<8xi8>
// CHECK-NEXT:    %bad = arith.cmpi sgt, %v, %most_lanes : vector<8xi8>
// CHECK-NEXT:    %some = vector.reduction <or>, %bad : vector<8xi1> into i1
// CHECK-NEXT:    scf.if %some {
// CHECK-NEXT:      %0 = arith.select %bad, %lane, %c8_lanes : vector<8xi1>, vector<8xindex>
// CHECK-NEXT:      %failing = vector.reduction <minui>, %0 : vector<8xindex> into index
// CHECK-NEXT:      %v_1 = vector.extract %v[%failing] : i8 from vector<8xi8>
// CHECK-NEXT:      %ahead = arith.muli %failing, %c1 : index
// CHECK-NEXT:      %i_1 = arith.addi %i, %ahead : index
// CHECK-NEXT:      spmd.fail "{} at {} is above {}"(%v_1, %i_1, %most) : i8, index, i8
// CHECK-NEXT:    }
// CHECK-NEXT:    %w = arith.addi %v, %v : vector<8xi8>
spmd.kernel @refuse(%x: memref<?xi8>, %most: i8)
    attributes {work_group_size = array<i64: 64>, spmd.full_groups} {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi8>
  %bad = arith.cmpi sgt, %v, %most : i8
  scf.if %bad {
    spmd.fail "{} at {} is above {}"(%v, %i, %most) : i8, index, i8
  }
  %w = arith.addi %v, %v : i8
  memref.store %w, %x[%i] : memref<?xi8>
  spmd.return
}

// Where all lanes fail together, the first one speaks.

// CHECK-LABEL: func.func @together
// CHECK:         scf.if %all {
// CHECK-NEXT:      spmd.fail "nobody, not even {}"(%i) : index
// CHECK-NEXT:    }
spmd.kernel @together(%x: memref<?xi8>, %all: i1)
    attributes {work_group_size = array<i64: 64>, spmd.full_groups} {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xi8>
  memref.store %v, %x[%i] : memref<?xi8>
  %some = arith.cmpi sgt, %v, %v : i8
  scf.if %all {
    spmd.fail "nobody, not even {}"(%i) : index
  }
  memref.store %v, %x[%i] : memref<?xi8>
  spmd.return
}
