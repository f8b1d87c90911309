// What goes into a collective lies in its context, and is kept there for what follows.
spmd.kernel @softmax(%scale: f32, %x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  %scaled = arith.mulf %v, %scale : f32
  %most = spmd.reduce max %scaled across work_group : f32
  %less = arith.subf %scaled, %most : f32
  %e = math.exp %less : f32
  %sum = spmd.reduce add %e across work_group : f32
  %part = arith.divf %e, %sum : f32
  memref.store %part, %x[%gid] : memref<?xf32>
  spmd.return
}
