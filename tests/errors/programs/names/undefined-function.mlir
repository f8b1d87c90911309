// 3:3: 'func.call': '@f' could not be found in symbol table
spmd.kernel @k() {
  func.call @f() : () -> ()
  spmd.return
}
