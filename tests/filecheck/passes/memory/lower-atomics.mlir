// RUN: xdsl-opt %s -p lower-atomics | filecheck %s
// RUN: xdsl-opt %s -p lower-atomics,lower-atomics | filecheck %s

// The pointer of the memref, and the distance of the element.

// CHECK-LABEL: func.func @one_dimension
// CHECK-NEXT:    [[BASE:%.*]] = "memref.extract_aligned_pointer_as_index"(%x) : (memref<?xi32>) -> index
// CHECK-NEXT:    [[ADDRESS:%.*]] = arith.index_cast [[BASE]] : index to i64
// CHECK-NEXT:    %x_start = llvm.inttoptr [[ADDRESS]] : i64 to !llvm.ptr
// CHECK-NEXT:    [[AT:%.*]] = arith.index_cast %i : index to i64
// CHECK-NEXT:    %x_element = llvm.getelementptr inbounds %x_start{{\[}}[[AT]]] : (!llvm.ptr, i64) -> !llvm.ptr, i32
// CHECK-NEXT:    %old = llvm.atomicrmw add %x_element, %v monotonic : !llvm.ptr, i32
// CHECK-NEXT:    func.return %old : i32
func.func @one_dimension(%x: memref<?xi32>, %i: index, %v: i32) -> i32 {
  %old = spmd.atomic_rmw add %v, %x[%i] : memref<?xi32>
  func.return %old : i32
}

// CHECK-LABEL: func.func @no_dimension
// CHECK:         %x_start = llvm.inttoptr
// CHECK-NEXT:    %old = llvm.atomicrmw fminimum %x_start, %v monotonic : !llvm.ptr, f32
func.func @no_dimension(%x: memref<f32>, %v: f32) -> f32 {
  %old = spmd.atomic_rmw min %v, %x[] : memref<f32>
  func.return %old : f32
}

// An index is an i64 there.

// CHECK-LABEL: func.func @rows
// CHECK:         %c1 = arith.constant 1 : index
// CHECK-NEXT:    [[COLUMNS:%.*]] = memref.dim %x, %c1 : memref<?x?x8xindex>
// CHECK-NEXT:    [[ROW:%.*]] = arith.muli %i, [[COLUMNS]] overflow<nsw> : index
// CHECK-NEXT:    [[IN_ROW:%.*]] = arith.addi [[ROW]], %j overflow<nsw> : index
// CHECK-NEXT:    %c8 = arith.constant 8 : index
// CHECK-NEXT:    [[LINE:%.*]] = arith.muli [[IN_ROW]], %c8 overflow<nsw> : index
// CHECK-NEXT:    [[AT:%.*]] = arith.addi [[LINE]], %k overflow<nsw> : index
// CHECK-NEXT:    [[AS_I64:%.*]] = arith.index_cast [[AT]] : index to i64
// CHECK-NEXT:    %x_element = llvm.getelementptr inbounds %x_start{{\[}}[[AS_I64]]] : (!llvm.ptr, i64) -> !llvm.ptr, i64
// CHECK-NEXT:    [[VALUE:%.*]] = arith.index_cast %v : index to i64
// CHECK-NEXT:    [[OLD:%.*]] = llvm.atomicrmw umax %x_element, [[VALUE]] seq_cst : !llvm.ptr, i64
// CHECK-NEXT:    %old = arith.index_cast [[OLD]] : i64 to index
func.func @rows(%x: memref<?x?x8xindex>, %i: index, %j: index, %k: index, %v: index) -> index {
  %old = spmd.atomic_rmw maxui %v, %x[%i, %j, %k] ordering(seq_cst) : memref<?x?x8xindex>
  func.return %old : index
}

// Offset and strides are known by the type or measured.

// CHECK-LABEL: func.func @known_strides
// CHECK-NOT:     extract_strided_metadata
// CHECK:         %c5 = arith.constant 5 : index
// CHECK-NEXT:    %c7 = arith.constant 7 : index
// CHECK-NEXT:    [[ROW:%.*]] = arith.muli %i, %c7 overflow<nsw> : index
// CHECK-NEXT:    [[START:%.*]] = arith.addi %c5, [[ROW]] overflow<nsw> : index
// CHECK-NEXT:    [[AT:%.*]] = arith.addi [[START]], %j overflow<nsw> : index
func.func @known_strides(%x: memref<4x4xi8, strided<[7, 1], offset: 5>>, %i: index, %j: index, %v: i8) {
  %old = spmd.atomic_rmw or %v, %x[%i, %j] : memref<4x4xi8, strided<[7, 1], offset: 5>>
  func.return
}

// CHECK-LABEL: func.func @measured_strides
// CHECK:         {{%.*}}, [[OFFSET:%.*]], {{%.*}}, [[STRIDE:%.*]] = memref.extract_strided_metadata %x
// CHECK-NEXT:    [[STEP:%.*]] = arith.muli %i, [[STRIDE]] overflow<nsw> : index
// CHECK-NEXT:    [[AT:%.*]] = arith.addi [[OFFSET]], [[STEP]] overflow<nsw> : index
// CHECK:         llvm.atomicrmw xchg %x_element, %v acq_rel : !llvm.ptr, f64
func.func @measured_strides(%x: memref<?xf64, strided<[?], offset: ?>>, %i: index, %v: f64) {
  %old = spmd.atomic_rmw exchange %v, %x[%i] ordering(acq_rel) : memref<?xf64, strided<[?], offset: ?>>
  func.return
}

// A failed exchange has the strongest ordering that it may have.

// CHECK-LABEL: func.func @exchange
// CHECK:         [[PAIR:%.*]] = llvm.cmpxchg %x_element, %a, %b acq_rel acquire : !llvm.ptr, i16
// CHECK-NEXT:    %old = llvm.extractvalue [[PAIR]][0] : !llvm.struct<(i16, i1)>
// CHECK-NEXT:    %won = llvm.extractvalue [[PAIR]][1] : !llvm.struct<(i16, i1)>
// CHECK:         llvm.cmpxchg {{.*}} release monotonic : !llvm.ptr, i16
// CHECK:         llvm.cmpxchg {{.*}} monotonic monotonic : !llvm.ptr, i16
func.func @exchange(%x: memref<?xi16>, %i: index, %a: i16, %b: i16) -> (i16, i1) {
  %old, %won = spmd.atomic_cas %a, %b, %x[%i] ordering(acq_rel) : memref<?xi16>
  %1, %2 = spmd.atomic_cas %a, %b, %x[%i] ordering(release) : memref<?xi16>
  %3, %4 = spmd.atomic_cas %a, %b, %x[%i] : memref<?xi16>
  func.return %old, %won : i16, i1
}

// Nobody else can be in between: the scope of a work-group, and local memory.

// CHECK-LABEL: func.func @alone
// CHECK-NEXT:    %a = memref.load %x[%i] : memref<?xi32>
// CHECK-NEXT:    [[SUM:%.*]] = arith.addi %a, %v : i32
// CHECK-NEXT:    memref.store [[SUM]], %x[%i] : memref<?xi32>
// CHECK-NEXT:    %b = memref.load %y[%i] : memref<?xf32, 3 : i64>
// CHECK-NEXT:    [[MOST:%.*]] = arith.maximumf %b, %w : f32
// CHECK-NEXT:    memref.store [[MOST]], %y[%i] : memref<?xf32, 3 : i64>
// CHECK-NEXT:    %c = memref.load %y[%i] : memref<?xf32, 3 : i64>
// CHECK-NEXT:    memref.store %w, %y[%i] : memref<?xf32, 3 : i64>
// CHECK-NEXT:    %d = memref.load %x[%i] : memref<?xi32>
// CHECK-NEXT:    %won = arith.cmpi eq, %d, %v : i32
// CHECK-NEXT:    [[NEW:%.*]] = arith.select %won, %a, %d : i32
// CHECK-NEXT:    memref.store [[NEW]], %x[%i] : memref<?xi32>
func.func @alone(%x: memref<?xi32>, %y: memref<?xf32, 3 : i64>, %v: i32, %w: f32, %i: index) -> (f32, f32, i32, i1) {
  %a = spmd.atomic_rmw add %v, %x[%i] scope(work_group) : memref<?xi32>
  %b = spmd.atomic_rmw max %w, %y[%i] : memref<?xf32, 3 : i64>
  %c = spmd.atomic_rmw exchange %w, %y[%i] : memref<?xf32, 3 : i64>
  %d, %won = spmd.atomic_cas %v, %a, %x[%i] scope(work_group) : memref<?xi32>
  func.return %b, %c, %d, %won : f32, f32, i32, i1
}

// Nor can they get at a copy of the thread, or at a view of it.

// CHECK-LABEL: func.func @copies
// CHECK-NEXT:    %old = memref.load %x[%i] : memref<?xi32>
// CHECK-NEXT:    [[SUM:%.*]] = arith.addi %old, %v : i32
// CHECK-NEXT:    memref.store [[SUM]], %x[%i] : memref<?xi32>
// CHECK-NEXT:    %part = memref.subview %x
// CHECK-NEXT:    [[SEEN:%.*]] = memref.load %part[%i]
// CHECK-NEXT:    [[REST:%.*]] = arith.subi [[SEEN]], %v : i32
// CHECK-NEXT:    memref.store [[REST]], %part[%i]
// CHECK:         llvm.atomicrmw add %y_element
func.func @copies(%x: memref<?xi32> {spmd.thread_copies = #spmd.atomic_kind<add>}, %y: memref<?xi32>, %v: i32, %i: index) {
  %old = spmd.atomic_rmw add %v, %x[%i] : memref<?xi32>
  %part = memref.subview %x[1] [4] [1] : memref<?xi32> to memref<4xi32, strided<[1], offset: 1>>
  %of_part = spmd.atomic_rmw sub %v, %part[%i] : memref<4xi32, strided<[1], offset: 1>>
  %other = spmd.atomic_rmw add %v, %y[%i] : memref<?xi32>
  func.return
}

// Upstream's own atomic operation is left alone.

// CHECK-LABEL: func.func @upstream
// CHECK-NEXT:    "memref.atomic_rmw"
func.func @upstream(%x: memref<?xi32>, %i: index, %v: i32) -> i32 {
  %old = "memref.atomic_rmw"(%v, %x, %i) <{kind = 1 : i64}> : (i32, memref<?xi32>, index) -> i32
  func.return %old : i32
}
