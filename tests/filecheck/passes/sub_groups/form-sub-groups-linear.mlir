// RUN: xdsl-opt %s -p form-sub-groups{width=16} --split-input-file --verify-diagnostics | filecheck %s

// With sub-group operations lanes follow the linear local id, and the size is the function's.

// CHECK-LABEL: func.func @plane
// CHECK:         %items = arith.muli %sx, %sy overflow<nsw,nuw> : index
// CHECK-NEXT:    [[PART:%.*]] = arith.andi %sx, %c3 : index
// CHECK-NEXT:    [[WHOLE:%.*]] = arith.cmpi eq, [[PART]], %c0 : index
// CHECK-NEXT:    [[ALONE:%.*]] = arith.cmpi eq, %items, %sx : index
// CHECK-NEXT:    %in_rows = arith.ori [[WHOLE]], [[ALONE]] : i1
// CHECK-NEXT:    scf.if %in_rows {
// CHECK-NEXT:      scf.for %ly = %c0 to %sy step %c1 {
// CHECK-NEXT:        [[ROW:%.*]] = arith.muli %ly, %sx overflow<nsw,nuw> : index
// CHECK-NEXT:        %whole = arith.andi %sx, %cm4 : index
// CHECK-NEXT:        %rest = arith.andi %sx, %c3 : index
// CHECK-NEXT:        scf.for %first = %c0 to %whole step %c4 {
// CHECK-NEXT:          [[LINEAR:%.*]] = arith.addi [[ROW]], %first overflow<nsw,nuw> : index
// CHECK-NEXT:          %id = arith.divui [[LINEAR]], %c4 : index
// CHECK-NEXT:          spmd.sub_group (%lx) shape [4] at (%first) {
// CHECK-NEXT:            %r = spmd.shuffle rotate %lx, %ly : index
// CHECK-NEXT:            memref.store %r, %x[%id] : memref<?xindex>
// CHECK-NEXT:            memref.store %c4, %x[%ly] : memref<?xindex>
// CHECK:             spmd.sub_group (%lx_1) shape [4] at (%whole) count %rest {
// CHECK:               [[TURN:%.*]] = arith.remui %ly, %rest : index
// CHECK:               %r_1 = spmd.shuffle idx %lx_1, %{{.*}} : index
// CHECK:               memref.store %rest, %x[%ly] : memref<?xindex>
// CHECK:           } {spmd.work_items = array<i64: 1>}
// CHECK-NEXT:    } else {
// CHECK:           scf.for %first_1 = %c0 to %whole_1 step %c4 {
// CHECK-NEXT:        %id_2 = arith.divui %first_1, %c4 : index
// CHECK-NEXT:        spmd.sub_group (%linear) shape [4] at (%first_1) {
// CHECK-NEXT:          %lx_2 = arith.remui %linear, %sx : index
// CHECK-NEXT:          %ly_1 = arith.divui %linear, %sx : index
// CHECK-NEXT:          %r_2 = spmd.shuffle rotate %lx_2, %ly_1 : index
// CHECK:           spmd.sub_group (%linear_1) shape [4] at (%whole_1) count %rest_1 {
func.func @plane(%x: memref<?xindex>, %sx: index, %sy: index)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %ly = %c0 to %sy step %c1 {
    scf.for %lx = %c0 to %sx step %c1 {
      %id = spmd.sub_group_id
      %size = spmd.sub_group_size
      %r = spmd.shuffle rotate %lx, %ly : index
      memref.store %r, %x[%id] : memref<?xindex>
      memref.store %size, %x[%ly] : memref<?xindex>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// What stands between the loops, as LICM leaves it, belongs to the work-items.

// CHECK-LABEL: func.func @between
// CHECK:         scf.for %ly = %c0 to %sy step %c1 {
// CHECK-NEXT:      spmd.sub_group (%lx) shape [4] at (%c0) {
// CHECK-NEXT:        %twice = arith.addi %ly, %ly : index
// CHECK-NEXT:        %next = arith.addi %twice, %c1 : index
// CHECK-NEXT:        %r = spmd.shuffle rotate %lx, %next : index
func.func @between(%x: memref<?xindex>, %sy: index)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %ly = %c0 to %sy step %c1 {
    %twice = arith.addi %ly, %ly : index
    %next = arith.addi %twice, %c1 : index
    scf.for %lx = %c0 to %c4 step %c1 {
      %r = spmd.shuffle rotate %lx, %next : index
      memref.store %r, %x[%twice] : memref<?xindex>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// Rows of a known size that is a multiple of sub-groups need no second version, and others
// have only the other.

// CHECK-LABEL: func.func @rows
// CHECK-NOT:     scf.if
// CHECK:         scf.for %ly = %c0 to %sy step %c1 {
// CHECK-NEXT:      scf.for %first = %c0 to %c8 step %c4 {
// CHECK-NEXT:        spmd.sub_group (%lx) shape [4] at (%first) {
// CHECK-LABEL: func.func @no_rows
// CHECK-NOT:     scf.if
// CHECK:         %lx = arith.remui %linear, %c6 : index
func.func @rows(%x: memref<?xindex>, %sy: index)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %ly = %c0 to %sy step %c1 {
    scf.for %lx = %c0 to %c8 step %c1 {
      %r = spmd.shuffle rotate %lx, %ly : index
      memref.store %r, %x[%lx] : memref<?xindex>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}
func.func @no_rows(%x: memref<?xindex>, %sy: index)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  scf.for %ly = %c0 to %sy step %c1 {
    scf.for %lx = %c0 to %c6 step %c1 {
      %r = spmd.shuffle rotate %lx, %ly : index
      memref.store %r, %x[%lx] : memref<?xindex>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// One work-item is a sub-group by itself, and waits for nobody.

// CHECK-LABEL: func.func @alone
// CHECK-NEXT:    %lane = arith.constant 0 : index
// CHECK-NEXT:    memref.store %v, %x[%lane] : memref<?xf32>
// CHECK-NEXT:    func.return
func.func @alone(%x: memref<?xf32>, %v: f32)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %lane = spmd.lane_id
  spmd.barrier sub_group
  memref.store %v, %x[%lane] : memref<?xf32>
  func.return
}

// -----

// Loops without sub-group operations are as in other functions, wherever they begin.

// CHECK-LABEL: func.func @begins_late
// CHECK:         scf.for %ly = %c0 to %c4 step %c1 {
// CHECK:           scf.for %first = %begin to
// CHECK:             spmd.sub_group (%lx) shape [4] at (%first) {
// CHECK:         spmd.sub_group (%linear) shape [4]
func.func @begins_late(%x: memref<16x16xi32>, %begin: index, %n: index)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c10 = arith.constant 10 : index
  %one = arith.constant 1 : i32
  scf.for %ly = %c0 to %c4 step %c1 {
    scf.for %lx = %begin to %n step %c1 {
      memref.store %one, %x[%ly, %lx] : memref<16x16xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  scf.for %ly = %c0 to %c4 step %c1 {
    scf.for %lx = %c0 to %c10 step %c1 {
      %s = spmd.reduce add %one across sub_group : i32
      memref.store %s, %x[%ly, %lx] : memref<16x16xi32>
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// What has no vector form gets sub-groups all the same.

// CHECK-LABEL: func.func @counter
// CHECK:         spmd.sub_group (%lx) shape [4] at (%c0) attributes {spmd.not_vectorized = "arith.addi of type vector<4xi32> has no vector form"} {
func.func @counter(%n: memref<i32>, %v: vector<4xi32>)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1 : i32
  scf.for %lx = %c0 to %c4 step %c1 {
    %s = spmd.reduce add %one across sub_group : i32
    %w = arith.addi %v, %v : vector<4xi32>
    %old = spmd.atomic_rmw add %s, %n[] : memref<i32>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// CHECK: expected structured control flow (scf.if, index_switch, for, while) around sub-group operations, got scf.execute_region
func.func @blocks(%x: memref<?xi1>, %c: i1)
    attributes {spmd.work_group_function, spmd.sub_group_size = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %lx = %c0 to %c4 step %c1 {
    scf.execute_region {
      cf.cond_br %c, ^a, ^b
    ^a:
      %any = spmd.any %c across sub_group
      cf.br ^b
    ^b:
      scf.yield
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
