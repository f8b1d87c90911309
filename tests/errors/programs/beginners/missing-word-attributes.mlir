// 2:62: expected an operation or '}', got '='; before a dictionary of attributes write the word attributes
spmd.kernel @k(%x: memref<?xf32>, %n: index) {sub_group_size = 16} {
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>

  spmd.return
}
