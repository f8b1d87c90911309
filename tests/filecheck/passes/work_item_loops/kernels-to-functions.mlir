// RUN: xdsl-opt %s -p kernels-to-functions --split-input-file --verify-diagnostics | filecheck %s

// CHECK-LABEL: func.func @sizes
// CHECK-SAME:    (%x: memref<?xindex> {spmd.noalias}, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index)
// CHECK-SAME:    attributes {my.attribute, spmd.work_group_function}
// CHECK-NEXT:    %base_y = arith.muli %ey, %gy overflow<nsw,nuw> : index
// CHECK-NEXT:    %rest_y = arith.subi %ny, %base_y overflow<nsw,nuw> : index
// CHECK-NEXT:    %ly = arith.minui %ey, %rest_y : index
// CHECK-NEXT:    %count = arith.ceildivui %nx, %ex : index
// CHECK-NEXT:    "test.op"(%gx, %ez, %ly, %ny, %count)
// CHECK-NEXT:    func.return
spmd.kernel @sizes(%x: memref<?xindex> {spmd.noalias}) attributes {my.attribute} {
  %g = spmd.group_id x
  %e = spmd.enqueued_local_size z
  %ly = spmd.local_size y
  %n = spmd.global_size y
  %count = spmd.num_groups x
  %unused = spmd.local_size x
  "test.op"(%g, %e, %ly, %n, %count) : (index, index, index, index, index) -> ()
  spmd.return
}

// CHECK-LABEL: func.func @fixed
// CHECK-SAME:    attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 64, 2, 1>, spmd.sub_group_size = 16 : i64}
// CHECK-NEXT:    %c64 = arith.constant 64 : index
// CHECK-NEXT:    %base_x = arith.muli %c64, %gx overflow<nsw,nuw> : index
// CHECK-NEXT:    %rest_x = arith.subi %nx, %base_x overflow<nsw,nuw> : index
// CHECK-NEXT:    %lx = arith.minui %c64, %rest_x : index
// CHECK-NEXT:    "test.op"(%lx)
spmd.kernel @fixed() attributes {work_group_size = array<i64: 64, 2>, sub_group_size = 16 : i64} {
  %lx = spmd.local_size x
  "test.op"(%lx) : (index) -> ()
  spmd.return
}

// -----

// CHECK: expected no spmd.local_id: run split-at-barriers before this pass
spmd.kernel @not_split() {
  %lid = spmd.local_id x
  "test.op"(%lid) : (index) -> ()
  spmd.return
}

// -----

// CHECK: expected no barrier: run split-at-barriers before this pass
spmd.kernel @barrier() {
  spmd.barrier
  spmd.return
}
