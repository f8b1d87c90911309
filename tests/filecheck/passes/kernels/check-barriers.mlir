// RUN: xdsl-opt %s -p check-barriers --split-input-file --verify-diagnostics | filecheck %s
// RUN: xdsl-opt %s -p 'check-barriers{divergent-barriers=allow}' --split-input-file --verify-diagnostics | filecheck %s --check-prefix=ALLOW

// ALLOW-NOT: expected

// CHECK:      expected all work-items of the group to reach spmd.barrier, got one under scf.if ({{.*}}),
// CHECK-SAME: whose condition differs between work-items: %lid = spmd.local_id x -> %low = arith.cmpi ult
spmd.kernel @in_if(%n: index) {
  %lid = spmd.local_id x
  %low = arith.cmpi ult, %lid, %n : index
  scf.if %low {
    spmd.barrier
  }
  spmd.return
}

// -----

// Barriers in both branches are two different barriers.

// CHECK:      under scf.if ({{.*}}), whose condition differs between work-items: %lid = spmd.local_id y ->
// CHECK-SAME: %bit = arith.andi -> %i = arith.index_cast -> %odd = arith.trunci
spmd.kernel @in_both(%n: index) {
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id y
  %bit = arith.andi %lid, %c1 : index
  %i = arith.index_cast %bit : index to i32
  %odd = arith.trunci %i : i32 to i1
  scf.if %odd {
    spmd.barrier
  } else {
    spmd.barrier
  }
  spmd.return
}

// -----

// CHECK: expected all work-items of the group to reach spmd.reduce, got one under scf.index_switch ({{.*}}), whose argument differs between work-items: %lane = spmd.lane_id
spmd.kernel @in_switch(%x: f32) {
  %lane = spmd.lane_id
  scf.index_switch %lane
  case 0 {
    %r = spmd.reduce add %x across work_group : f32
    scf.yield
  }
  default {
    scf.yield
  }
  spmd.return
}

// -----

// CHECK: got one under scf.while ({{.*}}), whose condition differs between work-items: %lid = spmd.local_id x -> %low = arith.cmpi ult
spmd.kernel @in_while(%n: index) {
  %lid = spmd.local_id x
  %low = arith.cmpi ult, %lid, %n : index
  scf.while () : () -> () {
    scf.condition(%low)
  } do {
    spmd.barrier
    scf.yield
  }
  spmd.return
}

// -----

// CHECK: got one under scf.for ({{.*}}), whose upper bound differs between work-items: %lid = spmd.local_id x
spmd.kernel @in_for() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  scf.for %i = %c0 to %lid step %c1 {
    spmd.barrier
  }
  spmd.return
}

// -----

// CHECK: got one under cf.cond_br ({{.*}}), whose condition differs between work-items: %lid = spmd.local_id x -> %low = arith.cmpi ult
spmd.kernel @in_block(%n: index) {
  %lid = spmd.local_id x
  %low = arith.cmpi ult, %lid, %n : index
  cf.cond_br %low, ^then, ^exit
^then:
  spmd.barrier
  cf.br ^exit
^exit:
  spmd.return
}

// -----

// What is accepted: the rest.

// CHECK-LABEL: spmd.kernel @accepted
spmd.kernel @accepted(%n: index, %flags: memref<?xi1>, %ends: memref<?xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %group = spmd.group_id x

  // Uniform.
  %a = arith.cmpi ult, %group, %n : index
  scf.if %a {
    spmd.barrier
  }
  %zero = arith.subi %lid, %lid : index
  %b = arith.cmpi eq, %zero, %c0 : index
  scf.if %b {
    spmd.barrier
  }

  // With a global id or a load.
  %c = arith.cmpi ult, %gid, %n : index
  scf.if %c {
    spmd.barrier
  }
  %d = memref.load %flags[%lid] : memref<?xi1>
  scf.if %d {
    spmd.barrier
  }

  // With an induction variable.
  scf.for %i = %c0 to %c2 step %c1 {
    %e = arith.cmpi eq, %i, %lid : index
    scf.if %e {
      spmd.barrier
    }
  }

  // A loop of different trip counts with a barrier under another branch.
  %trips = arith.addi %lid, %c2 : index
  scf.for %i = %c0 to %trips step %c1 {
    %f = arith.cmpi ult, %i, %c2 : index
    scf.if %f {
      spmd.barrier
    }
  }

  // The condition of a loop is not decisive for what stands before it.
  %g = arith.cmpi ult, %lid, %n : index
  scf.while () : () -> () {
    spmd.barrier
    scf.condition(%g)
  } do {
    scf.yield
  }

  // Sub-group barriers are not the work-group's.
  scf.if %g {
    spmd.barrier sub_group
  }
  spmd.return
}

// -----

// Both paths lead to the barrier, one around the loop's back edge only.

// CHECK-LABEL: spmd.kernel @joins
spmd.kernel @joins(%n: index) {
  %lid = spmd.local_id x
  %low = arith.cmpi ult, %lid, %n : index
  cf.cond_br %low, ^then, ^join
^then:
  cf.br ^join
^join:
  spmd.barrier
  cf.cond_br %low, ^join, ^exit
^exit:
  spmd.return
}

// -----

// What a loop of blocks carries is nothing that the program says of work-items.

// CHECK-LABEL: spmd.kernel @carried_by_blocks
spmd.kernel @carried_by_blocks() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lid = spmd.local_id x
  cf.br ^head(%c0 : index)
^head(%i: index):
  %more = arith.cmpi ult, %i, %lid : index
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %i, %c1 : index
  cf.br ^head(%next : index)
^exit:
  spmd.barrier
  spmd.return
}

// -----

// Conditions that always hold, or never.

// CHECK-LABEL: spmd.kernel @always
spmd.kernel @always() attributes {work_group_size = array<i64: 16>} {
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %lid = spmd.local_id x
  %size = spmd.local_size x
  %in_group = arith.cmpi ult, %lid, %size : index
  scf.if %in_group {
    spmd.barrier
  }
  %in_nominal = arith.cmpi ule, %lid, %c15 : index
  scf.if %in_nominal {
    spmd.barrier
  }
  %outside = arith.cmpi eq, %lid, %c16 : index
  scf.if %outside {
    spmd.barrier
  }
  spmd.return
}

// -----

// Each work-item comes to it four times, wherever it begins.

// CHECK-LABEL: spmd.kernel @known_trip_count
spmd.kernel @known_trip_count() attributes {work_group_size = array<i64: 64>} {
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %lid = spmd.local_id x
  scf.for %i = %lid to %c256 step %c64 {
    spmd.barrier
  }
  spmd.return
}

// -----

// CHECK:      under scf.for ({{.*}}), whose lower bound differs between work-items: %lid = spmd.local_id x
spmd.kernel @some_once_more() attributes {work_group_size = array<i64: 64>} {
  %c64 = arith.constant 64 : index
  %c255 = arith.constant 255 : index
  %lid = spmd.local_id x
  scf.for %i = %lid to %c255 step %c64 {
    spmd.barrier
  }
  spmd.return
}
