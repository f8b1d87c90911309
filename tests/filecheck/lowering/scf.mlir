// RUN: xdsl-opt -t spmd-llvm %s | filecheck %s
// RUN: xdsl-opt -t 'spmd-llvm{cpu=x86-64-v3}' %s | filecheck %s --check-prefix HALF
// RUN: xdsl-opt -t 'spmd-llvm{cpu=x86-64-v3}' %s | filecheck %s --check-prefix SPILL

// Structured control flow as blocks and phis.

func.func @if(%c: i1, %x: f32, %y: f32) -> f32 {
  %r = scf.if %c -> (f32) {
    %s = arith.addf %x, %y : f32
    scf.yield %s : f32
  } else {
    scf.yield %y : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: define float @if(i1 %c, float %x, float %y) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br i1 %c, label %then, label %else
// CHECK-NEXT:  then:
// CHECK-NEXT:    %s = fadd float %x, %y
// CHECK-NEXT:    br label %endif
// CHECK-NEXT:  else:
// CHECK-NEXT:    br label %endif
// CHECK-NEXT:  endif:
// CHECK-NEXT:    %r = phi float [ %s, %then ], [ %y, %else ]
// CHECK-NEXT:    ret float %r
// CHECK-NEXT:  }

func.func @for(%n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %i = %c0 to %n step %c2 iter_args(%s = %x) -> (f32) {
    %t = arith.mulf %s, %s : f32
    scf.yield %t : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: define float @for(i64 %n, float %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br label %for
// CHECK-NEXT:  for:
// CHECK-NEXT:    %i = phi i64 [ 0, %entry ], [ %i.next, %body ]
// CHECK-NEXT:    %s = phi float [ %x, %entry ], [ %t.1, %body ]
// CHECK-NEXT:    %t = icmp slt i64 %i, %n
// CHECK-NEXT:    br i1 %t, label %body, label %endfor
// CHECK-NEXT:  body:
// CHECK-NEXT:    %t.1 = fmul float %s, %s
// CHECK-NEXT:    %i.next = call i64 @llvm.sadd.sat.i64(i64 %i, i64 2)
// CHECK-NEXT:    br label %for
// CHECK-NEXT:  endfor:
// CHECK-NEXT:    ret float %s
// CHECK-NEXT:  }

// A narrow induction variable is counted in 64 bits.
func.func @narrow_for(%n: i8) {
  %c0 = arith.constant 0 : i8
  %c100 = arith.constant 100 : i8
  scf.for %i = %c0 to %n step %c100 : i8 {
    %t = arith.muli %i, %i : i8
  }
  func.return
}

// CHECK-LABEL: define void @narrow_for(i8 %n) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    %t = sext i8 0 to i64
// CHECK-NEXT:    %t.1 = sext i8 %n to i64
// CHECK-NEXT:    %t.2 = sext i8 100 to i64
// CHECK-NEXT:    br label %for
// CHECK-NEXT:  for:
// CHECK-NEXT:    %i = phi i64 [ %t, %entry ], [ %i.next, %body ]
// CHECK-NEXT:    %t.3 = icmp slt i64 %i, %t.1
// CHECK-NEXT:    br i1 %t.3, label %body, label %endfor
// CHECK-NEXT:  body:
// CHECK-NEXT:    %i.1 = trunc i64 %i to i8
// CHECK-NEXT:    %t.4 = mul i8 %i.1, %i.1
// CHECK-NEXT:    %i.next = add nsw i64 %i, %t.2
// CHECK-NEXT:    br label %for
// CHECK-NEXT:  endfor:
// CHECK-NEXT:    ret void
// CHECK-NEXT:  }

func.func @while(%x: i32) -> i32 {
  %c9 = arith.constant 9 : i32
  %r = scf.while (%a = %x) : (i32) -> i32 {
    %more = arith.cmpi slt, %a, %c9 : i32
    scf.condition(%more) %a : i32
  } do {
  ^bb0(%b: i32):
    %next = arith.addi %b, %b : i32
    scf.yield %next : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: define i32 @while(i32 %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    br label %while
// CHECK-NEXT:  while:
// CHECK-NEXT:    %a = phi i32 [ %x, %entry ], [ %next, %do ]
// CHECK-NEXT:    %more = icmp slt i32 %a, 9
// CHECK-NEXT:    br i1 %more, label %do, label %endwhile
// CHECK-NEXT:  do:
// CHECK-NEXT:    %next = add i32 %a, %a
// CHECK-NEXT:    br label %while, !llvm.loop !1
// CHECK-NEXT:  endwhile:
// CHECK-NEXT:    ret i32 %a
// CHECK-NEXT:  }

func.func @switch(%x: index) -> i32 {
  %r = scf.index_switch %x -> i32
  case 3 {
    %a = arith.constant 30 : i32
    scf.yield %a : i32
  }
  default {
    %b = arith.constant 7 : i32
    scf.yield %b : i32
  }
  func.return %r : i32
}

// CHECK-LABEL: define i32 @switch(i64 %x) nounwind {
// CHECK-NEXT:  entry:
// CHECK-NEXT:    switch i64 %x, label %default [ i64 3, label %case ]
// CHECK-NEXT:  default:
// CHECK-NEXT:    br label %endswitch
// CHECK-NEXT:  case:
// CHECK-NEXT:    br label %endswitch
// CHECK-NEXT:  endswitch:
// CHECK-NEXT:    %r = phi i32 [ 7, %default ], [ 30, %case ]
// CHECK-NEXT:    ret i32 %r
// CHECK-NEXT:  }

// LLVM does not write out the iterations of a sum in any order before it makes vectors of it, of
// which it adds up several at once, if they are known to be as many: here two times four.
func.func @total(%x: memref<64xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c64 step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%i] : memref<64xf32>
    %t = arith.addf %s, %v fastmath<reassoc> : f32
    scf.yield %t : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: define float @total(
// CHECK:         %t.2 = fadd reassoc float %s, %v
// CHECK-NEXT:    %i.next = add nsw i64 %i, 1
// CHECK-NEXT:    br label %for, !llvm.loop !5

// HALF-LABEL:  define float @total(
// HALF:          br label %for, !llvm.loop ![[LOOP:[0-9]+]]
// HALF:        ![[COUNT:[0-9]+]] = !{!"llvm.loop.interleave.count", i32 4}
// HALF:        ![[LOOP]] = !{![[LOOP]], {{.*}}![[COUNT]], {{.*}}}
// HALF-NOT:    interleave

// Of a longer one it does so by itself.
func.func @long_total(%x: memref<256xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %r = scf.for %i = %c0 to %c256 step %c1 iter_args(%s = %zero) -> (f32) {
    %v = memref.load %x[%i] : memref<256xf32>
    %t = arith.addf %s, %v fastmath<reassoc> : f32
    scf.yield %t : f32
  }
  func.return %r : f32
}

// CHECK-LABEL: define float @long_total(
// CHECK:         %i.next = add nsw i64 %i, 1
// CHECK-NEXT:    br label %for{{$}}
// CHECK-NEXT:  endfor:

// Iterations that compute with enough whole vectors stay a loop, which compiles faster.
func.func @copy(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  scf.for %i = %c0 to %c256 step %c64 {
    %v = vector.load %x[%i] : memref<?xf32>, vector<64xf32>
    vector.store %v, %y[%i] : memref<?xf32>, vector<64xf32>
  }
  func.return
}

// CHECK-LABEL: define void @copy(
// CHECK:         %i.next = add nsw i64 %i, 64
// CHECK-NEXT:    br label %for, !llvm.loop !6

// So does a loop whose iterations combine such vectors with those of the one before.
func.func @sums(%n32: i32, %x: memref<?xf32>) -> vector<64xf32> {
  %n = arith.index_cast %n32 : i32 to index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %sums = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zeros) -> (vector<64xf32>) {
    %v = vector.load %x[%i] : memref<?xf32>, vector<64xf32>
    %t = arith.addf %s, %v : vector<64xf32>
    scf.yield %t : vector<64xf32>
  }
  func.return %sums : vector<64xf32>
}

// CHECK-LABEL: define <64 x float> @sums(
// CHECK:         %i.next = add
// CHECK-NEXT:    br label %for, !llvm.loop !7

// Not so where one hands on a vector as it is, which costs a move.
func.func @neighbours(%n32: i32, %x: memref<?xf32>) -> vector<64xf32> {
  %n = arith.index_cast %n32 : i32 to index
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %sums, %last = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zeros, %l = %zeros) -> (vector<64xf32>, vector<64xf32>) {
    %v = vector.load %x[%i] : memref<?xf32>, vector<64xf32>
    %t = arith.mulf %l, %v : vector<64xf32>
    scf.yield %t, %s : vector<64xf32>, vector<64xf32>
  }
  func.return %last : vector<64xf32>
}

// CHECK-LABEL: define <64 x float> @neighbours(
// CHECK:         %i.next = add
// CHECK-NEXT:    br label %for{{$}}

// Few iterations or short ones are left to LLVM. What few of them hand on, and memory that
// becomes registers is written out.
func.func @written_out(%x: memref<?xf32>, %y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c256 = arith.constant 256 : index
  %zeros = arith.constant dense<0.0> : vector<64xf32>
  %tile = memref.alloca() : memref<256xf32>
  scf.for %i = %c0 to %c128 step %c64 {
    %v = vector.load %x[%i] : memref<?xf32>, vector<64xf32>
    vector.store %v, %y[%i] : memref<?xf32>, vector<64xf32>
  }
  scf.for %j = %c0 to %c256 step %c4 {
    %v = vector.load %x[%j] : memref<?xf32>, vector<4xf32>
    vector.store %v, %y[%j] : memref<?xf32>, vector<4xf32>
  }
  %sums = scf.for %k = %c0 to %c256 step %c64 iter_args(%s = %zeros) -> (vector<64xf32>) {
    %v = vector.load %x[%k] : memref<?xf32>, vector<64xf32>
    %t = arith.addf %s, %v : vector<64xf32>
    scf.yield %t : vector<64xf32>
  }
  vector.store %sums, %y[%c0] : memref<?xf32>, vector<64xf32>
  scf.for %l = %c0 to %c256 step %c64 {
    %v = vector.load %x[%l] : memref<?xf32>, vector<64xf32>
    vector.store %v, %tile[%l] : memref<256xf32>, vector<64xf32>
  }
  %last = vector.load %tile[%c64] : memref<256xf32>, vector<64xf32>
  vector.store %last, %y[%c0] : memref<?xf32>, vector<64xf32>
  func.return
}

// CHECK-LABEL: define void @written_out(
// CHECK:         %i.next = add
// CHECK-NEXT:    br label %for{{$}}
// CHECK:         %j.next = add
// CHECK-NEXT:    br label %for.1{{$}}
// CHECK:         %k.next = add
// CHECK-NEXT:    br label %for.2, !llvm.loop !9
// CHECK:         %l.next = add
// CHECK-NEXT:    br label %for.3, !llvm.loop !10

// Operations count as on scalars: here five in each of 32 iterations, and what follows from the
// counter is a number. A nest is written out as a whole.
func.func @few_operations(%v: vector<16xi32>) -> (vector<16xi32>, vector<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %ones = arith.constant dense<1> : vector<16xi32>
  %zeros = arith.constant dense<0> : vector<16xi32>
  %bits = scf.for %i = %c0 to %c32 step %c1 iter_args(%r = %zeros) -> (vector<16xi32>) {
    %place = arith.index_cast %i : index to i32
    %places = vector.broadcast %place : i32 to vector<16xi32>
    %shifted = arith.shrui %v, %places : vector<16xi32>
    %bit = arith.andi %shifted, %ones : vector<16xi32>
    %left = arith.shli %r, %ones : vector<16xi32>
    %both = arith.ori %left, %bit : vector<16xi32>
    %flipped = arith.xori %both, %v : vector<16xi32>
    scf.yield %flipped : vector<16xi32>
  }
  %nested = scf.for %j = %c0 to %c4 step %c1 iter_args(%r = %zeros) -> (vector<16xi32>) {
    %s = scf.for %k = %j to %c8 step %c1 iter_args(%q = %r) -> (vector<16xi32>) {
      %t = arith.muli %q, %v : vector<16xi32>
      scf.yield %t : vector<16xi32>
    }
    scf.yield %s : vector<16xi32>
  }
  func.return %bits, %nested : vector<16xi32>, vector<16xi32>
}

// CHECK-LABEL: define {{.*}} @few_operations(
// CHECK:         %i.next = add
// CHECK-NEXT:    br label %for, !llvm.loop
// CHECK:         %k.next = add
// CHECK-NEXT:    br label %for.2, !llvm.loop
// CHECK:         %j.next = add
// CHECK-NEXT:    br label %for.1, !llvm.loop

// Many operations, and few that are many instructions.
func.func @long(%x: memref<?xf32>, %at: vector<64xindex>) -> vector<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c200 = arith.constant 200 : index
  %on = arith.constant dense<true> : vector<64xi1>
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %all_zeros = arith.constant dense<0.0> : vector<64xf32>
  %sum = scf.for %i = %c0 to %c200 step %c1 iter_args(%r = %zeros) -> (vector<4xf32>) {
    %v = vector.load %x[%i] : memref<?xf32>, vector<4xf32>
    %s = arith.addf %r, %v : vector<4xf32>
    scf.yield %s : vector<4xf32>
  }
  vector.store %sum, %x[%c0] : memref<?xf32>, vector<4xf32>
  %all = scf.for %j = %c0 to %c32 step %c1 iter_args(%r = %all_zeros) -> (vector<64xf32>) {
    %v = vector.gather %x[%j] [%at], %on, %all_zeros : memref<?xf32>, vector<64xindex>, vector<64xi1>, vector<64xf32> into vector<64xf32>
    %s = arith.addf %r, %v : vector<64xf32>
    spmd.poll
    scf.yield %s : vector<64xf32>
  }
  func.return %all : vector<64xf32>
}

// CHECK-LABEL: define <64 x float> @long(
// CHECK:         %i.next = add
// CHECK-NEXT:    br label %for{{$}}
// CHECK:         %j.next = add
// CHECK-NEXT:    br label %for.1{{$}}

// Each turn of the loop over columns reads the same 2 x 16 elements of %ta, more than registers
// hold: written out, the loop over %k would have them on the stack.
func.func @product(%a: memref<16x16xf64>, %b: memref<16x16xf64>, %c: memref<16x16xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : vector<8xf64>
  %ta = memref.alloca() : memref<16x16xf64>
  memref.copy %a, %ta : memref<16x16xf64> to memref<16x16xf64>
  scf.for %row = %c0 to %c16 step %c4 {
    scf.for %column = %c0 to %c16 step %c8 {
      %row_1 = arith.addi %row, %c1 : index
      %sum, %sum_1 = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zeros, %t = %zeros) -> (vector<8xf64>, vector<8xf64>) {
        %x = memref.load %ta[%row, %k] : memref<16x16xf64>
        %xs = vector.broadcast %x : f64 to vector<8xf64>
        %x_1 = memref.load %ta[%row_1, %k] : memref<16x16xf64>
        %xs_1 = vector.broadcast %x_1 : f64 to vector<8xf64>
        %y = vector.load %b[%k, %column] : memref<16x16xf64>, vector<8xf64>
        %p = arith.mulf %xs, %y : vector<8xf64>
        %u = arith.addf %s, %p : vector<8xf64>
        %p_1 = arith.mulf %xs_1, %y : vector<8xf64>
        %v = arith.addf %t, %p_1 : vector<8xf64>
        scf.yield %u, %v : vector<8xf64>, vector<8xf64>
      }
      vector.store %sum, %c[%row, %column] : memref<16x16xf64>, vector<8xf64>
      vector.store %sum_1, %c[%row_1, %column] : memref<16x16xf64>, vector<8xf64>
    }
  }
  func.return
}

// SPILL-LABEL: define void @product(
// SPILL:         %k.next = add
// SPILL-NEXT:    br label %{{.*}}, !llvm.loop ![[STAYS:[0-9]+]]

// Where they are written meanwhile they cannot wait there.
func.func @product_in_place(%a: memref<16x16xf64>, %b: memref<16x16xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %zeros = arith.constant dense<0.0> : vector<8xf64>
  %ta = memref.alloca() : memref<16x16xf64>
  memref.copy %a, %ta : memref<16x16xf64> to memref<16x16xf64>
  scf.for %row = %c0 to %c16 step %c4 {
    scf.for %column = %c0 to %c16 step %c8 {
      %row_1 = arith.addi %row, %c1 : index
      %sum, %sum_1 = scf.for %k = %c0 to %c16 step %c1 iter_args(%s = %zeros, %t = %zeros) -> (vector<8xf64>, vector<8xf64>) {
        %x = memref.load %ta[%row, %k] : memref<16x16xf64>
        %xs = vector.broadcast %x : f64 to vector<8xf64>
        %x_1 = memref.load %ta[%row_1, %k] : memref<16x16xf64>
        %xs_1 = vector.broadcast %x_1 : f64 to vector<8xf64>
        %y = vector.load %b[%k, %column] : memref<16x16xf64>, vector<8xf64>
        %p = arith.mulf %xs, %y : vector<8xf64>
        %u = arith.addf %s, %p : vector<8xf64>
        %p_1 = arith.mulf %xs_1, %y : vector<8xf64>
        %v = arith.addf %t, %p_1 : vector<8xf64>
        scf.yield %u, %v : vector<8xf64>, vector<8xf64>
      }
      vector.store %sum, %ta[%row, %column] : memref<16x16xf64>, vector<8xf64>
      vector.store %sum_1, %ta[%row_1, %column] : memref<16x16xf64>, vector<8xf64>
    }
  }
  func.return
}

// SPILL-LABEL: define void @product_in_place(
// SPILL:         %k.next = add
// SPILL-NEXT:    br label %{{.*}}, !llvm.loop ![[FULL:[0-9]+]]
// SPILL:       ![[OFF:[0-9]+]] = !{!"llvm.loop.unroll.disable"}
// SPILL:       ![[ALL:[0-9]+]] = !{!"llvm.loop.unroll.full"}
// SPILL:       ![[STAYS]] = !{![[STAYS]], ![[OFF]]}
// SPILL:       ![[FULL]] = !{![[FULL]], ![[ALL]]}

// CHECK:       !0 = !{!"spmd.while"}
// CHECK-NEXT:  !1 = !{!1, !0}
// CHECK-NEXT:  !2 = !{!"llvm.loop.isvectorized", i32 1}
// CHECK-NEXT:  !3 = !{!"llvm.loop.vectorize.followup_vectorized", !2}
// CHECK-NEXT:  !4 = !{!"llvm.loop.unroll.disable"}
// CHECK-NEXT:  !5 = !{!5, !3, !4}
// CHECK-NEXT:  !6 = !{!6, !4}
// CHECK-NEXT:  !7 = !{!7, !4}
// CHECK-NEXT:  !8 = !{!"llvm.loop.unroll.full"}
// CHECK-NEXT:  !9 = !{!9, !8}
