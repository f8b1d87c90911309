// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Addresses, memory and globals.

// CHECK: @table = internal constant [3 x i8] [i8 1, i8 0, i8 1], align 1

memref.global "private" constant @table : memref<3xi1> = dense<[true, false, true]>

func.func @load_store(%x: memref<?x16xf32>, %i: index, %j: index) {
  %v = memref.load %x[%i, %j] : memref<?x16xf32>
  memref.store %v, %x[%j, %i] : memref<?x16xf32>
  func.return
}

// CHECK-LABEL: define void @load_store(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.size1, i64 %x.stride0, i64 %x.stride1, i64 %i, i64 %j) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul nuw nsw i64 %i, 16
// CHECK-NEXT:    %t.1 = add nuw nsw i64 %t, %j
// CHECK-NEXT:    %t.2 = getelementptr inbounds nuw float, ptr %x.data, i64 %t.1
// CHECK-NEXT:    %v = load float, ptr %t.2, align 4
// CHECK-NEXT:    %t.3 = mul nuw nsw i64 %j, 16
// CHECK-NEXT:    %t.4 = add nuw nsw i64 %t.3, %i
// CHECK-NEXT:    %t.5 = getelementptr inbounds nuw float, ptr %x.data, i64 %t.4
// CHECK-NEXT:    store float %v, ptr %t.5, align 4
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// What is not to stay in caches says so; an attribute that says the opposite is none.
func.func @streams(%x: memref<?xf32>, %i: index) {
  %v = memref.load %x[%i] {nontemporal = false} : memref<?xf32>
  memref.store %v, %x[%i] {nontemporal = true} : memref<?xf32>
  func.return
}

// CHECK-LABEL: define void @streams(
// CHECK:         %v = load float, ptr %t, align 4{{$}}
// CHECK-NEXT:    %t.1 = getelementptr
// CHECK-NEXT:    store float %v, ptr %t.1, align 4, !nontemporal !

// Nothing is known of the sign of the strides.
func.func @strided(%x: memref<?x?xf64, strided<[?, ?], offset: ?>>, %i: index, %j: index) -> f64 {
  %v = memref.load %x[%i, %j] : memref<?x?xf64, strided<[?, ?], offset: ?>>
  func.return %v : f64
}

// CHECK-LABEL: define double @strided(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.size1, i64 %x.stride0, i64 %x.stride1, i64 %i, i64 %j) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = mul nsw i64 %i, %x.stride0
// CHECK-NEXT:    %t.1 = add nsw i64 %x.offset, %t
// CHECK-NEXT:    %t.2 = mul nsw i64 %j, %x.stride1
// CHECK-NEXT:    %t.3 = add nsw i64 %t.1, %t.2
// CHECK-NEXT:    %t.4 = getelementptr inbounds double, ptr %x.data, i64 %t.3
// CHECK-NEXT:    %v = load double, ptr %t.4, align 8
// CHECK-NEXT:    ret double %v
// CHECK-NEXT:  }

// A bit is a byte in memory.
func.func @bits(%i: index) -> i1 {
  %t = memref.get_global @table : memref<3xi1>
  %v = memref.load %t[%i] : memref<3xi1>
  func.return %v : i1
}

// CHECK-LABEL: define zeroext i1 @bits(i64 %i) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = getelementptr inbounds nuw i8, ptr @table, i64 %i
// CHECK-NEXT:    %t.1 = load i8, ptr %t, align 1
// CHECK-NEXT:    %v = trunc i8 %t.1 to i1
// CHECK-NEXT:    ret i1 %v
// CHECK-NEXT:  }

// Memory of fixed size is on the stack, taken once; of unknown size it is used again, and
// freed at the end.
func.func @stack(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %outer = memref.alloca() {alignment = 64 : i64} : memref<4x8xf32, 3>
  scf.for %i = %c0 to %n step %c1 {
    %fixed = memref.alloca() : memref<2xf32>
    memref.store %x, %fixed[%c1] : memref<2xf32>
    %sized = memref.alloca(%n) : memref<?xf32>
    memref.store %x, %sized[%i] : memref<?xf32>
  }
  memref.store %x, %outer[%c1, %c1] : memref<4x8xf32, 3>
  func.return
}

// CHECK-LABEL: define void @stack(i64 %n, float %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %outer = alloca [32 x float], align 64
// CHECK-NEXT:    %fixed = alloca [2 x float], align 4
// CHECK-NEXT:    %heap = alloca ptr, align 8
// CHECK-NEXT:    store ptr null, ptr %heap, align 8
// CHECK-NEXT:    %sized.small = alloca [16384 x i8], align 64
// CHECK-NEXT:    br label %for
// CHECK-NEXT:  for:
// CHECK-NEXT:    %i = phi i64 [ 0, %entry ], [ %i.next, %allocated ]
// CHECK-NEXT:    %t = icmp slt i64 %i, %n
// CHECK-NEXT:    br i1 %t, label %body, label %endfor
// CHECK-NEXT:  body:
// CHECK-NEXT:    call void @llvm.lifetime.start.p0(ptr %fixed)
// CHECK-NEXT:    %t.1 = getelementptr inbounds nuw float, ptr %fixed, i64 1
// CHECK-NEXT:    store float %x, ptr %t.1, align 4
// CHECK-NEXT:    %t.2 = call { i64, i1 } @llvm.umul.with.overflow.i64(i64 %n, i64 4)
// CHECK-NEXT:    %t.3 = extractvalue { i64, i1 } %t.2, 0
// CHECK-NEXT:    %t.4 = extractvalue { i64, i1 } %t.2, 1
// CHECK-NEXT:    %t.5 = select i1 %t.4, i64 -1, i64 %t.3
// CHECK-NEXT:    %t.6 = call i64 @llvm.umin.i64(i64 %t.5, i64 4611686018427387904)
// CHECK-NEXT:    %t.7 = icmp ule i64 %t.6, 16384
// CHECK-NEXT:    br i1 %t.7, label %allocated, label %large
// CHECK-NEXT:  large:
// CHECK-NEXT:    %t.8 = add i64 %t.6, 63
// CHECK-NEXT:    %sized.base = call noalias ptr @spmd.heap(ptr %heap, i64 %t.8, i1 true)
// CHECK-NEXT:    %t.9 = icmp eq ptr %sized.base, null
// CHECK-NEXT:    br i1 %t.9, label %no.memory, label %memory
// CHECK:       no.memory:
// CHECK:         call void @abort()
// CHECK:       memory:
// CHECK-NEXT:    %t.10 = getelementptr i8, ptr %sized.base, i64 63
// CHECK-NEXT:    %sized.data = call ptr @llvm.ptrmask.p0.i64(ptr %t.10, i64 -64)
// CHECK-NEXT:    br label %allocated
// CHECK-NEXT:  allocated:
// CHECK-NEXT:    %sized.memory = phi ptr [ %sized.small, %body ], [ %sized.data, %memory ]
// CHECK-NEXT:    %t.11 = getelementptr inbounds nuw float, ptr %sized.memory, i64 %i
// CHECK-NEXT:    store float %x, ptr %t.11, align 4
// CHECK-NEXT:    %i.next = add nsw i64 %i, 1
// CHECK-NEXT:    br label %for
// CHECK-NEXT:  endfor:
// CHECK-NEXT:    %t.12 = getelementptr inbounds nuw float, ptr %outer, i64 9
// CHECK-NEXT:    store float %x, ptr %t.12, align 4
// CHECK-NEXT:    call void @spmd.release(ptr %heap)
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// LLVM's own vectorizers stay away from indices that wrap at several widths.
func.func @two_widths(%x: memref<?xf32>, %i: index) {
  %short = arith.index_cast %i : index to i16
  %a = arith.index_cast %short : i16 to index
  %v = memref.load %x[%a] : memref<?xf32>
  %b = arith.index_cast %i : index to i32
  %c = arith.index_cast %b : i32 to index
  memref.store %v, %x[%c] : memref<?xf32>
  func.return
}
// CHECK: define void @two_widths({{.*}}) nounwind noimplicitfloat {

func.func @empty(%x: memref<0x4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<0x4xf32>
  func.return %d : index
}
// CHECK: define i64 @empty(
// CHECK: ret i64 0

// What is too large for a stack, and what an iteration hands on to the next, which is freed
// where the iteration around it ends.
func.func @elsewhere(%n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %large = memref.alloca() : memref<20000xf32>
  memref.store %x, %large[%c1] : memref<20000xf32>
  scf.for %i = %c0 to %n step %c1 {
    %start = memref.alloca() : memref<1xf32>
    scf.for %j = %c0 to %n step %c1 iter_args(%m = %start) -> (memref<1xf32>) {
      %next = memref.alloca() : memref<1xf32>
      memref.store %x, %m[%c0] : memref<1xf32>
      scf.yield %next : memref<1xf32>
    }
  }
  func.return
}

// CHECK-LABEL: define void @elsewhere(i64 %n, float %x) nounwind {
// CHECK:         %start = alloca [1 x float], align 4
// CHECK:         %large.base = call noalias ptr @spmd.heap(ptr %heap, i64 80063, i1 true)
// CHECK:       body.1:
// CHECK-NEXT:    %next.base = call noalias ptr @spmd.heap(ptr %heap.1, i64 67, i1 false)
// CHECK:       endfor.1:
// CHECK-NEXT:    call void @spmd.release(ptr %heap.1)
// CHECK-NEXT:    %i.next = add nsw i64 %i, 1
// CHECK:       endfor:
// CHECK-NEXT:    call void @spmd.release(ptr %heap)
// CHECK-NEXT:    call void @spmd.release(ptr %heap.1)
// CHECK-NEXT:    ret void

// CHECK:       define internal ptr @spmd.heap(ptr %list, i64 %size, i1 %again) nounwind {
// CHECK:       define internal void @spmd.release(ptr %list) nounwind {

// CHECK: declare void @llvm.lifetime.start.p0(ptr)
