// RUN: xdsl-opt %s -p hoist-ids | filecheck %s
// RUN: xdsl-opt %s -p hoist-ids,hoist-ids | filecheck %s

// One operation for each id and constant, also from inside of control flow.

// CHECK-LABEL: spmd.kernel @any_size
// CHECK-NEXT:    %zero = arith.constant 0 : i32
// CHECK-NEXT:    %group_x = spmd.group_id x
// CHECK-NEXT:    %enqueued_x = spmd.enqueued_local_size x
// CHECK-NEXT:    %local_x = spmd.local_id x
// CHECK-NEXT:    %n = spmd.num_groups y
// CHECK-NEXT:    %base_x = arith.muli %enqueued_x, %group_x overflow<nsw,nuw> : index
// CHECK-NEXT:    %i = arith.addi %base_x, %local_x overflow<nsw,nuw> : index
// CHECK-NEXT:    %inside = arith.cmpi ult, %i, %n : index
// CHECK-NEXT:    scf.if %inside {
// CHECK-NEXT:      memref.store %zero, %x[%i] : memref<?xi32>
// CHECK-NEXT:      memref.store %zero, %x[%local_x] : memref<?xi32>
spmd.kernel @any_size(%x: memref<?xi32>) {
  %i = spmd.global_id x
  %n = spmd.num_groups y
  %inside = arith.cmpi ult, %i, %n : index
  scf.if %inside {
    %zero = arith.constant 0 : i32
    %again = arith.constant 0 : i32
    %j = spmd.global_id x
    %l = spmd.local_id x
    memref.store %zero, %x[%j] : memref<?xi32>
    memref.store %again, %x[%l] : memref<?xi32>
  }
  spmd.return
}

// A fixed size is a constant; dimensions of size one have one work-item. The local size
// is no constant: the last group may be smaller.

// CHECK-LABEL: spmd.kernel @fixed_size
// CHECK-DAG:     %c0 = arith.constant 0 : index
// CHECK-DAG:     %c64 = arith.constant 64 : index
// CHECK-DAG:     %c1 = arith.constant 1 : index
// CHECK:         %size = spmd.local_size x
// CHECK-NEXT:    %group_y = spmd.group_id y
// CHECK-NEXT:    "test.op"(%c0, %c64, %size, %c1, %group_y)
spmd.kernel @fixed_size() attributes {work_group_size = array<i64: 64>} {
  %ly = spmd.local_id y
  %ex = spmd.enqueued_local_size x
  %size = spmd.local_size x
  %sy = spmd.local_size y
  %gy = spmd.global_id y
  "test.op"(%ly, %ex, %size, %sy, %gy) : (index, index, index, index, index) -> ()
  spmd.return
}

// With full groups it is.

// CHECK-LABEL: spmd.kernel @full_groups
// CHECK-NEXT:    %c64 = arith.constant 64 : index
// CHECK-NEXT:    "test.op"(%c64)
spmd.kernel @full_groups() attributes {spmd.full_groups, work_group_size = array<i64: 64>} {
  %size = spmd.local_size x
  "test.op"(%size) : (index) -> ()
  spmd.return
}
