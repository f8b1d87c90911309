// Matrix product through local memory:
// c = a * b, tiled: a group computes 256 x 256 elements of c, a work-item 8 rows of one
// column. The group copies 128 columns of a and 128 rows of b into local memory, adds
// their product to the sums, and goes on. Any sizes: rows past the end are computed
// from the last row and never stored.
//
// Launch with global_size = (columns of c, ceil(rows of c / 8)).
spmd.kernel @gemm(%a: memref<?x?xf32>, %b: memref<?x?xf32>, %c: memref<?x?xf32>)
    attributes {work_group_size = array<i64: 256, 32>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  %a_tile = spmd.local_alloc : memref<256x128xf32, #spmd.memory<local>>
  %b_tile = spmd.local_alloc : memref<128x256xf32, #spmd.memory<local>>
  %column = spmd.global_id x
  %strip = spmd.global_id y
  %lx = spmd.local_id x
  %ly = spmd.local_id y
  %sx = spmd.local_size x
  %sy = spmd.local_size y
  %rows = memref.dim %c, %c0 : memref<?x?xf32>
  %depth = memref.dim %b, %c0 : memref<?x?xf32>
  %last = arith.subi %rows, %c1 : index
  %first = arith.muli %strip, %c8 : index
  %t0 = arith.muli %ly, %c8 : index
  %t1 = arith.addi %t0, %c1 : index
  %t2 = arith.addi %t0, %c2 : index
  %t3 = arith.addi %t0, %c3 : index
  %t4 = arith.addi %t0, %c4 : index
  %t5 = arith.addi %t0, %c5 : index
  %t6 = arith.addi %t0, %c6 : index
  %t7 = arith.addi %t0, %c7 : index
  %sum:8 = scf.for %k0 = %c0 to %depth step %c128
      iter_args(%p0 = %zero, %p1 = %zero, %p2 = %zero, %p3 = %zero,
                %p4 = %zero, %p5 = %zero, %p6 = %zero, %p7 = %zero)
      -> (f32, f32, f32, f32, f32, f32, f32, f32) {
    %left = arith.subi %depth, %k0 : index
    %kc = arith.minui %left, %c128 : index
    scf.for %r = %c0 to %c8 step %c1 {
      %row = arith.addi %first, %r : index
      %there = arith.minui %row, %last : index
      %t = arith.addi %t0, %r : index
      scf.for %k = %lx to %kc step %sx {
        %ka = arith.addi %k0, %k : index
        %v = memref.load %a[%there, %ka] : memref<?x?xf32>
        memref.store %v, %a_tile[%t, %k] : memref<256x128xf32, #spmd.memory<local>>
      }
    }
    scf.for %k = %ly to %kc step %sy {
      %kb = arith.addi %k0, %k : index
      %v = memref.load %b[%kb, %column] : memref<?x?xf32>
      memref.store %v, %b_tile[%k, %lx] : memref<128x256xf32, #spmd.memory<local>>
    }
    spmd.barrier
    %q:8 = scf.for %k = %c0 to %kc step %c1
        iter_args(%s0 = %p0, %s1 = %p1, %s2 = %p2, %s3 = %p3,
                  %s4 = %p4, %s5 = %p5, %s6 = %p6, %s7 = %p7)
        -> (f32, f32, f32, f32, f32, f32, f32, f32) {
      %bk = memref.load %b_tile[%k, %lx] : memref<128x256xf32, #spmd.memory<local>>
      %a0 = memref.load %a_tile[%t0, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n0 = math.fma %a0, %bk, %s0 : f32
      %a1 = memref.load %a_tile[%t1, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n1 = math.fma %a1, %bk, %s1 : f32
      %a2 = memref.load %a_tile[%t2, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n2 = math.fma %a2, %bk, %s2 : f32
      %a3 = memref.load %a_tile[%t3, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n3 = math.fma %a3, %bk, %s3 : f32
      %a4 = memref.load %a_tile[%t4, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n4 = math.fma %a4, %bk, %s4 : f32
      %a5 = memref.load %a_tile[%t5, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n5 = math.fma %a5, %bk, %s5 : f32
      %a6 = memref.load %a_tile[%t6, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n6 = math.fma %a6, %bk, %s6 : f32
      %a7 = memref.load %a_tile[%t7, %k] : memref<256x128xf32, #spmd.memory<local>>
      %n7 = math.fma %a7, %bk, %s7 : f32
      scf.yield %n0, %n1, %n2, %n3, %n4, %n5, %n6, %n7
          : f32, f32, f32, f32, f32, f32, f32, f32
    }
    spmd.barrier
    scf.yield %q#0, %q#1, %q#2, %q#3, %q#4, %q#5, %q#6, %q#7
        : f32, f32, f32, f32, f32, f32, f32, f32
  }
  %in0 = arith.cmpi ult, %first, %rows : index
  scf.if %in0 {
    memref.store %sum#0, %c[%first, %column] : memref<?x?xf32>
  }
  %row1 = arith.addi %first, %c1 : index
  %in1 = arith.cmpi ult, %row1, %rows : index
  scf.if %in1 {
    memref.store %sum#1, %c[%row1, %column] : memref<?x?xf32>
  }
  %row2 = arith.addi %first, %c2 : index
  %in2 = arith.cmpi ult, %row2, %rows : index
  scf.if %in2 {
    memref.store %sum#2, %c[%row2, %column] : memref<?x?xf32>
  }
  %row3 = arith.addi %first, %c3 : index
  %in3 = arith.cmpi ult, %row3, %rows : index
  scf.if %in3 {
    memref.store %sum#3, %c[%row3, %column] : memref<?x?xf32>
  }
  %row4 = arith.addi %first, %c4 : index
  %in4 = arith.cmpi ult, %row4, %rows : index
  scf.if %in4 {
    memref.store %sum#4, %c[%row4, %column] : memref<?x?xf32>
  }
  %row5 = arith.addi %first, %c5 : index
  %in5 = arith.cmpi ult, %row5, %rows : index
  scf.if %in5 {
    memref.store %sum#5, %c[%row5, %column] : memref<?x?xf32>
  }
  %row6 = arith.addi %first, %c6 : index
  %in6 = arith.cmpi ult, %row6, %rows : index
  scf.if %in6 {
    memref.store %sum#6, %c[%row6, %column] : memref<?x?xf32>
  }
  %row7 = arith.addi %first, %c7 : index
  %in7 = arith.cmpi ult, %row7, %rows : index
  scf.if %in7 {
    memref.store %sum#7, %c[%row7, %column] : memref<?x?xf32>
  }
  spmd.return
}
