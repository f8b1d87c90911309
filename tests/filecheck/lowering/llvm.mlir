// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Pointers, atomic instructions, and the pair that an exchange gives.

func.func @instructions(%x: memref<?xi32>, %i: i64, %v: i32, %w: f32) -> (i32, i1) {
  %base = "memref.extract_aligned_pointer_as_index"(%x) : (memref<?xi32>) -> index
  %address = arith.index_cast %base : index to i64
  %start = llvm.inttoptr %address : i64 to !llvm.ptr
  %p = llvm.getelementptr inbounds %start[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  %q = llvm.getelementptr %start[3] : (!llvm.ptr) -> !llvm.ptr, f32
  %a = llvm.atomicrmw _or %p, %v monotonic : !llvm.ptr, i32
  %b = llvm.atomicrmw volatile fmaximum %q, %w syncscope("singlethread") acq_rel {alignment = 16 : i64} : !llvm.ptr, f32
  %pair = llvm.cmpxchg weak %p, %v, %a seq_cst acquire : !llvm.ptr, i32
  %c = llvm.extractvalue %pair[0] : !llvm.struct<(i32, i1)>
  %won = llvm.extractvalue %pair[1] : !llvm.struct<(i32, i1)>
  func.return %c, %won : i32, i1
}

// CHECK-LABEL: define { i32, i1 } @instructions(
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %base = ptrtoint ptr %x.data to i64
// CHECK-NEXT:    %start = inttoptr i64 %base to ptr
// CHECK-NEXT:    %p = getelementptr inbounds i32, ptr %start, i64 %i
// CHECK-NEXT:    %q = getelementptr float, ptr %start, i32 3
// CHECK-NEXT:    %a = atomicrmw or ptr %p, i32 %v monotonic, align 4
// CHECK-NEXT:    %b = atomicrmw volatile fmaximum ptr %q, float %w syncscope("singlethread") acq_rel, align 16
// CHECK-NEXT:    %pair = cmpxchg weak ptr %p, i32 %v, i32 %a seq_cst acquire, align 4
// CHECK-NEXT:    %c = extractvalue { i32, i1 } %pair, 0
// CHECK-NEXT:    %won = extractvalue { i32, i1 } %pair, 1

// Targets run `lower-atomics` if that has not been done.

// CHECK-LABEL: define i32 @level_1(
// CHECK:         %old = atomicrmw add ptr %x_element, i32 %v monotonic, align 4
func.func @level_1(%x: memref<?xi32>, %i: index, %v: i32) -> i32 {
  %old = spmd.atomic_rmw add %v, %x[%i] : memref<?xi32>
  func.return %old : i32
}
