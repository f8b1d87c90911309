// RUN: xdsl-opt %s --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// CHECK: expected elements of an integer of 8 to 64 bits, index, f32 or f64 for add, got f16
spmd.kernel @half(%m: memref<?xf16>, %i: index, %v: f16) {
  %0 = spmd.atomic_rmw add %v, %m[%i] : memref<?xf16>
  spmd.return
}

// -----

// CHECK: expected elements of an integer of 8 to 64 bits, index, f32 or f64 for exchange, got i1
spmd.kernel @bits(%m: memref<?xi1>, %i: index, %v: i1) {
  %0 = spmd.atomic_rmw exchange %v, %m[%i] : memref<?xi1>
  spmd.return
}

// -----

// CHECK: expected elements of an integer of 8 to 64 bits or index for maxui, got f32
spmd.kernel @unsigned_floats(%m: memref<?xf32>, %i: index, %v: f32) {
  %0 = spmd.atomic_rmw maxui %v, %m[%i] : memref<?xf32>
  spmd.return
}

// -----

// CHECK: expected one index per dimension of memref<?x4xi32> (2), got 1
spmd.kernel @rank(%m: memref<?x4xi32>, %i: index, %v: i32) {
  %0 = spmd.atomic_rmw add %v, %m[%i] : memref<?x4xi32>
  spmd.return
}

// -----

// CHECK: expected values of the element type i32, got i64
spmd.kernel @value_type(%m: memref<?xi32>, %i: index, %v: i64) {
  %0 = "spmd.atomic_rmw"(%v, %m, %i) <{kind = #spmd.atomic_kind<add>, ordering = #spmd.ordering<relaxed>, scope = #spmd.atomic_scope<device>}> : (i64, memref<?xi32>, index) -> i64
  spmd.return
}

// -----

// CHECK: expected a memref, got i32
spmd.kernel @no_memref(%m: i32, %v: i32) {
  %0 = spmd.atomic_rmw add %v, %m[] : i32
  spmd.return
}

// -----

// CHECK: Expected `add`, `sub`, `min`, `max`, `minui`, `maxui`, `and`, `or`, `xor`, or `exchange`
spmd.kernel @no_such_kind(%m: memref<i32>, %v: i32) {
  %0 = spmd.atomic_rmw mul %v, %m[] : memref<i32>
  spmd.return
}

// -----

// CHECK: Expected `relaxed`, `acquire`, `release`, `acq_rel`, or `seq_cst`
spmd.kernel @no_such_ordering(%m: memref<i32>, %v: i32) {
  %0 = spmd.atomic_rmw add %v, %m[] ordering(consume) : memref<i32>
  spmd.return
}

// -----

// CHECK: Expected `work_group`, or `device`
spmd.kernel @no_such_scope(%m: memref<i32>, %v: i32) {
  %0 = spmd.atomic_rmw add %v, %m[] scope(sub_group) : memref<i32>
  spmd.return
}

// -----

// CHECK: expected elements of an integer of 8 to 64 bits or index, got f32
spmd.kernel @cas_of_floats(%m: memref<f32>, %a: f32) {
  %0, %1 = spmd.atomic_cas %a, %a, %m[] : memref<f32>
  spmd.return
}

// -----

// CHECK: expected values of the element type i32, got i64
spmd.kernel @cas_types(%m: memref<i32>, %a: i32, %b: i64) {
  %0, %1 = "spmd.atomic_cas"(%a, %b, %m) <{ordering = #spmd.ordering<relaxed>, scope = #spmd.atomic_scope<device>}> : (i32, i64, memref<i32>) -> (i32, i1)
  spmd.return
}

// -----

// CHECK: expected spmd.atomic_rmw inside a kernel or function, got it at module level
%v, %m = "test.op"() : () -> (i32, memref<i32>)
%0 = spmd.atomic_rmw add %v, %m[] : memref<i32>

// -----

// CHECK: expected spmd.atomic_cas inside a kernel or function, got it at module level
%v, %m = "test.op"() : () -> (i32, memref<i32>)
%0, %1 = spmd.atomic_cas %v, %v, %m[] : memref<i32>

// -----

// CHECK: expected ordering or scope, got order
spmd.kernel @no_such_clause(%v: i32, %m: memref<i32>) {
  %0 = spmd.atomic_rmw add %v, %m[] order(acquire) : memref<i32>
  spmd.return
}
