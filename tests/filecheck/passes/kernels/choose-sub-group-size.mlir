// RUN: xdsl-opt %s -p choose-sub-group-size | filecheck %s
// RUN: xdsl-opt %s -p 'choose-sub-group-size{sub-group-size=8}' | filecheck %s --check-prefix=EIGHT
// RUN: xdsl-opt %s -p 'choose-sub-group-size{sub-group-size=12}' --verify-diagnostics | filecheck %s --check-prefix=TWELVE

// TWELVE: expected the option sub-group-size to be a power of two from 1 to 64, got 12

// CHECK-LABEL: spmd.kernel @lane() attributes {sub_group_size = 16 : i64}
// EIGHT-LABEL: spmd.kernel @lane() attributes {sub_group_size = 8 : i64}
spmd.kernel @lane() {
  %lane = spmd.lane_id
  spmd.return
}
// CHECK-LABEL: spmd.kernel @inside(%c: i1) attributes {sub_group_size = 16 : i64}
spmd.kernel @inside(%c: i1) {
  scf.if %c {
    spmd.barrier sub_group
  }
  spmd.return
}
// CHECK-LABEL: spmd.kernel @own() attributes {sub_group_size = 4 : i64}
// EIGHT-LABEL: spmd.kernel @own() attributes {sub_group_size = 4 : i64}
spmd.kernel @own() attributes {sub_group_size = 4 : i64} {
  %lane = spmd.lane_id
  spmd.return
}
// CHECK-LABEL: spmd.kernel @none(%x: f32) {
spmd.kernel @none(%x: f32) {
  %r = spmd.reduce add %x across work_group : f32
  spmd.barrier
  spmd.return
}
