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
// CHECK-SAME:    attributes {work_group_size = array<i64: {{4|8|16}}, {{16|32|64}}, 1>, spmd.full_groups, spmd.group_order = array<i64: 1, 0, 2>}
spmd.kernel @columns(%x: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 256, 1>, spmd.full_groups, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%i, %j] : memref<?x?xf32>
  %w = arith.addf %v, %v : f32
  memref.store %w, %x[%i, %j] : memref<?x?xf32>
  spmd.return
}

// The last dimension is contiguous, so groups along it come first, then those along the second.

// CHECK-LABEL: spmd.kernel @last
// CHECK-SAME:    spmd.group_order = array<i64: 2, 1, 0>
spmd.kernel @last(%x: memref<?x?x?xf32>)
    attributes {work_group_size = array<i64: 16, 16, 1>, spmd.any_group_size = array<i64: 64, 64, 64>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %k = spmd.global_id z
  %v = memref.load %x[%i, %j, %k] : memref<?x?x?xf32>
  memref.store %v, %x[%i, %j, %k] : memref<?x?x?xf32>
  spmd.return
}

// What goes along two dimensions has no better order.

// CHECK-LABEL: spmd.kernel @transpose
// CHECK-NOT:     group_order
// CHECK:         spmd.return
spmd.kernel @transpose(%x: memref<?x?xf32>, %y: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 16, 16>, spmd.any_group_size = array<i64: 64, 64, 1>} {
  %i = spmd.global_id x
  %j = spmd.global_id y
  %v = memref.load %x[%i, %j] : memref<?x?xf32>
  memref.store %v, %y[%j, %i] : memref<?x?xf32>
  spmd.return
}

// Nobody asked.

// Lanes along y are no better than they were, but groups of 16 touch one line of each row.

// CHECK-LABEL: spmd.kernel @short_columns
// CHECK-SAME:    attributes {work_group_size = array<i64: 1, 256, 1>, spmd.group_order = array<i64: 1, 0, 2>}
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

// Also in 32 bits. Neighbours in x are no reason for more than one row, and no two rows are shared.

// CHECK-LABEL: spmd.kernel @by_hand_in_32_bits
// CHECK-SAME:    attributes {work_group_size = array<i64: 256, 1, 1>}
// CHECK-NOT:     local
// CHECK:         %[[ID:.*]] = spmd.global_id x
// CHECK-NEXT:    %x = arith.index_cast %[[ID]] : index to i32
spmd.kernel @by_hand_in_32_bits(%in: memref<?xf32>, %out: memref<?xf32>, %n: i32)
    attributes {work_group_size = array<i64: 16, 16>, spmd.any_group_size = array<i64: 256, 256, 1>} {
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %gx = spmd.group_id x
  %nx = spmd.enqueued_local_size x
  %lx = spmd.local_id x
  %y = spmd.global_id y
  %gx32 = arith.index_cast %gx : index to i32
  %nx32 = arith.index_cast %nx : index to i32
  %lx32 = arith.index_cast %lx : index to i32
  %y32 = arith.index_cast %y : index to i32
  %bx = arith.muli %gx32, %nx32 overflow<nsw> : i32
  %x = arith.addi %bx, %lx32 overflow<nsw> : i32
  %row = arith.muli %y32, %n overflow<nsw> : i32
  %c = arith.addi %row, %x overflow<nsw> : i32
  %e = arith.addi %c, %c1 overflow<nsw> : i32
  %c_1 = arith.index_cast %c : i32 to index
  %e_1 = arith.index_cast %e : i32 to index
  %v = memref.load %in[%c_1] : memref<?xf32>
  %ve = memref.load %in[%e_1] : memref<?xf32>
  %sum = arith.addf %v, %ve : f32
  memref.store %sum, %out[%c_1] : memref<?xf32>
  spmd.return
}

// Rows of a stencil share what they load, so that a group has two, but no more: what the groups in
// the row before have loaded is near. Of planes it is not. `n` elements are a row, as are `n * m` a
// plane, or a number of them.

// CHECK-LABEL: spmd.kernel @stencil
// CHECK-SAME:    attributes {work_group_size = array<i64: 128, 2, 1>}
spmd.kernel @stencil(%in: memref<?xf32>, %out: memref<?xf32>, %n: index)
    attributes {work_group_size = array<i64: 256, 1>, spmd.any_group_size = array<i64: 256, 256, 1>} {
  %c1 = arith.constant 1 : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %next = arith.addi %y, %c1 : index
  %row = arith.muli %next, %n : index
  %c = arith.addi %row, %x : index
  %s = arith.subi %c, %n : index
  %t = arith.addi %c, %n : index
  %vc = memref.load %in[%c] : memref<?xf32>
  %vs = memref.load %in[%s] : memref<?xf32>
  %vt = memref.load %in[%t] : memref<?xf32>
  %a = arith.addf %vc, %vs : f32
  %b = arith.addf %a, %vt : f32
  memref.store %b, %out[%c] : memref<?xf32>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @planes
// CHECK-SAME:    attributes {work_group_size = array<i64: {{16|32|64}}, 1, {{4|8|16}}>}
spmd.kernel @planes(%in: memref<?xf32>, %out: memref<?xf32>, %n: index, %m: index)
    attributes {work_group_size = array<i64: 256, 1>, spmd.any_group_size = array<i64: 256, 256, 64>} {
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %nm = arith.muli %n, %m : index
  %plane = arith.muli %z, %m : index
  %line = arith.addi %plane, %y : index
  %row = arith.muli %line, %n : index
  %c = arith.addi %row, %x : index
  %s = arith.subi %c, %nm : index
  %t = arith.addi %c, %nm : index
  %vc = memref.load %in[%c] : memref<?xf32>
  %vs = memref.load %in[%s] : memref<?xf32>
  %vt = memref.load %in[%t] : memref<?xf32>
  %a = arith.addf %vc, %vs : f32
  %b = arith.addf %a, %vt : f32
  memref.store %b, %out[%c] : memref<?xf32>
  spmd.return
}

// CHECK-LABEL: spmd.kernel @known_rows
// CHECK-SAME:    attributes {work_group_size = array<i64: {{128|256}}, {{1|2}}, 1>}
spmd.kernel @known_rows(%in: memref<?xf32>, %out: memref<?xf32>)
    attributes {work_group_size = array<i64: 256, 1>, spmd.any_group_size = array<i64: 256, 256, 1>} {
  %c1000 = arith.constant 1000 : index
  %c1999 = arith.constant 1999 : index
  %x = spmd.global_id x
  %y = spmd.global_id y
  %row = arith.muli %y, %c1000 : index
  %c = arith.addi %row, %x : index
  %t = arith.addi %c, %c1000 : index
  %u = arith.addi %c, %c1999 : index
  %vc = memref.load %in[%c] : memref<?xf32>
  %vt = memref.load %in[%t] : memref<?xf32>
  %vu = memref.load %in[%u] : memref<?xf32>
  %a = arith.addf %vc, %vt : f32
  %b = arith.addf %a, %vu : f32
  memref.store %b, %out[%c] : memref<?xf32>
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
