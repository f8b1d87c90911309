// RUN: xdsl-opt %s -p spmd-to-loops --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s

// Control flow forwards values of the types that its targets take.

// CHECK: expected 'scf.if' to have an else region, which yields values of types (f32), got none
spmd.kernel @no_else(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.if %first -> (f32) {
    scf.yield %one : f32
  }
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the results of 'scf.if', got ()
spmd.kernel @if_yields_nothing(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.if %first -> (f32) {
    scf.yield %one : f32
  } else {
    scf.yield
  }
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the results of 'scf.if', got (index)
spmd.kernel @if_yields_another_type(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.if %first -> (f32) {
    scf.yield %i : index
  } else {
    scf.yield %one : f32
  }
  spmd.return
}

// -----

// CHECK: expected values of types () for the results of 'scf.if', got (f32)
spmd.kernel @if_without_results_yields(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    scf.yield %one : f32
  }
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the region of 'scf.while', got ()
spmd.kernel @condition_forwards_nothing(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.while (%a = %one) : (f32) -> f32 {
    scf.condition(%first)
  } do {
  ^bb0(%b: f32):
    scf.yield %b : f32
  }
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the region of 'scf.while', got (index)
spmd.kernel @condition_forwards_another_type(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.while (%a = %one) : (f32) -> f32 {
    scf.condition(%first) %i : index
  } do {
  ^bb0(%b: f32):
    scf.yield %b : f32
  }
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the region of 'scf.while', got ()
spmd.kernel @while_yields_nothing(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.while (%a = %one) : (f32) -> f32 {
    scf.condition(%first) %a : f32
  } do {
  ^bb0(%b: f32):
    scf.yield
  }
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the region of 'scf.while', got (index)
spmd.kernel @while_yields_another_type(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = scf.while (%a = %one) : (f32) -> f32 {
    scf.condition(%first) %a : f32
  } do {
  ^bb0(%b: f32):
    scf.yield %i : index
  }
  spmd.return
}

// -----

// CHECK: expected another end of the region of 'scf.while', got 'scf.yield'
spmd.kernel @while_without_condition(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  "scf.while"() ({
    scf.yield
  }, {
    scf.yield
  }) : () -> ()
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the results of 'scf.execute_region', got ()
spmd.kernel @execute_region_yields_nothing(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %v = "scf.execute_region"() ({
    scf.yield
  }) : () -> f32
  spmd.return
}

// -----

// CHECK: expected every block to end in a terminator, got an empty one
spmd.kernel @empty_block(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  "scf.execute_region"() ({
    cf.br ^next
  ^next:
  ^never:
    scf.yield
  }) : () -> ()
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the successor, got ()
spmd.kernel @branch_forwards_nothing(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  cf.br ^next
^next(%v: f32):
  spmd.return
}

// -----

// CHECK: expected values of types () for the arguments of the successor, got (f32)
spmd.kernel @branch_forwards_too_much(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  cf.br ^next(%one : f32)
^next:
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the successor, got (index)
spmd.kernel @conditional_branch_forwards_another_type(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  cf.cond_br %first, ^next(%one : f32), ^next(%i : index)
^next(%v: f32):
  spmd.return
}

// -----

// CHECK: expected values of types (f32) for the arguments of the successor, got ()
spmd.kernel @switch_forwards_nothing(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %first = arith.cmpi eq, %i, %c0 : index
  %flag = arith.constant 1 : i32
  cf.switch %flag : i32, [
    default: ^next(%one : f32),
    1: ^next
  ]
^next(%v: f32):
  spmd.return
}

// -----

// CHECK: 'cf.switch': expected cases that differ, got -56 twice
spmd.kernel @switch_twice(%x: memref<?xi8>) {
  %i = spmd.global_id x
  %flag = memref.load %x[%i] : memref<?xi8>
  cf.switch %flag : i8, [
    default: ^end,
    200: ^one,
    7: ^end,
    -56: ^end
  ]
^one:
  cf.br ^end
^end:
  spmd.return
}

// -----

// CHECK: expected another successor than the block that is entered first
func.func @entered_twice() {
^first:
  cf.br ^first
}

// -----

// CHECK: 'scf.for': expected a step of at least 1, got 0
spmd.kernel @never_ends(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  scf.for %k = %c0 to %i step %c0 {
  }
  spmd.return
}

// -----

// CHECK: 'scf.parallel': expected a step of at least 1, got 0
spmd.kernel @never_ends_in_any_order(%x: memref<?xf32>) {
  %i = spmd.global_id x
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%k, %l) = (%c0, %c0) to (%i, %i) step (%c1, %c0) {
    scf.reduce
  }
  spmd.return
}

// -----

// CHECK: 'scf.for': expected a step of at least 1, got -1
spmd.kernel @counts_down(%x: memref<?xf32>) {
  %c0 = arith.constant 0 : i32
  %c9 = arith.constant 9 : i32
  %back = arith.constant -1 : i32
  scf.for %k = %c9 to %c0 step %back : i32 {
  }
  spmd.return
}
