// 2:1: expected a name with characters, none of them NUL, got ""
spmd.kernel @""() {
  spmd.return
}
