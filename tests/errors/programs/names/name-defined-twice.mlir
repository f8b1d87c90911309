// 5:1: expected one definition of @k, got another one
spmd.kernel @k() {
  spmd.return
}
spmd.kernel @k() {
  spmd.return
}
