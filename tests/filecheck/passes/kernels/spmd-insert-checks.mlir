// RUN: xdsl-opt %s -p spmd-insert-checks --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'spmd-to-loops{checked=true},vectorize{width=8}' --split-input-file | filecheck %s --check-prefix VECTOR

// Every index is compared with its size; the message has the work-item in as many
// dimensions as the kernel asks for.

// CHECK-LABEL: spmd.kernel @access
// CHECK:         %x_size = memref.dim %x, %c0 : memref<?x8xf32>
// CHECK:         [[I:%.*]] = arith.cmpi uge, %i, %x_size : index
// CHECK-NEXT:    [[J:%.*]] = arith.cmpi uge, %j, %c8 : index
// CHECK-NEXT:    %fault = arith.ori [[I]], [[J]] : i1
// CHECK-NEXT:    scf.if %fault {
// CHECK-NEXT:      [[GX:%.*]] = spmd.global_id x
// CHECK-NEXT:      [[GY:%.*]] = spmd.global_id y
// CHECK-NEXT:      [[LX:%.*]] = spmd.local_id x
// CHECK-NEXT:      [[LY:%.*]] = spmd.local_id y
// CHECK-NEXT:      [[X:%.*]] = spmd.group_id x
// CHECK-NEXT:      [[Y:%.*]] = spmd.group_id y
// CHECK-NEXT:      spmd.fail "access out of bounds: [{}, {}] of global memory %x of {}x8 elements [memref.load] in work-item ({}, {}) (local ({}, {}) of work-group ({}, {}))"(%i, %j, %x_size, [[GX]], [[GY]], [[LX]], [[LY]], [[X]], [[Y]])
// CHECK-NEXT:    }
// CHECK-NEXT:    %v = memref.load %x[%i, %j] : memref<?x8xf32>
// The same element is not checked again.
// CHECK-NEXT:    memref.store %v, %x[%i, %j] : memref<?x8xf32>
// CHECK-NEXT:    spmd.return

// VECTOR-LABEL: func.func @access
// VECTOR:         [[FIRST:%.*]] = arith.cmpi uge, %j, %c8 : index
// VECTOR-NEXT:    [[LAST:%.*]] = arith.cmpi uge, %{{.*}}, %c8 : index
// VECTOR-NEXT:    [[ENDS:%.*]] = arith.ori [[FIRST]], [[LAST]] : i1
// VECTOR-NEXT:    [[SOME:%.*]] = arith.ori {{.*}}, [[ENDS]] : i1
// VECTOR-NEXT:    scf.if [[SOME]] {
// VECTOR:           spmd.fail
// VECTOR-NEXT:    }
spmd.kernel @access(%x: memref<?x8xf32>) {
  %j = spmd.global_id x
  %i = spmd.global_id y
  %v = memref.load %x[%i, %j] : memref<?x8xf32>
  memref.store %v, %x[%i, %j] : memref<?x8xf32>
  spmd.return
}

// -----

// What ranges prove, what a branch or loop says, and what was checked before: no check.

// CHECK-LABEL: spmd.kernel @proven
// CHECK-NOT:     spmd.fail
// CHECK:         spmd.return
spmd.kernel @proven(%x: memref<?xf32>) attributes {work_group_size = array<i64: 8>} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %t = spmd.local_alloc : memref<8xf32, #spmd.memory<local>>
  %i = spmd.global_id x
  %l = spmd.local_id x
  %n = memref.dim %x, %c0 : memref<?xf32>
  %third = arith.divui %l, %c3 : index
  %inside = arith.cmpi ugt, %n, %i : index
  scf.if %inside {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %t[%third] : memref<8xf32, #spmd.memory<local>>
  }
  scf.for %k = %c0 to %n step %c1 {
    %w = memref.load %x[%k] : memref<?xf32>
    memref.store %w, %t[%l] : memref<8xf32, #spmd.memory<local>>
  }
  spmd.return
}

// -----

// Divisions; shifts and conversions, which only matter where the result is chosen; an
// assertion is a check itself. Flags that promise something go.

// CHECK-LABEL: spmd.kernel @numbers
// CHECK:         arith.addi %n, %n : i32
// CHECK:         %fault = arith.cmpi eq, %n, %c0_i32 : i32
// CHECK:           spmd.fail "division by zero [arith.divsi] in work-item
// CHECK:         [[LEAST:%.*]] = arith.cmpi eq, %m, %cm2147483648_i32 : i32
// CHECK-NEXT:    [[MINUS:%.*]] = arith.cmpi eq, %n, %cm1_i32 : i32
// CHECK-NEXT:    arith.andi [[LEAST]], [[MINUS]] : i1
// CHECK:           spmd.fail "overflow: the quotient of -2147483648 and -1 does not fit i32 [arith.divsi] in
// CHECK:         %q = arith.divsi %m, %n : i32
// CHECK-NEXT:    %s = arith.shli %n, %n : i32
// CHECK-NEXT:    [[TAKEN:%.*]] = arith.cmpi ne, %p, %false : i1
// CHECK-NEXT:    [[FAR:%.*]] = arith.cmpi uge, %n, %c32_i32 : i32
// CHECK-NEXT:    arith.andi [[TAKEN]], [[FAR]] : i1
// CHECK:           spmd.fail "a shift of 32 bits by the width or more: by {} [arith.shli] in
// CHECK:         %t = arith.select %p, %s, %n : i32
// CHECK:         [[LOW:%.*]] = arith.cmpf ule, %f, %{{.*}} : f32
// CHECK-NEXT:    [[HIGH:%.*]] = arith.cmpf uge, %f, %{{.*}} : f32
// CHECK-NEXT:    arith.ori [[LOW]], [[HIGH]] : i1
// CHECK:           spmd.fail "a float that does not fit i16 [arith.fptosi] in
// CHECK:           spmd.fail "assertion failed: no {{[{][{]}}braces}} [cf.assert] in
// CHECK-NOT:     cf.assert
spmd.kernel @numbers(%n: i32, %p: i1, %f: f32, %x: memref<i32>, %y: memref<i16>) {
  %m = arith.addi %n, %n overflow<nsw> : i32
  %q = arith.divsi %m, %n : i32
  %s = arith.shli %n, %n : i32
  %t = arith.select %p, %s, %n : i32
  %unused = arith.shli %m, %n : i32
  %i = arith.fptosi %f : f32 to i16
  cf.assert %p, "no {braces}"
  %sum = arith.addi %q, %t : i32
  memref.store %sum, %x[] : memref<i32>
  memref.store %i, %y[] : memref<i16>
  spmd.return
}

// -----

// Outside of kernels there is no work-item.

// CHECK-LABEL: func.func @host
// CHECK:           spmd.fail "division by zero [arith.divui] in function @host"
func.func @host(%n: index) -> index {
  %q = arith.divui %n, %n : index
  func.return %q : index
}
