// 3:3: unknown operation 'spmd.barier'; did you mean 'spmd.barrier'?
spmd.kernel @k() {
  spmd.barier
  spmd.return
}
