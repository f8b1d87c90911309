// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: spmd.kernel @barriers
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    spmd.barrier sub_group
// CHECK-NEXT:    spmd.barrier {mine.note}
// CHECK-NEXT:    spmd.barrier sub_group {mine.note = 1 : i32}
// CHECK-NEXT:    spmd.return

// GENERIC:      "spmd.barrier"() <{scope = #spmd.scope<work_group>}> : () -> ()
// GENERIC-NEXT: "spmd.barrier"() <{scope = #spmd.scope<sub_group>}> : () -> ()
// GENERIC-NEXT: "spmd.barrier"() <{scope = #spmd.scope<work_group>}> {mine.note} : () -> ()
spmd.kernel @barriers() {
  spmd.barrier
  spmd.barrier sub_group
  spmd.barrier work_group {mine.note}
  spmd.barrier sub_group {mine.note = 1 : i32}
  spmd.return
}
