// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: spmd.kernel @ids
// GENERIC-LABEL: sym_name = "ids"
spmd.kernel @ids() {
  // CHECK-NEXT: %0 = spmd.global_id x
  // CHECK-NEXT: %1 = spmd.global_id y
  // CHECK-NEXT: %2 = spmd.global_id z {mine.note}
  // GENERIC: %0 = "spmd.global_id"() <{dimension = #spmd.dimension<x>}> : () -> index
  // GENERIC-NEXT: %1 = "spmd.global_id"() <{dimension = #spmd.dimension<y>}> : () -> index
  // GENERIC-NEXT: %2 = "spmd.global_id"() <{dimension = #spmd.dimension<z>}> {mine.note} : () -> index
  %0 = spmd.global_id x
  %1 = spmd.global_id y
  %2 = spmd.global_id z {mine.note}

  // CHECK-NEXT: %3 = spmd.local_id x
  // CHECK-NEXT: %4 = spmd.group_id y
  // CHECK-NEXT: %5 = spmd.global_size z
  // CHECK-NEXT: %6 = spmd.local_size x
  // CHECK-NEXT: %7 = spmd.enqueued_local_size y
  // CHECK-NEXT: %8 = spmd.num_groups z
  %3 = spmd.local_id x
  %4 = spmd.group_id y
  %5 = spmd.global_size z
  %6 = spmd.local_size x
  %7 = spmd.enqueued_local_size y
  %8 = spmd.num_groups z

  // CHECK-NEXT: %lane = spmd.lane_id
  // CHECK-NEXT: %s = spmd.sub_group_id {mine.note}
  // CHECK-NEXT: %w = spmd.sub_group_size
  // CHECK-NEXT: %n = spmd.num_sub_groups
  // GENERIC: %lane = "spmd.lane_id"() : () -> index
  %lane = spmd.lane_id
  %s = spmd.sub_group_id {mine.note}
  %w = spmd.sub_group_size
  %n = spmd.num_sub_groups
  spmd.return
}

// Functions that kernels call may ask, too.

// CHECK-LABEL: func.func @called
// CHECK-NEXT:    %i = spmd.global_id x
func.func @called() -> index {
  %i = spmd.global_id x
  func.return %i : index
}
