// RUN: xdsl-opt %s --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: expected a kind (xchg, add, {{.*}}), got div
func.func @unknown_kind(%p: !llvm.ptr, %v: i32) {
  %0 = llvm.atomicrmw div %p, %v monotonic : !llvm.ptr, i32
  func.return
}

// -----

// CHECK: expected an ordering (unordered, monotonic, acquire, release, acq_rel, seq_cst), got relaxed
func.func @unknown_ordering(%p: !llvm.ptr, %v: i32) {
  %0 = llvm.atomicrmw add %p, %v relaxed : !llvm.ptr, i32
  func.return
}

// -----

// CHECK: expected a kind that f32 has, got add
func.func @integer_kind(%p: !llvm.ptr, %v: f32) {
  %0 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, f32
  func.return
}

// -----

// CHECK: expected a kind that i32 has, got fadd
func.func @float_kind(%p: !llvm.ptr, %v: i32) {
  %0 = llvm.atomicrmw fadd %p, %v monotonic : !llvm.ptr, i32
  func.return
}

// -----

// CHECK: expected the number of a kind, got 77
func.func @number(%p: !llvm.ptr, %v: i32) {
  %0 = "llvm.atomicrmw"(%p, %v) <{bin_op = 77 : i64, ordering = 2 : i64}> : (!llvm.ptr, i32) -> i32
  func.return
}

// -----

// CHECK: expected the number of an atomic ordering, got 3
func.func @hole(%p: !llvm.ptr, %v: i32) {
  %0 = "llvm.atomicrmw"(%p, %v) <{bin_op = 1 : i64, ordering = 3 : i64}> : (!llvm.ptr, i32) -> i32
  func.return
}

// -----

// CHECK: expected a result of type i32, got i64
func.func @result(%p: !llvm.ptr, %v: i32) {
  %0 = "llvm.atomicrmw"(%p, %v) <{bin_op = 1 : i64, ordering = 2 : i64}> : (!llvm.ptr, i32) -> i64
  func.return
}

// -----

// CHECK: expected a failure ordering of monotonic, acquire, seq_cst, got release
func.func @failure(%p: !llvm.ptr, %v: i32) {
  %0 = llvm.cmpxchg %p, %v, %v acq_rel release : !llvm.ptr, i32
  func.return
}

// -----

// CHECK: expected a new value of type i32, got i64
func.func @new_value(%p: !llvm.ptr, %v: i32, %w: i64) {
  %0 = "llvm.cmpxchg"(%p, %v, %w) <{success_ordering = 2 : i64, failure_ordering = 2 : i64}> : (!llvm.ptr, i32, i64) -> !llvm.struct<(i64, i1)>
  func.return
}

// -----

// CHECK: expected a result !llvm.struct<(i32, i1)>, got !llvm.struct<(i32, i32)>
func.func @pair(%p: !llvm.ptr, %v: i32) {
  %0 = "llvm.cmpxchg"(%p, %v, %v) <{success_ordering = 2 : i64, failure_ordering = 2 : i64}> : (!llvm.ptr, i32, i32) -> !llvm.struct<(i32, i32)>
  func.return
}
