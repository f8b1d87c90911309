// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// `memref.atomic_rmw`: an instruction where there is one, else exchanges until it works.

func.func @update(%x: memref<?xi32>, %v: i32, %i: index) -> i32 {
  %a = "memref.atomic_rmw"(%v, %x, %i) <{kind = 8 : i64}> : (i32, memref<?xi32>, index) -> i32
  %b = "memref.atomic_rmw"(%a, %x, %i) <{kind = 10 : i64}> : (i32, memref<?xi32>, index) -> i32
  func.return %b : i32
}

// CHECK-LABEL: define i32 @update(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0, i32 %v, i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = getelementptr inbounds nuw i32, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.1 = atomicrmw umin ptr %t, i32 %v acq_rel, align 4
// CHECK-NEXT:    %t.2 = getelementptr inbounds nuw i32, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.3 = load atomic i32, ptr %t.2 monotonic, align 4
// CHECK-NEXT:    br label %exchange
// CHECK-NEXT:  exchange:
// CHECK-NEXT:    %seen = phi i32 [ %t.3, %entry ], [ %t.6, %exchange ]
// CHECK-NEXT:    %t.4 = mul i32 %seen, %t.1
// CHECK-NEXT:    %t.5 = cmpxchg ptr %t.2, i32 %seen, i32 %t.4 acq_rel acquire, align 4
// CHECK-NEXT:    %t.6 = extractvalue { i32, i1 } %t.5, 0
// CHECK-NEXT:    %t.7 = extractvalue { i32, i1 } %t.5, 1
// CHECK-NEXT:    br i1 %t.7, label %exchanged, label %exchange
// CHECK-NEXT:  exchanged:
// CHECK-NEXT:    ret i32 %seen
// CHECK-NEXT:  }
