// 4:8: expected at most 1048576 bytes of local memory in a work-group, got 1048577 with this allocation; use smaller tiles
spmd.kernel @k() {
  %a = spmd.local_alloc : memref<512x512xf32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<1xi8, #spmd.memory<local>>
  spmd.return
}
