// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// RUN: xdsl-opt %s -p canonicalize,cse | filecheck %s
// RUN: xdsl-opt %s --print-op-generic | filecheck %s --check-prefix GENERIC

// They have effects: none is erased and none merged with another.

// CHECK-LABEL: func.func @instructions
// CHECK-NEXT:    %{{.*}} = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
// CHECK-NEXT:    %{{.*}} = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
// CHECK-NEXT:    %{{.*}} = llvm.atomicrmw _and %p, %v seq_cst : !llvm.ptr, i32
// CHECK-NEXT:    %{{.*}} = llvm.atomicrmw volatile fmaximum %p, %w syncscope("singlethread") acq_rel {alignment = 4 : i64} : !llvm.ptr, f32
// CHECK-NEXT:    %{{.*}} = llvm.cmpxchg %p, %v, %u acq_rel acquire : !llvm.ptr, i32
// CHECK-NEXT:    %{{.*}} = llvm.cmpxchg weak volatile %p, %v, %u syncscope("agent") monotonic monotonic {mine.x, alignment = 8 : i64} : !llvm.ptr, i32
// CHECK-NEXT:    func.return
func.func @instructions(%p: !llvm.ptr, %v: i32, %u: i32, %w: f32) {
  %0 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
  %1 = llvm.atomicrmw add %p, %v monotonic : !llvm.ptr, i32
  %2 = llvm.atomicrmw _and %p, %v seq_cst : !llvm.ptr, i32
  %3 = llvm.atomicrmw volatile fmaximum %p, %w syncscope("singlethread") acq_rel {alignment = 4 : i64} : !llvm.ptr, f32
  %4 = llvm.cmpxchg %p, %v, %u acq_rel acquire : !llvm.ptr, i32
  %5 = llvm.cmpxchg weak volatile %p, %v, %u syncscope("agent") monotonic monotonic {mine.x, alignment = 8 : i64} : !llvm.ptr, i32
  func.return
}

// The operands are in upstream's order, the numbers are upstream's.

// GENERIC: "llvm.atomicrmw"(%p, %v) <{bin_op = 1 : i64, ordering = 2 : i64}> : (!llvm.ptr, i32) -> i32
// GENERIC: "llvm.atomicrmw"(%p, %v) <{bin_op = 3 : i64, ordering = 7 : i64}> : (!llvm.ptr, i32) -> i32
// GENERIC: "llvm.atomicrmw"(%p, %w) <{bin_op = 19 : i64, ordering = 6 : i64, volatile_, syncscope = "singlethread", alignment = 4 : i64}> : (!llvm.ptr, f32) -> f32
// GENERIC: "llvm.cmpxchg"(%p, %v, %u) <{success_ordering = 6 : i64, failure_ordering = 4 : i64}> : (!llvm.ptr, i32, i32) -> !llvm.struct<(i32, i1)>
