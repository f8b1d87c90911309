// RUN: xdsl-opt %s -p 'hoist-ids,split-at-barriers{check=true}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'hoist-ids,split-at-barriers{check=true strategy=continuations}' --split-input-file | filecheck %s --check-prefix CONT
// RUN: xdsl-opt %s -p 'hoist-ids,split-at-barriers' --split-input-file | filecheck %s --check-prefix OFF
// RUN: xdsl-opt %s -p 'hoist-ids,split-at-barriers{strategy=continuations}' --split-input-file | filecheck %s --check-prefix OFF
// RUN: xdsl-opt %s -p 'spmd-to-loops{check-barriers=true},vectorize{width=8}' --split-input-file | filecheck %s --check-prefix VECTOR

// OFF-NOT: spmd.fail

// Fission: the conditions of all work-items are compared. What lies in the context of the
// first one decides.

// CHECK-LABEL: spmd.kernel @flag
// CHECK:         %flag_context = memref.alloca() {{.*}}spmd.context = "compared, because all work-items have to agree"{{.*}} : memref<64xi1>
// CHECK:           memref.store %flag, %flag_context[%lx] : memref<64xi1>
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    %flag_1 = memref.load %flag_context[%c0] : memref<64xi1>
// CHECK-NEXT:    %differ = scf.for %ix = %c0 to %local_size_x step %c1 iter_args(%differences = %false) -> (i1) {
// CHECK-NEXT:      %value = memref.load %flag_context[%ix] : memref<64xi1>
// CHECK-NEXT:      %0 = arith.xori %value, %flag_1 : i1
// CHECK-NEXT:      %1 = arith.ori %differences, %0 : i1
// CHECK-NEXT:      scf.yield %1 : i1
// CHECK-NEXT:    }
// CHECK-NEXT:    %diverged = arith.cmpi ne, %differ, %false : i1
// CHECK-NEXT:    scf.if %diverged {
// CHECK-NEXT:      %other = scf.for %ix_1 = %c0 to %local_size_x step %c1 iter_args(%found = %cm1) -> (index) {
// CHECK:           %its = memref.load %flag_context[%other] : memref<64xi1>
// CHECK-NEXT:      spmd.fail "work-item ({}, {}, {}) of work-group ({}, {}, {}) {goes on to the end of the kernel|goes on to spmd.barrier ({{[^ ]*}}:{{[0-9]+}}:5)}, but work-item (0, 0, 0) {goes on to the end of the kernel|goes on to spmd.barrier ({{[^ ]*}}:{{[0-9]+}}:5)}"(%other, %c0, %c0, %group_x, %group_y, %group_z, %its, %flag_1)
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.if %flag_1 {

// Continuations: every work-item says which barrier it came to.

// CONT-LABEL: spmd.kernel @flag
// CONT:         %next_syncs = memref.alloca() {{.*}} : memref<64xi32>
// CONT:           %0 = arith.select %flag, %c1_i32, %c0_i32 : i32
// CONT-NEXT:      memref.store %0, %next_syncs[%lx] : memref<64xi32>
// CONT-NEXT:    } {spmd.work_items = array<i64: 0>}
// CONT:         %reached = memref.load %next_syncs[%c0] : memref<64xi32>
// CONT:           spmd.fail "work-item ({}, {}, {}) of work-group ({}, {}, {}) {came to the end of the kernel|waits at spmd.barrier}, but work-item (0, 0, 0) {came to the end of the kernel|waits at spmd.barrier}"(
// CONT:         %following = arith.index_cast %reached : i32 to index
// CONT:         scf.while (%next = %following)

// Vectors all the same.

// VECTOR-LABEL: func.func @flag
// VECTOR:         vector.store {{.*}}, %flag_context[%first]
// VECTOR-NOT:     spmd.not_vectorized
// VECTOR:         spmd.fail
spmd.kernel @flag(%flags: memref<?xi1>, %x: memref<?xf32>) attributes {work_group_size = array<i64: 64>} {
  %lid = spmd.local_id x
  %one = arith.constant 1.0 : f32
  %flag = memref.load %flags[%lid] : memref<?xi1>
  scf.if %flag {
    spmd.barrier
    memref.store %one, %x[%lid] : memref<?xf32>
  }
  spmd.return
}

// -----

// A condition that is the same in all work-items needs no check.

// CHECK-LABEL: spmd.kernel @uniform
// CHECK-NOT:     spmd.fail
// CHECK:         spmd.return
// CONT-LABEL: spmd.kernel @uniform
// CONT:         memref.load %next_sync[] : memref<index>
// CONT-NOT:     spmd.fail
// CONT:         spmd.return
spmd.kernel @uniform(%go: i1, %x: memref<?xf32>) {
  %gid = spmd.global_id x
  %v = memref.load %x[%gid] : memref<?xf32>
  scf.if %go {
    spmd.barrier
    memref.store %v, %x[%gid] : memref<?xf32>
  }
  spmd.return
}

// -----

// Two syncs are told apart, also without locations; y and z have no loops.

// CHECK-LABEL: spmd.kernel @paths
// CHECK:         spmd.fail "{{.*}} {goes on to spmd.any ({{[^ ]*}}:{{[0-9]+}}:14) or the end of the kernel|goes on to spmd.barrier ({{[^ ]*}}:{{[0-9]+}}:5)|goes on to spmd.barrier ({{[^ ]*}}:{{[0-9]+}}:5)}, but
// CONT-LABEL: spmd.kernel @paths
// CONT:         spmd.fail "{{.*}}waits at spmd.barrier ({{[^ ]*}}:9{{[48]}}:5)
spmd.kernel @paths(%paths: memref<?xindex>, %on: i1) attributes {work_group_size = array<i64: 16>} {
  %lid = spmd.local_id x
  %path = memref.load %paths[%lid] : memref<?xindex>
  scf.index_switch %path
  case 1 {
    spmd.barrier
    scf.yield
  }
  case 2 {
    spmd.barrier
    scf.yield
  }
  default {
    scf.if %on {
      %any = spmd.any %on across work_group
    }
    scf.yield
  }
  spmd.return
}

// -----

// Work-items agree on the path, whatever the numbers are by which they choose it.

// CHECK-LABEL: spmd.kernel @cases
// CHECK:         %[[PATH:.*]] = scf.index_switch %{{.*}} -> index
// CHECK-NEXT:    case -1 {
// CHECK-NEXT:      %[[ONE:.*]] = arith.constant 1 : index
// CHECK-NEXT:      scf.yield %[[ONE]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      %[[NONE:.*]] = arith.constant 0 : index
// CHECK-NEXT:      scf.yield %[[NONE]] : index
// CHECK-NEXT:    }
// CHECK-NEXT:    memref.store %[[PATH]], %[[CONTEXT:.*]][%lx{{.*}}]
// CHECK:         %[[AGREED:.*]] = memref.load %[[CONTEXT]][%c0]
// CHECK:         spmd.fail "{{.*}} {goes on to spmd.barrier ({{[^ |]*}})|goes on to spmd.barrier ({{[^ |]*}})}, but
// CHECK:         scf.index_switch %[[AGREED]]
// CHECK-NEXT:    case 1 {
spmd.kernel @cases(%paths: memref<?xindex>) attributes {work_group_size = array<i64: 16>} {
  %lid = spmd.local_id x
  %path = memref.load %paths[%lid] : memref<?xindex>
  scf.index_switch %path
  case -1 {
    spmd.barrier
    memref.store %path, %paths[%lid] : memref<?xindex>
    scf.yield
  }
  default {
    scf.yield
  }
  spmd.barrier
  spmd.return
}

// -----

// The index of a broadcast has to be the same in all work-items.

// CHECK-LABEL: spmd.kernel @from
// CHECK:         memref.store %i, %i_context[%lx] : memref<8xindex>
// CHECK:         spmd.fail "{{.*}} has {} as the index of spmd.broadcast, but work-item (0, 0, 0) has {} as the index of spmd.broadcast"
// CONT-LABEL: spmd.kernel @from
// CONT:         memref.store %i, %i_context[%lx] : memref<8xindex>
// CONT:         spmd.fail "{{.*}} has {} as the index of spmd.broadcast, but work-item (0, 0, 0) has {} as the index of spmd.broadcast"
spmd.kernel @from(%from: memref<?xindex>, %x: memref<?xf32>) attributes {work_group_size = array<i64: 8>} {
  %lid = spmd.local_id x
  %i = memref.load %from[%lid] : memref<?xindex>
  %v = memref.load %x[%lid] : memref<?xf32>
  %b = spmd.broadcast %v from %i across work_group : f32
  memref.store %b, %x[%lid] : memref<?xf32>
  spmd.return
}

// -----

// A group of one work-item has nobody to disagree with.

// CHECK-LABEL: spmd.kernel @alone
// CHECK-NOT:     spmd.fail
// CONT-LABEL: spmd.kernel @alone
// CONT-NOT:     spmd.fail
spmd.kernel @alone(%flags: memref<?xi1>) attributes {work_group_size = array<i64: 1>} {
  %gid = spmd.global_id x
  %flag = memref.load %flags[%gid] : memref<?xi1>
  scf.if %flag {
    spmd.barrier
  }
  spmd.return
}
