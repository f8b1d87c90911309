// Everything that a work-item can ask about itself, in three dimensions.
spmd.kernel @ids(%out: memref<21x?xindex>) {
  %gx = spmd.global_id x
  %gy = spmd.global_id y
  %gz = spmd.global_id z
  %nx = spmd.global_size x
  %ny = spmd.global_size y
  %nz = spmd.global_size z
  %zy = arith.muli %gz, %ny : index
  %row = arith.addi %zy, %gy : index
  %before = arith.muli %row, %nx : index
  %i = arith.addi %before, %gx : index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %lz = spmd.local_id z
  %px = spmd.group_id x
  %py = spmd.group_id y
  %pz = spmd.group_id z
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %sz = spmd.local_size z
  %ex = spmd.enqueued_local_size x
  %ey = spmd.enqueued_local_size y
  %ez = spmd.enqueued_local_size z
  %cx = spmd.num_groups x
  %cy = spmd.num_groups y
  %cz = spmd.num_groups z
  %k0 = arith.constant 0 : index
  memref.store %gx, %out[%k0, %i] : memref<21x?xindex>
  %k1 = arith.constant 1 : index
  memref.store %gy, %out[%k1, %i] : memref<21x?xindex>
  %k2 = arith.constant 2 : index
  memref.store %gz, %out[%k2, %i] : memref<21x?xindex>
  %k3 = arith.constant 3 : index
  memref.store %nx, %out[%k3, %i] : memref<21x?xindex>
  %k4 = arith.constant 4 : index
  memref.store %ny, %out[%k4, %i] : memref<21x?xindex>
  %k5 = arith.constant 5 : index
  memref.store %nz, %out[%k5, %i] : memref<21x?xindex>
  %k6 = arith.constant 6 : index
  memref.store %lx, %out[%k6, %i] : memref<21x?xindex>
  %k7 = arith.constant 7 : index
  memref.store %ly, %out[%k7, %i] : memref<21x?xindex>
  %k8 = arith.constant 8 : index
  memref.store %lz, %out[%k8, %i] : memref<21x?xindex>
  %k9 = arith.constant 9 : index
  memref.store %px, %out[%k9, %i] : memref<21x?xindex>
  %k10 = arith.constant 10 : index
  memref.store %py, %out[%k10, %i] : memref<21x?xindex>
  %k11 = arith.constant 11 : index
  memref.store %pz, %out[%k11, %i] : memref<21x?xindex>
  %k12 = arith.constant 12 : index
  memref.store %sx, %out[%k12, %i] : memref<21x?xindex>
  %k13 = arith.constant 13 : index
  memref.store %sy, %out[%k13, %i] : memref<21x?xindex>
  %k14 = arith.constant 14 : index
  memref.store %sz, %out[%k14, %i] : memref<21x?xindex>
  %k15 = arith.constant 15 : index
  memref.store %ex, %out[%k15, %i] : memref<21x?xindex>
  %k16 = arith.constant 16 : index
  memref.store %ey, %out[%k16, %i] : memref<21x?xindex>
  %k17 = arith.constant 17 : index
  memref.store %ez, %out[%k17, %i] : memref<21x?xindex>
  %k18 = arith.constant 18 : index
  memref.store %cx, %out[%k18, %i] : memref<21x?xindex>
  %k19 = arith.constant 19 : index
  memref.store %cy, %out[%k19, %i] : memref<21x?xindex>
  %k20 = arith.constant 20 : index
  memref.store %cz, %out[%k20, %i] : memref<21x?xindex>
  spmd.return
}
