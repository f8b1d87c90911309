// RUN: xdsl-opt %s -t spmd-llvm | filecheck %s

// A marked function gets an entry that reads a struct and writes the results into it.

// CHECK:       define { i1, float } @host(i64 %n, i1 %p, ptr %x.base
// CHECK:       define void @host.call(ptr noalias %args) nounwind {
// CHECK:         %n = load i64, ptr %args, align 8
// CHECK:         %p = load i8, ptr %{{.*}}, align 1
// CHECK-NEXT:    %p.1 = trunc i8 %p to i1
// CHECK:         %x.data = load ptr
// CHECK:         %results = call { i1, float } @host(i64 %n, i1 %p.1, ptr %x.data, ptr %x.data, i64 %x.offset, i64 %x.size0, i64 %x.stride0)
// CHECK-NEXT:    [[FIRST:%.*]] = extractvalue { i1, float } %results, 0
// CHECK-NEXT:    [[BYTE:%.*]] = zext i1 [[FIRST]] to i8
// CHECK:         store i8 [[BYTE]], ptr %{{.*}}, align 1
// CHECK:         [[SECOND:%.*]] = extractvalue { i1, float } %results, 1
// CHECK:         store float [[SECOND]], ptr %{{.*}}, align 4
// CHECK-NEXT:    ret void
func.func @host(%n: index, %p: i1, %x: memref<?xf32>) -> (i1, f32) attributes {spmd.host_function} {
  %v = memref.load %x[%n] : memref<?xf32>
  func.return %p, %v : i1, f32
}
