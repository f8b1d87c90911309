// RUN: xdsl-opt %s -p reshape-groups --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p reshape-groups,reshape-groups --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-specialize{work-group-size=4,64 any-size-up-to=64,64,1 kernel=rows}' | filecheck %s --check-prefix=ASK

// ASK:         spmd.kernel @rows
// ASK-SAME:      spmd.any_group_size = array<i64: 64, 64, 1>

// Rows of neighbouring groups, where nothing can tell.

// CHECK-LABEL: spmd.kernel @rows
// CHECK-SAME:    attributes {work_group_size = array<i64: {{16|32|64}}, {{4|8|16}}, 1>}
spmd.kernel @rows(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 4, 64>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%j, %i] : memref<?x?xf32>
  spmd.return
}

// No longer than the range is.

// CHECK-LABEL: spmd.kernel @short
// CHECK-SAME:    attributes {work_group_size = array<i64: 4, 64>}
spmd.kernel @short(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 4, 64>, spmd.any_group_size = array<i64: 4, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%j, %i] : memref<?x?xf32>
  spmd.return
}

// Where y is contiguous, groups are long in y.

// CHECK-LABEL: spmd.kernel @columns
// CHECK-SAME:    attributes {work_group_size = array<i64: {{4|8|16}}, {{16|32|64}}, 1>, spmd.full_groups}
spmd.kernel @columns(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 256, 1>, spmd.full_groups, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%i, %j] : memref<?x?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i, %j] : memref<?x?xf32>
  spmd.return
}

// Nobody asked.

// Lanes along y are no better than they were, but groups of 16 touch one line of each row.

// CHECK-LABEL: spmd.kernel @short_columns
// CHECK-SAME:    attributes {work_group_size = array<i64: 1, 256, 1>}
spmd.kernel @short_columns(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 16, 16>, spmd.any_group_size = array<i64: 256, 256, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%i, %j] : memref<?x?xf32>
  memref.store %v, %x[%i, %j] : memref<?x?xf32>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @promised
// CHECK-SAME:    attributes {work_group_size = array<i64: 4, 64>}
spmd.kernel @promised(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 4, 64>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  memref.store %v, %x[%j, %i] : memref<?x?xf32>
  spmd.return
}

// It can tell.

// CHECK-LABEL: spmd.kernel @local_id
// CHECK-SAME:    attributes {work_group_size = array<i64: 4, 64>}
spmd.kernel @local_id(%x: memref<?x?xindex>)
    attributes {work_group_size = array<i64: 4, 64>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %l = spmd.local_id x
  memref.store %l, %x[%j, %i] : memref<?x?xindex>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @barrier
// CHECK-SAME:    attributes {work_group_size = array<i64: 4, 64>}
spmd.kernel @barrier(%x: memref<?x?xf32>, %y: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 4, 64>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  spmd.barrier
  memref.store %v, %y[%j, %i] : memref<?x?xf32>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @local_memory
// CHECK-SAME:    attributes {work_group_size = array<i64: 4, 64>}
spmd.kernel @local_memory(%x: memref<?x?xf32>, %tile: memref<?xf32, #spmd.memory<local>>)
    attributes {work_group_size = array<i64: 4, 64>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  memref.store %v, %x[%j, %i] : memref<?x?xf32>
  spmd.return
}

// Work-groups print one after the other.

// CHECK-LABEL: spmd.kernel @print
// CHECK-SAME:    attributes {work_group_size = array<i64: 4, 64>}
spmd.kernel @print(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 4, 64>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  spmd.print "{}"(%v) : f32
  spmd.return
}

// A global id that is computed from the group's and the local one, by its nominal size, or its
// actual one if all groups are full. Rows are as long as can be.

// CHECK-LABEL: spmd.kernel @by_hand
// CHECK-SAME:    attributes {work_group_size = array<i64: 256, 1, 1>, spmd.full_groups}
// CHECK-NOT:     local
// CHECK:         %i = spmd.global_id x
// CHECK-NOT:     local
// CHECK:         %j = spmd.global_id y
spmd.kernel @by_hand(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 16, 16>, spmd.full_groups, spmd.any_group_size = array<i64: 256, 256, 1>} {
  %c16 = arith.constant 16 : index
  %gx = spmd.group_id x
  %gy = spmd.group_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %nx = spmd.local_size x
  %bx = arith.muli %nx, %gx : index
  %by = arith.muli %gy, %c16 : index
  %i = arith.addi %lx, %bx : index
  %j = arith.addi %by, %ly : index
  %v = memref.load %x[%j, %i] : memref<?x?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%j, %i] : memref<?x?xf32>
  spmd.return
}

// In groups that are not full it is no global id, nor with the ids of two dimensions.

// CHECK-LABEL: spmd.kernel @smaller_groups
// CHECK-SAME:    attributes {work_group_size = array<i64: 16, 16>}
// CHECK-NOT:     global_id
spmd.kernel @smaller_groups(%x: memref<?x?xindex>)
    attributes {work_group_size = array<i64: 16, 16>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %c16 = arith.constant 16 : index
  %gx = spmd.group_id x
  %gy = spmd.group_id y
  %lx = spmd.local_id x
  %nx = spmd.local_size x
  %bx = arith.muli %nx, %gx : index
  %by = arith.muli %gy, %c16 : index
  %i = arith.addi %lx, %bx : index
  %j = arith.addi %by, %lx : index
  memref.store %i, %x[%j, %i] : memref<?x?xindex>
  spmd.return
}
