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

// Divisions; sums, shifts and conversions, which only matter where the result is needed; an
// assertion is a check itself. Flags that promise something go.

// CHECK-LABEL: spmd.kernel @numbers
// CHECK:         [[SUM:%.*]] = arith.addi %n, %n : i32
// CHECK-NEXT:    [[OTHER:%.*]] = arith.xori %n, [[SUM]] : i32
// CHECK-NEXT:    [[ONE:%.*]] = arith.xori %n, [[SUM]] : i32
// CHECK-NEXT:    [[SIGN:%.*]] = arith.andi [[ONE]], [[OTHER]] : i32
// CHECK-NEXT:    %m_undefined = arith.cmpi slt, [[SIGN]], %c0_i32 : i32
// CHECK-NEXT:    %m = arith.addi %n, %n : i32
// CHECK:         %fault = arith.cmpi eq, %n, %c0_i32 : i32
// CHECK:           spmd.fail "division by zero [arith.divsi] in work-item
// CHECK:         [[LEAST:%.*]] = arith.cmpi eq, %m, %cm2147483648_i32 : i32
// CHECK-NEXT:    [[MINUS:%.*]] = arith.cmpi eq, %n, %cm1_i32 : i32
// CHECK-NEXT:    arith.andi [[LEAST]], [[MINUS]] : i1
// CHECK:           spmd.fail "overflow: the quotient of -2147483648 and -1 does not fit i32 [arith.divsi] in
// CHECK:         %q = arith.divsi %m, %n : i32
// CHECK-NEXT:    %s_undefined = arith.cmpi uge, %n, %c32_i32 : i32
// CHECK-NEXT:    %s = arith.shli %n, %n : i32
// CHECK-NEXT:    %t_undefined = arith.select %p, %s_undefined, %false : i1
// CHECK-NEXT:    %t = arith.select %p, %s, %n : i32
// CHECK-NEXT:    [[LOW:%.*]] = arith.cmpf ule, %f, %{{.*}} : f32
// CHECK-NEXT:    [[HIGH:%.*]] = arith.cmpf uge, %f, %{{.*}} : f32
// CHECK-NEXT:    %i_undefined = arith.ori [[LOW]], [[HIGH]] : i1
// CHECK-NEXT:    %i = arith.fptosi %f : f32 to i16
// CHECK:           spmd.fail "assertion failed: no {{[{][{]}}braces}} [cf.assert] in
// CHECK:         %sum_undefined = arith.ori %m_undefined, %t_undefined : i1
// CHECK-NEXT:    %sum = arith.addi %q, %t : i32
// CHECK-NEXT:    arith.cmpi ne, %sum_undefined, %false : i1
// CHECK:           spmd.fail "an undefined value, of an overflow of 32 bits, which nsw rules out [arith.addi] or a shift of 32 bits by the width or more: by ? [arith.shli], is needed [memref.store] in
// CHECK:         memref.store %sum
// CHECK:           spmd.fail "a float that does not fit i16 [arith.fptosi] in
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

// -----

// A lane that is not there is read without harm where nobody needs the value: a bit goes
// with it around the loop.

// CHECK-LABEL: spmd.kernel @sum
// CHECK:         %s, %s_1, %s_undefined = scf.while (%d = %c8, %a = %v, %a_undefined = %false)
// CHECK:           scf.condition(%more) %d, %a, %a_undefined : index, f32, i1
// CHECK:           [[HERE:%.*]] = spmd.ballot %true : i64
// CHECK:           arith.shrui [[HERE]],
// CHECK:           [[BROUGHT:%.*]] = spmd.shuffle down %a_undefined_1, %d_1 : i1
// CHECK-NEXT:      %o_undefined = arith.ori %{{.*}}, [[BROUGHT]] : i1
// CHECK-NEXT:      %o = spmd.shuffle down
// CHECK-NEXT:      %b_undefined = arith.ori %a_undefined_1, %o_undefined : i1
// CHECK-NEXT:      %b = arith.addf
// CHECK:           scf.yield %{{.*}}, %b, %b_undefined : index, f32, i1
// CHECK:         scf.if %first {
// CHECK-NEXT:      %fault_1 = arith.cmpi ne, %s_undefined, %false : i1
// CHECK-NEXT:      scf.if %fault_1 {
// CHECK:             spmd.fail "a value from lane ?, which is not there [spmd.shuffle] in
// CHECK:           memref.store %s_1, %out[]
spmd.kernel @sum(%x: memref<?xf32>, %out: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i = spmd.global_id x
  %l = spmd.lane_id
  %v = memref.load %x[%i] : memref<?xf32>
  %s:2 = scf.while (%d = %c8, %a = %v) : (index, f32) -> (index, f32) {
    %more = arith.cmpi ugt, %d, %c0 : index
    scf.condition(%more) %d, %a : index, f32
  } do {
  ^bb0(%d: index, %a: f32):
    %o = spmd.shuffle down %a, %d : f32
    %b = arith.addf %a, %o : f32
    %h = arith.shrui %d, %c1 : index
    scf.yield %h, %b : index, f32
  }
  %first = arith.cmpi eq, %l, %c0 : index
  scf.if %first {
    memref.store %s#1, %out[] : memref<f32>
  }
  spmd.return
}

// -----

// What a shift loses; of a sum by a number that is known, one side is left.

// CHECK-LABEL: spmd.kernel @lost
// CHECK:         [[BY:%.*]] = arith.minui %n, %c31_i32 : i32
// CHECK-NEXT:    [[MOST:%.*]] = arith.shrui %cm1_i32, [[BY]] : i32
// CHECK-NEXT:    [[TOO_FAR:%.*]] = arith.cmpi uge, %n, %c32_i32 : i32
// CHECK-NEXT:    [[LOST:%.*]] = arith.cmpi ugt, %n, [[MOST]] : i32
// CHECK-NEXT:    %m_undefined = arith.ori [[TOO_FAR]], [[LOST]] : i1
// CHECK-NEXT:    %m = arith.shli %n, %n : i32
// CHECK:         [[ROOM:%.*]] = arith.subi %c2147483647_i32, %c7 : i32
// CHECK-NEXT:    %s_undefined = arith.cmpi sgt, %n, [[ROOM]] : i32
// CHECK-NEXT:    %s = arith.addi %n, %c7 : i32
spmd.kernel @lost(%n: i32, %x: memref<2xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : i32
  %m = arith.shli %n, %n overflow<nuw> : i32
  memref.store %m, %x[%c0] : memref<2xi32>
  %s = arith.addi %n, %c7 overflow<nsw> : i32
  memref.store %s, %x[%c1] : memref<2xi32>
  spmd.return
}

// -----

// Floats that flags rule out are as without these flags.

// CHECK-LABEL: spmd.kernel @floats
// CHECK-NEXT:    %s = arith.addf %a, %b fastmath<reassoc,contract> : f32
// CHECK-NEXT:    %q = math.exp %s : f32
// CHECK-NEXT:    memref.store
spmd.kernel @floats(%a: f32, %b: f32, %x: memref<f32>) {
  %s = arith.addf %a, %b fastmath<reassoc,nnan,ninf,contract> : f32
  %q = math.exp %s fastmath<nnan> : f32
  memref.store %q, %x[] : memref<f32>
  spmd.return
}

// -----

// Memory begins where the kernel assumes.

// CHECK-LABEL: spmd.kernel @alignment
// CHECK:         %[[POINTER:.*]] = "memref.extract_aligned_pointer_as_index"(%x)
// CHECK-NEXT:    %[[REST:.*]] = arith.andi %[[POINTER]], %c63 : index
// CHECK:         arith.cmpi ne, %[[REST]], %c0 : index
// CHECK:         spmd.fail
// CHECK:         memref.assume_alignment
spmd.kernel @alignment(%x: memref<?xf32>) {
  %a = memref.assume_alignment %x, 64 : memref<?xf32>
  spmd.return
}

// -----

// What is below the size may be negative: only of an id it is known that it is not.

// CHECK-LABEL: spmd.kernel @may_be_negative
// CHECK:         scf.if %below_n {
// CHECK-NEXT:      memref.store %v, %x[%i] : memref<?xf32>
// CHECK:           scf.if %below {
// CHECK-NEXT:        %fault = arith.cmpi uge, %j, %x_size : index
spmd.kernel @may_be_negative(%x: memref<?xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %i = spmd.global_id x
  %below_n = arith.cmpi slt, %i, %n : index
  scf.if %below_n {
    memref.store %v, %x[%i] : memref<?xf32>
    %j = arith.subi %i, %n : index
    %below = arith.cmpi slt, %j, %n : index
    scf.if %below {
      memref.store %v, %x[%j] : memref<?xf32>
    }
  }
  spmd.return
}
