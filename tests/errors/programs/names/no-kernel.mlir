// expected a module with at least one spmd.kernel, got none
func.func @f() {
  func.return
}
