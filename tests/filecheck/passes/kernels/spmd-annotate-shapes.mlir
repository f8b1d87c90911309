// RUN: xdsl-opt %s -p spmd-annotate-shapes --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p spmd-annotate-shapes,spmd-annotate-shapes --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-annotate-shapes{why=true}' --split-input-file | filecheck %s --check-prefix WHY

// Every dimension has a shape; those at the end that are uniform are left out.

// CHECK-LABEL: @dimensions
// CHECK-SAME:    spmd.argument_shapes = {{\[\[}}"uniform", "uniform"]]
// CHECK:         %c16 = arith.constant {spmd.shapes = ["uniform align 16"]} 16 : index
// CHECK-NEXT:    %lx = spmd.local_id x {spmd.shapes = ["contiguous align 0"]}
// CHECK-NEXT:    %ly = spmd.local_id y {spmd.shapes = ["uniform / contiguous align 0"]}
// CHECK-NEXT:    %gx = spmd.global_id x {spmd.shapes = ["contiguous align 64"]}
// CHECK-NEXT:    arith.muli %ly, %c16 {spmd.shapes = ["uniform align 16 / stride 16 align 0"]}
// CHECK-NEXT:    memref.load %x[%ly, %lx] {spmd.shapes = ["varying / varying"], spmd.access = "contiguous / stride 16"}
// CHECK-NEXT:    memref.load %x[%n, %n] {spmd.shapes = ["uniform"], spmd.access = "uniform"}
spmd.kernel @dimensions(%n: index, %x: memref<?x16xf32>)
    attributes {work_group_size = array<i64: 64, 4>} {
  %c16 = arith.constant 16 : index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %gx = spmd.global_id x
  %row = arith.muli %ly, %c16 : index
  %v = memref.load %x[%ly, %lx] : memref<?x16xf32>
  %w = memref.load %x[%n, %n] : memref<?x16xf32>
  spmd.return
}

// -----

// Divergent branches and loops say in which dimensions, and, if asked, why.

// CHECK-LABEL: @divergent
// CHECK:         scf.if %low {
// CHECK:         }{spmd.divergent = "x"}
// CHECK:         scf.if %same {
// CHECK:         }{{$}}
// CHECK:         %r = scf.for
// CHECK-NEXT:      arith.addi %s, %i {spmd.shapes = ["uniform"]}
// CHECK:         } {spmd.shapes = ["uniform / varying"], spmd.argument_shapes = {{\[\[}}"uniform", "uniform"]], spmd.divergent = "y"}
// WHY-LABEL:   @divergent
// WHY:           spmd.why = "scf.if at {{[^ ]*}} is divergent: it depends on %low; %low is varying: arith.cmpi of %lx; %lx is varying: spmd.local_id differs between work-items"
spmd.kernel @divergent(%n: index, %m: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %low = arith.cmpi slt, %lx, %n : index
  scf.if %low {
    %inside = arith.addi %n, %m : index
  }
  %same = arith.cmpi slt, %n, %m : index
  scf.if %same {
    %inside2 = arith.addi %n, %m : index
  }
  %r = scf.for %i = %c0 to %ly step %c1 iter_args(%s = %c0) -> (index) {
    %t = arith.addi %s, %i : index
    scf.yield %t : index
  }
  spmd.return
}

// -----

// Blocks: one list of arguments for each.

// CHECK-LABEL: @blocks
// CHECK-SAME:    spmd.argument_shapes = {{\[\[}}"uniform"], [], ["varying"]]
// CHECK:         cf.cond_br %low, ^a, ^b(%c4 : index) {spmd.divergent = "x"}
spmd.kernel @blocks(%n: index) {
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %lx = spmd.local_id x
  %low = arith.cmpi slt, %lx, %n : index
  cf.cond_br %low, ^a, ^b(%c4 : index)
^a:
  cf.br ^b(%c5 : index)
^b(%p: index):
  spmd.return
}

// -----

// Private arrays: of its own for every lane, or one for all.

// CHECK-LABEL: @private
// CHECK:         %own = memref.alloca() {spmd.shapes = ["varying"]
// CHECK:         %common = memref.alloca() {spmd.shapes = ["uniform"]
// CHECK:         memref.store %lx, %own[%c0] {spmd.access = "uniform (private)"}
// CHECK:         memref.store %n, %common[%c0] {spmd.access = "uniform"}
// CHECK:         memref.load %own[%c0] {spmd.shapes = ["contiguous align 0"], spmd.access = "uniform (private)"}
spmd.kernel @private(%n: index) {
  %c0 = arith.constant 0 : index
  %lx = spmd.local_id x
  %own = memref.alloca() : memref<4xindex>
  %common = memref.alloca() : memref<4xindex>
  memref.store %lx, %own[%c0] : memref<4xindex>
  memref.store %n, %common[%c0] : memref<4xindex>
  %v = memref.load %own[%c0] : memref<4xindex>
  %w = memref.load %common[%c0] : memref<4xindex>
  spmd.return
}

// -----

// Work-item loops and sub-groups.

// CHECK-LABEL: @levels
// CHECK:         arith.addi %lx, %n {spmd.shapes = ["contiguous wrapping"]}
// CHECK-NEXT:  } {spmd.work_items = array<i64: 0>, spmd.argument_shapes = {{\[\[}}"contiguous align 0"]]}
// CHECK-NEXT:  spmd.sub_group (%i) shape [16] at (%c0) attributes {spmd.argument_shapes = {{\[\[}}"contiguous align 0"]]} {
// CHECK-NEXT:    arith.addi %i, %n {spmd.shapes = ["contiguous wrapping"]}
// CHECK:         arith.addi %n, %n : index
func.func @levels(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %n step %c1 {
    %a = arith.addi %lx, %n : index
  } {spmd.work_items = array<i64: 0>}
  spmd.sub_group (%i) shape [16] at (%c0) {
    %b = arith.addi %i, %n : index
  }
  %outside = arith.addi %n, %n : index
  func.return
}

// -----

// A group of two is no group of one: its work-items have different ids.

// CHECK-LABEL: @sizes
// CHECK:         %x = spmd.global_id x {spmd.shapes = ["contiguous align 2"]}
// CHECK-NEXT:    %y = spmd.global_id y {spmd.shapes = ["uniform"]}
// CHECK-NEXT:    %z = spmd.global_id z {spmd.shapes = ["uniform / uniform / contiguous align 4"]}
// CHECK-NEXT:    %lx = spmd.local_id x {spmd.shapes = ["contiguous align 0"]}
// CHECK-NEXT:    %ly = spmd.local_id y {spmd.shapes = ["uniform align 0"]}
// CHECK-NEXT:    %e = spmd.enqueued_local_size x {spmd.shapes = ["uniform align 2"]}
spmd.kernel @sizes() attributes {work_group_size = array<i64: 2, 1, 4>} {
  %x = spmd.global_id x
  %y = spmd.global_id y
  %z = spmd.global_id z
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %e = spmd.enqueued_local_size x
  spmd.return
}

// -----

// Eight work-items from a multiple of 8 on are on one side of the next.

// CHECK-LABEL: @late
// CHECK:         %q = arith.divui %lx, %c8 {spmd.shapes = ["uniform"]}
func.func @late(%x: memref<?xindex>) {
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %lx = %c8 to %c16 step %c1 {
    %q = arith.divui %lx, %c8 : index
    memref.store %q, %x[%lx] : memref<?xindex>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Both edges of a divergent branch lead to one block, with other values.

// CHECK-LABEL: @twins
spmd.kernel @twins(%n: index, %u: index, %v: index) {
  %gid = spmd.global_id x
  cf.br ^first
^first:
  cf.br ^second
^second:
  %more = "test.op"() : () -> i1
  cf.cond_br %more, ^first, ^third
^third:
  %p = arith.cmpi ult, %gid, %n : index
  cf.cond_br %p, ^end(%u : index), ^end(%v : index)
^end(%r: index):
  // CHECK: %s = arith.addi {{.*}}["varying"]
  %s = arith.addi %r, %u : index
  spmd.return
}
