// RUN: xdsl-opt %s -p spmd-annotate-shapes --split-input-file | filecheck %s

// How arithmetic moves strides and alignments. Work-groups have 64 work-items.

// CHECK-LABEL: @sums_and_products
spmd.kernel @sums_and_products(%n: index, %m: index, %k: i32, %x: memref<?xindex>)
    attributes {work_group_size = array<i64: 64>} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %any = memref.load %x[%gid] : memref<?xindex>
  // CHECK: %n4 = arith.muli {{.*}}["uniform align 4"]
  %n4 = arith.muli %n, %c4 overflow<nsw> : index
  // CHECK: %n6 = arith.muli {{.*}}["uniform align 6"]
  %n6 = arith.muli %n, %c6 overflow<nsw> : index
  // CHECK: %wrapped6 = arith.muli {{.*}}["uniform align 2"]
  %wrapped6 = arith.muli %n, %c6 : index
  // CHECK: %square = arith.muli {{.*}}["uniform align 24"]
  %square = arith.muli %n4, %n6 overflow<nsw> : index
  // CHECK: %wrapped_square = arith.muli {{.*}}["uniform align 8"]
  %wrapped_square = arith.muli %n4, %n6 : index
  // CHECK: %scaled = arith.muli {{.*}}["stride 6 align 0"]
  %scaled = arith.muli %c6, %lid : index
  // CHECK: %shifted = arith.shli {{.*}}["stride 16 align 0"]
  %shifted = arith.shli %lid, %c4 : index
  // CHECK: %shifted_by_n = arith.shli {{.*}}["uniform align 6"]
  %shifted_by_n = arith.shli %n6, %n overflow<nsw> : index
  // CHECK: %shifted_by_any = arith.shli {{.*}}["varying"]
  %shifted_by_any = arith.shli %any, %n : index
  // CHECK: %sum = arith.addi {{.*}}["stride 6 align 4"]
  %sum = arith.addi %scaled, %n4 overflow<nsw> : index
  // CHECK: %difference = arith.subi {{.*}}["stride 5 align 0"]
  %difference = arith.subi %scaled, %lid : index
  %twice = arith.addi %n, %n : index
  // CHECK: %far = arith.addi {{.*}}["contiguous wrapping"]
  %far = arith.addi %gid, %twice : index
  // CHECK: %any4 = arith.muli {{.*}}["varying align 4"]
  %any4 = arith.muli %any, %c4 : index
  // CHECK: %any6 = arith.muli {{.*}}["varying align 2"]
  %any6 = arith.muli %any, %c6 : index
  // CHECK: %any_product = arith.muli {{.*}}["varying align 8"]
  %any_product = arith.muli %any4, %n6 : index
  // CHECK: %any_sum = arith.addi {{.*}}["varying align 2"]
  %any_sum = arith.addi %any4, %scaled : index
  spmd.return
}

// -----

// CHECK-LABEL: @quotients
spmd.kernel @quotients(%n: index, %x: memref<?xindex>)
    attributes {work_group_size = array<i64: 64>} {
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c6 = arith.constant 6 : index
  %c12 = arith.constant 12 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %minus4 = arith.constant -4 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %size = spmd.global_size x
  %any = memref.load %x[%gid] : memref<?xindex>
  %by12 = arith.muli %gid, %c12 overflow<nsw> : index
  %any12 = arith.muli %any, %c12 overflow<nsw> : index
  %n4 = arith.muli %n, %c4 overflow<nsw> : index
  %size4 = arith.muli %size, %c4 overflow<nsw> : index
  // CHECK: %unsigned = arith.divui {{.*}}["stride 3 align 192"]
  %unsigned = arith.divui %by12, %c4 : index
  // CHECK: %signed = arith.divsi {{.*}}["stride 3 align 192"]
  %signed = arith.divsi %by12, %c4 : index
  // CHECK: %to_floor = arith.floordivsi {{.*}}["stride 3 align 192"]
  %to_floor = arith.floordivsi %by12, %c4 : index
  // CHECK: %to_ceil = arith.ceildivsi {{.*}}["stride 3 align 192"]
  %to_ceil = arith.ceildivsi %by12, %c4 : index
  // CHECK: %down = arith.shrui {{.*}}["stride 3 align 192"]
  %down = arith.shrui %by12, %c2 : index
  // CHECK: %negative = arith.divsi {{.*}}["stride -3 align 192"]
  %negative = arith.divsi %by12, %minus4 : index
  %by4 = arith.muli %lid, %c4 : index
  %below = arith.subi %by4, %c64 : index
  // CHECK: %of_negative = arith.divsi {{.*}}["contiguous align 16"]
  %of_negative = arith.divsi %below, %c4 : index
  // CHECK: %does_not_divide = arith.divui {{.*}}["varying"]
  %does_not_divide = arith.divui %gid, %c4 : index
  // CHECK: %of_uniform = arith.divsi {{.*}}["uniform"]
  %of_uniform = arith.divsi %n4, %c4 : index
  // CHECK: %of_uniform_unsigned = arith.divui {{.*}}["uniform"]
  %of_uniform_unsigned = arith.divui %n4, %c4 : index
  // CHECK: %of_any = arith.divsi {{.*}}["varying align 3"]
  %of_any = arith.divsi %any12, %c4 : index
  // CHECK: %of_any_rest = arith.divsi {{.*}}["varying"]
  %of_any_rest = arith.divsi %any12, %c100 : index
  // CHECK: %group = arith.divui {{.*}}["uniform"]
  %group = arith.divui %gid, %c64 : index
  // CHECK: %group_of_more = arith.divui {{.*}}["varying"]
  %group_of_more = arith.divui %gid, %c100 : index
  // CHECK: %group_shift = arith.shrui {{.*}}["uniform"]
  %group_shift = arith.shrui %gid, %c6 : index
  // CHECK: %by_multiple = arith.divui {{.*}}["varying"]
  %by_multiple = arith.divui %lid, %size4 : index
  // CHECK: %rest = arith.remui {{.*}}["contiguous align 0"]
  %rest = arith.remui %gid, %c64 : index
  // CHECK: %rest4 = arith.remui {{.*}}["varying"]
  %rest4 = arith.remui %gid, %c4 : index
  // CHECK: %rest_of_multiple = arith.remui {{.*}}["uniform align 0"]
  %rest_of_multiple = arith.remui %by12, %c4 : index
  // CHECK: %rest_of_any = arith.remui {{.*}}["varying"]
  %rest_of_any = arith.remui %any12, %c4 : index
  // CHECK: %signed_rest_of_any = arith.remsi {{.*}}["varying align 4"]
  %signed_rest_of_any = arith.remsi %any12, %c4 : index
  // CHECK: %rest_of_uniform = arith.remsi {{.*}}["uniform align 4"]
  %rest_of_uniform = arith.remsi %n4, %c12 : index
  // CHECK: %rest_by_size = arith.remui {{.*}}["varying align 4"]
  %rest_by_size = arith.remui %by12, %size4 : index
  spmd.return
}

// -----

// CHECK-LABEL: @bits
spmd.kernel @bits(%n: index, %k: i32, %x: memref<?xindex>)
    attributes {work_group_size = array<i64: 64>} {
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c63 = arith.constant 63 : index
  %minus1 = arith.constant -1 : index
  %minus4 = arith.constant -4 : index
  %minus8 = arith.constant -8 : index
  %minus64 = arith.constant -64 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %any = memref.load %x[%gid] : memref<?xindex>
  %by4 = arith.muli %gid, %c4 overflow<nsw> : index
  %n4 = arith.muli %n, %c4 : index
  // CHECK: %low = arith.andi {{.*}}["contiguous align 0"]
  %low = arith.andi %gid, %c63 : index
  // CHECK: %few = arith.andi {{.*}}["varying"]
  %few = arith.andi %gid, %c3 : index
  // CHECK: %low_of_multiple = arith.andi {{.*}}["uniform align 0"]
  %low_of_multiple = arith.andi %by4, %c3 : index
  // CHECK: %group = arith.andi {{.*}}["uniform align 64"]
  %group = arith.andi %gid, %minus64 : index
  // CHECK: %high = arith.andi {{.*}}["varying align 8"]
  %high = arith.andi %by4, %minus8 : index
  // CHECK: %high4 = arith.andi {{.*}}["stride 4 align 4"]
  %high4 = arith.andi %by4, %minus4 : index
  // CHECK: %all = arith.andi {{.*}}["contiguous align 0"]
  %all = arith.andi %lid, %minus1 : index
  // CHECK: %odd_mask = arith.andi {{.*}}["varying"]
  %odd_mask = arith.andi %lid, %c5 : index
  // CHECK: %same = arith.andi {{.*}}["uniform align 4"]
  %same = arith.andi %n4, %n : index
  // CHECK: %set = arith.ori {{.*}}["stride 4"]
  %set = arith.ori %by4, %c3 : index
  // CHECK: %carries = arith.ori {{.*}}["varying"]
  %carries = arith.ori %by4, %c5 : index
  // CHECK: %flipped = arith.xori {{.*}}["stride 4"]
  %flipped = arith.xori %c3, %by4 : index
  // CHECK: %inverse = arith.xori {{.*}}["stride -1"]
  %inverse = arith.xori %gid, %minus1 : index
  // CHECK: %or_minus1 = arith.ori {{.*}}["varying"]
  %or_minus1 = arith.ori %gid, %minus1 : index
  // CHECK: %uniform_or = arith.ori {{.*}}["uniform align 4"]
  %uniform_or = arith.ori %n4, %c4 : index
  // CHECK: %any_or = arith.ori {{.*}}["varying"]
  %any_or = arith.ori %any, %c4 : index
  spmd.return
}

// -----

// CHECK-LABEL: @least_and_greatest
spmd.kernel @least_and_greatest(%n: index, %k: i32, %x: memref<?xindex>)
    attributes {work_group_size = array<i64: 64>} {
  %c4 = arith.constant 4 : index
  %c63 = arith.constant 63 : index
  %c100 = arith.constant 100 : index
  %minus = arith.constant -1 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %later = arith.addi %lid, %c4 : index
  // CHECK: %below = arith.minui {{.*}}["contiguous align 0"]
  %below = arith.minui %lid, %c63 : index
  // CHECK: %above = arith.maxui {{.*}}["uniform align 63"]
  %above = arith.maxui %lid, %c63 : index
  // CHECK: %bounded = arith.minsi {{.*}}["contiguous align 0"]
  %bounded = arith.minsi %c100, %lid : index
  // CHECK: %lifted = arith.maxsi {{.*}}["uniform align 100"]
  %lifted = arith.maxsi %c100, %lid : index
  // CHECK: %clamped = arith.minui {{.*}}["varying"]
  %clamped = arith.minui %lid, %c4 : index
  // CHECK: %not_negative = arith.maxsi {{.*}}["contiguous align 0"]
  %not_negative = arith.maxsi %lid, %minus : index
  // CHECK: %greatest = arith.maxui {{.*}}["varying"]
  %greatest = arith.maxui %lid, %minus : index
  // CHECK: %together = arith.minsi {{.*}}["contiguous align 64"]
  %together = arith.minsi %gid, %gid : index
  // CHECK: %later_wins = arith.maxsi {{.*}}["contiguous align 4"]
  %later_wins = arith.maxsi %later, %lid : index
  // CHECK: %unknown = arith.minsi {{.*}}["varying"]
  %unknown = arith.minsi %gid, %n : index
  spmd.return
}

// -----

// CHECK-LABEL: @conversions
spmd.kernel @conversions(%n: index, %k: i32, %x: memref<?xi32>)
    attributes {work_group_size = array<i64: 64>} {
  %c2 = arith.constant 2 : index
  %c12 = arith.constant 12 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %any = memref.load %x[%gid] : memref<?xi32>
  %by2 = arith.muli %gid, %c2 overflow<nsw> : index
  %by12 = arith.muli %gid, %c12 overflow<nsw> : index
  // CHECK: %small = arith.index_cast {{.*}}["contiguous align 0"]
  %small = arith.index_cast %lid : index to i32
  // CHECK: %bit = arith.trunci {{.*}}["varying"]
  %bit = arith.trunci %small : i32 to i1
  // CHECK: %narrow = arith.index_cast {{.*}}["stride 12 align 256 wrapping"]
  %narrow = arith.index_cast %by12 : index to i32
  // CHECK: %whole = arith.index_cast {{.*}}["contiguous align 64"]
  %whole = arith.index_cast %gid : index to i32
  // CHECK: %pairs = arith.index_cast {{.*}}["stride 2 align 128"]
  %pairs = arith.index_cast %by2 : index to i32
  // CHECK: %even = arith.trunci {{.*}}["uniform"]
  %even = arith.trunci %pairs : i32 to i1
  // CHECK: %odd = arith.trunci {{.*}}["uniform"]
  %odd = arith.trunci %k : i32 to i1
  // CHECK: %byte = arith.trunci {{.*}}["stride 12 align 256 wrapping"]
  %byte = arith.trunci %narrow : i32 to i8
  // CHECK: %fits = arith.trunci {{.*}}["contiguous align 0"]
  %fits = arith.trunci %small : i32 to i8
  // CHECK: %any_byte = arith.trunci {{.*}}["varying"]
  %any_byte = arith.trunci %any : i32 to i8
  // CHECK: %wide = arith.extsi {{.*}}["contiguous align 0"]
  %wide = arith.extsi %small : i32 to i64
  // CHECK: %wide_wrapped = arith.extsi {{.*}}["varying align 4"]
  %wide_wrapped = arith.extsi %narrow : i32 to i64
  // CHECK: %wide_unsigned = arith.extui {{.*}}["contiguous align 0"]
  %wide_unsigned = arith.extui %small : i32 to i64
  // CHECK: %wide_unsigned_wrapped = arith.extui {{.*}}["varying align 4"]
  %wide_unsigned_wrapped = arith.extui %narrow : i32 to i64
  // CHECK: %wide_uniform = arith.extui {{.*}}["uniform"]
  %wide_uniform = arith.extui %k : i32 to i64
  // CHECK: %from_bit = arith.extsi {{.*}}["varying"]
  %from_bit = arith.extsi %bit : i1 to i32
  // CHECK: %back = arith.index_cast {{.*}}["contiguous align 0"]
  %back = arith.index_cast %small : i32 to index
  // CHECK: %back_any = arith.index_cast {{.*}}["varying"]
  %back_any = arith.index_cast %any : i32 to index
  spmd.return
}

// -----

// CHECK-LABEL: @comparisons
spmd.kernel @comparisons(%n: index, %x: memref<?xindex>)
    attributes {work_group_size = array<i64: 64>} {
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %c63 = arith.constant 63 : index
  %c64 = arith.constant 64 : index
  %lid = spmd.local_id x
  %gid = spmd.global_id x
  %size = spmd.global_size x
  %groups = spmd.num_groups x
  %group = spmd.group_id x
  %next = arith.addi %lid, %c1 : index
  %twice = arith.addi %n, %n : index
  %next_wrapped = arith.addi %lid, %twice : index
  %base = arith.muli %group, %c64 overflow<nsw> : index
  %limit = arith.muli %groups, %c64 overflow<nsw> : index
  // CHECK: %in_range = arith.cmpi {{.*}}["uniform"]
  %in_range = arith.cmpi ult, %gid, %size : index
  // CHECK: %swapped = arith.cmpi {{.*}}["uniform"]
  %swapped = arith.cmpi ugt, %size, %gid : index
  // CHECK: %in_half = arith.cmpi {{.*}}["varying"]
  %in_half = arith.cmpi ult, %lid, %c16 : index
  // CHECK: %in_group = arith.cmpi {{.*}}["uniform"]
  %in_group = arith.cmpi ult, %lid, %c64 : index
  // CHECK: %not_last = arith.cmpi {{.*}}["varying"]
  %not_last = arith.cmpi ult, %lid, %c63 : index
  // CHECK: %at_most_last = arith.cmpi {{.*}}["uniform"]
  %at_most_last = arith.cmpi ule, %lid, %c63 : index
  // CHECK: %at_least = arith.cmpi {{.*}}["uniform"]
  %at_least = arith.cmpi uge, %lid, %c64 : index
  // CHECK: %is_size = arith.cmpi {{.*}}["uniform"]
  %is_size = arith.cmpi eq, %lid, %c64 : index
  // CHECK: %is_last = arith.cmpi {{.*}}["varying"]
  %is_last = arith.cmpi eq, %lid, %c63 : index
  // CHECK: %is_no_size = arith.cmpi {{.*}}["uniform"]
  %is_no_size = arith.cmpi ne, %c64, %lid : index
  // CHECK: %before_next = arith.cmpi {{.*}}["uniform"]
  %before_next = arith.cmpi slt, %lid, %next : index
  // CHECK: %equal_stride = arith.cmpi {{.*}}["uniform"]
  %equal_stride = arith.cmpi eq, %gid, %next : index
  // CHECK: %wrapped = arith.cmpi {{.*}}["varying"]
  %wrapped = arith.cmpi slt, %lid, %next_wrapped : index
  // CHECK: %wrapped_equal = arith.cmpi {{.*}}["uniform"]
  %wrapped_equal = arith.cmpi ne, %lid, %next_wrapped : index
  // CHECK: %whole_group = arith.cmpi {{.*}}["uniform"]
  %whole_group = arith.cmpi slt, %gid, %limit : index
  // CHECK: %whole_group_or_equal = arith.cmpi {{.*}}["varying"]
  %whole_group_or_equal = arith.cmpi sle, %gid, %limit : index
  // CHECK: %whole_group_swapped = arith.cmpi {{.*}}["uniform"]
  %whole_group_swapped = arith.cmpi sgt, %limit, %gid : index
  // CHECK: %past_group = arith.cmpi {{.*}}["uniform"]
  %past_group = arith.cmpi sge, %gid, %limit : index
  // CHECK: %past_limit = arith.cmpi {{.*}}["varying"]
  %past_limit = arith.cmpi sgt, %gid, %limit : index
  spmd.return
}
