// Which lane of which sub-group a work-item is.
spmd.kernel @queries(%out: memref<?x4xindex>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %layer = arith.muli %gz, %ny : index
  %row = arith.addi %layer, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %lane = spmd.lane_id
  %id = spmd.sub_group_id
  %size = spmd.sub_group_size
  %number = spmd.num_sub_groups
  memref.store %lane, %out[%i, %c0] : memref<?x4xindex>
  memref.store %id, %out[%i, %c1] : memref<?x4xindex>
  memref.store %size, %out[%i, %c2] : memref<?x4xindex>
  memref.store %number, %out[%i, %c3] : memref<?x4xindex>
  spmd.return
}
