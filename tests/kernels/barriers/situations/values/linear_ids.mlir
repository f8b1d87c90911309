// Linear ids, which all kernels of this folder use: each runs in 1, 2 and 3 dimensions.
func.func private @local() -> index {
  %x = spmd.local_id x
  %y = spmd.local_id y
  %z = spmd.local_id z
  %nx = spmd.local_size x
  %ny = spmd.local_size y
  %zy = arith.muli %z, %ny : index
  %rows = arith.addi %zy, %y : index
  %before = arith.muli %rows, %nx : index
  %id = arith.addi %before, %x : index
  func.return %id : index
}
func.func private @items() -> index {
  %nx = spmd.local_size x
  %ny = spmd.local_size y
  %nz = spmd.local_size z
  %plane = arith.muli %nx, %ny : index
  %items = arith.muli %plane, %nz : index
  func.return %items : index
}
func.func private @next() -> index {
  %c1 = arith.constant 1 : index
  %id = func.call @local() : () -> index
  %items = func.call @items() : () -> index
  %after = arith.addi %id, %c1 : index
  %next = arith.remui %after, %items : index
  func.return %next : index
}
func.func private @item() -> index {
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %zy = arith.muli %z, %ny : index
  %rows = arith.addi %zy, %y : index
  %before = arith.muli %rows, %nx : index
  %id = arith.addi %before, %x : index
  func.return %id : index
}
func.func private @group() -> index {
  %x = spmd.group_id x
  %y = spmd.group_id y
  %z = spmd.group_id z
  %nx = spmd.num_groups x
  %ny = spmd.num_groups y
  %zy = arith.muli %z, %ny : index
  %rows = arith.addi %zy, %y : index
  %before = arith.muli %rows, %nx : index
  %id = arith.addi %before, %x : index
  func.return %id : index
}
