// RUN: xdsl-opt %s -t spmd-llvm | filecheck %s

// Without a runtime that listens, the message is printed and the process ends.

// CHECK-DAG:   [[FIRST:@spmd.text.[0-9]+]] = {{.*}}"first\00"
// CHECK-DAG:   [[LAST:@spmd.text.[0-9]+]] = {{.*}}"last\00"
// CHECK-DAG:   [[TEXT:@spmd.text.[0-9]+]] = {{.*}}/failure.mlir:20:3: 100%% {{[{]}}of} %lld: %lld, %s\0A\00"
// CHECK-DAG:   @spmd.text.3 = {{.*}}"5%%: %-8.2f%04llx %llu\0A\00"
// CHECK-LABEL: define void @f(
// CHECK:         [[N:%.*]] = sext i32 %n to i64
// CHECK-NEXT:    [[B:%.*]] = zext i1 %b to i64
// CHECK-NEXT:    [[IS:%.*]] = icmp eq i64 %i, 0
// CHECK-NEXT:    [[WORD:%.*]] = select i1 [[IS]], ptr [[FIRST]], ptr [[LAST]]
// CHECK-NEXT:    call i32 (i32, ptr, ...) @dprintf(i32 2, ptr [[TEXT]], i64 [[N]], i64 [[B]], ptr [[WORD]])
// CHECK-NEXT:    call void @abort()
// CHECK-NEXT:    unreachable
// CHECK-NEXT:  fail.after:
// CHECK-NEXT:    ret void
func.func @f(%n: i32, %b: i1, %i: index) {
  spmd.fail "100% {{of}} {}: {}, {first|last}"(%n, %b, %i) : i32, i1, index
  func.return
}

// Where nobody can end a launch, a poll is nothing.

// CHECK-LABEL: define void @g(
// CHECK-NEXT:  entry:
// CHECK-NEXT:    ret void
func.func @g() {
  spmd.poll
  func.return
}
// What is printed goes to the standard output.

// CHECK-LABEL: define void @h(
// CHECK-NEXT:  entry:
// CHECK-NEXT:    [[WIDE:%.*]] = fpext float %x to double
// CHECK-NEXT:    [[N:%.*]] = zext i8 %n to i64
// CHECK-NEXT:    [[M:%.*]] = zext i8 %n to i64
// CHECK-NEXT:    call i32 (ptr, ...) @printf(ptr @spmd.text.3, double [[WIDE]], i64 [[N]], i64 [[M]])
// CHECK-NEXT:    ret void
func.func @h(%x: f32, %n: i8) {
  spmd.print "5%: {:<8.2f}{u:04x} {u}\0A"(%x, %n, %n) : f32, i8, i8
  func.return
}
// CHECK: declare i32 @dprintf(i32, ptr, ...) nounwind
