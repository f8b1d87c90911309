// 5:1: argument 1: expected spmd.noalias, spmd.small, spmd.streamed or an attribute with the prefix of another dialect, got spmd.noailas
spmd.kernel @k(%x: memref<?xindex>) {
  spmd.return
}
func.func @host(%n: index, %x: memref<?xindex> {spmd.noailas}) {
  %c1 = arith.constant 1 : index
  spmd.launch @k global(%c1) of(%c1) (%x) : memref<?xindex>
  func.return
}
