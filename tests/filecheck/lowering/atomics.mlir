// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Atomic updates: an instruction where there is one, else exchanges until it works.

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

// Nobody else can be in between: local memory, and the scope of a work-group.
func.func @alone(%x: memref<?xi32>, %y: memref<?xf32, 3>, %v: i32, %w: f32, %i: index) -> (i32, f32, i1) {
  %a = spmd.atomic_rmw add %v, %x[%i] scope(work_group) : memref<?xi32>
  %b = spmd.atomic_rmw max %w, %y[%i] : memref<?xf32, 3>
  %c, %won = spmd.atomic_cas %v, %a, %x[%i] ordering(acq_rel) : memref<?xi32>
  func.return %c, %b, %won : i32, f32, i1
}

// CHECK-LABEL: define { i32, float, i1 } @alone(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0, ptr %y.base, ptr %y.data, i64 %y.offset, i64 %y.size0, i64 %y.stride0, i32 %v, float %w, i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = getelementptr inbounds nuw i32, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.1 = load i32, ptr %t, align 4
// CHECK-NEXT:    %t.2 = add i32 %t.1, %v
// CHECK-NEXT:    store i32 %t.2, ptr %t, align 4
// CHECK-NEXT:    %t.3 = getelementptr inbounds nuw float, ptr %y.data, i64 %i
// CHECK-NEXT:    %t.4 = load float, ptr %t.3, align 4
// CHECK-NEXT:    %t.5 = call float @llvm.maximum.f32(float %t.4, float %w)
// CHECK-NEXT:    store float %t.5, ptr %t.3, align 4
// CHECK-NEXT:    %t.6 = getelementptr inbounds nuw i32, ptr %x.data, i64 %i
// CHECK-NEXT:    %t.7 = cmpxchg ptr %t.6, i32 %v, i32 %t.1 acq_rel acquire, align 4
// CHECK-NEXT:    %c = extractvalue { i32, i1 } %t.7, 0
// CHECK-NEXT:    %won = extractvalue { i32, i1 } %t.7, 1
// CHECK-NEXT:    %t.8 = insertvalue { i32, float, i1 } poison, i32 %c, 0
// CHECK-NEXT:    %t.9 = insertvalue { i32, float, i1 } %t.8, float %t.4, 1
// CHECK-NEXT:    %t.10 = insertvalue { i32, float, i1 } %t.9, i1 %won, 2
// CHECK-NEXT:    ret { i32, float, i1 } %t.10
// CHECK-NEXT:  }

// CHECK: declare float @llvm.maximum.f32(float, float)
