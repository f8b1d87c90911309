// 7:3: expected functions that do not call themselves, got @even -> @odd -> @even
func.func private @even(%n: i32) {
  func.call @odd(%n) : (i32) -> ()
  func.return
}
func.func private @odd(%n: i32) {
  func.call @even(%n) : (i32) -> ()
  func.return
}
spmd.kernel @k(%n: i32) {
  func.call @even(%n) : (i32) -> ()
  spmd.return
}
