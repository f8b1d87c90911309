// RUN: xdsl-opt %s -p unswitch-work-item-loops --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p unswitch-work-item-loops,unswitch-work-item-loops --split-input-file | filecheck %s

// What continuations make: computations and a branch that are the same in all work-items,
// and a slot that says how it goes on. What stands beside the branch is needed in one arm.

// CHECK-LABEL: func.func @both_arms
// CHECK:         %half = arith.shrui %s, %c1 : index
// CHECK-NEXT:    %more = arith.cmpi ugt, %half, %c0 : index
// CHECK-NEXT:    scf.if %more {
// CHECK-NEXT:      scf.for %lx = %c0 to %c64 step %c1 {
// CHECK-NEXT:        %j = arith.addi %lx, %half : index
// CHECK-NEXT:        "test.op"(%j)
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:      memref.store %c1, %next[] : memref<index>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.for [[LX:%.*]] = %c0 to %c64 step %c1 {
// CHECK-NEXT:        "test.op"([[LX]])
// CHECK-NEXT:      } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:      memref.store %c0, %next[] : memref<index>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @both_arms(%s: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %next = memref.alloca() {spmd.group_memory} : memref<index>
  scf.for %lx = %c0 to %c64 step %c1 {
    %half = arith.shrui %s, %c1 : index
    %j = arith.addi %lx, %half : index
    %more = arith.cmpi ugt, %half, %c0 : index
    %code = scf.if %more -> (index) {
      "test.op"(%j) : (index) -> ()
      scf.yield %c1 : index
    } else {
      "test.op"(%lx) : (index) -> ()
      scf.yield %c0 : index
    }
    memref.store %code, %next[] : memref<index>
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// Two dimensions, a switch, an arm in which nothing happens, and a branch in an arm.

// CHECK-LABEL: spmd.kernel @plane
// CHECK:         scf.index_switch %path
// CHECK-NEXT:    case 2 {
// CHECK-NEXT:      scf.if %p {
// CHECK-NEXT:        scf.for %ly = %c0 to %sy step %c1 {
// CHECK-NEXT:          scf.for %lx = %c0 to %sx step %c1 {
// CHECK-NEXT:            "test.op"(%lx, %ly)
// CHECK-NEXT:          } {spmd.work_items = array<i64: 0>}
// CHECK-NEXT:        } {spmd.work_items = array<i64: 1>}
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    default {
// CHECK-NEXT:      scf.yield
// CHECK-NEXT:    }
// CHECK-NEXT:    spmd.return
spmd.kernel @plane(%path: index, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  scf.for %ly = %c0 to %sy step %c1 {
    scf.for %lx = %c0 to %sx step %c1 {
      scf.index_switch %path
      case 2 {
        scf.if %p {
          "test.op"(%lx, %ly) : (index, index) -> ()
        }
        scf.yield
      }
      default {
        scf.yield
      }
    } {spmd.work_items = array<i64: 0>}
  } {spmd.work_items = array<i64: 1>}
  spmd.return
}

// -----

// An effect beside the branch is not written twice; a slot that is read, or a loop that may
// have no iteration, keeps its stores; a division that may trap is not done in front.

// CHECK-LABEL: func.func @stays
// CHECK:         scf.for %lx = %c0 to %c64 step %c1 {
// CHECK-NEXT:      "test.op"(%lx)
// CHECK-NEXT:      scf.if %p {
// CHECK-NEXT:        "test.op"(%lx)
// CHECK:         scf.for %lx_1 = %c0 to %c64 step %c1 {
// CHECK-NEXT:      [[OLD:%.*]] = memref.load %slot[] : memref<index>
// CHECK-NEXT:      "test.op"([[OLD]])
// CHECK-NEXT:      memref.store %n, %slot[] : memref<index>
// CHECK:         scf.for %lx_2 = %c0 to %n step %c1 {
// CHECK-NEXT:      memref.store %n, %slot[] : memref<index>
// CHECK:         scf.for %lx_3 = %c0 to %c64 step %c1 {
// CHECK-NEXT:      [[Q:%.*]] = arith.divui %n, %d : index
// CHECK-NEXT:      "test.op"([[Q]])
func.func @stays(%p: i1, %n: index, %d: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %slot = memref.alloca() {spmd.group_memory} : memref<index>
  scf.for %lx = %c0 to %c64 step %c1 {
    "test.op"(%lx) : (index) -> ()
    scf.if %p {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c64 step %c1 {
    %old = memref.load %slot[] : memref<index>
    "test.op"(%old) : (index) -> ()
    memref.store %n, %slot[] : memref<index>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %n step %c1 {
    memref.store %n, %slot[] : memref<index>
  } {spmd.work_items = array<i64: 0>}
  scf.for %lx = %c0 to %c64 step %c1 {
    %q = arith.divui %n, %d : index
    "test.op"(%q) : (index) -> ()
  } {spmd.work_items = array<i64: 0>}
  func.return
}

// -----

// A branch that work-items decide for themselves stays; so does a loop without marks.

// CHECK-LABEL: func.func @varying
// CHECK:         scf.for %lx
// CHECK-NEXT:      %lane = spmd.lane_id
// CHECK-NEXT:      %low = arith.cmpi ult, %lane, %n : index
// CHECK-NEXT:      scf.if %low {
// CHECK:         scf.for %i
// CHECK-NEXT:      scf.if %p {
func.func @varying(%p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  scf.for %lx = %c0 to %c64 step %c1 {
    %lane = spmd.lane_id
    %low = arith.cmpi ult, %lane, %n : index
    scf.if %low {
      "test.op"(%lx) : (index) -> ()
    }
  } {spmd.work_items = array<i64: 0>}
  scf.for %i = %c0 to %c64 step %c1 {
    scf.if %p {
      "test.op"(%i) : (index) -> ()
    }
  }
  func.return
}
