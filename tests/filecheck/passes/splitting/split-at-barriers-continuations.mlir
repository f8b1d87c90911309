// RUN: xdsl-opt %s -p 'structurize-control-flow,hoist-ids,split-at-barriers{strategy=continuations}' --split-input-file --verify-diagnostics | filecheck %s

// Barriers one after the other need no decision.

// CHECK-LABEL: spmd.kernel @straight
// CHECK-NOT:     %next_sync
// CHECK:         scf.for %lx =
// CHECK-NEXT:      "test.op"() {first}
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    scf.for %lx_1 =
// CHECK-NEXT:      "test.op"() {second}
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    spmd.return
spmd.kernel @straight() attributes {work_group_size = array<i64: 64>} {
  "test.op"() {first} : () -> ()
  spmd.barrier
  spmd.barrier
  "test.op"() {second} : () -> ()
  spmd.barrier
  spmd.return
}

// -----

// A loop around a barrier: what runs from one iteration to the next is one sub-CFG. The loop's
// counter is the same in all work-items: a slot, loaded once.

// CHECK-LABEL: spmd.kernel @loop
// CHECK:         %i_slot = memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<index>
// CHECK:         %next_sync = memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<index>
// CHECK:         %following = memref.load %next_sync[]
// CHECK-NEXT:    %{{.*}} = scf.while (%next = %following) : (index) -> index {
// CHECK-NEXT:      %more = arith.cmpi ne, %next, %c0 : index
// CHECK-NEXT:      scf.condition(%more) %next : index
// CHECK-NEXT:    } do {
// CHECK-NEXT:    ^bb0(%sync: index):
// CHECK-NEXT:      %i = memref.load %i_slot[] : memref<index>
// CHECK-NEXT:      scf.for %lx_1 =
// CHECK-NEXT:        "test.op"(%i)
// CHECK-NEXT:        [[J:%.*]] = arith.addi %i, %c1 : index
// CHECK-NEXT:        memref.store [[J]], %i_slot[] : memref<index>
// CHECK-NEXT:        [[MORE:%.*]] = arith.cmpi slt, [[J]], %n : index
// CHECK-NEXT:        [[CODE:%.*]] = arith.select [[MORE]], %c1, %c0 : index
// CHECK-NEXT:        memref.store [[CODE]], %next_sync[] : memref<index>
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:      %following_1 = memref.load %next_sync[] : memref<index>
// CHECK-NEXT:      scf.yield %following_1 : index
spmd.kernel @loop(%n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    spmd.barrier
    "test.op"(%i) : (index) -> ()
  }
  spmd.return
}

// -----

// The same counter where work-items can be in different iterations at one barrier: a context.

// CHECK-LABEL: spmd.kernel @different_iterations
// CHECK:         %i_context = memref.alloca() {spmd.group_memory,{{.*}} alignment = 64 : i64} : memref<64xindex>
// CHECK-NOT:     %i_slot
spmd.kernel @different_iterations(%x: memref<?xindex>, %n: index) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  %iteration = memref.load %x[%lid] : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %now = arith.cmpi eq, %i, %iteration : index
    scf.if %now {
      spmd.barrier
    }
  }
  spmd.return
}

// -----

// Two barriers that follow on each other in either order: a switch.

// CHECK-LABEL: spmd.kernel @two
// CHECK:         scf.while
// CHECK:           scf.index_switch %sync -> index
// CHECK-NEXT:      case 1 {
// CHECK:           case 2 {
// CHECK:           default {
// CHECK-NEXT:        scf.yield %c0 : index
spmd.kernel @two(%x: memref<?xi1>) attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %p = memref.load %x[%i] : memref<?xi1>
    scf.if %p {
      spmd.barrier
    } else {
      spmd.barrier
    }
  }
  spmd.return
}

// -----

// Work-items run around a loop until they come to a barrier, or out of it: a sub-CFG is made
// structured again, and what it came to is one value at its end. Entered after the barrier,
// the loop begins with its latch.

// CHECK-LABEL: spmd.kernel @blocks
// CHECK:         scf.for %lx = {{.*}} {
// CHECK-NEXT:      %v = memref.load %x[%lx] : memref<?xi32>
// CHECK-NEXT:      {{.*}} = scf.while ([[FIRST:%.*]] = %v) : (i32) -> (i32, i32, i1) {
// CHECK-NEXT:        memref.store [[FIRST]], %a_context[%lx] : memref<64xi32>
// CHECK:           memref.store %{{.*}}, %next_sync[] : memref<index>
// CHECK:         scf.while
// CHECK:           scf.for %lx_1 = {{.*}} {
// CHECK-NEXT:        [[ENTERED:%.*]] = memref.load %a_context[%lx_1] : memref<64xi32>
// CHECK-NEXT:        {{.*}}, [[LEFT:%.*]], [[WAY:%.*]] = scf.while ([[A:%.*]] = [[ENTERED]]) : (i32) -> (i32, i32, i1) {
// CHECK-NEXT:          [[HALF:%.*]] = arith.shrui [[A]], %one : i32
// CHECK:               scf.if
// CHECK-NEXT:            memref.store [[NEW:%.*]], %a_context[%lx_1] : memref<64xi32>
// CHECK:               scf.condition
// CHECK:             [[SYNC:%.*]] = scf.if [[WAY]] -> (index) {
// CHECK-NEXT:          memref.store [[LEFT]], %x[%lx_1] : memref<?xi32>
// CHECK-NEXT:          scf.yield %c0 : index
// CHECK-NEXT:        } else {
// CHECK-NEXT:          scf.yield %c1 : index
// CHECK-NEXT:        }
// CHECK-NEXT:        memref.store [[SYNC]], %next_sync[] : memref<index>
// CHECK-NOT:     cf.br
// CHECK:         spmd.return
spmd.kernel @blocks(%x: memref<?xi32>) attributes {work_group_size = array<i64: 64>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lid = spmd.local_id x
  %v = memref.load %x[%lid] : memref<?xi32>
  cf.br ^head(%v : i32)
^head(%a: i32):
  %odd = arith.trunci %a : i32 to i1
  cf.cond_br %odd, ^wait, ^on
^wait:
  spmd.barrier
  cf.br ^on
^on:
  %half = arith.shrui %a, %one : i32
  %more = arith.cmpi ne, %half, %zero : i32
  cf.cond_br %more, ^head(%half : i32), ^exit
^exit:
  memref.store %a, %x[%lid] : memref<?xi32>
  spmd.return
}

// -----

// What cannot be kept.

// CHECK: expected scf.yield to forward no memref that is used after a barrier: run rematerialize-memrefs before this pass
spmd.kernel @memref(%x: memref<?xi32>, %y: memref<?xi32>, %p: memref<?xi1>) {
  %c0 = arith.constant 0 : index
  %lid = spmd.local_id x
  %q = memref.load %p[%lid] : memref<?xi1>
  %m = scf.if %q -> (memref<?xi32>) {
    "test.op"() : () -> ()
    scf.yield %x : memref<?xi32>
  } else {
    scf.yield %y : memref<?xi32>
  }
  spmd.barrier
  %v = memref.load %m[%c0] : memref<?xi32>
  memref.store %v, %m[%lid] : memref<?xi32>
  spmd.return
}

// -----

// The size of a private array is computed where it is used, from what runs once.

// CHECK-LABEL: spmd.kernel @dynamic_private
// CHECK:         [[SIZE:%.*]] = arith.addi %n, %c1 : index
// CHECK-NEXT:    %a = memref.alloca([[SIZE]]) {{.*}} : memref<?x64xf32>
// CHECK:         memref.store %v, %a[%n, %lx] : memref<?x64xf32>
// CHECK:         memref.load %a[%n, {{%.*}}] : memref<?x64xf32>
// CHECK:         spmd.return
spmd.kernel @dynamic_private(%n: index, %v: f32, %p: i1) attributes {work_group_size = array<i64: 64>} {
  %c1 = arith.constant 1 : index
  cf.cond_br %p, ^then, ^end
^then:
  %size = arith.addi %n, %c1 : index
  %a = memref.alloca(%size) : memref<?xf32>
  memref.store %v, %a[%n] : memref<?xf32>
  spmd.barrier
  %w = memref.load %a[%n] : memref<?xf32>
  "test.op"(%w) : (f32) -> ()
  cf.br ^end
^end:
  spmd.return
}

// -----

// CHECK: expected a private array of static size, or of a size that is known before the first barrier, got memref<?xf32>: it lives across a barrier
spmd.kernel @late_size(%x: memref<?xindex>, %i: index, %v: f32) {
  memref.store %i, %x[%i] : memref<?xindex>
  %size = memref.load %x[%i] : memref<?xindex>
  %a = memref.alloca(%size) : memref<?xf32>
  memref.store %v, %a[%i] : memref<?xf32>
  spmd.barrier
  %w = memref.load %a[%i] : memref<?xf32>
  memref.store %w, %a[%i] : memref<?xf32>
  spmd.return
}

// -----

// What the group gets needs no memory where it gets it.

// CHECK-LABEL: spmd.kernel @total
// CHECK-NOT:     slot
// CHECK:         %s = scf.for
// CHECK-NOT:     slot
// CHECK:         "test.op"(%s)
// CHECK:         spmd.return
spmd.kernel @total(%x: memref<64xi32>) attributes {work_group_size = array<i64: 64>} {
  %i = spmd.local_id x
  %v = memref.load %x[%i] : memref<64xi32>
  %s = spmd.reduce add %v across work_group : i32
  "test.op"(%s) : (i32) -> ()
  spmd.return
}
