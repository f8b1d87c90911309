// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// A work-group function gets a native entry, and a worker for threads.

func.func @k(%x: memref<?xf32>, %flag: i1, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index, %scratch: memref<?xi8>) attributes {spmd.work_group_function} {
  func.return
}

// CHECK-LABEL: define internal void @k.group(ptr %x.base, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0, i1 %flag, i64 %gx, i64 %gy, i64 %gz, i64 %ex, i64 %ey, i64 %ez, i64 %nx, i64 %ny, i64 %nz, ptr %scratch.base, ptr noalias align 64 %scratch.data, i64 %scratch.offset, i64 %scratch.size0, i64 %scratch.stride0) nounwind alwaysinline {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// A row is what LLVM optimises.

// CHECK-LABEL: define internal void @k.row(ptr noalias readonly %args, i64 %first, i64 %last, i64 %group.y, i64 %group.z, ptr %scratch) nounwind noinline {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %x.data = load ptr, ptr %args, align 8, !invariant.load !0
// CHECK-NEXT:    %t = getelementptr inbounds i8, ptr %args, i64 8
// CHECK-NEXT:    %x.offset = load i64, ptr %t, align 8, !invariant.load !0
// CHECK-NEXT:    %t.1 = getelementptr inbounds i8, ptr %args, i64 16
// CHECK-NEXT:    %x.size0 = load i64, ptr %t.1, align 8, !invariant.load !0
// CHECK-NEXT:    %t.2 = getelementptr inbounds i8, ptr %args, i64 24
// CHECK-NEXT:    %x.stride0 = load i64, ptr %t.2, align 8, !invariant.load !0
// CHECK-NEXT:    %t.3 = getelementptr inbounds i8, ptr %args, i64 32
// CHECK-NEXT:    %flag = load i8, ptr %t.3, align 1, !invariant.load !0
// CHECK-NEXT:    %flag.1 = trunc i8 %flag to i1
// CHECK-NEXT:    %t.4 = getelementptr inbounds i8, ptr %args, i64 40
// CHECK-NEXT:    %ex = load i64, ptr %t.4, align 8, !invariant.load !0
// CHECK-NEXT:    %t.5 = getelementptr inbounds i8, ptr %args, i64 48
// CHECK-NEXT:    %ey = load i64, ptr %t.5, align 8, !invariant.load !0
// CHECK-NEXT:    %t.6 = getelementptr inbounds i8, ptr %args, i64 56
// CHECK-NEXT:    %ez = load i64, ptr %t.6, align 8, !invariant.load !0
// CHECK-NEXT:    %t.7 = getelementptr inbounds i8, ptr %args, i64 64
// CHECK-NEXT:    %nx = load i64, ptr %t.7, align 8, !invariant.load !0
// CHECK-NEXT:    %t.8 = getelementptr inbounds i8, ptr %args, i64 72
// CHECK-NEXT:    %ny = load i64, ptr %t.8, align 8, !invariant.load !0
// CHECK-NEXT:    %t.9 = getelementptr inbounds i8, ptr %args, i64 80
// CHECK-NEXT:    %nz = load i64, ptr %t.9, align 8, !invariant.load !0
// CHECK-NEXT:    br label %group
// CHECK-NEXT:  group:
// CHECK-NEXT:    %group.x = phi i64 [ %first, %entry ], [ %next.x, %group ]
// CHECK-NEXT:    call void @k.group(ptr %x.data, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0, i1 %flag.1, i64 %group.x, i64 %group.y, i64 %group.z, i64 %ex, i64 %ey, i64 %ez, i64 %nx, i64 %ny, i64 %nz, ptr %scratch, ptr %scratch, i64 0, i64 9223372036854775807, i64 1)
// CHECK-NEXT:    %next.x = add nuw nsw i64 %group.x, 1
// CHECK-NEXT:    %t.10 = icmp slt i64 %next.x, %last
// CHECK-NEXT:    br i1 %t.10, label %group, label %done, !llvm.loop !2
// CHECK-NEXT:  done:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// The entry goes through rows.

// CHECK-LABEL: define void @k(ptr noalias readonly %args, i64 %first, i64 %last, ptr %scratch) nounwind noinline optnone {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %some = icmp slt i64 %first, %last
// CHECK-NEXT:    br i1 %some, label %start, label %done
// CHECK-NEXT:  start:
// CHECK-NEXT:    %t = getelementptr inbounds i8, ptr %args, i64 40
// CHECK-NEXT:    %ex = load i64, ptr %t, align 8, !invariant.load !0
// CHECK-NEXT:    %t.1 = getelementptr inbounds i8, ptr %args, i64 48
// CHECK-NEXT:    %ey = load i64, ptr %t.1, align 8, !invariant.load !0
// CHECK-NEXT:    %t.2 = getelementptr inbounds i8, ptr %args, i64 64
// CHECK-NEXT:    %nx = load i64, ptr %t.2, align 8, !invariant.load !0
// CHECK-NEXT:    %t.3 = getelementptr inbounds i8, ptr %args, i64 72
// CHECK-NEXT:    %ny = load i64, ptr %t.3, align 8, !invariant.load !0
// CHECK-NEXT:    %t.4 = sub i64 %nx, 1
// CHECK-NEXT:    %t.5 = udiv i64 %t.4, %ex
// CHECK-NEXT:    %groups.x = add nuw nsw i64 %t.5, 1
// CHECK-NEXT:    %t.6 = sub i64 %ny, 1
// CHECK-NEXT:    %t.7 = udiv i64 %t.6, %ey
// CHECK-NEXT:    %groups.y = add nuw nsw i64 %t.7, 1
// CHECK-NEXT:    %t.8 = udiv i64 %first, %groups.x
// CHECK-NEXT:    %first.x = urem i64 %first, %groups.x
// CHECK-NEXT:    %first.y = urem i64 %t.8, %groups.y
// CHECK-NEXT:    %first.z = udiv i64 %t.8, %groups.y
// CHECK-NEXT:    %first.base = sub nuw nsw i64 %first, %first.x
// CHECK-NEXT:    br label %row
// CHECK-NEXT:  row:
// CHECK-NEXT:    %base = phi i64 [ %first.base, %start ], [ %base.next, %row ]
// CHECK-NEXT:    %row.x = phi i64 [ %first.x, %start ], [ 0, %row ]
// CHECK-NEXT:    %group.y = phi i64 [ %first.y, %start ], [ %next.y, %row ]
// CHECK-NEXT:    %group.z = phi i64 [ %first.z, %start ], [ %next.z, %row ]
// CHECK-NEXT:    %t.9 = sub nuw nsw i64 %last, %base
// CHECK-NEXT:    %t.10 = call i64 @llvm.smin.i64(i64 %groups.x, i64 %t.9)
// CHECK-NEXT:    call void @k.row(ptr %args, i64 %row.x, i64 %t.10, i64 %group.y, i64 %group.z, ptr %scratch)
// CHECK-NEXT:    %base.next = add nuw nsw i64 %base, %groups.x
// CHECK-NEXT:    %t.11 = icmp slt i64 %base.next, %last
// CHECK-NEXT:    %t.12 = add nuw nsw i64 %group.y, 1
// CHECK-NEXT:    %t.13 = icmp eq i64 %t.12, %groups.y
// CHECK-NEXT:    %t.14 = zext i1 %t.13 to i64
// CHECK-NEXT:    %next.y = select i1 %t.13, i64 0, i64 %t.12
// CHECK-NEXT:    %next.z = add nuw nsw i64 %group.z, %t.14
// CHECK-NEXT:    br i1 %t.11, label %row, label %done
// CHECK-NEXT:  done:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// CHECK-LABEL: define void @k.worker(ptr noalias readonly %args, ptr %next, i64 %groups, i64 %chunk, ptr %scratch) nounwind noinline optnone {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br label %take
// CHECK-NEXT:  take:
// CHECK-NEXT:    %first = atomicrmw add ptr %next, i64 %chunk monotonic, align 8
// CHECK-NEXT:    %some = icmp slt i64 %first, %groups
// CHECK-NEXT:    br i1 %some, label %run, label %done
// CHECK-NEXT:  run:
// CHECK-NEXT:    %end = add i64 %first, %chunk
// CHECK-NEXT:    %last = call i64 @llvm.smin.i64(i64 %end, i64 %groups)
// CHECK-NEXT:    call void @k(ptr %args, i64 %first, i64 %last, ptr %scratch)
// CHECK-NEXT:    br label %take
// CHECK-NEXT:  done:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// A call of the entry updates a copy, and in the end the array by what has become of the copy.

func.func @copies(%n: i8, %x: memref<2x?xi32> {spmd.thread_copies = #spmd.atomic_kind<and>}, %y: memref<f32> {spmd.thread_copies = #spmd.atomic_kind<add>}, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  func.return
}

// CHECK-LABEL: define void @copies(
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %passed = alloca [120 x i8], align 8
// CHECK-NEXT:    call void @llvm.memcpy.p0.p0.i64(ptr %passed, ptr %args, i64 120, i1 false)
// CHECK:         [[PART:%.*]] = mul nuw nsw i64 %x.size0, 1
// CHECK:         [[COUNT:%.*]] = mul nuw nsw i64 %x.size1, [[PART]]
// CHECK-NEXT:    %x.copy = alloca i32, i64 [[COUNT]], align 64
// CHECK-NEXT:    [[AT:%.*]] = getelementptr inbounds i8, ptr %passed, i64 8
// CHECK-NEXT:    store ptr %x.copy, ptr [[AT]], align 8
// CHECK:         %y.copy = alloca i32, i64 1, align 64
// CHECK-NEXT:    [[AT:%.*]] = getelementptr inbounds i8, ptr %passed, i64 56
// CHECK-NEXT:    store ptr %y.copy, ptr [[AT]], align 8
// CHECK:         icmp slt i64 %i, [[COUNT]]
// CHECK:         [[AT:%.*]] = getelementptr inbounds i32, ptr %x.copy, i64 %i
// CHECK-NEXT:    store i32 -1, ptr [[AT]], align 4
// CHECK:         [[AT:%.*]] = getelementptr inbounds i32, ptr %y.copy, i64 %i.1
// CHECK-NEXT:    store i32 -2147483648, ptr [[AT]], align 4
// CHECK:         call void @copies.range(ptr %passed, i64 %first, i64 %last, ptr %scratch)
// CHECK:         icmp slt i64 %i.2, [[COUNT]]
// CHECK:         [[AT:%.*]] = getelementptr inbounds i32, ptr %x.copy, i64 %i.2
// CHECK-NEXT:    [[BITS:%.*]] = load i32, ptr [[AT]], align 4
// CHECK-NEXT:    [[SAME:%.*]] = icmp eq i32 [[BITS]], -1
// CHECK-NEXT:    br i1 [[SAME]], label %unchanged, label %update
// CHECK-NEXT:  update:
// CHECK-NEXT:    [[VALUE:%.*]] = bitcast i32 [[BITS]] to i32
// CHECK-NEXT:    [[TO:%.*]] = getelementptr inbounds i32, ptr %x.data, i64 %i.2
// CHECK-NEXT:    atomicrmw and ptr [[TO]], i32 [[VALUE]] monotonic, align 4
// CHECK-NEXT:    br label %unchanged
// CHECK:         [[VALUE:%.*]] = bitcast i32 {{%.*}} to float
// CHECK-NEXT:    [[TO:%.*]] = getelementptr inbounds i32, ptr %y.data, i64 %i.3
// CHECK-NEXT:    atomicrmw fadd ptr [[TO]], float [[VALUE]] monotonic, align 4
// CHECK:         ret void

// CHECK-LABEL: define internal void @copies.range(ptr noalias readonly %args, i64 %first, i64 %last, ptr %scratch) nounwind noinline optnone {
// CHECK:         call void @copies.row(ptr %args, i64 %row.x,

// Groups may be numbered along another dimension first.

func.func @ordered(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function, spmd.work_group_size = array<i64: 2, 4, 8>, spmd.group_order = array<i64: 2, 0, 1>} {
  func.return
}

// CHECK-LABEL: define internal void @ordered.row(ptr noalias readonly %args, i64 %first, i64 %last, i64 %group.x, i64 %group.y, ptr %scratch)
// CHECK:         call void @ordered.group(i64 %group.x, i64 %group.y, i64 %group.z, i64 2, i64 4, i64 8,
// CHECK-NEXT:    %next.z = add nuw nsw i64 %group.z, 1
// CHECK-LABEL: define void @ordered(
// CHECK:         [[PLANE:%.*]] = udiv i64 %first, %groups.z
// CHECK-NEXT:    %first.z = urem i64 %first, %groups.z
// CHECK-NEXT:    %first.x = urem i64 [[PLANE]], %groups.x
// CHECK-NEXT:    %first.y = udiv i64 [[PLANE]], %groups.x
// CHECK:         call void @ordered.row(ptr %args, i64 %row.z, i64 {{%.*}}, i64 %group.x, i64 %group.y, ptr %scratch)
// CHECK-NEXT:    %base.next = add nuw nsw i64 %base, %groups.z
// CHECK:         [[X:%.*]] = add nuw nsw i64 %group.x, 1
// CHECK-NEXT:    [[END:%.*]] = icmp eq i64 [[X]], %groups.x
// CHECK:         %next.x = select i1 [[END]], i64 0, i64 [[X]]
// CHECK-NEXT:    %next.y = add nuw nsw i64 %group.y,

// LLVM unrolls loops over arrays before it looks at the whole entry.

// CHECK-LABEL: define internal void @arrays.group(
// CHECK-SAME:  nounwind inlinehint {
func.func @arrays(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %array = memref.alloca() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    memref.store %one, %array[%i] : memref<4xf32>
  }
  func.return
}

// Places that only run time knows stay in memory, whatever is unrolled.

// CHECK-LABEL: define internal void @stack.group(
// CHECK-SAME:  nounwind alwaysinline {
func.func @stack(%gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %array = memref.alloca() : memref<4xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %at = arith.andi %gx, %i : index
    memref.store %one, %array[%at] : memref<4xf32>
  }
  func.return
}

// What went around the caches is in memory when a call is over.

// CHECK-LABEL: define void @streams(
// CHECK:       done:
// CHECK-NEXT:    fence seq_cst
// CHECK-NEXT:    ret void
func.func @streams(%y: memref<?xf32>, %gx: index, %gy: index, %gz: index, %ex: index, %ey: index, %ez: index, %nx: index, %ny: index, %nz: index) attributes {spmd.work_group_function} {
  %v = arith.constant dense<1.0> : vector<16xf32>
  vector.store %v, %y[%gx] {nontemporal = true} : memref<?xf32>, vector<16xf32>
  func.return
}

// CHECK: declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
// CHECK-EMPTY:
// CHECK-NEXT: !0 = !{}
// CHECK-NEXT: !1 = !{!"llvm.loop.unroll.disable"}
// CHECK-NEXT: !2 = !{!2, !1}
