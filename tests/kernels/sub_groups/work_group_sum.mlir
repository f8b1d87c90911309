// A reduction of the work-group: sub-groups first, then what they found.
func.func private @in_sub_group(%v: i32) -> i32 {
  %s = spmd.reduce add %v across sub_group : i32
  func.return %s : i32
}
spmd.kernel @work_group_sum(%x: memref<?xi32>, %out: memref<?xi32>, %parts: memref<?xi32, #spmd.memory<local>>) {
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
  %zero = arith.constant 0 : i32
  %v = memref.load %x[%i] : memref<?xi32>
  %s = func.call @in_sub_group(%v) : (i32) -> i32
  %id = spmd.sub_group_id
  %n = spmd.num_sub_groups
  %first = spmd.elect
  scf.if %first {
    memref.store %s, %parts[%id] : memref<?xi32, #spmd.memory<local>>
  }
  spmd.barrier
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%a = %zero) -> (i32) {
    %p = memref.load %parts[%k] : memref<?xi32, #spmd.memory<local>>
    %b = arith.addi %a, %p : i32
    scf.yield %b : i32
  }
  %mine = func.call @in_sub_group(%sum) : (i32) -> i32
  memref.store %mine, %out[%i] : memref<?xi32>
  spmd.return
}
