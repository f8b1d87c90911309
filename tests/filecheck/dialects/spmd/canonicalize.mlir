// RUN: xdsl-opt %s -p canonicalize | filecheck %s
// RUN: xdsl-opt %s -p canonicalize,canonicalize | filecheck %s

// CHECK-LABEL: @one_dimension
// CHECK-NEXT:    %0 = spmd.local_id x
// CHECK-NEXT:    %1 = arith.constant 0 : index
// CHECK-NEXT:    %2 = spmd.local_size x
// CHECK-NEXT:    %3 = arith.constant 1 : index
// CHECK-NEXT:    %4 = arith.constant 64 : index
// CHECK-NEXT:    %5 = arith.constant 1 : index
// CHECK-NEXT:    %6 = spmd.global_id x
// CHECK-NEXT:    %7 = spmd.group_id y
// CHECK-NEXT:    %8 = spmd.num_groups x
// CHECK-NEXT:    %9 = spmd.global_size z
// CHECK-NEXT:    "test.op"
spmd.kernel @one_dimension() attributes {work_group_size = array<i64: 64>} {
  %0 = spmd.local_id x
  %1 = spmd.local_id y
  %2 = spmd.local_size x
  %3 = spmd.local_size z
  %4 = spmd.enqueued_local_size x
  %5 = spmd.enqueued_local_size y
  %6 = spmd.global_id x
  %7 = spmd.global_id y
  %8 = spmd.num_groups x
  %9 = spmd.num_groups z
  "test.op"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9)
    : (index, index, index, index, index, index, index, index, index, index) -> ()
  spmd.return
}

// The size of a group is its nominal size only where no group is smaller.

// CHECK-LABEL: @full_groups
// CHECK-NEXT:    %0 = arith.constant 8 : index
// CHECK-NEXT:    %1 = arith.constant 5 : index
// CHECK-NEXT:    %2 = spmd.local_id x
// CHECK-NEXT:    %3 = spmd.sub_group_size
// CHECK-NEXT:    %4 = arith.constant 3 : index
// CHECK-NEXT:    "test.op"
spmd.kernel @full_groups() attributes {work_group_size = array<i64: 8, 5>, sub_group_size = 16 : i64, spmd.full_groups} {
  %0 = spmd.local_size x
  %1 = spmd.local_size y
  %2 = spmd.local_id x
  %3 = spmd.sub_group_size
  %4 = spmd.num_sub_groups
  "test.op"(%0, %1, %2, %3, %4) : (index, index, index, index, index) -> ()
  spmd.return
}

// Nothing is known where the launch decides, and in functions.

// CHECK-LABEL: @any_size
// CHECK-NEXT:    %0 = spmd.local_id z
// CHECK-NEXT:    %1 = spmd.enqueued_local_size x
// CHECK-NEXT:    %2 = spmd.num_sub_groups
spmd.kernel @any_size() {
  %0 = spmd.local_id z
  %1 = spmd.enqueued_local_size x
  %2 = spmd.num_sub_groups
  "test.op"(%0, %1, %2) : (index, index, index) -> ()
  spmd.return
}

// CHECK-LABEL: @called
// CHECK-NEXT:    %0 = spmd.local_id z
// CHECK-NEXT:    %1 = spmd.lane_id
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    %2 = spmd.elect
func.func @called() {
  %0 = spmd.local_id z
  %1 = spmd.lane_id
  spmd.barrier
  %2 = spmd.elect
  "test.op"(%0, %1, %2) : (index, index, i1) -> ()
  func.return
}

// CHECK-LABEL: @full_sub_groups
// CHECK-NEXT:    %0 = arith.constant 16 : index
// CHECK-NEXT:    %1 = arith.constant 4 : index
// CHECK-NEXT:    %2 = spmd.sub_group_id
spmd.kernel @full_sub_groups() attributes {work_group_size = array<i64: 8, 8>, sub_group_size = 16 : i64, spmd.full_groups} {
  %0 = spmd.sub_group_size
  %1 = spmd.num_sub_groups
  %2 = spmd.sub_group_id
  "test.op"(%0, %1, %2) : (index, index, index) -> ()
  spmd.return
}

// A group that fits in one sub-group; it may still be smaller.

// CHECK-LABEL: @one_sub_group
// CHECK-NEXT:    %0 = spmd.sub_group_size
// CHECK-NEXT:    %1 = arith.constant 1 : index
// CHECK-NEXT:    %2 = arith.constant 0 : index
// CHECK-NEXT:    %3 = spmd.lane_id
spmd.kernel @one_sub_group() attributes {work_group_size = array<i64: 8>, sub_group_size = 16 : i64} {
  %0 = spmd.sub_group_size
  %1 = spmd.num_sub_groups
  %2 = spmd.sub_group_id
  %3 = spmd.lane_id
  "test.op"(%0, %1, %2, %3) : (index, index, index, index) -> ()
  spmd.return
}

// CHECK-LABEL: @sub_groups_of_one
// CHECK-NEXT:    %0 = arith.constant 1 : index
// CHECK-NEXT:    %1 = spmd.num_sub_groups
// CHECK-NEXT:    %2 = spmd.sub_group_id
// CHECK-NEXT:    %3 = arith.constant 0 : index
// CHECK-NEXT:    "test.op"(%0, %1, %2, %3)
// CHECK-NEXT:    "test.op"()
// CHECK-NEXT:    spmd.barrier
spmd.kernel @sub_groups_of_one() attributes {work_group_size = array<i64: 8>, sub_group_size = 1 : i64} {
  %0 = spmd.sub_group_size
  %1 = spmd.num_sub_groups
  %2 = spmd.sub_group_id
  %3 = spmd.lane_id
  "test.op"(%0, %1, %2, %3) : (index, index, index, index) -> ()
  spmd.barrier sub_group
  "test.op"() : () -> ()
  spmd.barrier
  spmd.return
}

// Of barriers with no memory access between them the strongest stays.

// CHECK-LABEL: @barriers_in_a_row
// CHECK-NEXT:    %c = arith.addi %a, %a : i32
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    spmd.barrier sub_group
// CHECK-NEXT:    memref.load
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    func.call
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    spmd.return
spmd.kernel @barriers_in_a_row(%a: i32, %m: memref<i32>) {
  spmd.barrier
  %c = arith.addi %a, %a : i32
  spmd.barrier
  spmd.barrier sub_group
  memref.store %c, %m[] : memref<i32>
  spmd.barrier sub_group
  spmd.barrier sub_group
  %d = memref.load %m[] : memref<i32>
  spmd.barrier sub_group
  spmd.barrier
  func.call @unknown(%d) : (i32) -> ()
  spmd.barrier
  spmd.return
}
func.func private @unknown(%x: i32)

// Barriers in different blocks are not in a row.

// CHECK-LABEL: @barriers_around_a_branch
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      spmd.barrier
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.barrier
spmd.kernel @barriers_around_a_branch(%p: i1) {
  spmd.barrier
  scf.if %p {
    spmd.barrier
  }
  spmd.barrier
  spmd.return
}

// A collective orders no memory, so without a use it has no meaning.

// CHECK-LABEL: @unused
// CHECK-NEXT:    %old = spmd.atomic_rmw
// CHECK-NEXT:    %was, %won = spmd.atomic_cas
// CHECK-NEXT:    spmd.return
spmd.kernel @unused(%p: i1, %v: i32, %i: index, %m: memref<i32>) {
  %0 = spmd.any %p across work_group
  %1 = spmd.all %p across sub_group
  %2 = spmd.ballot %p : i64
  %3 = spmd.elect
  %4 = spmd.reduce add %v across work_group : i32
  %5 = spmd.scan inclusive add %v across work_group : i32
  %6 = spmd.broadcast %v from %i across work_group : i32
  %7 = spmd.shuffle idx %v, %i : i32
  %old = spmd.atomic_rmw add %v, %m[] : memref<i32>
  %was, %won = spmd.atomic_cas %v, %v, %m[] : memref<i32>
  spmd.return
}

// CHECK-LABEL: @group_of_one
// CHECK-NEXT:    %0 = arith.extui %p : i1 to i64
// CHECK-NEXT:    %1 = arith.constant true
// CHECK-NEXT:    %2 = arith.constant 1.000000e+00 : f32
// CHECK-NEXT:    "test.op"(%p, %p, %0, %1, %v, %v, %2, %v, %v)
// CHECK-NEXT:    spmd.return
spmd.kernel @group_of_one(%p: i1, %v: f32, %i: index) attributes {work_group_size = array<i64: 1>} {
  %0 = spmd.any %p across work_group
  %1 = spmd.all %p across sub_group
  %2 = spmd.ballot %p : i64
  %3 = spmd.elect
  %4 = spmd.reduce add %v across work_group : f32
  %5 = spmd.scan inclusive add %v across sub_group : f32
  %6 = spmd.scan exclusive mul %v across sub_group : f32
  %7 = spmd.broadcast %v from %i across work_group : f32
  %8 = spmd.shuffle idx %v, %i : f32
  spmd.barrier
  "test.op"(%0, %1, %2, %3, %4, %5, %6, %7, %8) : (i1, i1, i64, i1, f32, f32, f32, f32, f32) -> ()
  spmd.return
}

// Sub-groups of one lane: work-group collectives stay.

// CHECK-LABEL: @lane_alone
// CHECK-NEXT:    %0 = spmd.reduce add %v across work_group : f32
// CHECK-NEXT:    "test.op"(%0, %v)
spmd.kernel @lane_alone(%v: f32) attributes {work_group_size = array<i64: 2>, sub_group_size = 1 : i64} {
  %0 = spmd.reduce add %v across work_group : f32
  %1 = spmd.reduce add %v across sub_group : f32
  "test.op"(%0, %1) : (f32, f32) -> ()
  spmd.return
}

// What all give equally, all get; sums, counts and exclusive scans depend on how many.

// CHECK-LABEL: @constants
// CHECK-NEXT:    %c = arith.constant 7 : i32
// CHECK-NEXT:    %t = arith.constant true
// CHECK-NEXT:    %0 = spmd.reduce add %c across work_group : i32
// CHECK-NEXT:    %1 = spmd.reduce xor %c across work_group : i32
// CHECK-NEXT:    %2 = spmd.scan exclusive min %c across work_group : i32
// CHECK-NEXT:    %3 = spmd.ballot %t : i64
// CHECK-NEXT:    "test.op"(%c, %c, %c, %c, %t, %t, %0, %1, %2, %3)
spmd.kernel @constants(%i: index) {
  %c = arith.constant 7 : i32
  %t = arith.constant true
  %0 = spmd.reduce min %c across work_group : i32
  %1 = spmd.scan inclusive and %c across work_group : i32
  %2 = spmd.broadcast %c from %i across work_group : i32
  %3 = spmd.shuffle down %c, %i : i32
  %4 = spmd.any %t across sub_group
  %5 = spmd.all %t across work_group
  %6 = spmd.reduce add %c across work_group : i32
  %7 = spmd.reduce xor %c across work_group : i32
  %8 = spmd.scan exclusive min %c across work_group : i32
  %9 = spmd.ballot %t : i64
  "test.op"(%0, %1, %2, %3, %4, %5, %6, %7, %8, %9) : (i32, i32, i32, i32, i1, i1, i32, i32, i32, i64) -> ()
  spmd.return
}
