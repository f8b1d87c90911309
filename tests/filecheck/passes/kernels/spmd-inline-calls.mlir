// RUN: xdsl-opt %s -p spmd-inline-calls --split-input-file --verify-diagnostics | filecheck %s

// Names and calls of calls; a private function is gone, a public one stays.

// CHECK-NOT:   @square
// CHECK-LABEL: func.func @fourth
// CHECK:         func.call @square
// CHECK-LABEL: func.func private @square
// CHECK-LABEL: spmd.kernel @calls
// CHECK-NEXT:    %v = memref.load
// CHECK-NEXT:    %q = arith.mulf %v, %v : f32
// CHECK-NEXT:    %q_1 = arith.mulf %q, %q : f32
// CHECK-NEXT:    memref.store %q_1
func.func @fourth(%v: f32) -> f32 {
  %s = func.call @square(%v) : (f32) -> f32
  %f = func.call @square(%s) : (f32) -> f32
  func.return %f : f32
}
func.func private @square(%v: f32) -> f32 {
  %q = arith.mulf %v, %v : f32
  func.return %q : f32
}
spmd.kernel @calls(%x: memref<?xf32>, %i: index) {
  %v = memref.load %x[%i] : memref<?xf32>
  %r = func.call @fourth(%v) : (f32) -> f32
  memref.store %r, %x[%i] : memref<?xf32>
  spmd.return
}

// -----

// Functions that only work-items can run are gone if nobody calls them; others may be for
// somebody else.

// CHECK-NOT:   func.func
// CHECK-LABEL: func.func private @of_nobody
// CHECK-NOT:   func.func
// CHECK-LABEL: spmd.kernel @calls_nothing
func.func private @of_nobody(%v: f32) -> f32 {
  func.return %v : f32
}
func.func private @asks_where() -> index {
  %i = spmd.global_id x
  func.return %i : index
}
func.func @asks_for_others() -> index {
  %lid = spmd.local_id x
  %i = func.call @asks_where() : () -> index
  %sum = arith.addi %i, %lid : index
  func.return %sum : index
}
spmd.kernel @calls_nothing() {
  spmd.return
}

// -----

// Functions that only work-items can run are gone, callers first.

// CHECK-NOT:   func.func
// CHECK-LABEL: spmd.kernel @twice
// CHECK-NEXT:    %tile = spmd.local_alloc
// CHECK-NEXT:    %lid = spmd.local_id x
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    %tile_1 = spmd.local_alloc
// CHECK-NEXT:    %lid_1 = spmd.local_id x
// CHECK-NEXT:    spmd.barrier
// CHECK-NEXT:    spmd.return
func.func private @nothing() {
  func.return
}
func.func @meet() {
  %tile = spmd.local_alloc : memref<4xf32, #spmd.memory<local>>
  %lid = spmd.local_id x
  func.call @nothing() : () -> ()
  spmd.barrier
  func.return
}
spmd.kernel @twice() {
  func.call @meet() : () -> ()
  func.call @meet() : () -> ()
  spmd.return
}

// -----

// Several blocks become a region with one exit.

// CHECK-LABEL: spmd.kernel @blocks
// CHECK-NEXT:    %r = scf.execute_region -> (i32) {
// CHECK-NEXT:      cf.cond_br %c, ^[[A:[0-9a-z_]+]], ^[[B:[0-9a-z_]+]]
// CHECK-NEXT:    ^[[A]]:
// CHECK-NEXT:      cf.br ^[[OUT:[0-9a-z_]+]](%a : i32)
// CHECK-NEXT:    ^[[B]]:
// CHECK-NEXT:      %s = arith.addi %a, %a : i32
// CHECK-NEXT:      cf.br ^[[OUT]](%s : i32)
// CHECK-NEXT:    ^[[OUT]](%{{.*}}: i32):
// CHECK-NEXT:      scf.yield
func.func private @choose(%p: i1, %v: i32) -> i32 {
  cf.cond_br %p, ^a, ^b
^a:
  func.return %v : i32
^b:
  %s = arith.addi %v, %v : i32
  func.return %s : i32
}
spmd.kernel @blocks(%c: i1, %a: i32, %x: memref<1xi32>, %i: index) {
  %r = func.call @choose(%c, %a) : (i1, i32) -> i32
  memref.store %r, %x[%i] : memref<1xi32>
  spmd.return
}

// -----

// CHECK: expected functions that do not call themselves, got @even -> @odd -> @even
func.func @even() {
  func.call @odd() : () -> ()
  func.return
}
func.func @odd() {
  func.call @even() : () -> ()
  func.return
}
spmd.kernel @recursion() {
  func.call @even() : () -> ()
  spmd.return
}

// -----

// CHECK: expected @far to have a body, since work-items call it; got a declaration
func.func private @far()
spmd.kernel @declared() {
  func.call @far() : () -> ()
  spmd.return
}

// -----

// Doubling thirty times.

// CHECK: expected calls that become at most 100000 operations when they are inlined
func.func private @f0() {
  %lid = spmd.local_id x
  func.return
}
func.func private @f1() { func.call @f0() : () -> () func.call @f0() : () -> () func.return }
func.func private @f2() { func.call @f1() : () -> () func.call @f1() : () -> () func.return }
func.func private @f3() { func.call @f2() : () -> () func.call @f2() : () -> () func.return }
func.func private @f4() { func.call @f3() : () -> () func.call @f3() : () -> () func.return }
func.func private @f5() { func.call @f4() : () -> () func.call @f4() : () -> () func.return }
func.func private @f6() { func.call @f5() : () -> () func.call @f5() : () -> () func.return }
func.func private @f7() { func.call @f6() : () -> () func.call @f6() : () -> () func.return }
func.func private @f8() { func.call @f7() : () -> () func.call @f7() : () -> () func.return }
func.func private @f9() { func.call @f8() : () -> () func.call @f8() : () -> () func.return }
func.func private @g0() { func.call @f9() : () -> () func.call @f9() : () -> () func.return }
func.func private @g1() { func.call @g0() : () -> () func.call @g0() : () -> () func.return }
func.func private @g2() { func.call @g1() : () -> () func.call @g1() : () -> () func.return }
func.func private @g3() { func.call @g2() : () -> () func.call @g2() : () -> () func.return }
func.func private @g4() { func.call @g3() : () -> () func.call @g3() : () -> () func.return }
func.func private @g5() { func.call @g4() : () -> () func.call @g4() : () -> () func.return }
func.func private @g6() { func.call @g5() : () -> () func.call @g5() : () -> () func.return }
func.func private @g7() { func.call @g6() : () -> () func.call @g6() : () -> () func.return }
func.func private @g8() { func.call @g7() : () -> () func.call @g7() : () -> () func.return }
spmd.kernel @doubling() {
  func.call @g8() : () -> ()
  spmd.return
}

// -----

// CHECK: 'memref.alloc': expected memory that belongs to a work-item or a group: memref.alloca or spmd.local_alloc, got 'memref.alloc'
func.func private @temporary() {
  %t = memref.alloc() : memref<4xf32>
  memref.dealloc %t : memref<4xf32>
  func.return
}
spmd.kernel @allocates() {
  func.call @temporary() : () -> ()
  spmd.return
}
