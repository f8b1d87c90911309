// expected a module with at least one spmd.kernel, or a public function of numbers and memrefs, got none
func.func private @f() {
  func.return
}
