// Loops that work-items begin at different numbers and yet run equally often.
spmd.kernel @uniform_trip_counts(%x: memref<?xi32>, %y: memref<?xi32>) {
  %c64 = arith.constant 64 : index
  %c192 = arith.constant 192 : index
  %mask = arith.constant 63 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %first_byte = arith.constant -128 : i8
  %step_byte = arith.constant 16 : i8
  %end_byte = arith.constant -80 : i8
  %low_bits = arith.constant 15 : i8
  %i = spmd.global_id x
  %l = spmd.local_id x
  %v = memref.load %x[%i] : memref<?xi32>
  // Lanes one after the other, and a barrier that all reach three times.
  %begin = arith.andi %l, %mask : index
  %a = scf.for %k = %begin to %c192 step %c64 iter_args(%s = %v) -> (i32) {
    spmd.barrier
    %k32 = arith.index_cast %k : index to i32
    %t = arith.muli %s, %k32 : i32
    %u = arith.addi %t, %one : i32
    scf.yield %u : i32
  }
  // From anywhere below 64.
  %wide = arith.index_cast %v : i32 to index
  %any = arith.andi %wide, %mask : index
  %b = scf.for %k = %any to %c192 step %c64 iter_args(%s = %a) -> (i32) {
    %k32 = arith.index_cast %k : index to i32
    %t = arith.xori %s, %k32 : i32
    %u = arith.muli %t, %k32 : i32
    scf.yield %u : i32
  }
  // In bytes, in some lanes.
  %byte = arith.trunci %v : i32 to i8
  %low = arith.andi %byte, %low_bits : i8
  %start = arith.addi %low, %first_byte : i8
  %some = arith.cmpi sgt, %v, %zero : i32
  %c = scf.if %some -> (i32) {
    %r = scf.for %k = %start to %end_byte step %step_byte iter_args(%s = %b) -> (i32) : i8 {
      %k32 = arith.extsi %k : i8 to i32
      %t = arith.addi %s, %k32 : i32
      %u = arith.muli %t, %k32 : i32
      scf.yield %u : i32
    }
    scf.yield %r : i32
  } else {
    scf.yield %b : i32
  }
  memref.store %c, %y[%i] : memref<?xi32>
  spmd.return
}
