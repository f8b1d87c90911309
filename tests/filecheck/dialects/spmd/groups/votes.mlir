// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: spmd.kernel @votes
// CHECK-NEXT:    %0 = spmd.any %p across sub_group
// CHECK-NEXT:    %1 = spmd.any %p across work_group {mine.note}
// CHECK-NEXT:    %2 = spmd.all %p across sub_group
// CHECK-NEXT:    %3 = spmd.all %p across work_group
// CHECK-NEXT:    %4 = spmd.ballot %p : i64
// CHECK-NEXT:    %5 = spmd.ballot %p {mine.note} : i64
// CHECK-NEXT:    %6 = spmd.elect
// CHECK-NEXT:    %7 = spmd.elect {mine.note}
// CHECK-NEXT:    spmd.return

// GENERIC:      %0 = "spmd.any"(%p) <{scope = #spmd.scope<sub_group>}> : (i1) -> i1
// GENERIC:      %4 = "spmd.ballot"(%p) : (i1) -> i64
// GENERIC:      %6 = "spmd.elect"() : () -> i1
spmd.kernel @votes(%p: i1) {
  %0 = spmd.any %p across sub_group
  %1 = spmd.any %p across work_group {mine.note}
  %2 = spmd.all %p across sub_group
  %3 = spmd.all %p across work_group
  %4 = spmd.ballot %p : i64
  %5 = spmd.ballot %p {mine.note} : i64
  %6 = spmd.elect
  %7 = spmd.elect {mine.note}
  spmd.return
}
