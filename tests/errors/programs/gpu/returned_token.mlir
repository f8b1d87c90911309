// 4:3: expected tokens to be used by ops of gpu in one function, got func.return
func.func @main() -> !gpu.async.token {
  %t = gpu.wait async
  func.return %t : !gpu.async.token
}
