// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s

// Blocks. An edge of its own tells two paths to one block apart.

// CHECK: @spmd.text.0 = {{.*}}/cf.mlir:51:3: too \22large\22\0A"

func.func @both_paths_to_one_block(%c: i1, %x: i32, %y: i32) -> i32 {
  cf.cond_br %c, ^join(%x : i32), ^join(%y : i32)
^join(%r: i32):
  func.return %r : i32
}

// CHECK-LABEL: define i32 @both_paths_to_one_block(i1 %c, i32 %x, i32 %y) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br i1 %c, label %bb, label %edge
// CHECK-NEXT:  edge:
// CHECK-NEXT:    br label %bb
// CHECK-NEXT:  bb:
// CHECK-NEXT:    %r = phi i32 [ %x, %entry ], [ %y, %edge ]
// CHECK-NEXT:    ret i32 %r
// CHECK-NEXT:  }

func.func @loop(%n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  cf.br ^head(%c0 : i32)
^head(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %i, %n : i32
  cf.br ^head(%next : i32)
^exit:
  func.return %i : i32
}

// CHECK-LABEL: define i32 @loop(i32 %n) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br label %bb
// CHECK-NEXT:  bb:
// CHECK-NEXT:    %i = phi i32 [ 0, %entry ], [ %next, %bb.1 ]
// CHECK-NEXT:    %more = icmp slt i32 %i, %n
// CHECK-NEXT:    br i1 %more, label %bb.1, label %bb.2
// CHECK-NEXT:  bb.2:
// CHECK-NEXT:    ret i32 %i
// CHECK-NEXT:  bb.1:
// CHECK-NEXT:    %next = add i32 %i, %n
// CHECK-NEXT:    br label %bb
// CHECK-NEXT:  }

func.func @assert(%c: i1) {
  cf.assert %c, "too \22large\22"
  func.return
}

// CHECK-LABEL: define void @assert(i1 %c) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br i1 %c, label %assert.passed, label %assert.failed, !prof !0
// CHECK-NEXT:  assert.failed:
// CHECK-NEXT:    call i64 @write(i32 2, ptr @spmd.text.0, i64 {{[0-9]+}})
// CHECK-NEXT:    call void @abort()
// CHECK-NEXT:    unreachable
// CHECK-NEXT:  assert.passed:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

// CHECK: declare i64 @write(i32, ptr, i64) nounwind
// CHECK-NEXT: declare void @abort() noreturn nounwind
