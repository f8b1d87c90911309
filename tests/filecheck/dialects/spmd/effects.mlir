// RUN: xdsl-opt %s -p cse,dce,licm,canonicalize,control-flow-hoist | filecheck %s

// What reads or synchronises stays where it is, however useless it looks.

// CHECK-LABEL: @repeated
// CHECK-COUNT-2: spmd.any %p across sub_group
// CHECK-COUNT-2: spmd.all %p across work_group
// CHECK-COUNT-2: spmd.ballot %p
// CHECK-COUNT-2: spmd.elect
// CHECK-COUNT-2: spmd.reduce add %v
// CHECK-COUNT-2: spmd.scan inclusive add %v
// CHECK-COUNT-2: spmd.broadcast %v
// CHECK-COUNT-2: spmd.shuffle xor %v
// CHECK-COUNT-2: spmd.atomic_rmw add %v
// CHECK-COUNT-2: spmd.atomic_cas %v
spmd.kernel @repeated(%p: i1, %v: i32, %i: index, %m: memref<i32>) {
  %a = spmd.any %p across sub_group
  %b = spmd.any %p across sub_group
  %c = spmd.all %p across work_group
  %d = spmd.all %p across work_group
  %e = spmd.ballot %p : i64
  %f = spmd.ballot %p : i64
  %g = spmd.elect
  %h = spmd.elect
  %j = spmd.reduce add %v across sub_group : i32
  %k = spmd.reduce add %v across sub_group : i32
  %l = spmd.scan inclusive add %v across sub_group : i32
  %n = spmd.scan inclusive add %v across sub_group : i32
  %o = spmd.broadcast %v from %i across sub_group : i32
  %q = spmd.broadcast %v from %i across sub_group : i32
  %r = spmd.shuffle xor %v, %i : i32
  %s = spmd.shuffle xor %v, %i : i32
  %t = spmd.atomic_rmw add %v, %m[] : memref<i32>
  %u = spmd.atomic_rmw add %v, %m[] : memref<i32>
  %w, %x = spmd.atomic_cas %v, %v, %m[] : memref<i32>
  %y, %z = spmd.atomic_cas %v, %v, %m[] : memref<i32>
  "test.op"(%a, %b, %c, %d, %e, %f, %g, %h, %j, %k, %l, %n, %o, %q, %r, %s)
    : (i1, i1, i1, i1, i64, i64, i1, i1, i32, i32, i32, i32, i32, i32, i32, i32) -> ()
  spmd.return
}

// A collective under a condition concerns those that take the branch: it is neither
// hoisted out of the branch or loop, nor merged with the one before.

// CHECK-LABEL: @under_control_flow
// CHECK-NEXT:    %c0 = arith.constant 0 : index
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %0 = spmd.reduce add %v across sub_group : i32
// CHECK-NEXT:    scf.if %p {
// CHECK-NEXT:      %1 = spmd.reduce add %v across sub_group : i32
// CHECK-NEXT:      %2 = spmd.elect
// CHECK-NEXT:      "test.op"(%0, %1, %2)
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      %4 = spmd.shuffle down %v, %c1 : i32
// CHECK-NEXT:      %5 = spmd.any %p across sub_group
// CHECK-NEXT:      "test.op"(%4, %5)
// CHECK-NEXT:    }
spmd.kernel @under_control_flow(%p: i1, %v: i32, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = spmd.reduce add %v across sub_group : i32
  scf.if %p {
    %1 = spmd.reduce add %v across sub_group : i32
    %2 = spmd.elect
    "test.op"(%0, %1, %2) : (i32, i32, i1) -> ()
  }
  scf.for %3 = %c0 to %n step %c1 {
    %4 = spmd.shuffle down %v, %c1 : i32
    %5 = spmd.any %p across sub_group
    "test.op"(%4, %5) : (i32, i1) -> ()
  }
  spmd.return
}

// No access moves across a barrier, and no barrier out of a loop.

// CHECK-LABEL: @across_a_barrier
// CHECK:         %v = memref.load
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    %w = memref.load
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      spmd.barrier sub_group
// CHECK-NEXT:      %x = memref.load
spmd.kernel @across_a_barrier(%m: memref<i32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.load %m[] : memref<i32>
  spmd.barrier
  %w = memref.load %m[] : memref<i32>
  scf.for %i = %c0 to %n step %c1 {
    spmd.barrier sub_group
    %x = memref.load %m[] : memref<i32>
    "test.op"(%v, %w, %x) : (i32, i32, i32) -> ()
  }
  spmd.return
}

// Two allocations are two storages; one that nobody uses is none.

// CHECK-LABEL: @local_memory
// CHECK-NEXT:    %a = spmd.local_alloc
// CHECK-NEXT:    %b = spmd.local_alloc
// CHECK-NEXT:    "test.op"(%a, %b)
spmd.kernel @local_memory() {
  %a = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>
  %b = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>
  %unused = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>
  "test.op"(%a, %b) : (memref<4xf32, #spmd.memory<local>>, memref<4xf32, #spmd.memory<local>>) -> ()
  spmd.return
}

// Ids do not change: they are merged, hoisted and erased.

// CHECK-LABEL: @ids
// CHECK:         %i = spmd.global_id x
// CHECK-NEXT:    %k = spmd.global_id x {mine.note}
// CHECK-NEXT:    %n = spmd.num_sub_groups
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      "test.op"(%i, %i, %k, %n)
spmd.kernel @ids(%m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %unused = spmd.local_id x
  %i = spmd.global_id x
  scf.for %x = %c0 to %m step %c1 {
    %j = spmd.global_id x
    %k = spmd.global_id x {mine.note}
    %n = spmd.num_sub_groups
    "test.op"(%i, %j, %k, %n) : (index, index, index, index) -> ()
  }
  spmd.return
}

// At level 1 a lane's place depends on the work-item loop around it, which it does not
// mention.

// CHECK-LABEL: @lanes_of_a_work_item_loop
// CHECK:         scf.for
// CHECK-NEXT:      %l = spmd.lane_id
// CHECK-NEXT:      %s = spmd.sub_group_id
// CHECK-NEXT:      %w = spmd.sub_group_size
// CHECK-NEXT:      "test.op"(%l, %l, %s, %w)
func.func @lanes_of_a_work_item_loop(%m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %x = %c0 to %m step %c1 {
    %l = spmd.lane_id
    %k = spmd.lane_id
    %s = spmd.sub_group_id
    %w = spmd.sub_group_size
    "test.op"(%l, %k, %s, %w) : (index, index, index, index) -> ()
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// Sub-groups and masks do what their bodies do.

// CHECK-LABEL: @lanes
// CHECK:         spmd.sub_group (%i) shape [16] at (%b) {
// CHECK-NEXT:      %p = "test.pureop"(%i)
// CHECK-NEXT:      %x = spmd.masked %p -> (index) {
// CHECK-NEXT:        %r = spmd.reduce add %i across sub_group : index
// CHECK-NEXT:        spmd.yield %r : index
// CHECK-NEXT:      }
// CHECK-NEXT:      %y = spmd.masked %p -> (index) {
// CHECK-NEXT:        %s = spmd.reduce add %i across sub_group : index
// CHECK-NEXT:        spmd.yield %s : index
// CHECK-NEXT:      }
// CHECK-NEXT:      spmd.masked %p {
// CHECK-NEXT:        memref.store %x, %m[%y]
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @lanes(%b: index, %m: memref<?xindex>) {
  spmd.sub_group (%i) shape [16] at (%b) {
    %p = "test.pureop"(%i) : (index) -> i1
    %unused = spmd.masked %p -> (index) {
      %double = arith.addi %i, %i : index
      spmd.yield %double : index
    }
    %x = spmd.masked %p -> (index) {
      %r = spmd.reduce add %i across sub_group : index
      spmd.yield %r : index
    }
    %y = spmd.masked %p -> (index) {
      %s = spmd.reduce add %i across sub_group : index
      spmd.yield %s : index
    }
    spmd.masked %p {
      memref.store %x, %m[%y] : memref<?xindex>
    }
  }
  spmd.sub_group (%i) shape [16] at (%b) {
  }
  func.return
}

// A launch is never repeated, merged or left out.

// CHECK-LABEL: @host
// CHECK-COUNT-2: spmd.launch @group
spmd.kernel @group() attributes {work_group_size = array<i64: 64>} {
  spmd.return
}
func.func @host(%n: index) {
  spmd.launch @group groups(%n) ()
  spmd.launch @group groups(%n) ()
  func.return
}
