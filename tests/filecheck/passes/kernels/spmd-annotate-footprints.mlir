// RUN: xdsl-opt %s -p spmd-annotate-footprints --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p spmd-annotate-footprints,spmd-annotate-footprints --split-input-file | filecheck %s

// Guards clip, views and calls are followed, attributes that were there stay.

// CHECK-LABEL: @stencil
// CHECK-SAME:    (%n: index, %x: memref<?xf32> {spmd.noalias, spmd.reads = "[first.x + 1 to min(%n - 2, last.x + 1)] and [max(0, first.x - 1) to last.x - 1]"}, %y: memref<?x4xf32> {spmd.writes = "[first.x to min(%n - 3, last.x), 2]"})
spmd.kernel @stencil(%n: index, %x: memref<?xf32> {spmd.noalias}, %y: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %last = arith.subi %n, %c2 : index
  %inner = arith.cmpi slt, %i, %last : index
  scf.if %inner {
    %r = func.call @next(%i) : (index) -> index
    %v = memref.load %x[%r] : memref<?xf32>
    %column = memref.subview %y[0, 2] [%n, 1] [1, 1] : memref<?x4xf32> to memref<?xf32, strided<[4], offset: 2>>
    memref.store %v, %column[%i] : memref<?xf32, strided<[4], offset: 2>>
  }
  %some = arith.cmpi ne, %i, %c0 : index
  scf.if %some {
    %l = arith.subi %i, %c1 : index
    %v = memref.load %x[%l] : memref<?xf32>
  }
  spmd.return
}

func.func private @next(%i: index) -> index {
  %c1 = arith.constant 1 : index
  %r = arith.addi %i, %c1 : index
  func.return %r : index
}

// -----

// Groups, loops, local memory which does not count, and what data decides about.

// CHECK-LABEL: @groups
// CHECK-SAME:    (%k: index, %a: memref<?x?xf32> {spmd.reads = "[first_group.x to last_group.x, 0 to %k - 1]"}, %column: memref<?xindex> {spmd.reads = "[first.x to last.x]"}, %x: memref<?xf32> {spmd.reads = "anything: x[column[i]], because of column[i]"}, %y: memref<?xf32> {spmd.writes = "within [first.x to last.x]"}, %bins: memref<?xi32> {spmd.reduces = "add [0]"}, %old: memref<?xi32> {spmd.reads = "[first_group.x to last_group.x]", spmd.writes = "[first_group.x to last_group.x]", spmd.reduces = "add [first_group.x to last_group.x]"})
spmd.kernel @groups(%k: index, %a: memref<?x?xf32>, %column: memref<?xindex>, %x: memref<?xf32>, %y: memref<?xf32>, %bins: memref<?xi32>, %old: memref<?xi32>)
    attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %g = spmd.group_id x
  %i = spmd.global_id x
  %l = spmd.local_id x
  %tile = spmd.local_alloc : memref<64xf32, #spmd.memory<local>>
  memref.store %zero, %tile[%l] : memref<64xf32, #spmd.memory<local>>
  scf.for %j = %c0 to %k step %c1 {
    %v = memref.load %a[%g, %j] : memref<?x?xf32>
  }
  %c = memref.load %column[%i] : memref<?xindex>
  %w = memref.load %x[%c] : memref<?xf32>
  %positive = arith.cmpf ogt, %w, %zero : f32
  scf.if %positive {
    memref.store %w, %y[%i] : memref<?xf32>
  }
  %unused = spmd.atomic_rmw add %one, %bins[%c0] : memref<?xi32>
  %before = spmd.atomic_rmw add %one, %old[%g] : memref<?xi32>
  %more = spmd.atomic_rmw add %before, %old[%g] : memref<?xi32>
  spmd.return
}

// -----

// What wraps around, what is divided, and blocks in the place of regions.

// CHECK-LABEL: @wraps
// CHECK-SAME:    (%n: index, %x: memref<?xf32> {spmd.reads = "[max(0, ceil((first.x - 1) / 2)) to floor((last.x) / 2)]"}, %y: memref<?xf32> {spmd.writes = "[0 to 1]"})
spmd.kernel @wraps(%n: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c2 = arith.constant 2 : index
  %i = spmd.global_id x
  %half = arith.divui %i, %c2 : index
  %inside = arith.cmpi ult, %i, %n : index
  cf.cond_br %inside, ^work, ^done
^work:
  %v = memref.load %x[%half] : memref<?xf32>
  %j = arith.remui %i, %c2 : index
  memref.store %v, %y[%j] : memref<?xf32>
  cf.br ^done
^done:
  spmd.return
}

// -----

// What is limited on one side by what data says can lie anywhere on the other.

// CHECK-LABEL: @clamped
// CHECK-SAME:    %x: memref<?xf32> {spmd.reads = "anything: x[low], because of at[i]"}, %y: memref<?xf32> {spmd.writes = "within [0 to 7]"})
spmd.kernel @clamped(%at: memref<?xindex>, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %i = spmd.global_id x
  %a = memref.load %at[%i] : memref<?xindex>
  %low = arith.maxsi %a, %c0 : index
  %v = memref.load %x[%low] : memref<?xf32>
  %both = arith.minsi %low, %c7 : index
  memref.store %v, %y[%both] : memref<?xf32>
  spmd.return
}

// -----

// What all branches of conditions do is done, whatever data decides; what some do may be.

// CHECK-LABEL: @branches
// CHECK-SAME:    %x: memref<?xf32> {spmd.reads = "[first.x to last.x]", spmd.writes = "[first.x to last.x]"}, %y: memref<?xf32> {spmd.writes = "within [first.x to last.x]"}, %bins: memref<4xi32> {spmd.reduces = "add within [0 to 1]"})
spmd.kernel @branches(%x: memref<?xf32>, %y: memref<?xf32>, %bins: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %i = spmd.global_id x
  %v = memref.load %x[%i] : memref<?xf32>
  %positive = arith.cmpf ogt, %v, %zero : f32
  scf.if %positive {
    memref.store %zero, %x[%i] : memref<?xf32>
    memref.store %v, %y[%i] : memref<?xf32>
    %a = spmd.atomic_rmw add %one, %bins[%c0] : memref<4xi32>
  } else {
    %next = arith.addi %i, %c1 : index
    %same = arith.subi %next, %c1 : index
    %b = spmd.atomic_rmw add %one, %bins[%c1] : memref<4xi32>
    %negative = arith.cmpf olt, %v, %zero : f32
    scf.if %negative {
      memref.store %v, %y[%i] : memref<?xf32>
      memref.store %v, %x[%same] : memref<?xf32>
    } else {
      memref.store %zero, %x[%i] : memref<?xf32>
      memref.store %v, %x[%i] : memref<?xf32>
    }
  }
  spmd.return
}

// -----

// A remainder that is rounded down, as Python has it: the signs of numbers differ or not.

// CHECK-LABEL: @floored
// CHECK-SAME:    (%m: index, %x: memref<?xf32> {spmd.reads = "[0 to 3]"}, %y: memref<?xf32> {spmd.reads = "[%m] and [0]"})
spmd.kernel @floored(%m: index, %x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %i = spmd.global_id x
  %rest = arith.remsi %i, %c4 : index
  %mixed = arith.xori %rest, %c4 : index
  %differ = arith.cmpi slt, %mixed, %c0 : index
  %some = arith.cmpi ne, %rest, %c0 : index
  %wrong = arith.andi %some, %differ : i1
  %up = arith.addi %rest, %c4 : index
  %floored = arith.select %wrong, %up, %rest : index
  %v = memref.load %x[%floored] : memref<?xf32>
  %flips = arith.xori %i, %m : index
  %negative = arith.cmpi slt, %flips, %c0 : index
  %at = arith.select %negative, %m, %c0 : index
  %w = memref.load %y[%at] : memref<?xf32>
  spmd.return
}

// -----

// Of a long chain of indices the end is not told.

// CHECK-LABEL: @chain
// CHECK-SAME:    spmd.reads = "anything: x[next[next[next[next[c]]]]], because of next[next[next[next[c]]]]"
spmd.kernel @chain(%next: memref<?xindex>, %x: memref<?xf32>) {
  %i = spmd.global_id x
  %a = memref.load %next[%i] : memref<?xindex>
  %b = memref.load %next[%a] : memref<?xindex>
  %c = memref.load %next[%b] : memref<?xindex>
  %d = memref.load %next[%c] : memref<?xindex>
  %e = memref.load %next[%d] : memref<?xindex>
  %f = memref.load %next[%e] : memref<?xindex>
  %g = memref.load %next[%f] : memref<?xindex>
  %v = memref.load %x[%g] : memref<?xf32>
  spmd.return
}

// -----

// The extent of an array is called after the array.

// CHECK-LABEL: @extent
// CHECK-SAME:    %y: memref<?xf32> {spmd.reads = "[dim(%x, 0) + first.x to dim(%x, 0) + last.x]"}
spmd.kernel @extent(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %size = memref.dim %x, %c0 : memref<?xf32>
  %i = spmd.global_id x
  %at = arith.addi %i, %size : index
  %v = memref.load %y[%at] : memref<?xf32>
  spmd.return
}
