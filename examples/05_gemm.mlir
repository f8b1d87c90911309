// c = a * b. A work-item computes 6 rows of one column of c, so that each element it loads
// is used 6 times; a group computes 192 rows of 64 columns. The group copies 256 rows of b
// into local memory, its work-items add their share to their sums, and so on. Any sizes:
// rows past the end are computed from the last row and never stored.
//
// Launch with global_size = (columns of c, ceil(rows of c / 6)).
spmd.kernel @gemm(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 64, 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c256 = arith.constant 256 : index
  %zero = arith.constant 0.0 : f32
  %tile = spmd.local_alloc : memref<256x64xf32, #spmd.memory<local>>
  %column = spmd.global_id x
  %strip = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %height = spmd.local_size y
  %rows = memref.dim %c, %c0 : memref<?x?xf32>
  %depth = memref.dim %b, %c0 : memref<?x?xf32>
  %last = arith.subi %rows, %c1 : index
  %row0 = arith.muli %strip, %c6 : index
  %row1 = arith.addi %row0, %c1 : index
  %row2 = arith.addi %row0, %c2 : index
  %row3 = arith.addi %row0, %c3 : index
  %row4 = arith.addi %row0, %c4 : index
  %row5 = arith.addi %row0, %c5 : index
  %from0 = arith.minui %row0, %last : index
  %from1 = arith.minui %row1, %last : index
  %from2 = arith.minui %row2, %last : index
  %from3 = arith.minui %row3, %last : index
  %from4 = arith.minui %row4, %last : index
  %from5 = arith.minui %row5, %last : index
  %sum:6 = scf.for %start = %c0 to %depth step %c256
      iter_args(%p0 = %zero, %p1 = %zero, %p2 = %zero,
                %p3 = %zero, %p4 = %zero, %p5 = %zero)
      -> (f32, f32, f32, f32, f32, f32) {
    %left = arith.subi %depth, %start : index
    %count = arith.minui %left, %c256 : index
    scf.for %k = %ly to %count step %height {
      %row = arith.addi %start, %k : index
      %v = memref.load %b[%row, %column] : memref<?x?xf32>
      memref.store %v, %tile[%k, %lx] : memref<256x64xf32, #spmd.memory<local>>
    }
    spmd.barrier
    %q:6 = scf.for %k = %c0 to %count step %c1
        iter_args(%s0 = %p0, %s1 = %p1, %s2 = %p2,
                  %s3 = %p3, %s4 = %p4, %s5 = %p5)
        -> (f32, f32, f32, f32, f32, f32) {
      %bk = memref.load %tile[%k, %lx] : memref<256x64xf32, #spmd.memory<local>>
      %at = arith.addi %start, %k : index
      %a0 = memref.load %a[%from0, %at] : memref<?x?xf32>
      %n0 = math.fma %a0, %bk, %s0 : f32
      %a1 = memref.load %a[%from1, %at] : memref<?x?xf32>
      %n1 = math.fma %a1, %bk, %s1 : f32
      %a2 = memref.load %a[%from2, %at] : memref<?x?xf32>
      %n2 = math.fma %a2, %bk, %s2 : f32
      %a3 = memref.load %a[%from3, %at] : memref<?x?xf32>
      %n3 = math.fma %a3, %bk, %s3 : f32
      %a4 = memref.load %a[%from4, %at] : memref<?x?xf32>
      %n4 = math.fma %a4, %bk, %s4 : f32
      %a5 = memref.load %a[%from5, %at] : memref<?x?xf32>
      %n5 = math.fma %a5, %bk, %s5 : f32
      scf.yield %n0, %n1, %n2, %n3, %n4, %n5 : f32, f32, f32, f32, f32, f32
    }
    spmd.barrier
    scf.yield %q#0, %q#1, %q#2, %q#3, %q#4, %q#5
        : f32, f32, f32, f32, f32, f32
  }
  %in0 = arith.cmpi ult, %row0, %rows : index
  scf.if %in0 {
    memref.store %sum#0, %c[%row0, %column] : memref<?x?xf32>
  }
  %in1 = arith.cmpi ult, %row1, %rows : index
  scf.if %in1 {
    memref.store %sum#1, %c[%row1, %column] : memref<?x?xf32>
  }
  %in2 = arith.cmpi ult, %row2, %rows : index
  scf.if %in2 {
    memref.store %sum#2, %c[%row2, %column] : memref<?x?xf32>
  }
  %in3 = arith.cmpi ult, %row3, %rows : index
  scf.if %in3 {
    memref.store %sum#3, %c[%row3, %column] : memref<?x?xf32>
  }
  %in4 = arith.cmpi ult, %row4, %rows : index
  scf.if %in4 {
    memref.store %sum#4, %c[%row4, %column] : memref<?x?xf32>
  }
  %in5 = arith.cmpi ult, %row5, %rows : index
  scf.if %in5 {
    memref.store %sum#5, %c[%row5, %column] : memref<?x?xf32>
  }
  spmd.return
}
