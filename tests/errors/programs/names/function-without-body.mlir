// 4:3: expected @f to have a body, since work-items call it; got a declaration
func.func private @f(f32)
spmd.kernel @k(%a: f32) {
  func.call @f(%a) : (f32) -> ()
  spmd.return
}
