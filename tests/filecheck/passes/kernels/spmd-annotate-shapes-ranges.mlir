// RUN: xdsl-opt %s -p spmd-annotate-shapes --split-input-file | filecheck %s

// The range of a value decides comparisons with what is past its ends, and no others.

spmd.kernel @ranges(%x: memref<?xindex>, %n: index) {
  %minus3825 = arith.constant -3825 : index
  %minus3824 = arith.constant -3824 : index
  %minus1020 = arith.constant -1020 : index
  %minus1019 = arith.constant -1019 : index
  %minus255 = arith.constant -255 : index
  %minus254 = arith.constant -254 : index
  %minus128 = arith.constant -128 : index
  %minus127 = arith.constant -127 : index
  %minus64 = arith.constant -64 : index
  %minus63 = arith.constant -63 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c13 = arith.constant 13 : index
  %c14 = arith.constant 14 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %c17 = arith.constant 17 : index
  %c59 = arith.constant 59 : index
  %c60 = arith.constant 60 : index
  %c62 = arith.constant 62 : index
  %c63 = arith.constant 63 : index
  %c126 = arith.constant 126 : index
  %c127 = arith.constant 127 : index
  %c224 = arith.constant 224 : index
  %c225 = arith.constant 225 : index
  %c254 = arith.constant 254 : index
  %c255 = arith.constant 255 : index
  %c269 = arith.constant 269 : index
  %c270 = arith.constant 270 : index
  %gid = spmd.global_id x
  %any = memref.load %x[%gid] : memref<?xindex>
  %bit = arith.cmpi eq, %any, %c2 : index
  %two_or_more = arith.maxsi %any, %c2 : index
  %byte = arith.andi %any, %c255 : index
  // CHECK: %byte_not_above = arith.cmpi {{.*}}["uniform"]
  %byte_not_above = arith.cmpi sle, %byte, %c255 : index
  // CHECK: %byte_maybe_above = arith.cmpi {{.*}}["varying"]
  %byte_maybe_above = arith.cmpi sle, %byte, %c254 : index
  // CHECK: %byte_not_below = arith.cmpi {{.*}}["uniform"]
  %byte_not_below = arith.cmpi sge, %byte, %c0 : index
  // CHECK: %byte_maybe_below = arith.cmpi {{.*}}["varying"]
  %byte_maybe_below = arith.cmpi sge, %byte, %c1 : index
  %nibble = arith.andi %byte, %c15 : index
  // CHECK: %nibble_not_above = arith.cmpi {{.*}}["uniform"]
  %nibble_not_above = arith.cmpi sle, %nibble, %c15 : index
  // CHECK: %nibble_maybe_above = arith.cmpi {{.*}}["varying"]
  %nibble_maybe_above = arith.cmpi sle, %nibble, %c14 : index
  // CHECK: %nibble_not_below = arith.cmpi {{.*}}["uniform"]
  %nibble_not_below = arith.cmpi sge, %nibble, %c0 : index
  // CHECK: %nibble_maybe_below = arith.cmpi {{.*}}["varying"]
  %nibble_maybe_below = arith.cmpi sge, %nibble, %c1 : index
  %sum = arith.addi %byte, %nibble : index
  // CHECK: %sum_not_above = arith.cmpi {{.*}}["uniform"]
  %sum_not_above = arith.cmpi sle, %sum, %c270 : index
  // CHECK: %sum_maybe_above = arith.cmpi {{.*}}["varying"]
  %sum_maybe_above = arith.cmpi sle, %sum, %c269 : index
  // CHECK: %sum_not_below = arith.cmpi {{.*}}["uniform"]
  %sum_not_below = arith.cmpi sge, %sum, %c0 : index
  // CHECK: %sum_maybe_below = arith.cmpi {{.*}}["varying"]
  %sum_maybe_below = arith.cmpi sge, %sum, %c1 : index
  %difference = arith.subi %nibble, %byte : index
  // CHECK: %difference_not_above = arith.cmpi {{.*}}["uniform"]
  %difference_not_above = arith.cmpi sle, %difference, %c15 : index
  // CHECK: %difference_maybe_above = arith.cmpi {{.*}}["varying"]
  %difference_maybe_above = arith.cmpi sle, %difference, %c14 : index
  // CHECK: %difference_not_below = arith.cmpi {{.*}}["uniform"]
  %difference_not_below = arith.cmpi sge, %difference, %minus255 : index
  // CHECK: %difference_maybe_below = arith.cmpi {{.*}}["varying"]
  %difference_maybe_below = arith.cmpi sge, %difference, %minus254 : index
  %product = arith.muli %difference, %nibble : index
  // CHECK: %product_not_above = arith.cmpi {{.*}}["uniform"]
  %product_not_above = arith.cmpi sle, %product, %c225 : index
  // CHECK: %product_maybe_above = arith.cmpi {{.*}}["varying"]
  %product_maybe_above = arith.cmpi sle, %product, %c224 : index
  // CHECK: %product_not_below = arith.cmpi {{.*}}["uniform"]
  %product_not_below = arith.cmpi sge, %product, %minus3825 : index
  // CHECK: %product_maybe_below = arith.cmpi {{.*}}["varying"]
  %product_maybe_below = arith.cmpi sge, %product, %minus3824 : index
  %shifted = arith.shli %difference, %c2 : index
  // CHECK: %shifted_not_above = arith.cmpi {{.*}}["uniform"]
  %shifted_not_above = arith.cmpi sle, %shifted, %c60 : index
  // CHECK: %shifted_maybe_above = arith.cmpi {{.*}}["varying"]
  %shifted_maybe_above = arith.cmpi sle, %shifted, %c59 : index
  // CHECK: %shifted_not_below = arith.cmpi {{.*}}["uniform"]
  %shifted_not_below = arith.cmpi sge, %shifted, %minus1020 : index
  // CHECK: %shifted_maybe_below = arith.cmpi {{.*}}["varying"]
  %shifted_maybe_below = arith.cmpi sge, %shifted, %minus1019 : index
  %halves = arith.shrsi %difference, %c2 : index
  // CHECK: %halves_not_above = arith.cmpi {{.*}}["uniform"]
  %halves_not_above = arith.cmpi sle, %halves, %c3 : index
  // CHECK: %halves_maybe_above = arith.cmpi {{.*}}["varying"]
  %halves_maybe_above = arith.cmpi sle, %halves, %c2 : index
  // CHECK: %halves_not_below = arith.cmpi {{.*}}["uniform"]
  %halves_not_below = arith.cmpi sge, %halves, %minus64 : index
  // CHECK: %halves_maybe_below = arith.cmpi {{.*}}["varying"]
  %halves_maybe_below = arith.cmpi sge, %halves, %minus63 : index
  %top = arith.shrui %any, %c60 : index
  // CHECK: %top_not_above = arith.cmpi {{.*}}["uniform"]
  %top_not_above = arith.cmpi sle, %top, %c15 : index
  // CHECK: %top_maybe_above = arith.cmpi {{.*}}["varying"]
  %top_maybe_above = arith.cmpi sle, %top, %c14 : index
  // CHECK: %top_not_below = arith.cmpi {{.*}}["uniform"]
  %top_not_below = arith.cmpi sge, %top, %c0 : index
  // CHECK: %top_maybe_below = arith.cmpi {{.*}}["varying"]
  %top_maybe_below = arith.cmpi sge, %top, %c1 : index
  %quarters = arith.shrui %byte, %c2 : index
  // CHECK: %quarters_not_above = arith.cmpi {{.*}}["uniform"]
  %quarters_not_above = arith.cmpi sle, %quarters, %c63 : index
  // CHECK: %quarters_maybe_above = arith.cmpi {{.*}}["varying"]
  %quarters_maybe_above = arith.cmpi sle, %quarters, %c62 : index
  // CHECK: %quarters_not_below = arith.cmpi {{.*}}["uniform"]
  %quarters_not_below = arith.cmpi sge, %quarters, %c0 : index
  // CHECK: %quarters_maybe_below = arith.cmpi {{.*}}["varying"]
  %quarters_maybe_below = arith.cmpi sge, %quarters, %c1 : index
  %quotient = arith.divui %byte, %c15 : index
  // CHECK: %quotient_not_above = arith.cmpi {{.*}}["uniform"]
  %quotient_not_above = arith.cmpi sle, %quotient, %c17 : index
  // CHECK: %quotient_maybe_above = arith.cmpi {{.*}}["varying"]
  %quotient_maybe_above = arith.cmpi sle, %quotient, %c16 : index
  // CHECK: %quotient_not_below = arith.cmpi {{.*}}["uniform"]
  %quotient_not_below = arith.cmpi sge, %quotient, %c0 : index
  // CHECK: %quotient_maybe_below = arith.cmpi {{.*}}["varying"]
  %quotient_maybe_below = arith.cmpi sge, %quotient, %c1 : index
  %to_ceil = arith.ceildivui %nibble, %c2 : index
  // CHECK: %to_ceil_not_above = arith.cmpi {{.*}}["uniform"]
  %to_ceil_not_above = arith.cmpi sle, %to_ceil, %c8 : index
  // CHECK: %to_ceil_maybe_above = arith.cmpi {{.*}}["varying"]
  %to_ceil_maybe_above = arith.cmpi sle, %to_ceil, %c7 : index
  // CHECK: %to_ceil_not_below = arith.cmpi {{.*}}["uniform"]
  %to_ceil_not_below = arith.cmpi sge, %to_ceil, %c0 : index
  // CHECK: %to_ceil_maybe_below = arith.cmpi {{.*}}["varying"]
  %to_ceil_maybe_below = arith.cmpi sge, %to_ceil, %c1 : index
  %by_some = arith.divui %byte, %two_or_more : index
  // CHECK: %by_some_not_above = arith.cmpi {{.*}}["uniform"]
  %by_some_not_above = arith.cmpi sle, %by_some, %c127 : index
  // CHECK: %by_some_maybe_above = arith.cmpi {{.*}}["varying"]
  %by_some_maybe_above = arith.cmpi sle, %by_some, %c126 : index
  // CHECK: %by_some_not_below = arith.cmpi {{.*}}["uniform"]
  %by_some_not_below = arith.cmpi sge, %by_some, %c0 : index
  // CHECK: %by_some_maybe_below = arith.cmpi {{.*}}["varying"]
  %by_some_maybe_below = arith.cmpi sge, %by_some, %c1 : index
  %rest = arith.remui %byte, %c15 : index
  // CHECK: %rest_not_above = arith.cmpi {{.*}}["uniform"]
  %rest_not_above = arith.cmpi sle, %rest, %c14 : index
  // CHECK: %rest_maybe_above = arith.cmpi {{.*}}["varying"]
  %rest_maybe_above = arith.cmpi sle, %rest, %c13 : index
  // CHECK: %rest_not_below = arith.cmpi {{.*}}["uniform"]
  %rest_not_below = arith.cmpi sge, %rest, %c0 : index
  // CHECK: %rest_maybe_below = arith.cmpi {{.*}}["varying"]
  %rest_maybe_below = arith.cmpi sge, %rest, %c1 : index
  %small_rest = arith.remui %nibble, %c255 : index
  // CHECK: %small_rest_not_above = arith.cmpi {{.*}}["uniform"]
  %small_rest_not_above = arith.cmpi sle, %small_rest, %c15 : index
  // CHECK: %small_rest_maybe_above = arith.cmpi {{.*}}["varying"]
  %small_rest_maybe_above = arith.cmpi sle, %small_rest, %c14 : index
  // CHECK: %small_rest_not_below = arith.cmpi {{.*}}["uniform"]
  %small_rest_not_below = arith.cmpi sge, %small_rest, %c0 : index
  // CHECK: %small_rest_maybe_below = arith.cmpi {{.*}}["varying"]
  %small_rest_maybe_below = arith.cmpi sge, %small_rest, %c1 : index
  %either = arith.ori %byte, %nibble : index
  // CHECK: %either_not_above = arith.cmpi {{.*}}["uniform"]
  %either_not_above = arith.cmpi sle, %either, %c255 : index
  // CHECK: %either_maybe_above = arith.cmpi {{.*}}["varying"]
  %either_maybe_above = arith.cmpi sle, %either, %c254 : index
  // CHECK: %either_not_below = arith.cmpi {{.*}}["uniform"]
  %either_not_below = arith.cmpi sge, %either, %c0 : index
  // CHECK: %either_maybe_below = arith.cmpi {{.*}}["varying"]
  %either_maybe_below = arith.cmpi sge, %either, %c1 : index
  %other = arith.xori %byte, %nibble : index
  // CHECK: %other_not_above = arith.cmpi {{.*}}["uniform"]
  %other_not_above = arith.cmpi sle, %other, %c255 : index
  // CHECK: %other_maybe_above = arith.cmpi {{.*}}["varying"]
  %other_maybe_above = arith.cmpi sle, %other, %c254 : index
  // CHECK: %other_not_below = arith.cmpi {{.*}}["uniform"]
  %other_not_below = arith.cmpi sge, %other, %c0 : index
  // CHECK: %other_maybe_below = arith.cmpi {{.*}}["varying"]
  %other_maybe_below = arith.cmpi sge, %other, %c1 : index
  %at_least = arith.ori %byte, %c15 : index
  // CHECK: %at_least_not_above = arith.cmpi {{.*}}["uniform"]
  %at_least_not_above = arith.cmpi sle, %at_least, %c255 : index
  // CHECK: %at_least_maybe_above = arith.cmpi {{.*}}["varying"]
  %at_least_maybe_above = arith.cmpi sle, %at_least, %c254 : index
  // CHECK: %at_least_not_below = arith.cmpi {{.*}}["uniform"]
  %at_least_not_below = arith.cmpi sge, %at_least, %c15 : index
  // CHECK: %at_least_maybe_below = arith.cmpi {{.*}}["varying"]
  %at_least_maybe_below = arith.cmpi sge, %at_least, %c16 : index
  %least = arith.minsi %difference, %nibble : index
  // CHECK: %least_not_above = arith.cmpi {{.*}}["uniform"]
  %least_not_above = arith.cmpi sle, %least, %c15 : index
  // CHECK: %least_maybe_above = arith.cmpi {{.*}}["varying"]
  %least_maybe_above = arith.cmpi sle, %least, %c14 : index
  // CHECK: %least_not_below = arith.cmpi {{.*}}["uniform"]
  %least_not_below = arith.cmpi sge, %least, %minus255 : index
  // CHECK: %least_maybe_below = arith.cmpi {{.*}}["varying"]
  %least_maybe_below = arith.cmpi sge, %least, %minus254 : index
  %greatest = arith.maxsi %difference, %nibble : index
  // CHECK: %greatest_not_above = arith.cmpi {{.*}}["uniform"]
  %greatest_not_above = arith.cmpi sle, %greatest, %c15 : index
  // CHECK: %greatest_maybe_above = arith.cmpi {{.*}}["varying"]
  %greatest_maybe_above = arith.cmpi sle, %greatest, %c14 : index
  // CHECK: %greatest_not_below = arith.cmpi {{.*}}["uniform"]
  %greatest_not_below = arith.cmpi sge, %greatest, %c0 : index
  // CHECK: %greatest_maybe_below = arith.cmpi {{.*}}["varying"]
  %greatest_maybe_below = arith.cmpi sge, %greatest, %c1 : index
  %least_unsigned = arith.minui %difference, %nibble : index
  // CHECK: %least_unsigned_not_above = arith.cmpi {{.*}}["uniform"]
  %least_unsigned_not_above = arith.cmpi sle, %least_unsigned, %c15 : index
  // CHECK: %least_unsigned_maybe_above = arith.cmpi {{.*}}["varying"]
  %least_unsigned_maybe_above = arith.cmpi sle, %least_unsigned, %c14 : index
  // CHECK: %least_unsigned_not_below = arith.cmpi {{.*}}["uniform"]
  %least_unsigned_not_below = arith.cmpi sge, %least_unsigned, %c0 : index
  // CHECK: %least_unsigned_maybe_below = arith.cmpi {{.*}}["varying"]
  %least_unsigned_maybe_below = arith.cmpi sge, %least_unsigned, %c1 : index
  %chosen = arith.select %bit, %difference, %byte : index
  // CHECK: %chosen_not_above = arith.cmpi {{.*}}["uniform"]
  %chosen_not_above = arith.cmpi sle, %chosen, %c255 : index
  // CHECK: %chosen_maybe_above = arith.cmpi {{.*}}["varying"]
  %chosen_maybe_above = arith.cmpi sle, %chosen, %c254 : index
  // CHECK: %chosen_not_below = arith.cmpi {{.*}}["uniform"]
  %chosen_not_below = arith.cmpi sge, %chosen, %minus255 : index
  // CHECK: %chosen_maybe_below = arith.cmpi {{.*}}["varying"]
  %chosen_maybe_below = arith.cmpi sge, %chosen, %minus254 : index
  spmd.return
}

// -----

// The ranges of what is not arithmetic, seen where varying values are compared with it.

// CHECK-LABEL: @queries
spmd.kernel @queries(%x: memref<?xindex>, %s: memref<8x?xf32>)
    attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c15 = arith.constant 15 : index
  %c63 = arith.constant 63 : index
  %minus1 = arith.constant -1 : index
  %gid = spmd.global_id x
  %any = memref.load %x[%gid] : memref<?xindex>
  %nibble = arith.andi %any, %c15 : index
  %octal = arith.andi %any, %c7 : index
  %item = arith.andi %any, %c63 : index
  %negative = arith.subi %minus1, %nibble : index

  %greatest = spmd.reduce max %nibble across sub_group : index
  // CHECK: %greatest_not_above = arith.cmpi {{.*}}["uniform"]
  %greatest_not_above = arith.cmpi sle, %greatest, %c15 : index
  // CHECK: %greatest_maybe_below = arith.cmpi {{.*}}["varying"]
  %greatest_maybe_below = arith.cmpi sge, %greatest, %c0 : index
  %least = spmd.reduce minui %nibble across sub_group : index
  // CHECK: %least_not_above = arith.cmpi {{.*}}["uniform"]
  %least_not_above = arith.cmpi sle, %least, %c15 : index
  // CHECK: %least_not_below = arith.cmpi {{.*}}["uniform"]
  %least_not_below = arith.cmpi sge, %least, %minus1 : index
  // CHECK: %least_maybe_below = arith.cmpi {{.*}}["varying"]
  %least_maybe_below = arith.cmpi sge, %least, %c0 : index
  %sum = spmd.reduce add %nibble across sub_group : index
  // CHECK: %sum_maybe_above = arith.cmpi {{.*}}["varying / varying / varying"]
  %sum_maybe_above = arith.cmpi sle, %sum, %c15 : index

  %rows = memref.dim %s, %c0 : memref<8x?xf32>
  %columns = memref.dim %s, %c1 : memref<8x?xf32>
  %no_rank = memref.dim %s, %c7 : memref<8x?xf32>
  // CHECK: %in_rows = arith.cmpi {{.*}}["uniform"]
  %in_rows = arith.cmpi slt, %octal, %rows : index
  // CHECK: %maybe_in_rows = arith.cmpi {{.*}}["varying"]
  %maybe_in_rows = arith.cmpi slt, %nibble, %rows : index
  // CHECK: %maybe_in_columns = arith.cmpi {{.*}}["varying"]
  %maybe_in_columns = arith.cmpi slt, %octal, %columns : index
  // CHECK: %below_columns = arith.cmpi {{.*}}["uniform"]
  %below_columns = arith.cmpi slt, %negative, %columns : index
  // CHECK: %below_any_rank = arith.cmpi {{.*}}["uniform"]
  %below_any_rank = arith.cmpi slt, %negative, %no_rank : index

  %size = spmd.local_size x
  %full_size = spmd.enqueued_local_size x
  // CHECK: %maybe_in_group = arith.cmpi {{.*}}["varying"]
  %maybe_in_group = arith.cmpi slt, %item, %size : index
  // CHECK: %in_full_group = arith.cmpi {{.*}}["uniform"]
  %in_full_group = arith.cmpi slt, %item, %full_size : index
  %groups = spmd.num_groups x
  // CHECK: %below_groups = arith.cmpi {{.*}}["uniform"]
  %below_groups = arith.cmpi slt, %negative, %groups : index
  %small = arith.index_cast %nibble : index to i32
  %byte = arith.trunci %small : i32 to i8
  %wide_any = arith.index_cast %any : index to i32
  %any_byte = arith.trunci %wide_any : i32 to i8
  %extended = arith.extui %byte : i8 to i32
  %extended_any = arith.extui %any_byte : i8 to i32
  %i15 = arith.constant 15 : i32
  %i255 = arith.constant 255 : i32
  %i254 = arith.constant 254 : i32
  // CHECK: %extended_not_above = arith.cmpi {{.*}}["uniform"]
  %extended_not_above = arith.cmpi sle, %extended, %i15 : i32
  // CHECK: %extended_any_not_above = arith.cmpi {{.*}}["uniform"]
  %extended_any_not_above = arith.cmpi sle, %extended_any, %i255 : i32
  // CHECK: %extended_any_maybe_above = arith.cmpi {{.*}}["varying"]
  %extended_any_maybe_above = arith.cmpi sle, %extended_any, %i254 : i32
  spmd.return
}

// -----

// CHECK-LABEL: @full_groups
spmd.kernel @full_groups(%x: memref<?xindex>)
    attributes {work_group_size = array<i64: 64>, spmd.full_groups} {
  %c63 = arith.constant 63 : index
  %gid = spmd.global_id x
  %any = memref.load %x[%gid] : memref<?xindex>
  %item = arith.andi %any, %c63 : index
  %size = spmd.local_size x
  // CHECK: %in_group = arith.cmpi {{.*}}["uniform"]
  %in_group = arith.cmpi slt, %item, %size : index
  spmd.return
}

// -----

// CHECK-LABEL: @few_items
spmd.kernel @few_items(%x: memref<?xindex>) attributes {spmd.few_items} {
  %c_most = arith.constant 0x3fffffff : index
  %gid = spmd.global_id x
  // CHECK: %many = arith.cmpi {{.*}}["uniform"]
  %many = arith.cmpi sge, %gid, %c_most : index
  spmd.return
}

// -----

// CHECK-LABEL: @any_items
spmd.kernel @any_items(%x: memref<?xindex>) {
  %c_most = arith.constant 0x3fffffff : index
  %gid = spmd.global_id x
  // CHECK: %many = arith.cmpi {{.*}}["varying"]
  %many = arith.cmpi sge, %gid, %c_most : index
  spmd.return
}
