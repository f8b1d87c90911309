// 2:13: expected a work_group_size of at most 16384 work-items, got 256 x 128 = 32768
spmd.kernel @k() attributes {work_group_size = array<i64: 256, 128>} {
  spmd.return
}
