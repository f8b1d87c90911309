// 2:1: expected spmd.group_order = array<i64: 0, 1, 2> in some order, got array<i64: 1, 0>
spmd.kernel @k() attributes {spmd.group_order = array<i64: 1, 0>} {
  spmd.return
}
