// 2:1: expected a name with characters, none of them NUL, got "a\00b"
spmd.kernel @"a\00b"() {
  spmd.return
}
