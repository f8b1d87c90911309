// RUN: xdsl-opt %s -p fold-uniform-collectives | filecheck %s
// RUN: xdsl-opt %s -p fold-uniform-collectives,fold-uniform-collectives | filecheck %s

// CHECK-LABEL: @value_itself
// CHECK-NEXT:    %g = spmd.group_id x
// CHECK-NEXT:    "test.op"(%p, %p, %g, %g, %g, %g)
spmd.kernel @value_itself(%p: i1, %lane: index) {
  %g = spmd.group_id x
  %0 = spmd.any %p across sub_group
  %1 = spmd.all %p across work_group
  %2 = spmd.broadcast %g from %lane across work_group : index
  %3 = spmd.shuffle down %g, %lane : index
  %4 = spmd.reduce min %g across work_group : index
  %5 = spmd.scan inclusive or %g across sub_group : index
  "test.op"(%0, %1, %2, %3, %4, %5) : (i1, i1, index, index, index, index) -> ()
  spmd.return
}

// What is uniform because another collective made it so.

// CHECK-LABEL: @chain
// CHECK:         %v = memref.load
// CHECK-NEXT:    %0 = spmd.reduce max %v across work_group : i32
// CHECK-NEXT:    "test.op"(%0)
spmd.kernel @chain(%m: memref<?xi32>) {
  %i = spmd.global_id x
  %v = memref.load %m[%i] : memref<?xi32>
  %0 = spmd.reduce max %v across work_group : i32
  %1 = spmd.reduce max %0 across work_group : i32
  %2 = spmd.broadcast %1 from %i across sub_group : i32
  "test.op"(%2) : (i32) -> ()
  spmd.return
}

// A sum counts; sizes known to be 1 are no factor.

// CHECK-LABEL: @sum
// CHECK-NEXT:    %0 = spmd.local_size x
// CHECK-NEXT:    %1 = arith.muli %n, %0 : index
// CHECK-NEXT:    %2 = spmd.local_size y
// CHECK-NEXT:    %all = arith.muli %1, %2 : index
// CHECK-NEXT:    "test.op"(%all)
spmd.kernel @sum(%n: index) attributes {work_group_size = array<i64: 8, 4>} {
  %all = spmd.reduce add %n across work_group : index
  "test.op"(%all) : (index) -> ()
  spmd.return
}

// CHECK-LABEL: @narrow_sum
// CHECK:         arith.index_cast %{{.*}} : index to i8
// CHECK-NEXT:    arith.muli %v, %{{.*}} : i8
// CHECK-NOT:     spmd.reduce
spmd.kernel @narrow_sum(%v: i8) attributes {work_group_size = array<i64: 8>} {
  %all = spmd.reduce add %v across work_group : i8
  "test.op"(%all) : (i8) -> ()
  spmd.return
}

// What depends on how many take part, or on the order of floats, stays.

// CHECK-LABEL: @counting
// CHECK-NEXT:    spmd.reduce add %f across work_group : f32
// CHECK-NEXT:    spmd.reduce add %v across sub_group : i32
// CHECK-NEXT:    spmd.reduce xor %v across work_group : i32
// CHECK-NEXT:    spmd.reduce mul %v across work_group : i32
// CHECK-NEXT:    spmd.scan inclusive add %v across work_group : i32
// CHECK-NEXT:    spmd.scan exclusive min %v across work_group : i32
// CHECK-NEXT:    spmd.ballot %p : i64
// CHECK-NEXT:    spmd.elect
spmd.kernel @counting(%f: f32, %v: i32, %p: i1) {
  %0 = spmd.reduce add %f across work_group : f32
  %1 = spmd.reduce add %v across sub_group : i32
  %2 = spmd.reduce xor %v across work_group : i32
  %3 = spmd.reduce mul %v across work_group : i32
  %4 = spmd.scan inclusive add %v across work_group : i32
  %5 = spmd.scan exclusive min %v across work_group : i32
  %6 = spmd.ballot %p : i64
  %7 = spmd.elect
  "test.op"(%0, %1, %2, %3, %4, %5, %6, %7) : (f32, i32, i32, i32, i32, i32, i64, i1) -> ()
  spmd.return
}

// CHECK-LABEL: @varying
// CHECK-NEXT:    %l = spmd.local_id x
// CHECK-NEXT:    %0 = spmd.reduce max %l across work_group : index
spmd.kernel @varying() {
  %l = spmd.local_id x
  %0 = spmd.reduce max %l across work_group : index
  "test.op"(%0) : (index) -> ()
  spmd.return
}

// Each work-item reaches the collective once, in an iteration of its own: its value of the
// iteration is not that of the others. Lanes of a sub-group meet in the same iteration only.

// CHECK-LABEL: @iterations_of_their_own
// CHECK:           %most = spmd.reduce max %iteration across work_group : index
// CHECK-NEXT:      "test.op"(%most, %n, %iteration)
spmd.kernel @iterations_of_their_own(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = spmd.local_id x
  scf.for %iteration = %c0 to %n step %c1 {
    %mine = arith.cmpi eq, %iteration, %l : index
    scf.if %mine {
      %most = spmd.reduce max %iteration across work_group : index
      %outside = spmd.reduce max %n across work_group : index
      %together = spmd.reduce max %iteration across sub_group : index
      "test.op"(%most, %outside, %together) : (index, index, index) -> ()
    }
  }
  spmd.return
}

// A value that is made once, before the loop, is the same in whatever iteration they are: in
// a branch it is; in blocks nobody has looked.

// CHECK-LABEL: @made_once_in_a_branch
// CHECK:             "test.op"(%twice)
spmd.kernel @made_once_in_a_branch(%n: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = spmd.local_id x
  scf.if %p {
    %twice = arith.addi %n, %n : index
    scf.for %iteration = %c0 to %n step %c1 {
      %mine = arith.cmpi eq, %iteration, %l : index
      scf.if %mine {
        %most = spmd.reduce max %twice across work_group : index
        "test.op"(%most) : (index) -> ()
      }
    }
  }
  spmd.return
}

// CHECK-LABEL: @made_in_each_iteration
// CHECK:           %most = spmd.reduce max %twice across work_group : index
spmd.kernel @made_in_each_iteration(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = spmd.local_id x
  scf.for %iteration = %c0 to %n step %c1 {
    %mine = arith.cmpi eq, %iteration, %l : index
    scf.if %mine {
      %twice = arith.addi %iteration, %n : index
      %most = spmd.reduce max %twice across work_group : index
      "test.op"(%most) : (index) -> ()
    }
  }
  spmd.return
}

// CHECK-LABEL: @made_in_blocks
// CHECK:           %most = spmd.reduce max %i across work_group : index
spmd.kernel @made_in_blocks(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = spmd.local_id x
  cf.br ^loop(%c0 : index)
^loop(%i: index):
  %mine = arith.cmpi eq, %i, %l : index
  scf.if %mine {
    %most = spmd.reduce max %i across work_group : index
    "test.op"(%most) : (index) -> ()
  }
  %next = arith.addi %i, %c1 : index
  %more = arith.cmpi ult, %next, %n : index
  cf.cond_br %more, ^loop(%next : index), ^end
^end:
  spmd.return
}

// CHECK-LABEL: @same_iteration
// CHECK:           "test.op"(%iteration)
spmd.kernel @same_iteration(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %iteration = %c0 to %n step %c1 {
    %most = spmd.reduce max %iteration across work_group : index
    "test.op"(%most) : (index) -> ()
  }
  spmd.return
}

// Where a function is called from is not known here.

// CHECK-LABEL: @function
// CHECK-NEXT:    spmd.any %p across work_group
func.func @function(%p: i1) -> i1 {
  %0 = spmd.any %p across work_group
  func.return %0 : i1
}
