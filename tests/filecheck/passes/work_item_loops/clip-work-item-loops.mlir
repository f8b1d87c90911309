// RUN: xdsl-opt %s -p clip-work-item-loops --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p clip-work-item-loops,clip-work-item-loops --split-input-file | filecheck %s

// A global id below a bound.

// CHECK-LABEL: func.func @prefix
// CHECK:         [[END:%.*]] = arith.maxui %n, %base : index
// CHECK-NEXT:    %inside_x = arith.subi [[END]], %base : index
// CHECK-NEXT:    %active_x = arith.minui %size, %inside_x : index
// CHECK-NEXT:    scf.for %lx = %c0 to %active_x step %c1 {
// CHECK-NEXT:      %i = arith.addi %base, %lx overflow<nsw,nuw> : index
// CHECK-NEXT:      "test.op"(%i)
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
func.func @prefix(%n: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %base = arith.muli %ex, %gx overflow<nsw, nuw> : index
  %rest = arith.subi %nx, %base overflow<nsw, nuw> : index
  %size = arith.minui %ex, %rest : index
  scf.for %lx = %c0 to %size step %c1 {
    %i = arith.addi %base, %lx overflow<nsw, nuw> : index
    %inside = arith.cmpi ult, %i, %n : index
    scf.if %inside {
      "test.op"(%i) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Two dimensions, a signed bound that is included, and a condition that is the same in all
// work-items. What is no prefix stays.

// CHECK-LABEL: func.func @plane
// CHECK-DAG:     %active_x = arith.minui %ex, %inside_x : index
// CHECK-DAG:     %active_y = arith.minui %ey, %inside_y : index
// CHECK:         scf.if %p {
// CHECK-NEXT:      scf.for %ly = %c0 to %active_y step %c1 {
// CHECK-NEXT:        scf.for %lx = %c0 to %active_x step %c1 {
// CHECK-NEXT:          %i = arith.index_cast %lx
// CHECK-NEXT:          %odd = arith.trunci
// CHECK-NEXT:          scf.if %odd {
// CHECK-NEXT:            "test.op"(%lx, %ly)
func.func @plane(%n: index, %m: index, %k: i32, %p: i1, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %ly = %c0 to %ey step %c1 {
    scf.for %lx = %c0 to %ex step %c1 {
      %a = arith.cmpi sge, %n, %lx : index
      %b = arith.cmpi slt, %ly, %m : index
      %i = arith.index_cast %lx : index to i32
      %odd = arith.trunci %i : i32 to i1
      %ab = arith.andi %a, %b : i1
      %pq = arith.andi %p, %odd : i1
      %all = arith.andi %ab, %pq : i1
      scf.if %all {
        "test.op"(%lx, %ly) : (index, index) -> ()
      }
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// One work-item: no loop, if a group is known to have it; at most one iteration otherwise.

// CHECK-LABEL: func.func @leader
// CHECK:         "test.op"(%c0)
// CHECK:         scf.for %lx = {{.*}} {
// CHECK-NEXT:      "test.op"(%lx)
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
func.func @leader(%x: memref<?xf32>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %base = arith.muli %ex, %gx overflow<nsw, nuw> : index
  %rest = arith.subi %nx, %base overflow<nsw, nuw> : index
  %size = arith.minui %ex, %rest : index
  scf.for %lx = %c0 to %size step %c1 {
    %first = arith.cmpi eq, %lx, %c0 : index
    scf.if %first {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %size step %c1 {
    %eighth = arith.cmpi eq, %c7, %lx : index
    scf.if %eighth {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// In `i8`, work-item 200 is -56, and there are two of each number among more than 256.

// CHECK-LABEL: func.func @bytes
// CHECK:         [[FROM:%.*]] = arith.subi %n, {{%.*}} : i8
// CHECK-NEXT:    [[PLACE:%.*]] = arith.index_castui [[FROM]] : i8 to index
// CHECK-NEXT:    [[BEGIN:%.*]] = arith.minui %c200, [[PLACE]] : index
// CHECK:         scf.for %lx = [[BEGIN]] to
// CHECK-NEXT:      "test.op"(%lx)
// CHECK:         scf.for %lx_1 = %c0 to %c257
// CHECK:           scf.if
func.func @bytes(%n: i8, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c200 = arith.constant 200 : index
  %c257 = arith.constant 257 : index
  scf.for %lx = %c0 to %c200 step %c1 {
    %i = arith.index_cast %lx : index to i8
    %this = arith.cmpi eq, %i, %n : i8
    scf.if %this {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c257 step %c1 {
    %i = arith.index_cast %lx : index to i8
    %this = arith.cmpi eq, %i, %n : i8
    scf.if %this {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// What a loop carries is bounded: `%lx + %s` does not wrap, and where the bounds decide,
// no code computes the smaller one.

// CHECK-LABEL: func.func @tree
// CHECK:       ^bb0([[S:%.*]]: index):
// CHECK-NEXT:      scf.for %lx = %c0 to [[S]] step %c1 {
// CHECK-NEXT:        %j = arith.addi %lx, [[S]] : index
// CHECK-NEXT:        "test.op"(%lx, %j) : (index, index) -> ()
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:      [[LEFT:%.*]] = arith.subi %ex, [[S]] : index
// CHECK-NEXT:      %inside_x = arith.maxsi [[LEFT]], %c0 : index
// CHECK-NEXT:      %active_x = arith.minui %ex, %inside_x : index
// CHECK-NEXT:      scf.for %lx_1 = %c0 to %active_x step %c1 {
func.func @tree(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %last = scf.while (%s = %c8) : (index) -> index {
    %more = arith.cmpi ugt, %s, %c0 : index
    scf.condition(%more) %s : index
  } do {
  ^bb0(%s: index):
    scf.for %lx = %c0 to %c16 step %c1 {
      %low = arith.cmpi ult, %lx, %s : index
      %j = arith.addi %lx, %s : index
      %there = arith.cmpi ult, %j, %c16 : index
      %active = arith.andi %low, %there : i1
      scf.if %active {
        "test.op"(%lx, %j) : (index, index) -> ()
      }
    } {spmd.work_items = array<i64: 0>}
    scf.for %lx = %c0 to %ex step %c1 {
      %j = arith.addi %lx, %s : index
      %there = arith.cmpi ult, %j, %ex : index
      scf.if %there {
        "test.op"(%lx, %j) : (index, index) -> ()
      }
    } {spmd.work_items = array<i64: 0>}
    %half = arith.shrui %s, %c1 : index
    scf.yield %half : index
  }
  func.return
}

// -----

// Not touched: an effect beside the condition, an else, a result, a bound that is loaded
// by the work-item, a sum that may wrap.

// CHECK-LABEL: func.func @untouched
// CHECK-COUNT-5: scf.for %{{.*}} = %c0 to %ex step %c1
func.func @untouched(%x: memref<?xindex>, %n: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %ex step %c1 {
    %c = arith.cmpi ult, %lx, %n : index
    memref.store %n, %x[%lx] : memref<?xindex>
    scf.if %c {
      "test.op"() : () -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %ex step %c1 {
    %c = arith.cmpi ult, %lx, %n : index
    scf.if %c {
      "test.op"() : () -> ()
    } else {
      "test.op"() : () -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %ex step %c1 {
    %c = arith.cmpi ult, %lx, %n : index
    scf.if %c {
      "test.op"() : () -> ()
    }
    memref.store %n, %x[%lx] : memref<?xindex>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %ex step %c1 {
    %v = memref.load %x[%lx] : memref<?xindex>
    %c = arith.cmpi ult, %lx, %v : index
    scf.if %c {
      "test.op"() : () -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %ex step %c1 {
    %j = arith.addi %lx, %n : index
    %c = arith.cmpi ult, %j, %gx : index
    scf.if %c {
      "test.op"() : () -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// `a and b` of a language that asks for b only if a holds: b is asked within the bounds of a.

// CHECK-LABEL: func.func @asked_later
// CHECK:         %active_x = arith.minui %ex, %n : index
// CHECK-NEXT:    scf.for %lx = %c0 to %active_x step %c1 {
// CHECK-NEXT:      %v = memref.load %x[%lx] : memref<?xindex>
// CHECK-NEXT:      %b = arith.cmpi ugt, %v, %n : index
// CHECK-NEXT:      scf.if %b {
// CHECK-NEXT:        "test.op"() : () -> ()
// CHECK-NEXT:      }
// CHECK-NEXT:    } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:    scf.for %lx_1 = %c0 to %ex step %c1 {
// CHECK-NEXT:      %a = arith.cmpi
func.func @asked_later(%n: index, %x: memref<?xindex>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %false = arith.constant false
  %true = arith.constant true
  scf.for %lx = %c0 to %ex step %c1 {
    %a = arith.cmpi ult, %lx, %n : index
    %c = scf.if %a -> (i1) {
      %v = memref.load %x[%lx] : memref<?xindex>
      %b = arith.cmpi ugt, %v, %n : index
      scf.yield %b : i1
    } else {
      scf.yield %false : i1
    }
    scf.if %c {
      "test.op"() : () -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %ex step %c1 {
    %a = arith.cmpi ult, %lx, %n : index
    %c = scf.if %a -> (i1) {
      %b = "test.op"() : () -> i1
      scf.yield %b : i1
    } else {
      scf.yield %true : i1
    }
    scf.if %c {
      "test.op"() : () -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// The last work-items: the loop begins later. Neither is more than there are.

// CHECK-LABEL: func.func @suffix
// CHECK:         [[END:%.*]] = arith.maxui %n, %base : index
// CHECK-NEXT:    %outside_x = arith.subi [[END]], %base : index
// CHECK-NEXT:    %begin_x = arith.minui %ex, %outside_x : index
// CHECK-NEXT:    scf.for %lx = %begin_x to %ex step %c1 {
// CHECK-NEXT:      %i = arith.addi
// CHECK-NEXT:      "test.op"(%i)
// CHECK:         [[LEFT:%.*]] = arith.subi %c1, %base : index
// CHECK-NEXT:    [[FIRST:%.*]] = arith.maxsi [[LEFT]], %c0 : index
// CHECK-NEXT:    scf.for %lx_1 = [[FIRST]] to %ex step %c1 {
// CHECK-NEXT:      %i_1 = arith.addi
// CHECK-NEXT:      "test.op"(%i_1)
func.func @suffix(%n: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %base = arith.muli %ex, %gx overflow<nsw, nuw> : index
  scf.for %lx = %c0 to %ex step %c1 {
    %i = arith.addi %base, %lx overflow<nsw, nuw> : index
    %c = arith.cmpi uge, %i, %n : index
    scf.if %c {
      "test.op"(%i) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %ex step %c1 {
    %i = arith.addi %base, %lx overflow<nsw, nuw> : index
    %c = arith.cmpi ne, %i, %c0 : index
    scf.if %c {
      "test.op"(%i) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// All but one: what is before it, then what is after it. Of two in one dimension one is asked.

// CHECK-LABEL: func.func @hole
// CHECK:         [[PLACE:%.*]] = arith.minui %ex, %n : index
// CHECK-NEXT:    [[NEXT:%.*]] = arith.addi [[PLACE]], %c1 : index
// CHECK-NEXT:    [[AFTER:%.*]] = arith.minui %ex, [[NEXT]] : index
// CHECK-NEXT:    [[MORE:%.*]] = arith.cmpi ult, [[AFTER]], %ex : index
// CHECK-NEXT:    %parts_x = arith.select [[MORE]], %c2, %c1 : index
// CHECK-NEXT:    scf.for %part = %c0 to %parts_x step %c1 {
// CHECK-NEXT:      %second = arith.cmpi ne, %part, %c0 : index
// CHECK-NEXT:      %begin = arith.select %second, [[AFTER]], %c0 : index
// CHECK-NEXT:      %end = arith.select %second, %ex, [[PLACE]] : index
// CHECK-NEXT:      scf.for %lx = %begin to %end step %c1 {
// CHECK-NEXT:        %b = arith.cmpi ne, %lx, %m : index
// CHECK-NEXT:        scf.if %b {
// CHECK-NEXT:          "test.op"(%lx)
func.func @hole(%n: index, %m: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %ex step %c1 {
    %a = arith.cmpi ne, %lx, %n : index
    %b = arith.cmpi ne, %lx, %m : index
    %c = arith.andi %a, %b : i1
    scf.if %c {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Not at the edge of a plane: loops without a condition.

// CHECK-LABEL: func.func @inside
// CHECK:         scf.for %ly = %c1 to %c63 step %c1 {
// CHECK-NEXT:      scf.for %lx = %c1 to %c63 step %c1 {
// CHECK-NEXT:        "test.op"(%lx, %ly)
func.func @inside(%n: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %true = arith.constant true
  scf.for %ly = %c0 to %c64 step %c1 {
    scf.for %lx = %c0 to %c64 step %c1 {
      %left = arith.cmpi eq, %lx, %c0 : index
      %right = arith.cmpi eq, %lx, %c63 : index
      %top = arith.cmpi slt, %ly, %c1 : index
      %bottom = arith.cmpi sge, %ly, %c63 : index
      %x = arith.ori %left, %right : i1
      %y = arith.ori %top, %bottom : i1
      %edge = arith.ori %x, %y : i1
      %not_edge = arith.xori %edge, %true : i1
      scf.if %not_edge {
        "test.op"(%lx, %ly) : (index, index) -> ()
      }
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  func.return
}

// -----

// Two work-items: at most the one that is both.

// CHECK-LABEL: func.func @two_places
// CHECK:         [[N:%.*]] = arith.minui %ex, %n : index
// CHECK:         [[M:%.*]] = arith.minui %{{.*}}, %m : index
// CHECK:         [[BOTH:%.*]] = arith.maxui [[N]], [[M]] : index
// CHECK-NEXT:    scf.for %lx = [[BOTH]] to
// CHECK-NEXT:      "test.op"(%lx)
func.func @two_places(%n: index, %m: index, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %lx = %c0 to %ex step %c1 {
    %a = arith.cmpi eq, %lx, %n : index
    %b = arith.cmpi eq, %lx, %m : index
    %c = arith.andi %a, %b : i1
    scf.if %c {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  func.return
}
